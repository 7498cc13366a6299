"""The commands of ``gym-clinic``, a module each: ``add`` declares it, ``run`` does it."""
