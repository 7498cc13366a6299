"""The trainer: which trajectories a step takes, its worker, its figures and alarms."""
