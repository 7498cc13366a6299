"""Knowledge: passages, guidelines, similar patients and the symptom graph."""
