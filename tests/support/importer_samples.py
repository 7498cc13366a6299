"""A small valid file, or folder of files, for every importer: made up, in the published formats."""

from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linking_gold import SYMPTOMS

from gym_clinic.importers import CASES, FACTS, TASKS
from gym_clinic.importers.passages import READERS, Labels
from gym_clinic.names import import_named
from gym_clinic.retrieval.graph import SymptomLinker

Read = Callable[[Path], Iterable[Any]]


@dataclass(frozen=True)
class Sample:
    """Files that an importer reads.

    Attributes:
        files: Name -> content.
        read: Reads the folder of the files.
    """

    files: dict[str, bytes]
    read: Read


def lines(*rows: dict[str, Any]) -> bytes:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()


def xml(root: str, *elements: str, encoding: str = "utf-8") -> bytes:
    name = root.split()[0]
    text = f"<?xml version='1.0' encoding='{encoding}'?>\n<{root}>\n{''.join(elements)}</{name}>"
    return text.encode(encoding)


# Passages -------------------------------------------------------------------------------------


def citation(number: int) -> str:
    return (
        f"<PubmedArticle><MedlineCitation><PMID Version='1'>{number}</PMID><Article>"
        f"<ArticleTitle>On <i>S. aureus</i> {number}</ArticleTitle><Abstract><AbstractText "
        "Label='AIM'>é &lt; 5.</AbstractText></Abstract></Article></MedlineCitation>"
        "</PubmedArticle>\n"
    )


def article(number: int) -> str:
    return (
        f"<article><front><article-meta><article-id pub-id-type='pmc'>{number}</article-id>"
        f"<title-group><article-title>Title {number}</article-title></title-group><pub-date>"
        "<year>2012</year></pub-date><abstract><p>Short.</p></abstract></article-meta></front>"
        "<body><sec><title>Results</title><p>Müller.</p></sec></body></article>\n"
    )


def page(number: int) -> str:
    return (
        f"<page><title>T{number}</title><ns>0</ns><id>{number}</id><revision><text>It is "
        "'''hot'''.{{x|[[y]]}} é</text></revision></page>\n"
    )


PASSAGES = {
    "jsonl": lines(*({"id": f"{n}", "title": "é", "content": f"text {n}"} for n in (1, 2, 3))),
    "pubmed": xml("PubmedArticleSet", *map(citation, (1, 2, 3))),
    "jats": xml("pmc-articleset", *map(article, (1, 2, 3))),
    "wikipedia": xml("mediawiki xmlns='w'", *map(page, (1, 2, 3))),
    "text": "Fever is high.\n\nÄrzte see it.\n".encode() * 50,
}
PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes, ".gz": lambda data: gzip.compress(data, mtime=0), ".bz2": bz2.compress,
}  # fmt: skip

# Facts ----------------------------------------------------------------------------------------

OBO = """format-version: 1.2

[Term]
id: HP:9000001
name: Amber glow
alt_id: HP:9000009
def: "A glow, \\"amber\\" by day." [me:1]
synonym: "Glow, ämber" EXACT layperson [me:1, me:2]
xref: UMLS:C9999999 "Amber"
is_a: HP:0000118 ! Phenotypic abnormality

[Term]
id: HP:9000002
is_obsolete: true
replaced_by: HP:9000001
"""


def node(key: str, name: str, **meta: Any) -> dict[str, Any]:
    return {
        "id": f"http://purl.obolibrary.org/obo/{key}", "lbl": name, "type": "CLASS", "meta": meta,
    }  # fmt: skip


def graph(*keys: str) -> bytes:
    said = [{"pred": "hasExactSynonym", "val": "Fieber"}]
    nodes = [node(key, f"Fever {key}", synonyms=said) for key in keys]
    edge = {"sub": nodes[0]["id"], "pred": "is_a", "obj": nodes[1]["id"]}
    return json.dumps({"graphs": [{"nodes": nodes, "edges": [edge]}]}).encode()


HPOA = (
    "database_id\tdisease_name\tqualifier\thpo_id\treference\tevidence\tonset\tfrequency\tsex\t"
    "modifier\taspect\tbiocuration\n"
    "OMIM:100100\tAmber fever\t\tHP:0000002\tPMID:1\tPCS\t\t7/14\t\t\tP\tme\n"
    "OMIM:100100\tAmber fever\tNOT\tHP:0000003\tPMID:2\tPCS\t\tHP:0040283\t\t\tP\tme\n"
    "ORPHA:17\tBlue pälsy\t\tHP:0000008\tPMID:1\tPCS\t\t12.5%\t\t\tP\tme\n"
)
ORPHANET = {
    "orphanet-names": (
        "<SynonymList><Synonym>Fièvre</Synonym></SynonymList><ExternalReferenceList>"
        "<ExternalReference><Source>OMIM</Source><Reference>100100</Reference>"
        "<DisorderMappingRelation><Name>E (Exact)</Name></DisorderMappingRelation>"
        "</ExternalReference></ExternalReferenceList>"
    ),
    "orphanet-phenotypes": (
        "<HPODisorderAssociationList><HPODisorderAssociation><HPO><HPOId>HP:0000002</HPOId>"
        "<HPOTerm>Short</HPOTerm></HPO><HPOFrequency><Name>Frequent (79-30%)</Name></HPOFrequency>"
        "</HPODisorderAssociation></HPODisorderAssociationList>"
    ),
    "orphanet-history": (
        "<AverageAgeOfOnsetList><AverageAgeOfOnset><Name>Adult</Name></AverageAgeOfOnset>"
        "</AverageAgeOfOnsetList>"
    ),
    "orphanet-prevalence": (
        "<PrevalenceList><Prevalence><Source>1[PMID]</Source>"
        "<PrevalenceType><Name>Point prevalence</Name></PrevalenceType>"
        "<PrevalenceQualification><Name>Value and class</Name></PrevalenceQualification>"
        "<PrevalenceClass><Name>1-9 / 100 000</Name></PrevalenceClass><ValMoy>2.5</ValMoy>"
        "<PrevalenceGeographic><Name>Europe</Name></PrevalenceGeographic>"
        "<PrevalenceValidationStatus><Name>Validated</Name></PrevalenceValidationStatus>"
        "</Prevalence></PrevalenceList>"
    ),
}


def disorder(code: int, inside: str) -> str:
    return f"<Disorder><OrphaCode>{code}</OrphaCode><Name>Fièvre {code}</Name>{inside}</Disorder>\n"


DDXPLUS = {
    "Amber fever": {
        "cond-name-eng": "Amber fever", "icd10-id": "a01.0", "severity": 2,
        "symptoms": {"E_1": {}, "E_2": {"probability": 0.25}}, "antecedents": {"E_4": 1.0},
    }
}  # fmt: skip
EVIDENCES = {
    "E_1": {
        "code_question": "E_0", "question_en": "Do you glow?", "is_antecedent": False,
        "default_value": "V_1", "value_meaning": {"V_1": {"en": "no"}},
        "possible-values": ["V_1", 7], "data_type": "C",
    }
}  # fmt: skip
CLINGEN = (
    '"GENE SYMBOL","GENE ID (HGNC)","DISEASE LABEL","DISEASE ID (MONDO)","MOI","SOP",'
    '"CLASSIFICATION","ONLINE REPORT","CLASSIFICATION DATE","GCEP"\n'
    + '"GENEX","HGNC:9","disease ""ä""","MONDO:9999901","AD","SOP10","Limited",'
    '"https://example.org","2024-03-14T16:00:00.000Z","Panel"\n' * 2
)
FACT_FILES: dict[str, bytes] = {
    "hpo-obo": OBO.encode(),
    "hpo": graph("HP_0000118", "HP_0000001"),
    "mondo": graph("MONDO_9000001", "MONDO_9000002"),
    "hpoa": HPOA.encode(),
    **{
        name: xml("JDBOR", *(disorder(code, inside) for code in (1, 2)), encoding="iso-8859-1")
        for name, inside in ORPHANET.items()
    },
    "clingen": CLINGEN.encode(),
    "icd10cm": "".join(
        f"{n:05} A{n:<6} 1 {'Made-up fever':<60} Made-up fever {n}\n" for n in range(10, 14)
    ).encode(),
    "ddxplus": json.dumps(DDXPLUS).encode(),
    "ddxplus-evidences": json.dumps(EVIDENCES).encode(),
}

# Tasks ----------------------------------------------------------------------------------------

ANNOTATION = {
    "gene": "GENEX", "hgnc_id": "HGNC:9", "disease": "example", "mondo_id": "MONDO:9999901",
    "inheritance": "AR", "panel": "Panel A", "classification": "Moderate",
    "articles": [
        {"pmid": "1", "pmcid": "PMC1", "genetic": None,
         "evidence": [{"subtype": "rescue_in_human", "summary": "Rescued."}]},
        {"pmid": "2", "pmcid": "PMC2", "evidence": [],
         "genetic": {"points": 3.5, "publications": 2, "first_reported": 2009}},
    ],
}  # fmt: skip
CHOICES = {"question": "Glöws?", "options": {"A": "a", "B": "b"}, "answer": "b", "answer_idx": "B"}
MEDMCQA = {"question": "Q?", "opa": "a", "opb": "b", "opc": "c", "opd": "d", "cop": 2, "exp": "E"}
PUBMEDQA = {"QUESTION": "Q?", "CONTEXTS": ["C"], "LONG_ANSWER": "L", "final_decision": "no"}
VQA_RAD = {"qid": 1, "image_name": "s1.jpg", "answer": "No", "answer_type": "CLOSED ",
           "question_type": "PRES", "question": "Is it é?", "phrase_type": "freeform"}  # fmt: skip
SLAKE = {"img_name": "x0/source.jpg", "question": "Is it left or right?", "answer": "Left",
         "q_lang": "en", "modality": "CT", "content_type": "Position"}  # fmt: skip
OMNI = {"question_type": "Disease", "question": "What?", "gt_answer": "b", "image_path": "I/a.png",
        "option_A": "a", "option_B": "b", "modality_type": "CT"}  # fmt: skip
MMMU = {"id": "validation_Pharmacy_1", "question": "<image 1> What?", "options": "['a', 'b']",
        "answer": "A", "question_type": "multiple-choice", "image_1": "p.png"}  # fmt: skip

CHALLENGE = (
    "question,opa,opb,opc,opd,answer_idx,answer,explanation\n"
    '"Q, then?",a,b,c,d,B,b,Since\nR?,a,b,c,d,A,a,Since\n'
)

TASK_FILES: dict[str, tuple[dict[str, bytes], dict[str, Any]]] = {
    "clingen": (
        {
            "annotations.jsonl": lines(ANNOTATION, ANNOTATION | {"gene": "GENEY"}),
            "articles/all.xml": xml("pmc-articleset", article(1), article(2)),
        },
        {},
    ),
    "medqa": ({"medqa.jsonl": lines(CHOICES, CHOICES | {"question": "R?"})}, {}),
    "medmcqa": ({"a.jsonl": lines(MEDMCQA, MEDMCQA | {"cop": 1})}, {"first_option": 1}),
    "pubmedqa": ({"pqal.json": json.dumps({"1": PUBMEDQA, "2": PUBMEDQA}).encode()}, {}),
    "disciplines": (
        {
            "own.csv": b'question,disciplines\n"I have a cough, and a fever.",Pulmonology\n'
            b"My head hurts.,Neurology|Ophthalmology\n"
        },
        {},
    ),
    "medbullets": ({"m.csv": CHALLENGE.encode()}, {}),
    "jama": (
        {"j.csv": CHALLENGE.replace("\n", ",d,f\n").replace("d,f", "diagnosis,field", 1).encode()},
        {},
    ),
    "ddxplus": (
        {
            "release_test_patients.csv": b"AGE,DIFFERENTIAL_DIAGNOSIS,SEX,PATHOLOGY,EVIDENCES,"
            b"INITIAL_EVIDENCE\n9,\"[['Amber', 0.6], ['Blue', 0.4]]\",F,Amber,['E_1'],E_1\n"
            b"31,\"[['Blue', 0.6], ['Amber', 0.4]]\",M,Amber,['E_1'],E_1\n",
            "release_evidences.json": json.dumps({"E_1": {"question_en": "Is it red?"}}).encode(),
        },
        {},
    ),
    "vqa_rad": (
        {
            "t.json": json.dumps(
                [VQA_RAD, VQA_RAD | {"answer": "Yes", "qid": 2, "question": "R?"}]
            ).encode()
        },
        {},
    ),
    "slake": ({"v.json": json.dumps([SLAKE, SLAKE | {"q_lang": "zh"}]).encode()}, {}),
    "path_vqa": (
        {
            "p.jsonl": lines(
                {"image": "train_1", "question": "is it?", "answer": "yes"},
                {"image": "train_2", "question": "is it?", "answer": "no"},
            )
        },
        {},
    ),
    "omnimedvqa": ({"o.json": json.dumps([OMNI, OMNI | {"question": "R?"}]).encode()}, {}),
    "mmmu_med": ({"m.jsonl": lines(MMMU, MMMU | {"question": "<image 1> R?"})}, {}),
    "mmlu_medical": ({"anatomy_dev.csv": b'"Q, then?",a,b,c,d,B\nR?,a,b,c,d,A\n'}, {}),
}

# Patients and graphs --------------------------------------------------------------------------

CASE = {"id": "a", "diagnosis": "d", "phenotypes": ["Cough"], "provenance": "p", "age": "P3Y"}
PACKET = {
    "id": "p",
    "subject": {"sex": "MALE", "timeAtLastEncounter": {"age": {"iso8601duration": "P1Y"}}},
    "phenotypicFeatures": [{"type": {"id": "HP:1", "label": "Cough"}, "excluded": True}],
    "diseases": [{"term": {"id": "OMIM:1", "label": "D"}}],
}
PMC = {
    "patient_uid": "1-1", "title": "T", "patient": "He has a fever.", "age": [[3.0, "year"]],
    "gender": "F", "similar_patients": {"2-1": 1},
}  # fmt: skip
PMC_CSV = (
    "patient_uid,title,patient,age,gender,similar_patients\n"
    "1-1,T,\"He, a man,\nhas 'fever'\",\"[[3.0, 'year']]\",F,{'2-1': 1}\n"
)
RARE = {"Phenotype": ["HP:1", "HP:2"], "RareDisease": ["OMIM:1"], "Department": None}
ATOM = "C1|ENG|P|L1|PF|S1|Y|A1||M1|D1|MSH|PT|D1|Cough|0|N|256|\n"
LINKER = SymptomLinker(SYMPTOMS)
OTHERS: dict[str, list[tuple[dict[str, bytes], Callable[[Any, Path], Iterable[Any]]]]] = {
    "patients.read_cases": [
        ({"c.jsonl": lines(CASE, CASE | {"id": "b"})}, lambda read, at: read(at / "c.jsonl"))
    ],
    "patients.read_phenopackets": [
        ({"p.json": json.dumps(PACKET).encode()}, lambda read, at: read(at / "p.json"))
    ],
    "patients.read_pmc_patients": [
        ({"x.json": json.dumps([PMC]).encode()}, lambda read, at: read(at / "x.json", LINKER)),
        ({"x.csv": PMC_CSV.encode()}, lambda read, at: read(at / "x.csv", LINKER)),
    ],
    "patients.read_rarebench": [
        (
            {
                "MME.jsonl": lines(RARE, RARE),
                "phenotype_mapping.json": b'{"HP:1": "Cough", "HP:2": "Fever"}',
                "disease_mapping.json": b'{"OMIM:1": "Amber fever"}',
            },
            lambda read, at: read(at / "MME.jsonl", at),
        )
    ],
    "graphs.read_graph": [
        (
            {
                "nodes.csv": b"id,kind,name,synonyms\na,symptom,A,x|y\nb,disease,B,\n",
                "relations.csv": b"head,relation,tail\na,related_to,b\n",
            },
            lambda read, at: read(at / "nodes.csv", at / "relations.csv").nodes,
        )
    ],
    "graphs.read_umls": [
        (
            {
                "MRSTY.RRF": b"C1|T184|A|x|AT1||\nC2|T047|A|x|AT2||\n",
                "MRCONSO.RRF": (ATOM + ATOM.replace("C1", "C2").replace("Cough", "Flu")).encode(),
                "MRREL.RRF.gz": PACK[".gz"](b"C2|A|AUI|RO|C1|A|AUI|x|R1||MSH|MSH||Y|N||\n" * 3),
            },
            lambda read, at: read(at).nodes,
        )
    ],
}

# Diagnostic cases ------------------------------------------------------------------------------

OWN = {"id": "a", "diagnosis": "Gout", "text": "A red, hot joint.", "phenotypes": ["Arthralgia"],
       "codes": ["ICD10CM:M10.9"], "age": 52, "sex": "male"}  # fmt: skip
QUESTION = {
    "code_question": "E_1", "question_en": "Do you have a cough?", "is_antecedent": False,
    "data_type": "B", "default_value": 0, "possible-values": [], "value_meaning": {},
}  # fmt: skip
DDXPLUS_CONDITION = {"cond-name-eng": "Amber", "icd10-id": "j45", "severity": 1,
                     "symptoms": {"E_1": {}}, "antecedents": {}}  # fmt: skip
ARENA = {"_id": "1-1", "case_report": "A boy of 3 with a fever.", "diagnosis": "Amber fever"}
DIALOGUE = """id={0}
https://example.org/{0}
Description
I have a cough
Dialogue
Patient:
It hurts.
Doctor:
This is asthma.

"""
SUMMARY = "Sex: F\n\nChief Complaint:\nCough\n\nBrief Hospital Course:\nAsthma."
CASE_FILES: dict[str, list[dict[str, bytes]]] = {
    "own": [
        {"own.jsonl": lines(OWN, OWN | {"id": "b", "absent": ["Fever"]})},
        {"own.csv": b'id,diagnosis,text,phenotypes\na,Gout,,Fever|Cough\nb,Gout,"Red, hot",\n'},
    ],
    "phenopackets": [{"p.json": json.dumps(PACKET | {"subject": {"sex": "FEMALE"}}).encode()}],
    "rarebench": [
        {
            "MME.jsonl": lines(RARE, RARE),
            "phenotype_mapping.json": b'{"HP:1": "Cough", "HP:2": "Fever"}',
            "disease_mapping.json": b'{"OMIM:1": "Amber fever"}',
        }
    ],
    "pmc-patients": [{"x.json": json.dumps([PMC]).encode()}],
    "ddxplus": [
        {
            "release_test_patients.csv": b"AGE,DIFFERENTIAL_DIAGNOSIS,SEX,PATHOLOGY,EVIDENCES,"
            b"INITIAL_EVIDENCE\n9,[],F,Amber,['E_1'],E_1\n31,[],M,Amber,['E_1'],E_1\n",
            "release_evidences.json": json.dumps({"E_1": QUESTION}).encode(),
            "release_conditions.json": json.dumps({"Amber": DDXPLUS_CONDITION}).encode(),
        }
    ],
    "rarearena": [{"RDS.json": lines(ARENA, ARENA | {"_id": "1-2", "test_results": "CRP 90."})}],
    "meddialog": [{"d.txt": (DIALOGUE.format(1) + DIALOGUE.format(2)).encode()}],
    "mendeley": [{"m.csv": b"disease,Cough,Fever\nAmber,1,0\nBlue,1,1\n"}],
    "discharge": [
        {
            "discharge.csv": f'note_id,hadm_id,text\nn-1,7,"{SUMMARY}"\n'.encode(),
            "diagnoses_icd.csv": b"hadm_id,seq_num,icd_code,icd_version\n7,1,J45909,10\n",
            "d_icd_diagnoses.csv": b"icd_code,icd_version,long_title\nJ45909,10,Asthma\n",
        }
    ],
}
"""Format -> files of each sample, the first of which is read; a folder for discharge summaries."""


def diagnostic(name: str, number: int) -> Sample:
    files = CASE_FILES[name][number]
    first, read = next(iter(files)), import_named(CASES[name].reader, "importer")
    return Sample(files, lambda folder: read(folder if name == "discharge" else folder / first))


def fact(name: str) -> Sample:
    read = import_named(FACTS[name].reader, "importer")
    return Sample({"file": FACT_FILES[name]}, lambda folder: read(folder / "file"))


def task(name: str) -> Sample:
    files, options = TASK_FILES[name]
    first, read = next(iter(files)), import_named(TASKS[name].reader, "importer")
    return Sample(files, lambda folder: read(folder / first, **options))


def passage(name: str, suffix: str) -> Sample:
    file, data = f"file{suffix}", PACK[suffix](PASSAGES[name])
    return Sample({file: data}, lambda folder: READERS[name](folder / file, Labels("s")))


def other(name: str, number: int) -> Sample:
    files, call = OTHERS[name][number]
    read = import_named(f"gym_clinic.importers.{name.replace('.', ':')}", "importer")
    return Sample(files, lambda folder: call(read, folder))


SAMPLES: dict[str, Sample] = {
    **{name: fact(name) for name in FACT_FILES},
    **{f"tasks {name}": task(name) for name in TASK_FILES},
    **{f"{name}{suffix}": passage(name, suffix) for name in PASSAGES for suffix in PACK},
    **{
        f"cases {name} {n}": diagnostic(name, n)
        for name, given in CASE_FILES.items()
        for n in range(len(given))
    },
    **{f"{name} {n}": other(name, n) for name, given in OTHERS.items() for n in range(len(given))},
}
