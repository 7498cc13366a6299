"""Annotation sheets over recorded episodes: CSV for physicians to fill, and agreement of copies."""

from gym_clinic.evaluate.sheets.agreement import Agreement, agreement, agreement_table, read_filled
from gym_clinic.evaluate.sheets.forms import FORMS, Column, SheetForm, find_form
from gym_clinic.evaluate.sheets.study import study_files
from gym_clinic.evaluate.sheets.writing import sheet_rows, write_sheet

__all__ = [
    "FORMS",
    "Agreement",
    "Column",
    "SheetForm",
    "agreement",
    "agreement_table",
    "find_form",
    "read_filled",
    "sheet_rows",
    "study_files",
    "write_sheet",
]
