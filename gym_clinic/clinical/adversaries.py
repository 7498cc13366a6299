"""The tricks that every clinical domain is tried with, for `Domain.adversaries`."""

from __future__ import annotations

from collections.abc import Mapping

_TRICKS = (
    "order-everything", "prescribe-everything", "every-instrument", "keyword-salad",
    "negated-orders", "answer-without-looking", "look-once", "refer-everyone",
)  # fmt: skip

ADVERSARIES: Mapping[str, str] = {
    name: f"gym_clinic.policies.clinical:{name.replace('-', '_')}" for name in _TRICKS
}
"""Name -> path of its builder."""

READERS: Mapping[str, str] = {
    "rules-reading": "gym_clinic.policies.fitted.reading:rules_reading",
    "ticket-bayes": "gym_clinic.policies.fitted.reading:ticket_bayes",
}
"""Tricks with the reading of the rules baseline, for a domain that has one: the best constant
answer, and a conclusion from the words of the ticket."""
