from __future__ import annotations

import sys

import pytest

pytest.importorskip("lxml")

from real_data import damaged, real

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.importers.facts.orphanet import (
    Prevalence,
    read_history,
    read_names,
    read_phenotypes,
    read_prevalences,
)
from gym_clinic.importers.formats.xml import xml_elements


def feature(hpo="HP:0000002", term="Short", frequency="Frequent (79-30%)"):
    said = f'<HPOFrequency id="1"><Name lang="en">{frequency}</Name></HPOFrequency>'
    return (
        f"<HPODisorderAssociation><HPO><HPOId>{hpo}</HPOId><HPOTerm>{term}</HPOTerm></HPO>"
        f"{said if frequency else '<HPOFrequency/>'}</HPODisorderAssociation>"
    )


def phenotypes(*features):
    return f"<HPODisorderAssociationList>{''.join(features)}</HPODisorderAssociationList>"


def disorder(inside="", code="17", name="Fièvre d’ambre", tag="OrphaCode"):
    return f"<Disorder><{tag}>{code}</{tag}><Name>{name}</Name>{inside}</Disorder>"


@pytest.fixture
def write(tmp_path):
    def file(*disorders, encoding="iso-8859-1", declared=None, doctype=""):
        path = tmp_path / "product.xml"
        head = f'<?xml version="1.0" encoding="{declared or encoding}"?>{doctype}\n<JDBOR><List>\n'
        text = head + "\n".join(disorders) + "\n</List></JDBOR>"
        path.write_bytes(text.encode(encoding, errors="xmlcharrefreplace"))
        return path

    return file


def test_a_profile_is_read_with_its_bands(write):
    bands = [
        "Obligate (100%)", "Very frequent (99-80%)", "Frequent (79-30%)", "Occasional (29-5%)",
        "Very rare (<4-1%)", "Excluded (0%)", "",
    ]  # fmt: skip
    features = [
        feature(f"HP:000000{number}", f"Sign {number}", band.replace("<", "&lt;"))
        for number, band in enumerate(bands)
    ]
    (found,) = read_phenotypes(write(disorder(phenotypes(*features))))
    assert (found.id, found.name, found.codes.orpha) == (
        "ORPHA:17",
        "Fièvre d’ambre",
        ("ORPHA:17",),
    )
    assert [has.frequency.band for has in found.features] == [
        "obligate", "very_frequent", "frequent", "occasional", "very_rare", "excluded", None,
    ]  # fmt: skip
    assert [has.frequency.basis for has in found.features] == ["sourced"] * 6 + ["unknown"]
    assert [has.id for has in found.features if has.frequency.absent] == ["HP:0000005"]
    assert found.features[2].name == "Sign 2"


@pytest.mark.parametrize("tag", ["OrphaCode", "OrphaNumber"])
@pytest.mark.parametrize("encoding", ["iso-8859-1", "utf-8"])
def test_old_and_new_releases_are_read(write, tag, encoding):
    wrapped = f"<Status>{disorder(phenotypes(feature()), tag=tag)}<Source/></Status>"
    (found,) = read_phenotypes(write(wrapped, encoding=encoding))
    assert (found.id, found.name) == ("ORPHA:17", "Fièvre d’ambre")


def reference(source, number, relation, status="Validated"):
    return (
        f"<ExternalReference><Source>{source}</Source><Reference>{number}</Reference>"
        f"<DisorderMappingRelation><Name>{relation}</Name></DisorderMappingRelation>"
        f"<DisorderMappingValidationStatus><Name>{status}</Name></DisorderMappingValidationStatus>"
        "</ExternalReference>"
    )


def test_names_come_with_the_ids_that_mean_the_same(write):
    inside = (
        "<SynonymList><Synonym>Amber ague</Synonym><Synonym>AF</Synonym></SynonymList>"
        "<ExternalReferenceList>"
        + reference("OMIM", "100100", "E (Exact mapping: the two concepts are equivalent)")
        + reference("OMIM", "100200", "BTNT (broad concept maps to a narrow one)")
        + reference("OMIM", "100300", "E (Exact mapping)", "Not yet validated")
        + reference("MONDO", "9000001", "E (Exact mapping)", "")
        + reference("ICD-10", "A01.0", "E (Exact mapping: the two concepts are equivalent)")
        + "</ExternalReferenceList>"
    )
    (found,) = read_names(write(disorder(inside)))
    assert found.synonyms == ("Amber ague", "AF")
    assert found.codes.model_dump() == {
        "omim": ("OMIM:100100",), "orpha": ("ORPHA:17",), "mondo": ("MONDO:9000001",),
        "icd10cm": (),
    }  # fmt: skip
    assert found.features == ()


def test_prevalences_keep_the_meaning_of_their_value(write):
    def estimate(qualification, value):
        return (
            f"<Prevalence><Source>1[PMID]</Source><PrevalenceType><Name>Point</Name>"
            f"</PrevalenceType><PrevalenceQualification><Name>{qualification}</Name>"
            "</PrevalenceQualification><PrevalenceClass><Name>1-9 / 100 000</Name>"
            f"</PrevalenceClass><ValMoy>{value}</ValMoy><PrevalenceGeographic>"
            "<Name>Europe</Name></PrevalenceGeographic><PrevalenceValidationStatus>"
            "<Name>Validated</Name></PrevalenceValidationStatus></Prevalence>"
        )

    inside = estimate("Value and class", "2.5") + estimate("Class only", "0.0")
    first, second = read_prevalences(
        write(disorder(f"<PrevalenceList>{inside}</PrevalenceList>", name="Amber"))
    )
    assert first == Prevalence(
        "ORPHA:17", "Amber", "Point", "Value and class", "1-9 / 100 000", 2.5, "Europe", True,
        "1[PMID]",
    )  # fmt: skip
    assert second.value is None
    broken = f"<PrevalenceList>{estimate('Value and class', 'many')}</PrevalenceList>"
    with pytest.raises(TaskError, match="line 3: <ValMoy> is 'many'; expected a number"):
        list(read_prevalences(write(disorder(broken))))


def test_a_duplicate_phenotype_is_read_once(write):
    (found,) = read_phenotypes(
        write(disorder(phenotypes(feature(frequency="Excluded (0%)"), feature(), feature())))
    )
    assert [has.frequency.band for has in found.features] == ["frequent"]


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        (phenotypes(feature(frequency="Fréquent")), "line 3: frequency 'Fréquent'; expected one"),
        (phenotypes(feature(hpo="HP:2")), "line 3: <HPOId> is 'HP:2'; expected an id like"),
        ("", "line 3: ORPHA:17 has no <HPODisorderAssociationList>; expected product 4"),
        (
            phenotypes("<Association/>"),
            "line 3: <HPODisorderAssociationList> holds <Association>; expected <HPODisorderAssoc",
        ),
        (
            phenotypes(feature().replace("HPOFrequency", "Frequency")),
            "line 3: <HPODisorderAssociation> of ORPHA:17 has no <HPOFrequency>; expected one",
        ),
        (
            phenotypes(feature().replace("HPOTerm", "Term")),
            "line 3: <HPODisorderAssociation> of ORPHA:17 has no <HPO/HPOTerm>; expected one",
        ),
        (
            phenotypes(feature().replace("<HPO>", "<Hpo>").replace("</HPO>", "</Hpo>")),
            "line 3: <HPOId> is ''; expected an id like",
        ),
    ],
)
def test_a_broken_disorder_is_named(write, inside, message):
    good = disorder(phenotypes(feature()), code="18")
    with pytest.raises(TaskError, match=message):
        list(read_phenotypes(write(disorder(inside), good)))


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (disorder(code="x"), "line 3: its <OrphaCode> is 'x'; expected a number"),
        (disorder(tag="Code"), "line 3: its <OrphaCode> is ''"),
        (disorder(name=""), "line 3: ORPHA:17 has no <Name>"),
        ("", "product.xml: <JDBOR> holds no <Disorder>; expected some"),
        ("<Disorder>", "line 4: no well-formed XML"),
    ],
)
def test_a_disorder_without_code_or_name_is_named(write, broken, message):
    with pytest.raises(TaskError, match=message):
        list(read_phenotypes(write(broken)))


def test_a_duplicate_disorder_is_named(write):
    one = disorder(phenotypes(feature()))
    with pytest.raises(
        TaskError, match=r"line 4, <OrphaCode>: 'ORPHA:17' is a duplicate of .* line 3"
    ):
        list(read_phenotypes(write(one, one)))


def test_a_wrong_omim_id_is_named(write):
    inside = reference("OMIM", "1001", "E (Exact mapping)")
    listed = f"<ExternalReferenceList>{inside}</ExternalReferenceList>"
    with pytest.raises(TaskError, match=r"the OMIM id '1001' of ORPHA:17; expected .0-9."):
        list(read_names(write(disorder(listed))))


def test_missing_parts_of_references_and_estimates_are_errors(write):
    one = reference("OMIM", "100100", "E (Exact mapping)")
    for tag in ("Source", "Reference", "DisorderMappingRelation"):
        listed = one.replace(f"<{tag}>", f"<X{tag}>").replace(f"</{tag}>", f"</X{tag}>")
        inside = f"<ExternalReferenceList>{listed}</ExternalReferenceList>"
        with pytest.raises(TaskError, match=f"line 3: <ExternalReference> .* has no <{tag}>"):
            list(read_names(write(disorder(inside))))
    inside = "<PrevalenceList><Prevalence><ValMoy>0.0</ValMoy></Prevalence></PrevalenceList>"
    with pytest.raises(TaskError, match="line 3: <Prevalence> of ORPHA:17 has no <PrevalenceType>"):
        list(read_prevalences(write(disorder(inside))))


def test_an_empty_name_in_a_list_is_an_error(write):
    onset = "<AverageAgeOfOnsetList><AverageAgeOfOnset/></AverageAgeOfOnsetList>"
    with pytest.raises(TaskError, match="<AverageAgeOfOnset/Name> is empty; expected a name"):
        list(read_history(write(disorder(onset))))
    inside = "<SynonymList><Synonym/></SynonymList><ExternalReferenceList/>"
    with pytest.raises(TaskError, match="<Synonym> is empty; expected a name"):
        list(read_names(write(disorder(inside))))


def test_another_encoding_than_the_declared_one_is_an_error(write):
    one = disorder(phenotypes(feature()))
    for encoding, declared, message in (
        ("utf-8", "iso-8859-1", "the control character|the file is UTF-8, but declares another"),
        ("cp1252", "iso-8859-1", "holds the control character '.x92'"),
        ("iso-8859-1", "utf-8", "line 3: no well-formed XML"),
    ):
        with pytest.raises(TaskError, match=message):
            list(read_phenotypes(write(one, encoding=encoding, declared=declared)))
    accent = disorder(phenotypes(feature()), name="M\u00fcd")
    with pytest.raises(TaskError, match="is 'M\u00c3\u00bcd'; the file is UTF-8, but declares"):
        list(read_phenotypes(write(accent, encoding="utf-8", declared="iso-8859-1")))


def test_entities_are_neither_expanded_nor_fetched(write, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret", encoding="utf-8")
    for defined in ('"amber"', f'SYSTEM "{secret.as_uri()}"'):
        doctype = f"<!DOCTYPE JDBOR [<!ENTITY amber {defined}>]>"
        with pytest.raises(TaskError, match="<Name> holds an entity; those that a file defines"):
            list(read_phenotypes(write(disorder(name="x &amber;"), doctype=doctype)))
    bomb = "<!DOCTYPE JDBOR [<!ENTITY a 'xxxxxxxxxx'>" + "".join(
        f"<!ENTITY {chr(98 + n)} '{f'&{chr(97 + n)};' * 10}'>" for n in range(12)
    )
    with pytest.raises(TaskError, match=r"holds an entity|no well-formed XML"):
        list(read_phenotypes(write(disorder(name="&m;"), doctype=f"{bomb}]>")))


def test_without_lxml_the_error_says_what_to_install(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "lxml.etree", None)
    with pytest.raises(ConfigError, match=r'pip install "gym_clinic\[import\]"'):
        list(read_phenotypes(write(disorder())))


def test_a_missing_or_other_file_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="cannot read"):
        list(read_names(tmp_path / "missing.xml"))
    (tmp_path / "other.xml").write_text("<article/>", encoding="utf-8")
    with pytest.raises(TaskError, match="the root is <article>; expected <JDBOR>"):
        list(read_names(tmp_path / "other.xml"))


PHENOTYPES = "orphanet/en_product4_small.xml"
AGES = "orphanet/en_product9_ages-small.xml"


def test_the_published_phenotypes_are_read():
    found = {one.id: one for one in read_phenotypes(real(PHENOTYPES))}
    assert list(found) == ["ORPHA:61", "ORPHA:93", "ORPHA:585"]
    assert [(has.id, has.frequency.band) for has in found["ORPHA:93"].features] == [
        ("HP:0007686", "occasional"), ("HP:0100886", "frequent"),
    ]  # fmt: skip


def test_the_published_ages_are_read():
    found = {one.id: one for one in read_history(real(AGES))}
    assert len(found) == 9
    assert found["ORPHA:61"].onset == ("Childhood", "Infancy", "Neonatal")
    assert found["ORPHA:61"].inheritance == ("Autosomal recessive",)
    assert found["ORPHA:166024"].death == ()


def test_another_product_is_an_error():
    with pytest.raises(TaskError, match=r"ORPHA:166024 has no .*; expected product 4"):
        list(read_phenotypes(real(AGES)))
    genes = real("orphanet/orphanet_disease2gene_en_product6_head.xml")
    with pytest.raises(TaskError, match=r"ORPHA:166024 has no .*; expected product 1"):
        list(read_names(genes))


def test_damaged_copies_of_the_published_phenotypes_are_named(tmp_path):
    path = real(PHENOTYPES)
    data = path.read_bytes()
    middle = data.index(b"<OrphaCode>93")
    for broken, message in (
        (data[: len(data) // 2], r"line \d+: no well-formed XML"),
        (data.replace(b"ISO-8859-1", b"UTF-16"), "no well-formed XML"),
        (data.replace(b"Aspartyl", b"Aspart\xc3\xbcl"), "the file is UTF-8, but declares another"),
        (data.replace(b"<HPOTerm>Abn", b"<HPOTerm>&abn;"), "Entity 'abn' not defined"),
        (data[:middle] + b"<OrphaCode/>" + data[middle + 24 :], "its <OrphaCode> is ''"),
        (data.replace(b"HPODisorderAssociationList", b"List"), "expected product 4"),
        (data.replace(b"Occasional (29-5%)", b"Sometimes"), "frequency 'Sometimes'; expected"),
    ):
        with pytest.raises(TaskError, match=message):
            list(read_phenotypes(damaged(path, tmp_path, broken)))


def test_memory_stays_constant(write):
    path = write(*(f"<Status>{disorder(code=str(n))}</Status>" for n in range(1, 50)))
    for node in xml_elements(path, "Disorder", root="JDBOR"):
        outer = (node, *node.iterancestors())
        assert all(len(list(one.itersiblings(preceding=True))) <= 1 for one in outer)
