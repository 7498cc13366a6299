"""What clinical agents look up: passages, guidelines, similar patients, the symptom graph."""
