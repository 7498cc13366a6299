"""A simulated literature on a gene and a disease: the records first, then the words."""
