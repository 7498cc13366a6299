"""What can be ordered on a chart: laboratory tests, studies, procedures, services and medicines.

Names are taken as clinicians write them. A name that is not known raises a `ToolError` with the
nearest one. How long things take and what they cost lies in the data files of this room; the
numbers mark a simulation, not for patient care.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, wraps
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field

from gym_clinic.chart.order_names import find_name, hyphenated, order_words
from gym_clinic.errors import ToolError
from gym_clinic.facts import Facts
from gym_clinic.facts.named_drugs import NamedDrug, did_you_mean, resolve
from gym_clinic.facts.records.conditions import Measurement
from gym_clinic.facts.records.models import Slug, Text, Texts
from gym_clinic.facts.typed_json import Strict, read_record
from gym_clinic.names import LONGEST
from gym_clinic.simulate.clinic import ClinicPatient

_HERE = Path(__file__).parent

Only = Literal["female", "male", "pregnant"]


class Price(Strict):
    """What something costs in time, money and discomfort.

    Attributes:
        start: Minutes from the order until it begins; a share of `minutes` if None.
        minutes: Minutes from the order to the result, or that it keeps the agent.
        cost: US dollars, for metrics only.
        discomfort: 0 none, 1 a needle, 2 unpleasant, 3 painful.
        invasive: Whether it needs consent.
    """

    minutes: float = Field(ge=0)
    cost: float = Field(ge=0)
    discomfort: int = Field(ge=0, le=3)
    start: float | None = Field(default=None, ge=0)
    invasive: bool = False


class StudyEntry(Strict):
    """A study that can be ordered; what it does not give is that of its kind.

    Attributes:
        kind: Its kind.
        normal: Reports of those who have nothing to show.
        only: Who it is for; None for all.
    """

    kind: Text
    normal: Texts = Field(min_length=1)
    only: Only | None = None
    minutes: float | None = None
    cost: float | None = None
    discomfort: int | None = None
    invasive: bool | None = None


class StudyTable(Strict):
    """The studies, by name."""

    kinds: dict[Text, Price]
    default: StudyEntry
    studies: dict[Slug, StudyEntry]


class SiteEntry(Strict):
    """A part of the examination.

    Attributes:
        normal: What is noted of those who have nothing to show.
        clouded: The same of those whose consciousness is clouded, where it differs.
        small: The same of small children, where it differs.
        only: Who it is for; None for all.
        minutes: How long it takes; the usual time if None.
        discomfort: 0 to 3.
    """

    normal: Texts = Field(min_length=1)
    clouded: Texts = ()
    small: Texts = ()
    only: Only | None = None
    minutes: float | None = None
    discomfort: int = 0


class ProcedureTable(Strict):
    """The procedures, each with its kind."""

    kinds: dict[Text, Price]
    default: Text
    procedures: dict[Slug, Text]


class Support(Strict):
    """Oxygen, fluids or blood: minutes until it runs, its cost, and the drugs that are it.

    Attributes:
        least_per_kg: Least amount for each kg of weight that has an effect.
    """

    minutes: float
    cost: float
    drugs: Texts
    least_per_kg: float = 0


class Gas(Strict):
    """A blood gas: its method, what it measures, minutes, cost and discomfort."""

    method: Text
    tests: Texts
    minutes: float
    cost: float
    discomfort: int


class Services(Strict):
    """Services that can be consulted, and minutes until they answer."""

    services: Texts
    minutes: float


class Actions(Strict):
    """How long the agent's actions take, and how orders run.

    Attributes:
        minutes: Action -> minutes.
        collection: Minutes from an order until the sample is taken.
        performed: Share of a study's time after which it has been performed.
        monitor_every: Minutes between readings of a monitor.
        routes: Route -> minutes from the order until the medicine is given.
        support: Oxygen, fluids and blood.
        medicine_cost: US dollars a dose.
        oxygen_devices: How oxygen is given.
        consult: Services.
        pathways: Protocols that can be activated.
        gases: Blood gas -> what it measures, and how.
        not_ordered: Measurements that no laboratory reports.
    """

    minutes: dict[Text, float]
    collection: float
    performed: float = Field(gt=0, le=1)
    monitor_every: float = Field(gt=0)
    routes: dict[Text, float]
    support: dict[Text, Support]
    medicine_cost: float
    oxygen_devices: Texts
    consult: Services
    pathways: Texts
    gases: dict[Slug, Gas]
    not_ordered: Texts


class Sites(Strict):
    """The parts of the examination, by name."""

    sites: dict[Text, SiteEntry]


Found = TypeVar("Found")


def _once(make: Callable[[Facts], Found]) -> Callable[[Facts], Found]:
    """Let a function of the fact tables be computed once for each folder of them."""
    known: dict[Path, Found] = {}

    @wraps(make)
    def made(facts: Facts) -> Found:
        folder = facts.folder
        try:
            return known[folder]
        except KeyError:
            return known.setdefault(folder, make(facts))

    return made


@lru_cache(maxsize=1)
def actions() -> Actions:
    """Return how long actions take."""
    return read_record(_bytes("actions.json"), Actions, "actions.json")


@lru_cache(maxsize=1)
def studies() -> StudyTable:
    """Return the table of studies."""
    return read_record(_bytes("studies.json"), StudyTable, "studies.json")


@lru_cache(maxsize=1)
def procedures() -> ProcedureTable:
    """Return the table of procedures."""
    return read_record(_bytes("procedures.json"), ProcedureTable, "procedures.json")


@lru_cache(maxsize=1)
def sites() -> Mapping[str, SiteEntry]:
    """Return part of the examination -> its entry."""
    return read_record(_bytes("examination.json"), Sites, "examination.json").sites


def study_entry(study: str) -> StudyEntry:
    """Return the entry of a study; the default one where it has none of its own."""
    return studies().studies.get(study, studies().default)


@lru_cache(maxsize=512)
def study_price(study: str) -> Price:
    """Return what a study costs: its own numbers, then those of its kind."""
    entry = study_entry(study)
    own = entry.model_dump(include={"minutes", "cost", "discomfort", "invasive"}, exclude_none=True)
    return studies().kinds[entry.kind].model_copy(update=own)


def procedure_price(procedure: str) -> Price:
    """Return what a procedure costs, by its kind."""
    table = procedures()
    return table.kinds[table.procedures.get(procedure, table.default)]


@_once
def tests_of(facts: Facts) -> Mapping[str, tuple[Measurement, ...]]:
    """Return each panel and each single test -> what it measures."""
    found: dict[str, tuple[Measurement, ...]] = {}
    for key, one in facts.measurements.items():
        if one.panel is not None:
            found[one.panel] = (*found.get(one.panel, ()), one)
        weighed = one.id == "weight_kg"
        if (one.minutes or weighed) and key not in actions().not_ordered:
            found[key] = (one,)
    for name, gas in actions().gases.items():
        found[name] = tuple(facts.measurements[key] for key in gas.tests)
    return found


@_once
def parts_of_panels(facts: Facts) -> Mapping[str, tuple[str, ...]]:
    """Return each panel of several measurements -> their ids."""
    return {
        key: tuple(one.id for one in measured)
        for key, measured in tests_of(facts).items()
        if len(measured) > 1
    }


@_once
def test_prices(facts: Facts) -> Mapping[str, Price]:
    """Return what each panel and each single test costs; minutes count from the collection."""
    return {key: _test_price(key, measured) for key, measured in tests_of(facts).items()}


def _test_price(test: str, measured: Iterable[Measurement]) -> Price:
    gas = actions().gases.get(test)
    if gas is not None:
        return Price(minutes=gas.minutes, cost=gas.cost, discomfort=gas.discomfort)
    listed = tuple(measured)
    return Price(
        minutes=max(one.minutes for one in listed),
        cost=sum(one.cost for one in listed),
        discomfort=max(one.discomfort for one in listed),
    )


@_once
def studies_of(facts: Facts) -> tuple[str, ...]:
    """Return the names of all studies that can be ordered."""
    known = set(studies().studies)
    for condition in facts.conditions.values():
        known |= {one.study for one in condition.studies} | {*condition.work_up}
    return tuple(sorted(known - facts.measurements.keys() - tests_of(facts).keys()))


@_once
def procedures_of(facts: Facts) -> tuple[str, ...]:
    """Return the names of all procedures that can be done."""
    used = set[str]()
    for condition in facts.conditions.values():
        lists = condition.course.treated_by if condition.course is not None else ()
        for action in (*condition.first_line, *(one for together in lists for one in together)):
            kind, _, name = action.partition(":")
            used |= {name} if kind == "procedure" else set()
    return tuple(sorted(used | procedures().procedures.keys()))


@_once
def _test_names(facts: Facts) -> Mapping[str, str]:
    """Plain name -> id of a test."""
    names = {hyphenated(key): key for key in tests_of(facts)}
    for key in tests_of(facts):
        if key in facts.measurements:
            one = facts.measurements[key]
            names |= {hyphenated(text): key for text in (one.name, one.short) if hyphenated(text)}
    return {**names, **{hyphenated(key): key for key in tests_of(facts)}}


def find_test(facts: Facts, name: str) -> str:
    """Return the id of a laboratory test or panel.

    Raises:
        ToolError: If there is none, with the nearest name.
    """
    names = _test_names(facts)
    return find_name(name, names, "laboratory test", studies_of(facts), "order_study")


def find_tests(facts: Facts, name: str) -> tuple[str, ...]:
    """Return the tests and panels that a name means, several for a "comprehensive panel".

    Raises:
        ToolError: As `find_test`.
    """
    return order_words().several.get(hyphenated(name)) or (find_test(facts, name),)


def find_study(facts: Facts, name: str) -> str:
    """Return the id of a study; errors as for `find_test`."""
    names = {hyphenated(key): key for key in studies_of(facts)}
    return find_name(name, names, "study", tests_of(facts), "order_lab")


def find_procedure(facts: Facts, name: str) -> str:
    """Return the id of a procedure; errors as for `find_test`."""
    names = {hyphenated(key): key for key in procedures_of(facts)}
    return find_name(name, names, "procedure", studies_of(facts), "order_study")


def find_among(name: str, known: Iterable[str], what: str) -> str:
    """Return the one of the known names that is meant.

    Raises:
        ToolError: If none is, with the nearest name.
    """
    return find_name(name, {hyphenated(one): one for one in known}, what, (), "")


def find_drug(name: str) -> NamedDrug:
    """Return the drug that a name means: international name, synonym, brand, salt, combination.

    Raises:
        ToolError: If it is not known, with the nearest name.
    """
    found = resolve(name)
    if found is None:
        hint = did_you_mean(name) or "give its international name."
        raise ToolError(f"No drug '{name[:LONGEST]}'; {hint}")
    return found


def check_fits(patient: ClinicPatient, only: Only | None, what: str) -> None:
    """Check that something can be done in a patient.

    Raises:
        ToolError: If it cannot.
    """
    person = patient.person
    fits = {
        None: True,
        "female": person.sex == "female",
        "male": person.sex == "male",
        "pregnant": person.sex == "female" and person.age >= 10,
    }
    if not fits[only]:
        raise ToolError(f"{what} cannot be done in this patient ({person.sex}, {person.age:g} y).")


def _bytes(file: str) -> bytes:
    return (_HERE / file).read_bytes()
