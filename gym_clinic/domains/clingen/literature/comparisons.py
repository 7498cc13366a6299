"""Statistics of two groups: Welch's t test for means and Fisher's exact test for counts.

A comparison is computed from the printed numbers of its groups, so that a reader who computes it
again gets the same p value.

Source:
    Welch BL. Biometrika 1947;34:28-35. Fisher RA. J R Stat Soc 1922;85:87-94. Wilson EB. J Am Stat
    Assoc 1927;22:209-212, for a share of a small group; Newcombe RG. Stat Med 1998;17:873-890, for
    the difference of two shares.
"""

from __future__ import annotations

from math import exp, lgamma, log, log1p, pi, sqrt

from gym_clinic.domains.clingen.literature.records import Arm, CaseControl, GroupComparison
from gym_clinic.errors import TaskError

WELCH, FISHER = "Welch's t test", "Fisher's exact test"

Z95 = 1.959963984540054
"""Normal deviate of a 95% interval."""


def compare(first: Arm, second: Arm) -> GroupComparison:
    """Compare two groups, both with means or both with counts.

    Args:
        first: The group of interest.
        second: The group it is compared with.

    Returns:
        First less second; for counts the difference of the shares in percentage points.

    Raises:
        TaskError: If a group has neither mean and SD nor a count, or the two differ in kind.
    """
    if first.count is not None and second.count is not None:
        p = fisher(first.count, first.n, second.count, second.n)
        (a, a_low, a_high), (b, b_low, b_high) = (
            wilson(arm.count or 0, arm.n) for arm in (first, second)
        )
        low = a - b - sqrt((a - a_low) ** 2 + (b_high - b) ** 2)
        high = a - b + sqrt((a_high - a) ** 2 + (b - b_low) ** 2)
        return GroupComparison(
            FISHER, round(100 * (a - b), 1), round(100 * low, 1), round(100 * high, 1), p
        )
    if first.mean is None or first.sd is None or second.mean is None or second.sd is None:
        raise TaskError(f"{first.label} and {second.label}: expected means and SDs, or counts")
    parts = first.sd**2 / first.n, second.sd**2 / second.n
    error = sqrt(sum(parts))
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / (first.n - 1) + parts[1] ** 2 / (second.n - 1))
    gap = first.mean - second.mean
    reach = _quantile(freedom) * error
    digits = decimals(min(first.sd, second.sd))
    return GroupComparison(
        WELCH,
        round(gap, digits),
        round(gap - reach, digits),
        round(gap + reach, digits),
        two_sided(gap / error, freedom),
    )


def decimals(sd: float) -> int:
    """Decimal places that print an SD with two significant figures, at most 3.

    >>> decimals(0.42), decimals(7.1), decimals(88.0)
    (2, 1, 0)
    """
    return 0 if sd >= 10 else 1 if sd >= 1 else 2 if sd >= 0.1 else 3


def two_sided(t: float, freedom: float) -> float:
    """Two-sided p value of Student's t.

    >>> round(two_sided(2.086, 20), 3)
    0.05
    """
    return _beta(freedom / (freedom + t * t), freedom / 2, 0.5)


def fisher(a: int, n: int, b: int, m: int) -> float:
    """Two-sided p value of a of n against b of m.

    >>> round(fisher(3, 4, 1, 4), 4)
    0.4857
    """
    events = a + b
    logs = {
        k: _choose(n, k) + _choose(m, events - k)
        for k in range(max(0, events - m), min(n, events) + 1)
    }
    whole = _choose(n + m, events)
    bound = logs[a] + 1e-7
    return min(1.0, sum(exp(one - whole) for one in logs.values() if one <= bound))


def wilson(k: int, n: int) -> tuple[float, float, float]:
    """The share k of n with the limits of its 95% interval."""
    share, square = k / n, Z95 * Z95
    middle = (share + square / (2 * n)) / (1 + square / n)
    reach = Z95 / (1 + square / n) * sqrt(share * (1 - share) / n + square / (4 * n * n))
    return share, max(0.0, middle - reach), min(1.0, middle + reach)


def case_control(
    case_carriers: int, cases: int, control_carriers: int, controls: int
) -> CaseControl:
    """The odds ratio with its 95% interval (Woolf; half a person is added to empty cells) and p."""
    cells = [
        float(one)
        for one in (
            case_carriers,
            cases - case_carriers,
            control_carriers,
            controls - control_carriers,
        )
    ]
    if 0 in cells:
        cells = [one + 0.5 for one in cells]
    ratio = cells[0] * cells[3] / (cells[1] * cells[2])
    reach = Z95 * sqrt(sum(1 / one for one in cells))
    return CaseControl(
        case_carriers,
        cases,
        control_carriers,
        controls,
        round(ratio, 2),
        round(ratio * exp(-reach), 2),
        round(ratio * exp(reach), 2),
        fisher(case_carriers, cases, control_carriers, controls),
    )


def _choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)


def _quantile(freedom: float) -> float:
    """The t that leaves 5% outside, by Newton's method from the normal deviate."""
    t = Z95 + (Z95**3 + Z95) / (4 * freedom)
    scale = exp(lgamma((freedom + 1) / 2) - lgamma(freedom / 2)) / sqrt(freedom * pi)
    for _ in range(6):
        density = scale * (1 + t * t / freedom) ** (-(freedom + 1) / 2)
        step = (two_sided(t, freedom) - 0.05) / (2 * density)
        t += step
        if abs(step) < 1e-9:
            break
    return t


def _beta(x: float, a: float, b: float) -> float:
    """Regularised incomplete beta function by its continued fraction (Lentz)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    total = d
    for m in range(1, 300):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + step * d)
            c = 1 + step / c
            total *= c * d
        if abs(c * d - 1) < 1e-12:
            break
    return front * total
