"""Published relations of symptoms and diseases -> symptom graphs."""

from gym_clinic.importers.graphs.csv import read_graph
from gym_clinic.importers.graphs.umls import read_umls

__all__ = ["read_graph", "read_umls"]
