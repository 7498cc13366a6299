"""KACR: a walk on the clinical graph, and a consultation that votes by confidence."""
