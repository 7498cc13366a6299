"""What charts and simulated patients cost, as ratios measured in one run.

Run: ``python bench/patients_clinic.py`` (prints medians and ratios; asserts nothing). A record of
105 kB should open in at most 1/1000 of its pydantic deep copy, and with a first write in at most
1/25.
"""

from __future__ import annotations

import argparse
import copy
import json
import pickle
import statistics
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from pydantic import BaseModel

from gym_clinic.chart import Chart, chart_record
from gym_clinic.chart.tools import ORDERING, READING, TREATING
from gym_clinic.errors import ToolError
from gym_clinic.simulate.clinic import ClinicPatient, draw_patient

RECORD = 105_000
"""Bytes of the record that is opened, as JSON."""

TOOLS = {one.name: one for one in (*READING, *ORDERING, *TREATING)}

SCRIPT: tuple[tuple[str, dict[str, Any]], ...] = (
    ("read_patient_record", {}),
    ("measure_vital_signs", {}),
    ("examine_patient", {"system": "chest"}),
    ("order_lab", {"tests": ["blood-count", "basic-metabolic-panel"]}),
    ("order_ecg", {}),
    ("give_oxygen", {"device": "face mask", "litres_per_minute": 5}),
    ("wait", {"minutes": 20}),
    ("read_vital_signs_trend", {}),
    ("wait", {"minutes": 50}),
    ("read_results", {}),
)
"""The calls of one encounter."""


class Line(BaseModel):
    """A laboratory value of the record, as a model."""

    test: str
    value: float
    unit: str
    comment: str


class Document(BaseModel):
    """A document of the record, as a model."""

    title: str
    author: str
    text: str
    lines: list[Line]


class Record(BaseModel):
    """A record of the same size, as models."""

    patient: dict[str, str]
    documents: list[Document]


def seconds(work: Callable[[], Any], times: int) -> float:
    """Return the median seconds of a piece of work."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return statistics.median(found)


def _model(size: int) -> Record:
    made = Record(patient={"name": "Elsbeth Quarrie"}, documents=[])
    while len(made.model_dump_json()) < size:
        number = len(made.documents)
        lines = [
            Line(test=f"test {one}", value=one / 3, unit="mmol/L", comment="") for one in range(12)
        ]
        made.documents.append(
            Document(title=f"note {number}", author="ED", text="Seen. " * 40, lines=lines)
        )
    return made


def bench_opening(patient: ClinicPatient, times: int) -> None:
    """Print opening a chart of 105 kB against a deep copy of pydantic models of that size."""
    model = _model(RECORD)
    texts = {one.title: json.dumps(one.model_dump()) for one in model.documents}
    record = chart_record(patient, texts)
    size = len(json.dumps(record))

    def written() -> None:
        Chart(record, patient).edit("documents")["note 0"] = "changed"

    def ordered() -> None:
        Chart(record, patient).place("study", "ecg", "ecg", done=5)

    deep = seconds(lambda: model.model_copy(deep=True), max(times // 50, 3))
    opened = seconds(lambda: Chart(record, patient), times)
    print(
        f"record of {size / 1000:.0f} kB: pydantic deep copy {deep * 1e6:,.0f} µs, "
        f"chart opens in {opened * 1e6:.2f} µs (1/{deep / opened:,.0f})"
    )
    for what, work in (("all documents", written), ("orders", ordered)):
        first = seconds(work, times)
        print(f"with a first write of {what}: {first * 1e6:.1f} µs (1/{deep / first:,.0f})")


def bench_patients(count: int) -> list[ClinicPatient]:
    """Print patients made a second, states a second and the memory of a patient."""
    draw_patient(0)
    start = time.perf_counter()
    patients = [draw_patient(seed) for seed in range(count)]
    rate = count / (time.perf_counter() - start)
    state = seconds(lambda: patients[0].state(30), 200)
    print(f"patients: {rate:,.0f} a second; a state of all measurements: {state * 1e6:,.0f} µs")
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    kept = [draw_patient(seed) for seed in range(count, 2 * count)]
    used = (tracemalloc.get_traced_memory()[0] - before) / len(kept)
    tracemalloc.stop()
    pickled = len(pickle.dumps(kept[0]))
    print(f"a patient in memory: {used / 1000:.1f} kB, pickled {pickled / 1000:.1f} kB")
    return patients


def encounter(chart: Chart) -> int:
    """Play the script on a chart; return how many calls answered."""
    answered = 0
    for name, arguments in SCRIPT:
        chosen = TOOLS[name]
        chart.writable = chosen.writes
        try:
            chosen.call(arguments, chart)
        except ToolError:
            break
        answered += 1
    return answered


def bench_clocks(patients: list[ClinicPatient], widths: tuple[int, ...]) -> None:
    """Print calls a second of many charts that run at once, and the cost of copies."""
    records = [(chart_record(one), one) for one in patients]
    for width in widths:
        random = Random(width)
        charts = [Chart(*random.choice(records)) for _ in range(width)]
        calls, start = 0, time.perf_counter()
        waiting = [(chart, iter(SCRIPT)) for chart in charts]
        while waiting:
            going = []
            for chart, steps in waiting:
                step = next(steps, None)
                if step is None or chart.ended() is not None:
                    continue
                name, arguments = step
                chart.writable = TOOLS[name].writes
                calls += 1
                try:
                    TOOLS[name].call(arguments, chart)
                except ToolError:
                    continue
                going.append((chart, steps))
            waiting = going
        spent = time.perf_counter() - start
        first = charts[0]
        fork = seconds(partial(copy.deepcopy, first), 50)
        print(
            f"{width} clocks at once: {calls / spent:,.0f} calls a second "
            f"({spent / calls * 1e6:,.0f} µs a call); a fork {fork * 1e6:,.0f} µs"
        )


def main() -> None:
    """Print every figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few repetitions, for a check")
    quick = parser.parse_args().quick
    patients = bench_patients(20 if quick else 200)
    bench_opening(patients[0], 200 if quick else 5000)
    whole = seconds(lambda: encounter(Chart(chart_record(patients[1]), patients[1])), 5)
    print(f"an encounter of {len(SCRIPT)} calls: {whole * 1e3:.1f} ms")
    bench_clocks(patients, (64,) if quick else (64, 512))


if __name__ == "__main__":
    main()
