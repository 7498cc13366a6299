"""The arithmetic of declarations: a small part of Python's grammar, read and computed here.

An expression has numbers, texts and truth values, the operators of arithmetic and comparison,
``and``, ``or``, ``not``, ``x if y else z``, one item of a list (``items[8]``), a value chosen by a
key (``{'a': 1, 'b': 2}[which]``) and the functions of ``FUNCTIONS``. It has no attributes, no loops
and no assignment, and is never given to ``eval``. An input that was not given is None; ``given(x)``
asks for it, and ``value(x, 0)`` puts a number in its place.

>>> parse("round(weight / (height / 100) ** 2, 1)").compute({"weight": 80, "height": 200})
20.0
>>> parse("value(dopamine, 0) > 5 or given(lactate)").compute({"dopamine": None, "lactate": 1})
True
>>> sorted(parse("urea > 7 and age >= 65").names)
['age', 'urea']
"""

from __future__ import annotations

import ast
import datetime
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any


def _clamp(number: float, low: float, high: float) -> float:
    return min(max(number, low), high)


def _date(text: str | datetime.date) -> datetime.date:
    return text if isinstance(text, datetime.date) else datetime.date.fromisoformat(text)


def _days(start: str, end: str) -> int:
    return (_date(end) - _date(start)).days


def _later(start: str, days: int) -> str:
    return str(_date(start) + datetime.timedelta(days=days))


def _weeks(days: int) -> str:
    weeks, rest = divmod(days, 7)
    return f"{weeks}w{rest}d"


def _count(items: Sequence[float], least: float, first: int, last: int) -> int:
    return sum(item >= least for item in items[first - 1 : last])


def _all_of(items: Sequence[float], *allowed: float) -> bool:
    return all(item in allowed for item in items)


def _given(value: object) -> bool:
    return value is not None


def _value(value: object, otherwise: object) -> object:
    return otherwise if value is None else value


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "all_of": _all_of,
    "clamp": _clamp,
    "count_at_least": _count,
    "date_after": _later,
    "days_between": _days,
    "given": _given,
    "ln": math.log,
    "max": max,
    "min": min,
    "number": float,
    "round": round,
    "sqrt": math.sqrt,
    "sum": sum,
    "value": _value,
    "weeks_and_days": _weeks,
}
"""What an expression may call: ``all_of(items, 1, 3)`` asks whether each item is one of the values,
``count_at_least(items, 2, 1, 5)`` counts those of the items 1 to 5 that are 2 or more, and
``clamp(x, low, high)`` limits a number. Dates are YYYY-MM-DD: ``date_after(day, 280)``,
``days_between(start, end)``; ``weeks_and_days(days)`` is such as "12w3d"."""

_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda item, items: item in items,
    ast.NotIn: lambda item, items: item not in items,
}


Computation = Callable[[Mapping[str, Any]], Any]
"""A part of an expression, ready to be computed from the values of its names."""


@dataclass(frozen=True)
class Expression:
    """An expression that was read.

    Attributes:
        text: Its text.
        names: The inputs and values that it names.
    """

    text: str
    names: frozenset[str]
    _tree: ast.expr = field(compare=False, repr=False)
    _computation: Computation = field(compare=False, repr=False)

    @property
    def constants(self) -> frozenset[float]:
        """The numbers that are written in it."""
        found = (one.value for one in ast.walk(self._tree) if isinstance(one, ast.Constant))
        return frozenset(float(one) for one in found if isinstance(one, (int, float)))

    def compute(self, values: Mapping[str, Any]) -> Any:
        """Return its value.

        Args:
            values: Value of every name; None for what was not given.

        Raises:
            KeyError: If a name has no value.
            TypeError: If it computes with what was not given.
            ZeroDivisionError: If it divides by zero.
        """
        return self._computation(values)


@lru_cache(maxsize=1 << 12)
def parse(text: str) -> Expression:
    """Read an expression; the same text is read once.

    Raises:
        ValueError: If it is not in the grammar; the text names what is not.
    """
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise ValueError(f"{text!r} is no expression: {error.msg}") from None
    names: set[str] = set()
    _check(tree, text, names)
    return Expression(text, frozenset(names), tree, _compiled(tree))


def _check(node: ast.expr, text: str, names: set[str]) -> None:
    """Check that a node and all below it are in the grammar, and collect the names."""
    if isinstance(node, ast.Name):
        names.add(node.id)
        return
    parts = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS or node.keywords:
            called = ast.unparse(node)
            raise ValueError(f"{text!r} calls {called!r}; known functions: {sorted(FUNCTIONS)}")
        parts = list(node.args)
    elif isinstance(node, ast.Subscript):
        if not isinstance(node.value, (ast.Name, ast.Dict)):
            raise ValueError(f"{text!r}: only a list or a table has items")
    elif isinstance(node, ast.Constant):
        if not isinstance(node.value, (bool, int, float, str)):
            raise ValueError(f"{text!r} has {node.value!r}; expected a number or a text")
    elif isinstance(node, ast.BinOp) and type(node.op) not in _BINARY:
        raise ValueError(f"{text!r} has an operator that is not in the grammar")
    elif isinstance(node, ast.Compare):
        if any(type(one) not in _BINARY for one in node.ops):
            raise ValueError(f"{text!r} has a comparison that is not in the grammar")
    elif isinstance(node, ast.UnaryOp):
        if not isinstance(node.op, (ast.Not, ast.USub)):
            raise ValueError(f"{text!r} has an operator that is not in the grammar")
    elif not isinstance(node, (ast.BinOp, ast.BoolOp, ast.IfExp, ast.Tuple, ast.Dict)):
        raise ValueError(f"{text!r} has {ast.unparse(node)!r}, which is not in the grammar")
    for part in parts:
        if isinstance(part, ast.expr):
            _check(part, text, names)


def _compiled(node: ast.AST) -> Computation:
    """Return a checked node as nested functions, which compute some times faster than the tree."""
    if isinstance(node, ast.Constant):
        constant = node.value
        return lambda values: constant
    if isinstance(node, ast.Name):
        return operator.itemgetter(node.id)
    if isinstance(node, ast.Compare):
        return _comparison(node)
    if isinstance(node, ast.BoolOp):
        stop = isinstance(node.op, ast.Or)
        parts = [_compiled(part) for part in node.values]
        return lambda values: next((stop for part in parts if bool(part(values)) is stop), not stop)
    if isinstance(node, ast.UnaryOp):
        operand = _compiled(node.operand)
        if isinstance(node.op, ast.Not):
            return lambda values: not operand(values)
        return lambda values: -operand(values)
    if isinstance(node, ast.BinOp):
        work, left, right = _BINARY[type(node.op)], _compiled(node.left), _compiled(node.right)
        return lambda values: work(left(values), right(values))
    if isinstance(node, ast.IfExp):
        test, body, orelse = (_compiled(one) for one in (node.test, node.body, node.orelse))
        return lambda values: body(values) if test(values) else orelse(values)
    if isinstance(node, ast.Tuple):
        items = [_compiled(part) for part in node.elts]
        return lambda values: tuple(item(values) for item in items)
    if isinstance(node, ast.Subscript):
        return _item(node)
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    function, given = FUNCTIONS[node.func.id], [_compiled(part) for part in node.args]
    return lambda values: function(*[one(values) for one in given])


def _comparison(node: ast.Compare) -> Computation:
    """A comparison, or a chain of them."""
    first = _compiled(node.left)
    rest = [
        (_BINARY[type(compare)], _compiled(right))
        for compare, right in zip(node.ops, node.comparators, strict=True)
    ]
    if len(rest) == 1:
        ((compare, second),) = rest
        return lambda values: bool(compare(first(values), second(values)))

    def chain(values: Mapping[str, Any]) -> bool:
        left = first(values)
        for compare, side in rest:
            right = side(values)
            if not compare(left, right):
                return False
            left = right
        return True

    return chain


def _item(node: ast.Subscript) -> Computation:
    """An item of a list, or of a table, of which only the chosen value is computed."""
    key = _compiled(node.slice)
    if not isinstance(node.value, ast.Dict):
        container = _compiled(node.value)
        return lambda values: container(values)[key(values)]
    table = [
        (_compiled(known), _compiled(value))
        for known, value in zip(node.value.keys, node.value.values, strict=True)
        if known is not None
    ]

    def chosen(values: Mapping[str, Any]) -> Any:
        wanted = key(values)
        for known, value in table:
            if known(values) == wanted:
                return value(values)
        raise KeyError(wanted)

    return chosen
