"""Expressions of declarations in words: ``sbp < 90`` as "systolic blood pressure below 90"."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping

_COMPARED = {
    ast.Lt: "below {}",
    ast.LtE: "up to {}",
    ast.Gt: "above {}",
    ast.GtE: "from {}",
    ast.Eq: "{}",
    ast.NotEq: "other than {}",
    ast.In: "{}",
    ast.NotIn: "other than {}",
}
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "×", ast.Div: "÷", ast.Pow: "^"}
_BINDING = {ast.Add: 1, ast.Sub: 1, ast.Mult: 2, ast.Div: 2, ast.Pow: 3}
_CALLED = {
    "sqrt": "√({})",
    "ln": "ln({})",
    "number": "{}",
    "sum": "sum of the {}",
    "days_between": "days between {}",
    "date_after": "{} days later",
    "weeks_and_days": "{} in weeks and days",
}
_COMPARISONS = (
    (re.compile(r"(?:<=|≤) ?(?=[0-9])"), "up to "),
    (re.compile(r"(?:>=|≥) ?(?=[0-9])"), "from "),
    (re.compile(r"< ?(?=[0-9])"), "below "),
    (re.compile(r"> ?(?=[0-9])"), "above "),
    (re.compile(r"(?<=[A-Za-z])(?=(?:up to|from|below|above) [0-9])"), " "),
)


def told(text: str, labels: Mapping[str, str], subject: str = "") -> str:
    """Return an expression in words.

    Args:
        text: The expression.
        labels: Words for its names.
        subject: A name that the sentence is about, and that is not said again.

    >>> told("sbp < 90 or dbp <= 60", {"sbp": "systolic pressure", "dbp": "diastolic pressure"})
    'systolic pressure below 90 or diastolic pressure up to 60'
    >>> told("rr <= 8", {"rr": "respiratory rate"}, subject="rr")
    'up to 8'
    """
    return _told(ast.parse(text, mode="eval").body, {**labels, subject: ""}).strip()


def without_signs(text: str) -> str:
    """Return a note with its comparisons in words.

    >>> without_signs("2.5 mg BID if wt<=60 kg; avoid >=65 y")
    '2.5 mg BID if wt up to 60 kg; avoid from 65 y'
    """
    for pattern, words in _COMPARISONS:
        text = pattern.sub(words, text)
    return text


def _told(node: ast.expr, labels: Mapping[str, str]) -> str:
    if isinstance(node, ast.Constant):
        return f"{node.value:g}" if isinstance(node.value, float) else _plain(str(node.value))
    if isinstance(node, ast.Name):
        return labels.get(node.id, _plain(node.id))
    if isinstance(node, ast.Tuple):
        return " or ".join(_told(one, labels) for one in node.elts)
    if isinstance(node, ast.Compare):
        return _compared(node, labels)
    if isinstance(node, ast.BoolOp):
        joint = " or " if isinstance(node.op, ast.Or) else " and "
        parts = [_bracketed(one, labels, ast.BoolOp) for one in node.values if not _asks(one)]
        return joint.join(parts)
    if isinstance(node, ast.UnaryOp):
        if _asks(node.operand):
            return "not measured"
        inner = _bracketed(node.operand, labels, (ast.BoolOp, ast.Compare, ast.BinOp))
        return f"not {inner}" if isinstance(node.op, ast.Not) else f"-{inner}"
    if isinstance(node, ast.BinOp):
        return f"{_side(node, node.left, labels)} {_SIGNS[type(node.op)]} " + _side(
            node, node.right, labels
        )
    if isinstance(node, ast.IfExp):
        parts = [_told(one, labels) for one in (node.body, node.test, node.orelse)]
        return "{} if {}, otherwise {}".format(*parts)
    if isinstance(node, ast.Subscript):
        if isinstance(node.value, ast.Dict):
            pairs = zip(node.value.keys, node.value.values, strict=True)
            told_pairs = [
                f"{_told(key, labels)}: {_told(one, labels)}" for key, one in pairs if key
            ]
            return f"the value by {_told(node.slice, labels)} ({', '.join(told_pairs)})"
        number = node.slice.value if isinstance(node.slice, ast.Constant) else 0
        return f"item {int(str(number)) + 1}"
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    inside = [_told(one, labels) for one in node.args]
    if node.func.id == "value":
        return inside[0]
    wording = _CALLED.get(node.func.id)
    if wording is None:
        return f"{_plain(node.func.id)}({', '.join(inside)})"
    return wording.format(" and ".join(inside) if node.func.id == "days_between" else inside[-1])


def _compared(node: ast.Compare, labels: Mapping[str, str]) -> str:
    sides = [node.left, *node.comparators]
    if len(sides) == 3:  # 3 <= age < 8
        low, name, high = (_told(one, labels) for one in sides)
        upper = "below" if isinstance(node.ops[1], ast.Lt) else "up to"
        return f"{name} from {low} {upper} {high}".strip()
    wording = _COMPARED[type(node.ops[0])].format(_told(sides[1], labels))
    return f"{_told(sides[0], labels)} {wording}".strip()


def _side(node: ast.BinOp, side: ast.expr, labels: Mapping[str, str]) -> str:
    """Return one side of an operator, in brackets where it binds less."""
    text = _told(side, labels)
    if isinstance(side, ast.IfExp):
        return f"({text})"
    if not isinstance(side, ast.BinOp):
        return text
    mine, its = _BINDING[type(node.op)], _BINDING[type(side.op)]
    ordered = side is node.right and not isinstance(node.op, (ast.Add, ast.Mult))
    return f"({text})" if its < mine or (its == mine and ordered) else text


def _asks(node: ast.expr) -> bool:
    """Whether a node only asks if something was given."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "given"


def _bracketed(
    node: ast.expr, labels: Mapping[str, str], kinds: type[ast.expr] | tuple[type[ast.expr], ...]
) -> str:
    text = _told(node, labels)
    alone = isinstance(node, ast.BoolOp) and sum(not _asks(one) for one in node.values) == 1
    return f"({text})" if isinstance(node, kinds) and " " in text and not alone else text


def _plain(text: str) -> str:
    return text.replace("_", " ")
