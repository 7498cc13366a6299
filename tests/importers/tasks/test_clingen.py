from __future__ import annotations

import copy
import json
import re
from typing import get_args

import pytest

pytest.importorskip("lxml")

from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.frozen import thaw
from gym_clinic.importers.facts.clingen import Class, Contradicted
from gym_clinic.importers.tasks import import_tasks
from gym_clinic.importers.tasks.clingen import read
from gym_clinic.importers.tasks.clingen_annotations import GENETIC_CAP, read_annotations
from gym_clinic.testing import check_tasks

CURATION = {
    "gene": "GENEX",
    "hgnc_id": "HGNC:999999901",
    "disease": "example disease",
    "mondo_id": "MONDO:9999901",
    "inheritance": "AR",
    "panel": "Panel A",
    "classification": "Moderate",
    "articles": [
        {
            "pmid": "SYN2",
            "pmcid": "PMCSYN2",
            "genetic": None,
            "evidence": [{"subtype": "Rescue in patient cells", "summary": "Rescued."}],
        },
        {
            "pmid": "SYN1",
            "pmcid": "PMCSYN1",
            "genetic": {"points": 3.5, "publications": 2, "first_reported": 2009},
            "evidence": [
                {"subtype": "non_human_model_organism", "summary": "Mice died."},
                {"subtype": "gene expression B", "summary": "Less of it."},
            ],
        },
    ],
}


def curation(panel="Panel A", gene="GENEX", articles=None, **changes) -> dict:
    made = copy.deepcopy(CURATION) | {"panel": panel, "gene": gene} | changes
    if articles is not None:
        made["articles"] = articles
    return made


def jats(pmid, pmcid, body="<sec><title>Results</title><p>Mice died.</p></sec>") -> str:
    return (
        f'<article><front><article-meta><article-id pub-id-type="pmid">{pmid}</article-id>'
        f'<article-id pub-id-type="pmc">{pmcid}</article-id>'
        f"<title-group><article-title>Title {pmid}</article-title></title-group>"
        '<pub-date pub-type="epub"><year>2012</year></pub-date>'
        f"<abstract><p>Abstract {pmid}.</p></abstract></article-meta></front>"
        f"<body>{body}</body></article>"
    )


@pytest.fixture
def annotated(tmp_path):
    def write(*curations):
        path = tmp_path / "annotations.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in curations), encoding="utf-8")
        return path

    return write


@pytest.fixture
def library(tmp_path):
    folder = tmp_path / "articles"
    folder.mkdir()
    (folder / "PMCSYN1.xml").write_text(jats("SYN1", "PMCSYN1"))
    (folder / "SYN2.nxml").write_text(jats("SYN2", "PMCSYN2"))
    (folder / "README.txt").write_text("not XML")
    return folder


# Annotations ---------------------------------------------------------------------------------


def test_annotations_are_read(annotated):
    (found,) = read_annotations(annotated(CURATION))
    assert found.gene == "GENEX"
    assert [item.subtype for article in found.articles for item in article.evidence] == [
        "Rescue in patient cells",
        "non_human_model_organism",
        "gene expression B",
    ]
    assert found.articles[0].genetic is None
    assert found.articles[1].genetic.points == 3.5


def test_a_pmid_may_be_a_number_and_lines_may_be_blank(annotated):
    row = curation()
    row["articles"][0]["pmid"] = 7
    path = annotated(row)
    path.write_bytes(b"\xef\xbb\xbf\n" + path.read_bytes() + b"\r\n\n")
    (found,) = read_annotations(path)
    assert found.articles[0].pmid == "7"


def broken(path, value) -> dict:
    """The curation with one field changed, or removed."""
    row = curation()
    *parents, last = path
    place = row
    for part in parents:
        place = place[part]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return row


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (["gene"], "", "field gene: "),
        (["gene"], "GENEX\nGene: GENEY", "field gene: "),
        (["gene"], ..., "field gene: Field required"),
        (["articles", 1, "genetic", "publications"], 10**30, "genetic.publications: "),
        (["hgnc_id"], "999", "field hgnc_id: "),
        (["mondo_id"], "MONDO:1", "field mondo_id: "),
        (["inheritance"], "recessive", "field inheritance: Input should be 'AD', 'AR'"),
        (["classification"], "Disputed", "field classification: Input should be 'No Known"),
        (["classification"], "moderate", "field classification: "),
        (["panel"], None, "field panel: "),
        (["note"], "x", "field note: Extra inputs are not permitted"),
        (["articles"], [], "field articles: "),
        (["articles"], {}, "field articles: "),
        (["articles", 0, "pmid"], "PMCSYN2", "field articles[0].pmid: 'PMCSYN2' is a PMCID"),
        (["articles", 0, "pmid"], "SYN1", "field articles: 'SYN1' is a duplicate"),
        (["articles", 0, "pmcid"], "PMCSYN1", "field articles: 'PMCSYN1' is a duplicate"),
        (["articles", 0, "pmid"], True, "field articles[0].pmid: "),
        (["articles", 0, "pmcid"], "SYN2", "field articles[0].pmcid: "),
        (["articles", 0, "genetic"], 3, "field articles[0].genetic: "),
        (["articles", 1, "genetic", "points"], -1, "field articles[1].genetic.points: "),
        (["articles", 1, "genetic", "points"], 12.5, "field articles[1].genetic.points: "),
        (["articles", 1, "genetic", "points"], "3", "field articles[1].genetic.points: "),
        (["articles", 1, "genetic", "points"], True, "field articles[1].genetic.points: "),
        (["articles", 1, "genetic", "publications"], 2.5, "genetic.publications: "),
        (["articles", 1, "genetic", "first_reported"], 209, "genetic.first_reported: "),
        (["articles", 1, "evidence", 0, "subtype"], "a\nb", "articles[1].evidence[0].subtype: "),
        (["articles", 1, "evidence", 0, "subtype"], 3, "articles[1].evidence[0].subtype: "),
        (["articles", 1, "evidence", 0, "summary"], None, "articles[1].evidence[0].summary: "),
    ],
)
def test_a_broken_field_is_named(annotated, path, value, expected):
    file = annotated(curation(), broken(path, value))
    with pytest.raises(TaskError) as caught:
        list(read_annotations(file))
    assert str(caught.value).startswith(f"{file} line 2, field ")
    assert expected in str(caught.value)


def test_a_curation_without_evidence_is_an_error(annotated):
    row = curation()
    for article in row["articles"]:
        article["evidence"] = []
    with pytest.raises(TaskError, match="field articles: no article has evidence"):
        list(read_annotations(annotated(row)))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"{", "line 1: not valid JSON"),
        (b'"a"', "line 1, field record: "),
        (b"[1]", "item 1, field record: "),
        (b'{"gene": "a", "gene": "b"}', "line 1: duplicate key 'gene'"),
        (b'{"gene": "\xff"}', "line 1: not UTF-8"),
        (b"[" * 100_000, ": not valid JSON"),
        (b"[{}, ", ": not valid JSON"),
    ],
)
def test_a_line_that_is_not_a_curation_is_named(tmp_path, line, expected):
    path = tmp_path / "annotations.jsonl"
    path.write_bytes(line)
    with pytest.raises(TaskError, match=re.escape(f"{path} {expected}".replace(" :", ":"))):
        list(read_annotations(path))


def test_an_array_of_curations_is_read_like_lines(tmp_path, annotated):
    rows = [curation(), curation(gene="GENEY")]
    path = tmp_path / "annotations.json"
    path.write_text("\ufeff\n " + json.dumps(rows, indent=1), encoding="utf-8")
    assert list(read_annotations(path)) == list(read_annotations(annotated(*rows)))


def test_what_curators_often_lack_may_be_left_out(annotated, library):
    row = curation()
    for name in ("hgnc_id", "mondo_id", "inheritance"):
        del row[name]
    for article in row["articles"]:
        del article["genetic"]
        for evidence in article["evidence"]:
            del evidence["summary"]
    (task,) = read(annotated(row))
    assert not any(task.record[name] for name in ("hgnc_id", "mondo_id", "inheritance"))
    assert task.gold["genetic"] == ()


def test_a_missing_annotation_file_is_a_config_error(tmp_path):
    with pytest.raises(ConfigError, match="cannot read"):
        list(read_annotations(tmp_path / "none.jsonl"))


# Tasks ---------------------------------------------------------------------------------------


def test_a_task_has_the_documented_form(annotated, library):
    (task,) = read(annotated(CURATION))
    assert re.fullmatch("clingen-[0-9a-f]{16}", task.id)
    assert task.provenance == "imported"
    assert thaw(task.record) == {
        "gene": "GENEX",
        "hgnc_id": "HGNC:999999901",
        "disease": "example disease",
        "mondo_id": "MONDO:9999901",
        "inheritance": "AR",
        "panel": "Panel A",
        "articles": [
            {
                "pmid": pmid,
                "pmcid": f"PMC{pmid}",
                "year": 2012,
                "title": f"Title {pmid}",
                "abstract": f"Abstract {pmid}.",
                "sections": [{"title": "Results", "text": "Mice died."}],
            }
            for pmid in ("SYN1", "SYN2")
        ],
    }
    assert thaw(task.gold) == {
        "classification": "Moderate",
        "evidence": [
            {"pmid": "SYN1", "subtype": "non_human_model_organism", "summary": "Mice died."},
            {"pmid": "SYN1", "subtype": "gene expression B", "summary": "Less of it."},
            {"pmid": "SYN2", "subtype": "Rescue in patient cells", "summary": "Rescued."},
        ],
        "genetic": [{"pmid": "SYN1", "points": 3.5, "publications": 2, "first_reported": 2009}],
    }


def test_the_id_depends_on_the_pair_and_not_on_the_gold(annotated, library):
    without = [CURATION["articles"][0], {**CURATION["articles"][1], "evidence": []}]
    rows = [CURATION, curation(classification="Strong", articles=without), curation(gene="GENEY")]
    first, second, other = (task.id for task in read(annotated(*rows)))
    assert first == second != other


def test_articles_are_found_in_sets_of_any_name(annotated, tmp_path):
    folder = tmp_path / "bulk"
    folder.mkdir()
    both = jats("SYN1", "PMCSYN1") + jats("SYN2", "PMCSYN2")
    (folder / "download.xml").write_text(f"<pmc-articleset>{both}</pmc-articleset>")
    (task,) = read(annotated(CURATION), articles=folder)
    assert [item["title"] for item in task.record["articles"]] == ["Title SYN1", "Title SYN2"]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("PMCSYN1.xml", None, "no article PMCSYN1 (PMID SYN1); expected its JATS XML"),
        ("PMCSYN1.xml", jats("SYN9", "PMCSYN9"), "PMCSYN1.xml: no article PMCSYN1"),
        ("PMCSYN1.xml", jats("SYN9", "PMCSYN1"), "its pmid is SYN9; the annotation has SYN1"),
        ("PMCSYN1.xml", jats("SYN1", "PMCSYN9"), "its pmcid is PMCSYN9; the annotation has"),
        ("PMCSYN1.xml", jats("SYN1", "PMCSYN1", ""), "PMCSYN1 has no <body> text"),
        (
            "PMCSYN1.xml",
            jats("SYN1", "PMCSYN1").replace("pub-date", "other-date"),
            "PMCSYN1.xml: no <pub-date> with the <year> of publication",
        ),
        ("PMCSYN1.xml", "<article>", "no well-formed XML"),
    ],
)
def test_a_wrong_article_is_named(annotated, library, name, content, expected):
    if content is None:
        (library / name).unlink()
    else:
        (library / name).write_text(content)
    with pytest.raises(TaskError) as caught:
        list(read(annotated(CURATION)))
    assert expected in str(caught.value)
    assert str(library) in str(caught.value)


def test_a_missing_folder_of_articles_is_a_config_error(annotated):
    with pytest.raises(
        ConfigError, match=r"articles is not a folder; expected the folder of the JATS"
    ):
        list(read(annotated(CURATION)))


# The domain -----------------------------------------------------------------------------------


def test_the_domain_plays_what_was_imported(annotated, library, tmp_path):
    pytest.importorskip("gym_clinic.domains.clingen")
    import_tasks("clingen", annotated(CURATION), tmp_path / "out", "train")
    env = ClinicEnv("clingen", split="train", folder=str(tmp_path / "out"))
    assert check_tasks(env) == []
    (task,) = env.domain.tasks["train"]
    assert task.record["gene"] == "GENEX"
    assert task.gold["classification"] == "Moderate"
    assert [item["subtype"] for item in task.gold["evidence"]] == [
        "non_human_model_organism",
        "gene_expression_b",
        "rescue_in_patient_cells",
    ]


@pytest.mark.parametrize(
    ("subtype", "expected"),
    [
        (
            "resque_in_human",
            "unknown evidence subtype 'resque_in_human'; the nearest is 'rescue_in",
        ),
        ("Rescue", "'Rescue' is a category of evidence; name its subtype, one of"),
    ],
)
def test_the_domain_names_a_subtype_that_it_does_not_know(
    annotated, library, tmp_path, subtype, expected
):
    clingen = pytest.importorskip("gym_clinic.domains.clingen")
    row = curation()
    row["articles"][0]["evidence"][0]["subtype"] = subtype
    import_tasks("clingen", annotated(row), tmp_path / "out", "train")
    with pytest.raises(TaskError, match=f"task clingen-[0-9a-f]+: {re.escape(expected)}"):
        clingen.domain(folder=str(tmp_path / "out")).tasks["train"]


def test_the_classes_and_points_of_the_format_are_those_of_the_domain():
    evidence = pytest.importorskip("gym_clinic.domains.clingen.evidence")
    sop = pytest.importorskip("gym_clinic.domains.clingen.sop")
    assert get_args(Class) == evidence.CLASSES
    assert set(get_args(Contradicted)) == set(sop.CONTRADICTORY_CLASSES)
    assert sop.GENETIC_CAP == GENETIC_CAP
