"""The sections of notes and letters: history, examination, background, treatment, assessment."""
