"""What a patient tells, how, and in which words."""
