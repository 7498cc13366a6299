"""Training on a machine without a GPU: a tiny model, a platform and a rollout engine."""
