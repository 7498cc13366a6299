"""Entities of Orphanet that are no diseases are left out of every product, and counted."""

from __future__ import annotations

from collections import Counter

import pytest
from importer_samples import ORPHANET, xml

from gym_clinic.importers import FACTS
from gym_clinic.names import import_named

pytest.importorskip("lxml")

OBSOLETE = "obsolete entities were left out"
GROUP = "groups of disorders were left out"

STATUS = {
    "an active flag": ("Fever", flag := "<DisorderFlagList><DisorderFlag><Value>1</Value>"
        "<Label>on-line</Label></DisorderFlag></DisorderFlagList>", ""),
    "a flag without a label": ("Fever", flag.replace("on-line", ""), ""),
    "inactive by value": ("Fever", flag.replace(">1<", ">8192<").replace("on-line", ""), OBSOLETE),
    "inactive among other bits": ("Fever", flag.replace(">1<", ">8225<"), OBSOLETE),
    "inactive by label": ("Fever", flag.replace("on-line", "Inactive"), OBSOLETE),
    "obsolete by label": ("Fever", flag.replace("on-line", "Obsolete entity"), OBSOLETE),
    "deprecated by label": ("Fever", flag.replace("on-line", "Deprecated entity"), OBSOLETE),
    "obsolete by name": ("OBSOLETE: Fever", "", OBSOLETE),
    "not rare in Europe": ("NON RARE IN EUROPE: Fever", flag.replace(">1<", ">513<"), ""),
    "a disorder": ("Fever", "<DisorderGroup><Name>Disorder</Name></DisorderGroup>", ""),
    "a subtype": ("Fever", "<DisorderGroup><Name>Subtype of disorder</Name></DisorderGroup>", ""),
    "a group": ("Fevers", "<DisorderGroup><Name>Group of disorders</Name></DisorderGroup>", GROUP),
    "a clinical group": ("Fevers", "<DisorderType><Name>Clinical group</Name></DisorderType>",
        GROUP),
    "a category": ("Fevers", "<DisorderType><Name>Category</Name></DisorderType>", GROUP),
}  # fmt: skip


def disorder(code: int, name: str, inside: str) -> str:
    return f"<Disorder><OrphaCode>{code}</OrphaCode><Name>{name}</Name>{inside}</Disorder>"


@pytest.mark.parametrize("product", ORPHANET)
@pytest.mark.parametrize("name", STATUS)
def test_an_entity_is_a_disease_or_is_counted(product, name, tmp_path):
    called, status, reason = STATUS[name]
    file = tmp_path / "product.xml"
    first, second = disorder(1, called, status + ORPHANET[product]), ORPHANET[product]
    file.write_bytes(xml("JDBOR", first, disorder(2, "Blue palsy", second)))
    left: Counter[str] = Counter()
    read = import_named(FACTS[product].reader, "importer")
    found = [one.id for one in read(file, left_out=lambda why: left.update([why]))]
    assert found == (["ORPHA:2"] if reason else ["ORPHA:1", "ORPHA:2"])
    assert left == ({reason: 1} if reason else {})
