"""A symptom graph in two CSV files."""

from __future__ import annotations

import pytest
from small_graph import NODES, RELATIONS, small_graph

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.graphs.csv import read_graph


@pytest.fixture
def tables(tmp_path):
    """Two files that hold the small graph."""
    nodes = ["id,kind,name,synonyms"]
    nodes += [f'{one.id},{one.kind},{one.name},"{"| ".join(one.synonyms)}"' for one in NODES]
    relations = ["head,relation,tail", *(",".join(one) for one in RELATIONS)]
    (tmp_path / "nodes.csv").write_text("\n".join(nodes) + "\n")
    (tmp_path / "relations.csv").write_text("\n".join(relations) + "\n\n")
    return tmp_path


def read(folder):
    return read_graph(folder / "nodes.csv", folder / "relations.csv")


def edit(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))


def test_the_documented_csv_is_read(tables):
    graph = read(tables)
    assert graph.nodes == small_graph().nodes
    assert list(graph.triples()) == list(small_graph().triples())


def test_columns_may_be_in_any_order_after_a_byte_order_mark(tables):
    rows = [line.split(",") for line in (tables / "relations.csv").read_text().split()]
    turned = "\r\n".join(",".join(reversed(row)) for row in rows)
    (tables / "relations.csv").write_bytes(b"\xef\xbb\xbf" + turned.encode())
    assert list(read(tables).triples()) == list(small_graph().triples())


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("nodes", "synonyms", "other", "line 1: no column 'synonyms'; expected"),
        ("nodes", ",synonyms", ",synonyms,note", "line 1: columns ['id', 'kind', 'name', 'syno"),
        ("nodes", ",synonyms", ",synonyms,name", "line 1: columns ['id', 'kind', 'name', 'syno"),
        ("nodes", "cough,symptom", "cough,sign", "line 2, column kind: kind 'sign' is unknown"),
        ("nodes", "cough,symptom,Cough,", "cough,symptom,Cough,x,", "line 2: 5 columns; expected"),
        ("nodes", "fatigue,", "cough,", "nodes.csv line 2 already"),
        ("nodes", "Fatigue,", " ,", "line 3, column name: empty; expected a value"),
        ("nodes", '"Tiredness"', '"Tiredness"x', "line 3, column 4: "),
        ("relations", "relation,", "type,", "line 1: no column 'relation'; expected"),
        ("relations", "fatigue,", "fatige,", "no node 'fatige'; did you mean 'fatigue'?"),
        ("relations", "fatigue,related_to,pneumonia", "fatigue,related_to", "line 3: 2 columns"),
        ("relations", "cough,", "pneumonia,", "line 2: 'pneumonia' is related to itself"),
        ("relations", "related_to", "", "line 2, column relation: empty"),
    ],
)
def test_a_broken_row_is_named(tables, file, old, new, expected):
    edit(tables / f"{file}.csv", old, new)
    with pytest.raises(TaskError) as caught:
        read(tables)
    assert str(caught.value).startswith(str(tables / f"{file}.csv"))
    assert expected in str(caught.value)


def test_a_truncated_wrongly_encoded_or_missing_table_is_named(tables):
    whole = (tables / "nodes.csv").read_bytes()
    (tables / "nodes.csv").write_bytes(whole[:80])
    with pytest.raises(TaskError, match=r"nodes\.csv line \d"):
        read(tables)
    (tables / "nodes.csv").write_bytes(whole.replace(b"Tussis", b"Tuss\xefs"))
    with pytest.raises(TaskError, match=r"nodes\.csv line \d+: byte \d+ of it is not UTF-8"):
        read(tables)
    (tables / "nodes.csv").write_bytes(b"")
    with pytest.raises(TaskError, match=r"line 1: no column 'id'; expected"):
        read(tables)
    (tables / "nodes.csv").unlink()
    with pytest.raises(ConfigError, match=r"cannot read .*nodes\.csv"):
        read(tables)
