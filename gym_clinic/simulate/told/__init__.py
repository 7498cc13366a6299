"""What may be told of a simulated patient, and who can tell it."""
