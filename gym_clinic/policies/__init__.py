"""What acts in an environment."""
