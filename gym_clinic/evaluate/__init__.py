"""Runs policies over tasks: traces, and figures with intervals."""

from gym_clinic.evaluate.chat_judge import ChatMarks, judge_answers
from gym_clinic.evaluate.conversations import collect, writer
from gym_clinic.evaluate.cost import cost_of_run, cost_table, read_prices
from gym_clinic.evaluate.marks import mark_calls
from gym_clinic.evaluate.recorded import trace_files
from gym_clinic.evaluate.report import (
    Grid,
    compare,
    failures,
    first_columns,
    markdown,
    tables,
)
from gym_clinic.evaluate.run import Interrupted, check, episodes, evaluate, sample
from gym_clinic.evaluate.summary import Result, Summary, summarise

__all__ = [
    "ChatMarks",
    "Grid",
    "Interrupted",
    "Result",
    "Summary",
    "check",
    "collect",
    "compare",
    "cost_of_run",
    "cost_table",
    "episodes",
    "evaluate",
    "failures",
    "first_columns",
    "judge_answers",
    "mark_calls",
    "markdown",
    "read_prices",
    "sample",
    "summarise",
    "tables",
    "trace_files",
    "writer",
]
