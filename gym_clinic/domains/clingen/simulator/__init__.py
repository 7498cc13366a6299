"""The simulator of ClinGen's articles: a plan for each task, and the texts written from it."""
