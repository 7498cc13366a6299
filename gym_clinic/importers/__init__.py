"""Readers of published records: formats, passages, facts, patients, graphs and tasks.

The tables below hold strings only, so that a command can list the importers without loading them.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CASES", "FACTS", "TASKS", "CaseImporter", "Importer", "TaskImporter"]


class Importer(NamedTuple):
    """An entry in a table of importers.

    Attributes:
        reader: ``"package.module:function"`` of the function that reads a path and yields records.
        makes: What it reads and what it makes of it, in one line.
        leaves_out: Whether the reader takes `left_out`: what is done with the reason for each
            thing that it does not keep.
    """

    reader: str
    makes: str
    leaves_out: bool = False


_FACTS, _TASKS, _CASES = (f"{__name__}.{room}" for room in ("facts", "tasks", "cases"))

FACTS: dict[str, Importer] = {
    "hpo-obo": Importer(f"{_FACTS}.hpo:read_hpo_obo", "HPO in OBO format (hp.obo) -> terms"),
    "hpo": Importer(f"{_FACTS}.hpo:read_hpo", "HPO as OBO Graphs JSON (hp.json) -> terms"),
    "mondo": Importer(
        f"{_FACTS}.mondo:read_diseases", "OBO Graphs JSON (mondo.json) -> diseases", True
    ),
    "hpoa": Importer(
        f"{_FACTS}.hpoa:read_hpoa", "HPO annotations (phenotype.hpoa) -> profiles", True
    ),
    "orphanet-names": Importer(f"{_FACTS}.orphanet:read_names", "product 1 -> names, codes", True),
    "orphanet-phenotypes": Importer(
        f"{_FACTS}.orphanet:read_phenotypes", "product 4 -> profiles", True
    ),
    "orphanet-history": Importer(
        f"{_FACTS}.orphanet:read_history", "product 9 -> onset, death", True
    ),
    "orphanet-prevalence": Importer(
        f"{_FACTS}.orphanet:read_prevalences", "product 9 -> rates", True
    ),
    "clingen": Importer(
        f"{_FACTS}.clingen:read_validity", "gene-disease validity (CSV) -> classes"
    ),
    "icd10cm": Importer(f"{_FACTS}.icd10cm:read_icd10cm", "ICD-10-CM order file -> codes, titles"),
    "ddxplus": Importer(f"{_FACTS}.ddxplus:read_conditions", "DDXPlus conditions -> profiles"),
    "ddxplus-evidences": Importer(f"{_FACTS}.ddxplus:read_evidences", "DDXPlus -> questions"),
}
"""Importers of facts, as ``gym-clinic kb import`` lists them; each reader takes a path, and
`broken`: what is done with the error of a broken record."""


class TaskImporter(NamedTuple):
    """An entry in the table of importers of tasks.

    Attributes:
        reader: ``"package.module:read"``, where ``read(path, **options)`` yields tasks.
        makes: What it reads, in one line.
        format: Format of the file.
        group: Field of the record whose values are kept in one split; empty if there is none.
        strict: Whether a group that is in another split of the folder already is an error; else it
            is reported, because published splits share groups.
        watched: Fields of the record that should not have one value in two splits; the command
            reports those that do. ``articles.pmid`` is the field of every article.
    """

    reader: str
    makes: str
    format: str
    group: str = ""
    watched: tuple[str, ...] = ()
    strict: bool = True


TASKS: dict[str, TaskImporter] = {
    "clingen": TaskImporter(
        f"{_TASKS}.clingen:read",
        "evidence annotations of gene-disease curations, with JATS full texts",
        "JSON Lines and XML",
        group="panel",
        watched=("gene", "articles.pmid"),
    ),
    "medqa": TaskImporter(
        f"{_TASKS}.medqa:read",
        "questions of the US medical licensing examination",
        "JSON Lines",
        watched=("question",),
    ),
    "medmcqa": TaskImporter(
        f"{_TASKS}.medmcqa:read",
        "questions of Indian medical entrance examinations",
        "JSON Lines",
        watched=("question",),
    ),
    "pubmedqa": TaskImporter(
        f"{_TASKS}.pubmedqa:read",
        "questions that an abstract answers with yes, no or maybe",
        "JSON",
        watched=("question",),
    ),
    "mmlu_medical": TaskImporter(
        f"{_TASKS}.mmlu_medical:read",
        "medical subjects of MMLU: a file, or a folder of files",
        "CSV",
        watched=("question",),
    ),
    **{
        name: TaskImporter(
            f"{_TASKS}.{name}:read", makes, form, group="image", watched=("image",), strict=False
        )
        for name, makes, form in (
            ("vqa_rad", "closed questions about radiological images", "JSON"),
            ("slake", "closed English questions about radiological images", "JSON"),
            ("path_vqa", "closed questions about pathology images", "JSON or JSON Lines"),
            ("omnimedvqa", "choices about images of twelve modalities: a file or folder", "JSON"),
            ("mmmu_med", "choices of health and medicine, with one image", "JSON or JSON Lines"),
        )
    },
}
"""Benchmarks, as ``gym-clinic tasks import`` lists them."""


class CaseImporter(NamedTuple):
    """An entry in the table of importers of diagnostic cases.

    Attributes:
        reader: ``"package.module:read"``, where ``read(path, broken, left_out, **options)`` yields
            a :class:`gym_clinic.importers.cases.ReportedCase` for each case.
        makes: What it reads, in one line.
        raw: Whether texts are screened first; curated sources are not (section 4.1, stage II).
    """

    reader: str
    makes: str
    raw: bool = False


CASES: dict[str, CaseImporter] = {
    "own": CaseImporter(f"{_CASES}.own:read", "your own cases, JSON Lines or CSV", True),
    "phenopackets": CaseImporter(
        f"{_CASES}.coded:read_packets", "GA4GH phenopackets: a file, a folder, a zip or a tar file"
    ),
    "rarebench": CaseImporter(
        f"{_CASES}.coded:read_benchmark", "RareBench (JSON Lines); --set mappings=FOLDER"
    ),
    "pmc-patients": CaseImporter(
        f"{_CASES}.pmc:read", "PMC-Patients (JSON or CSV); the title names the disease", True
    ),
    "ddxplus": CaseImporter(
        f"{_CASES}.ddxplus:read", "patients of DDXPlus (CSV); --set tables=FOLDER"
    ),
    "rarearena": CaseImporter(f"{_CASES}.rarearena:read", "RareArena (RDS.json, RDC.json)"),
    "meddialog": CaseImporter(f"{_CASES}.meddialog:read", "English MedDialog (text)", True),
    "mendeley": CaseImporter(
        f"{_CASES}.mendeley:read", "diseases and symptoms as 0 and 1 (CSV); --set names=FILE"
    ),
    "discharge": CaseImporter(
        f"{_CASES}.discharge:read", "a folder of discharge summaries as in MIMIC-IV-Note", True
    ),
}
"""Sources of diagnostic cases, as ``gym-clinic cases import`` lists them."""
