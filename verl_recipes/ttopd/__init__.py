"""Turn-level truncated on-policy distillation (TT-OPD): loss, reward, turns, teacher, engine."""
