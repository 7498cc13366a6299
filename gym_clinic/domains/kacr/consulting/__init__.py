"""The consultation of disciplines (KACR, step II): ``clinic/Consultation-v0``."""
