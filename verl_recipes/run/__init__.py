"""A run from outside verl: its locks, its process, its steps, its report."""
