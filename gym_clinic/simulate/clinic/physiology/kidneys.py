"""What failing kidneys entail: urea goes with creatinine, and anaemia with years of failing.

Source:
    Haemoglobin: Astor BC, Muntner P, Levin A, Eustace JA, Coresh J. Association of kidney function
    with anemia (NHANES III). Arch Intern Med 2002;162:1401-1408: medians of men (women) of 14.9
    (13.5) g/dL at a filtration rate of 60, 13.8 (12.2) at 30, and 12.0 (10.3) at 15.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

KIDNEYS = "chronic-kidney-disease"
"""The condition that is lived with and in which blood is lacking as the kidneys fail."""

FOLLOWS = 0.75
"""Power of the rise of creatinine by which urea rises at least: both are filtered, but some urea
goes back into the blood, so that it does not rise in the same proportion; authored."""

FILTRATION, LOST = (15.0, 30.0, 60.0), (3.0, 1.2, 0.0)
"""Filtration rates in mL/min/1.73 m2, and the haemoglobin in g/dL that kidneys that have failed for
long to it have cost."""


def least_urea(state: Mapping[str, float], usual: Mapping[str, float]) -> float:
    """Return the least urea nitrogen beside a creatinine that rose; 0 where it did not."""
    rise = state["creatinine"] / usual["creatinine"]
    return usual["bun"] * float(rise**FOLLOWS) if rise > 1 else 0.0


def most_haemoglobin(filtration: float, usual: float) -> float:
    """Return the greatest haemoglobin beside kidneys that have filtered as little for years.

    Args:
        filtration: Estimated glomerular filtration rate in mL/min/1.73 m2.
        usual: Haemoglobin in g/dL with healthy kidneys.
    """
    return usual - float(np.interp(filtration, FILTRATION, LOST))
