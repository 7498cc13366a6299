from __future__ import annotations

import copy
import json
import re

import pytest

pytest.importorskip("lxml")

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.tasks.clingen import build_tasks, read_annotations

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


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


# Annotations ---------------------------------------------------------------------------------


def test_annotations_are_read_with_subtypes_as_keys(annotated):
    (found,) = read_annotations(annotated(CURATION))
    assert found.gene == "GENEX"
    assert [item.subtype for article in found.articles for item in article.evidence] == [
        "rescue_in_patient_cells",
        "non_human_model_organism",
        "gene_expression_b",
    ]
    assert found.articles[0].genetic is None
    assert found.articles[1].genetic.points == 3.5


def test_a_number_may_stand_for_a_pmid_and_lines_may_be_blank(annotated):
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
        (["inheritance"], "recessive", "field inheritance: 'recessive' is unknown; choose from"),
        (["classification"], "Disputed", "'Disputed' is unknown; choose from ['No Known"),
        (["classification"], "moderate", "field classification: "),
        (["panel"], None, "field panel: "),
        (["note"], "x", "field note: Extra inputs are not permitted"),
        (["articles"], [], "field articles: "),
        (["articles"], {}, "field articles: "),
        (["articles", 0, "pmid"], "PMCSYN2", "field articles[0].pmid: 'PMCSYN2' is a PMCID"),
        (["articles", 0, "pmid"], "SYN1", "field articles: 'SYN1' stands twice"),
        (["articles", 0, "pmcid"], "PMCSYN1", "field articles: 'PMCSYN1' stands twice"),
        (["articles", 0, "pmid"], True, "field articles[0].pmid: "),
        (["articles", 0, "pmcid"], "SYN2", "field articles[0].pmcid: "),
        (["articles", 0, "genetic"], ..., "field articles[0].genetic: Field required"),
        (["articles", 1, "genetic", "points"], -1, "field articles[1].genetic.points: "),
        (["articles", 1, "genetic", "points"], 12.5, "field articles[1].genetic.points: "),
        (["articles", 1, "genetic", "points"], "3", "field articles[1].genetic.points: "),
        (["articles", 1, "genetic", "points"], True, "field articles[1].genetic.points: "),
        (["articles", 1, "genetic", "publications"], 2.5, "genetic.publications: "),
        (["articles", 1, "genetic", "first_reported"], 209, "genetic.first_reported: "),
        (
            ["articles", 1, "evidence", 0, "subtype"],
            "resque_in_human",
            "field articles[1].evidence[0].subtype: unknown evidence subtype 'resque_in_human'; "
            "the nearest is 'rescue_in_human'",
        ),
        (["articles", 1, "evidence", 0, "subtype"], "Rescue", "name its subtype, one of"),
        (["articles", 1, "evidence", 0, "summary"], " ", "articles[1].evidence[0].summary: "),
    ],
)
def test_a_broken_field_is_named(annotated, path, value, expected):
    file = annotated(curation(), broken(path, value))
    with pytest.raises(TaskError) as caught:
        list(read_annotations(file))
    assert str(caught.value).startswith(f"{file} line 2, field ")
    assert expected in str(caught.value)


def test_a_curation_without_evidence_is_no_task(annotated):
    row = curation()
    for article in row["articles"]:
        article["evidence"] = []
    with pytest.raises(TaskError, match="field articles: no article has evidence"):
        list(read_annotations(annotated(row)))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"{", "line 1: not valid JSON"),
        (b"[]", "line 1, field record: "),
        (b'{"gene": "a", "gene": "b"}', "line 1: the key 'gene' stands twice"),
        (b'{"gene": "\xff"}', "line 1: not UTF-8"),
        (b"[" * 100_000, "line 1: not valid JSON"),
    ],
)
def test_a_line_that_is_no_curation_is_named(tmp_path, line, expected):
    path = tmp_path / "annotations.jsonl"
    path.write_bytes(line)
    with pytest.raises(TaskError, match=re.escape(f"{path} {expected}")):
        list(read_annotations(path))


def test_a_missing_annotation_file_is_the_callers_mistake(tmp_path):
    with pytest.raises(ConfigError, match="cannot read"):
        list(read_annotations(tmp_path / "none.jsonl"))


# Tasks ---------------------------------------------------------------------------------------


def test_a_task_has_the_documented_form(annotated, library, tmp_path):
    built = build_tasks(annotated(CURATION), library, tmp_path / "out", {"Panel A": "test"})
    assert built == ({"test": 1}, {"Panel A": "test"}, (), ())
    (task,) = lines(tmp_path / "out" / "test.jsonl")
    assert re.fullmatch("clingen-[0-9a-f]{10}", task.pop("id"))
    assert task == {
        "record": {
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
        },
        "gold": {
            "classification": "Moderate",
            "evidence": [
                {"pmid": "SYN1", "subtype": "non_human_model_organism", "summary": "Mice died."},
                {"pmid": "SYN1", "subtype": "gene_expression_b", "summary": "Less of it."},
                {"pmid": "SYN2", "subtype": "rescue_in_patient_cells", "summary": "Rescued."},
            ],
            "genetic": [{"pmid": "SYN1", "points": 3.5, "publications": 2, "first_reported": 2009}],
        },
        "provenance": "imported",
    }


def test_building_twice_gives_the_same_bytes(annotated, library, tmp_path):
    path = annotated(*[curation(panel=f"Panel {number % 3}") for number in range(12)])
    for name in ("a", "b"):
        build_tasks(path, library, tmp_path / name, {"train": 0.6, "dev": 0.2, "test": 0.2})
    for split in ("train", "dev", "test"):
        first, second = (tmp_path / name / f"{split}.jsonl" for name in ("a", "b"))
        assert first.read_bytes() == second.read_bytes()
        ids = [task["id"] for task in lines(first)]
        assert ids == sorted(ids)


def test_annotations_may_be_given_as_objects(annotated, library, tmp_path):
    given = list(read_annotations(annotated(CURATION)))
    assert build_tasks(given, library, tmp_path / "out", {"train": 1}).tasks == {"train": 1}


def test_whole_panels_go_to_one_split_by_share(annotated, library, tmp_path):
    sizes = {"A": 40, "B": 25, "C": 15, "D": 10, "E": 5, "F": 5}
    rows = [curation(panel=panel) for panel, size in sizes.items() for _ in range(size)]
    shares = {"train": 0.7, "dev": 0.15, "test": 0.15}
    built = build_tasks(annotated(*rows), library, tmp_path / "out", shares)
    seen = {
        split: {task["record"]["panel"] for task in lines(tmp_path / "out" / f"{split}.jsonl")}
        for split in shares
    }
    assert sum(len(panels) for panels in seen.values()) == len(sizes)
    assert built.tasks == {"train": 70, "dev": 15, "test": 15}
    assert {panel: split for split, panels in seen.items() for panel in panels} == built.panels


def test_no_split_stays_empty(annotated, library, tmp_path):
    rows = [curation(panel=panel) for panel in "AAAAABBBCC"]
    shares = {"train": 0.8, "dev": 0.1, "test": 0.1}
    built = build_tasks(annotated(*rows), library, tmp_path / "out", shares)
    assert set(built.tasks) == set(shares)


def test_what_two_splits_share_is_reported(annotated, library, tmp_path):
    rows = [curation(panel="A"), curation(panel="B", articles=CURATION["articles"][:1])]
    built = build_tasks(annotated(*rows), library, tmp_path, {"A": "train", "B": "test"})
    assert built.shared_genes == ("GENEX",)
    assert built.shared_articles == ("SYN2",)


def test_articles_are_found_in_sets_of_any_name(annotated, tmp_path):
    folder = tmp_path / "bulk"
    folder.mkdir()
    both = jats("SYN1", "PMCSYN1") + jats("SYN2", "PMCSYN2")
    (folder / "download.xml").write_text(f"<pmc-articleset>{both}</pmc-articleset>")
    build_tasks(annotated(CURATION), folder, tmp_path / "out", {"train": 1.0})
    (task,) = lines(tmp_path / "out" / "train.jsonl")
    assert [item["title"] for item in task["record"]["articles"]] == ["Title SYN1", "Title SYN2"]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("PMCSYN1.xml", None, "no article PMCSYN1 (PMID SYN1); expected its JATS XML"),
        ("PMCSYN1.xml", jats("SYN9", "PMCSYN9"), "PMCSYN1.xml: no article PMCSYN1"),
        ("PMCSYN1.xml", jats("SYN9", "PMCSYN1"), "its pmid is SYN9; the annotation says SYN1"),
        ("PMCSYN1.xml", jats("SYN1", "PMCSYN9"), "its pmcid is PMCSYN9; the annotation says"),
        ("PMCSYN1.xml", jats("SYN1", "PMCSYN1", ""), "PMCSYN1 has no <body> text"),
        (
            "PMCSYN1.xml",
            jats("SYN1", "PMCSYN1").replace("pub-date", "other-date"),
            "PMCSYN1.xml: no <pub-date> with the <year> of publication",
        ),
        ("PMCSYN1.xml", "<article>", "no well-formed XML"),
    ],
)
def test_a_wrong_article_is_named_and_nothing_is_written(
    annotated, library, tmp_path, name, content, expected
):
    if content is None:
        (library / name).unlink()
    else:
        (library / name).write_text(content)
    out = tmp_path / "out"
    out.mkdir()
    (out / "train.jsonl").write_text("old")
    with pytest.raises(TaskError) as caught:
        build_tasks(annotated(CURATION), library, out, {"train": 1})
    assert expected in str(caught.value)
    assert str(library) in str(caught.value)
    assert [path.read_text() for path in out.iterdir()] == ["old"]


@pytest.mark.parametrize(
    ("split_of", "expected"),
    [
        ({}, "expected the split of each panel or the share"),
        ("train", "expected the split of each panel or the share"),
        ({"Panel A": "validation"}, "unknown splits ['validation']; choose from"),
        ({"Panel B": "train"}, "lacks the panels ['Panel A']"),
        ({"validation": 1.0}, "unknown splits ['validation']; choose from"),
        ({"train": 0.5, "test": 0.4}, "do not add up to 1"),
        ({"train": 1.5, "test": -0.5}, "the share of test is -0.5"),
        ({"train": True}, "the share of train is True"),
        ({"train": 0.5, "test": "x"}, "the share of test is 'x'"),
        ({"train": float("nan")}, "the share of train is nan"),
        ({"train": 0.5, "test": 0.5}, "1 panels cannot fill 2 splits"),
    ],
)
def test_a_wrong_split_is_named(annotated, library, tmp_path, split_of, expected):
    with pytest.raises(ConfigError, match=re.escape(expected)):
        build_tasks(annotated(CURATION), library, tmp_path / "out", split_of)
    assert not (tmp_path / "out").exists()


def test_an_earlier_import_is_not_left_beside_a_new_one(annotated, library, tmp_path):
    path, out = annotated(CURATION), tmp_path / "out"
    build_tasks(path, library, out, {"Panel A": "dev"})
    build_tasks(path, library, out, {"Panel A": "dev"})
    with pytest.raises(ConfigError, match="of an earlier import"):
        build_tasks(path, library, out, {"Panel A": "test"})


def test_folders_and_empty_input(annotated, library, tmp_path):
    with pytest.raises(ConfigError, match="is no folder"):
        build_tasks(annotated(CURATION), tmp_path / "none", tmp_path / "out", {"train": 1})
    with pytest.raises(TaskError, match="no annotations"):
        build_tasks(annotated(), library, tmp_path / "out", {"train": 1})


def test_the_domain_plays_what_was_imported(annotated, library, tmp_path):
    clingen = pytest.importorskip("gym_clinic.domains.clingen")
    build_tasks(annotated(CURATION), library, tmp_path / "out", {"Panel A": "train"})
    (task,) = clingen.domain(folder=str(tmp_path / "out")).tasks["train"]
    assert task.record["gene"] == "GENEX"
    assert task.gold["classification"] == "Moderate"
