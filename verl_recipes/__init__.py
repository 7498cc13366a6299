"""Training recipes: a thin plugin on upstream verl. Importing this package loads nothing else."""
