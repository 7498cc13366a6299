"""The cases of DxSearch: a drawn patient, and its presentation as a clinician writes it."""
