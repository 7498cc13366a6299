"""A run from outside verl: its model, its process, its steps, its report."""
