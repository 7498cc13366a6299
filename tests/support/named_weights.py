"""Weights and gradients by name: norm, dot product, and the adapters they belong to."""

from __future__ import annotations


def norm(gradients):
    return float(sum(values.double().square().sum() for values in gradients.values())) ** 0.5


def dot(one, other):
    return float(sum((one[name].double() * other[name].double()).sum() for name in one))


def split(weights):
    """Return weights of student's adapter, teacher's adapter and base, by common names."""
    kinds = {"default": {}, "teacher": {}, "base": {}}
    for name, values in weights.items():
        for adapter in ("default", "teacher"):
            if f".{adapter}." in name:
                kinds[adapter][name.replace(f".{adapter}.", ".")] = values
                break
        else:
            kinds["base"][name] = values
    return kinds["default"], kinds["teacher"], kinds["base"]
