"""What examination and studies show of a patient."""
