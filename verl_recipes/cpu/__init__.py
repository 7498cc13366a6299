"""What stands in, on a machine without a GPU, for a model and for a rollout engine."""
