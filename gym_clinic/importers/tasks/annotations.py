"""What several annotators say of questions: the majority, and how far they agree (Fleiss's kappa).

Source:
    Fleiss JL. Measuring nominal scale agreement among many raters. Psychol Bull 1971;76:378.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from gym_clinic.errors import TaskError


def majority(annotations: Sequence[Collection[str]]) -> tuple[str, ...]:
    """Return the labels that more than half of the annotators give, those with most votes first.

    Args:
        annotations: The labels of each annotator; one annotator may give several.

    >>> majority([["Cardiology"], ["Cardiology", "Nephrology"], ["Neurology"]])
    ('Cardiology',)
    """
    votes = Counter(label for labels in annotations for label in dict.fromkeys(labels))
    agreed = [label for label, count in votes.items() if 2 * count > len(annotations)]
    return tuple(sorted(agreed, key=lambda label: (-votes[label], label)))


def fleiss_kappa(ratings: Sequence[Sequence[str]]) -> float:
    """Return Fleiss's kappa.

    Args:
        ratings: For each subject the label of each annotator, one label an annotator, as many
            annotators for each subject.

    Returns:
        1 for full agreement, 0 for that of chance; 1 too where all labels are the same.

    Raises:
        TaskError: If there is no subject, fewer than two annotators, or unequally many.

    >>> round(fleiss_kappa([["a", "a", "a"], ["b", "b", "b"], ["a", "b", "b"]]), 3)
    0.55
    """
    counts = {len(labels) for labels in ratings}
    if len(counts) != 1 or min(counts) < 2:
        raise TaskError(
            f"kappa needs as many annotators, two or more, for each question; got {sorted(counts)}"
        )
    (raters,) = counts
    total: Counter[str] = Counter()
    agreement = 0.0
    for labels in ratings:
        found = Counter(labels)
        total.update(found)
        agreement += sum(count * (count - 1) for count in found.values()) / raters / (raters - 1)
    observed = agreement / len(ratings)
    chance = sum((count / raters / len(ratings)) ** 2 for count in total.values())
    return 1.0 if chance == 1 else (observed - chance) / (1 - chance)
