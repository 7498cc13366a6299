"""What the fact tables ask of a drug in a patient: risks, doses, duplicates, what is watched."""
