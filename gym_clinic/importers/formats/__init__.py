"""File formats that several importers share: XML, CSV, text, OBO, OBO Graphs and JATS."""

from gym_clinic.importers.formats.csv import csv_rows
from gym_clinic.importers.formats.jats import JatsArticle, Section, read_articles, read_jats
from gym_clinic.importers.formats.obo import read_obo
from gym_clinic.importers.formats.obographs import read_obo_graph
from gym_clinic.importers.formats.ontology import Synonym, Term
from gym_clinic.importers.formats.text import text_lines
from gym_clinic.importers.formats.xml import XmlError, xml_elements

__all__ = [
    "JatsArticle",
    "Section",
    "Synonym",
    "Term",
    "XmlError",
    "csv_rows",
    "read_articles",
    "read_jats",
    "read_obo",
    "read_obo_graph",
    "text_lines",
    "xml_elements",
]
