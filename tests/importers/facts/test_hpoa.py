from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_data import damaged, real

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.facts.hpoa import read_hpoa
from gym_clinic.importers.formats.obographs import read_obo_graph
from gym_clinic.importers.formats.ontology import names

HEADER = (
    "database_id\tdisease_name\tqualifier\thpo_id\treference\tevidence\tonset\tfrequency\tsex\t"
    "modifier\taspect\tbiocuration"
)
OLD_HEADER = (
    "#DatabaseID\tDiseaseName\tQualifier\tHPO_ID\tReference\tEvidence\tOnset\tFrequency\tSex\t"
    "Modifier\tAspect\tBiocuration"
)


def row(disease="OMIM:100100", name="Amber fever", qualifier="", hpo="HP:0000002", **more):
    cells = [disease, name, qualifier, hpo, more.get("reference", "PMID:1"), "PCS", ""]
    return "\t".join([*cells, more.get("frequency", ""), "", "", more.get("aspect", "P"), "me"])


@pytest.fixture
def read(tmp_path):
    def parse(*rows, header=HEADER, named=None):
        path = tmp_path / "phenotype.hpoa"
        path.write_text("\n".join(["#description: made up", header, *rows, ""]), encoding="utf-8")
        return list(read_hpoa(path, named))

    return parse


def test_a_disease_is_read_with_its_features(read):
    first, second = read(
        row(frequency="7/14", reference="PMID:1;PMID:2"),
        row(hpo="HP:0000003", frequency="HP:0040283"),
        row(hpo="HP:0000005", aspect="I"),
        row(hpo="HP:0000008", frequency="12.5%"),
        row("ORPHA:17", "Blue palsy"),
        named={"HP:0000002": "Abnormality of body height"},
    )
    assert (first.id, first.name, first.codes.omim) == (
        "OMIM:100100", "Amber fever", ("OMIM:100100",),
    )  # fmt: skip
    height, kidney, organ = first.features
    assert (height.name, height.references) == ("Abnormality of body height", ("PMID:1", "PMID:2"))
    assert (height.frequency.value, height.frequency.source) == (0.5, "hpoa")
    assert (height.frequency.patients, organ.frequency.patients) == (14, None)
    assert (kidney.name, kidney.frequency.value, kidney.frequency.band) == ("", None, "occasional")
    assert organ.frequency.value == 0.125
    assert second.codes.orpha == ("ORPHA:17",)
    assert second.features[0].frequency.basis == "unknown"


@pytest.mark.parametrize(
    ("qualifier", "frequency"),
    [("NOT", ""), ("NOT", "0/4"), ("NOT", "4/4"), ("", "0/4"), ("", "HP:0040285"), ("", "0%")],
)
def test_an_excluded_feature_is_absent(read, qualifier, frequency):
    (found,) = read(row(qualifier=qualifier, frequency=frequency))
    assert found.features[0].frequency.absent
    assert found.features[0].frequency.band == "excluded"


@given(st.integers(1, 500), st.data())
def test_counts_are_shares(tmp_path_factory, counted, data):
    having = data.draw(st.integers(0, counted))
    path = tmp_path_factory.mktemp("hpoa") / "phenotype.hpoa"
    path.write_text(f"{HEADER}\n{row(frequency=f'{having}/{counted}')}\n", encoding="utf-8")
    ((feature,),) = (one.features for one in read_hpoa(path))
    assert feature.frequency.value == having / counted
    assert feature.frequency.absent == (having == 0)


def test_the_header_of_older_files_is_read(read):
    (found,) = read(row(), header=OLD_HEADER)
    assert found.id == "OMIM:100100"


def test_another_name_of_a_disease_is_a_synonym(read):
    (found,) = read(row(), row(name="AMBER FEVER", hpo="HP:0000003"))
    assert (found.name, found.synonyms) == ("Amber fever", ("AMBER FEVER",))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row(), "OMIM:100100\tAmber"], "line 4: 2 columns; expected 12"),
        ([row(), row(hpo="HP:12")], "line 4, column hpo_id: 'HP:12'; expected an id like"),
        ([row("100100")], "line 3, column database_id: '100100'; expected an id like OMIM"),
        ([row(name="")], "line 3, column disease_name: ''; expected the name"),
        ([row(qualifier="no")], "line 3, column qualifier: 'no'; expected NOT or nothing"),
        ([row(aspect="Q")], "line 3, column aspect: 'Q'; expected one of P, I"),
        ([row(frequency="often")], "line 3, column frequency: 'often'; expected 7/13, 12.5%"),
        ([row(frequency="HP:0000002")], "line 3, column frequency: 'HP:0000002'; expected"),
        ([row(frequency="5/4")], "line 3, column frequency: '5/4'; expected at most as many"),
        ([row(frequency="0/0")], "line 3, column frequency: '0/0'; expected at most as many"),
        ([row(frequency=f"1/1{'0' * 400}")], "column frequency: .*; expected 7/13, 12.5%"),
        ([row(frequency="120%")], "line 3, column frequency: '120%'; expected at most 100%"),
        ([], "no rows of aspect P after the header"),
        ([row(aspect="I")], "no rows of aspect P after the header"),
        ([row(name="A\x07")], "line 3: the control character '.x07'"),
    ],
)
def test_a_broken_row_is_named(read, rows, message):
    with pytest.raises(TaskError, match=message):
        read(*rows)


def test_a_missing_column_is_named(read):
    with pytest.raises(TaskError, match="line 2: the header lacks 'frequency'; it has"):
        read(row(), header=HEADER.replace("frequency", "freq"))


def test_a_file_without_a_header_is_an_error(tmp_path):
    path = tmp_path / "phenotype.hpoa"
    path.write_text("#only: this\n", encoding="utf-8")
    with pytest.raises(TaskError, match="no header; expected one with the columns"):
        list(read_hpoa(path))
    path.write_text("database_id,disease_name\n", encoding="utf-8")
    with pytest.raises(TaskError, match="line 1: expected the header"):
        list(read_hpoa(path))
    with pytest.raises(ConfigError, match=r"cannot read .*: No such file"):
        list(read_hpoa(tmp_path / "missing.hpoa"))


REAL = "hpo/phenotype.excerpt.hpoa"


def test_the_published_annotations_are_read():
    found = {one.id: one for one in read_hpoa(real(REAL))}
    assert len(found) == 13
    assert sum(len(one.features) for one in found.values()) == 374
    assert [has.id for has in found["OMIM:604308"].features if has.frequency.absent] == [
        "HP:0001083", "HP:0004933",
    ]  # fmt: skip
    weill = {has.id: has.frequency.value for has in found["OMIM:608328"].features}
    assert weill["HP:0004322"] == 1.0
    marfan = found["OMIM:154700"]
    assert marfan.name == "Marfan syndrome"
    assert not any(has.id == "HP:0000006" for has in marfan.features)  # its inheritance


def test_the_published_ontology_names_its_features():
    named = names(read_obo_graph(real("hpo/hp.module.json")))
    found = [has.name for one in read_hpoa(real(REAL), named) for has in one.features]
    assert any(found)
    assert set(found) - {""} <= set(named.values())


def test_damaged_copies_of_the_published_annotations_are_named(tmp_path):
    path = real(REAL)
    data = path.read_bytes()
    lines = data.split(b"\n")
    middle = len(lines) // 2
    for broken, message in (
        (data[: len(data) // 2 - 7], r"line \d+: \d+ columns; expected 12 .is the file whole"),
        (data.replace(b"\thpo_id\t", b"\t"), "line 5: the header lacks 'hpo_id'"),
        (b"\n".join([*lines[:middle], b"?", *lines[middle:]]), f"line {middle + 1}: 1 columns"),
        (data.replace(b"Marfan syndrome", b"Marfan\xe9"), r"line \d+: byte \d+ of it is not UTF-8"),
    ):
        with pytest.raises(TaskError, match=message):
            list(read_hpoa(damaged(path, tmp_path, broken)))
