"""The tools of a consultation: one referral, and a viewer as readers of images have it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import hypot
from typing import TYPE_CHECKING, Any

from gym_clinic.case import Case
from gym_clinic.consult import Consultant
from gym_clinic.domains.mmedagent.departments import department_of, specialties, specialty_of
from gym_clinic.domains.mmedagent.judge import OPINIONS, REFERRED
from gym_clinic.domains.mmedagent.pictures import copy_of, image_of
from gym_clinic.domains.mmedagent.specialists import SpecialistReply
from gym_clinic.domains.mmedagent.specialists.consultants import ask
from gym_clinic.errors import ToolError
from gym_clinic.images import Illustrated, plain
from gym_clinic.names import nearest
from gym_clinic.toolbox import Kind, tool

if TYPE_CHECKING:
    from PIL.Image import Image

ZOOMED_SIDE = 384
"""Pixels of the longer side of a region that is shown larger."""

LEAST_REGION = 8
"""Pixels of the shorter side of a region."""


@dataclass(frozen=True)
class Hospital:
    """What the tools of all episodes share.

    Attributes:
        consultant: Who replies for the specialists.
        specialists: How many are asked.
        folder: Where the files of images lie.
        show: Turns an image into what the ticket and the tools show: the image, or its caption.
    """

    consultant: Consultant
    specialists: int
    folder: str
    show: Callable[[Mapping[str, Any], Image, str], str | Illustrated]


class ConsultCase(Case):
    """The case of a consultation.

    Args:
        record: Of the task.
        hospital: What all episodes share.
    """

    def __init__(self, record: Mapping[str, Any], hospital: Hospital) -> None:
        super().__init__({**record, OPINIONS: [], REFERRED: None})
        self.hospital = hospital

    @property
    def in_full(self) -> bool:
        """Whether the right department has returned the image in full quality."""
        return self[REFERRED] is not None and self[REFERRED] == department_of(self)

    @property
    def image(self) -> Image:
        """The image as it is at hand now."""
        return (image_of if self.in_full else copy_of)(self, self.hospital.folder)


@tool(kind=Kind.WRITE)
def consult_department(case: ConsultCase, department: str) -> str | Illustrated:
    """Send the patient to one department and hear its specialists; possible once.

    Args:
        department: Name of its specialists, such as "Radiologist".
    """
    if case[REFERRED] is not None:
        raise ToolError("the patient has been referred already; decide with what you have")
    chosen = specialty_of(department)
    if chosen is None:
        near = nearest(department, specialties())
        advice = f"did you mean {near!r}?" if near else f"choose from {list(specialties())}"
        raise ToolError(f"no department {department[:40]!r}; {advice}")
    case[REFERRED] = chosen
    hospital = case.hospital
    replies = ask(hospital.consultant, case, case, chosen, case.image,
                  inside=case.in_full, count=hospital.specialists)  # fmt: skip
    case[OPINIONS] = [reply.answer for reply in replies]
    said = opinions_text(case["options"], chosen, replies) or "No specialist is on duty."
    if not case.in_full:
        return f"{said}\n\nThis image is outside of our field; we have no better one."
    return hospital.show(case, case.image, f"{said}\n\nThe image in full quality:")


def opinions_text(
    options: Mapping[str, str], specialty: str, replies: tuple[SpecialistReply, ...]
) -> str:
    """Return opinions in the words of the paper's prompt (table 4)."""
    return "\n".join(
        f"Answer from {specialty} {number}: {reply.answer}. {plain(options[reply.answer])}. "
        f"{plain(reply.rationale)}"
        for number, reply in enumerate(replies, 1)
    )


@tool
def zoom(case: ConsultCase, left: float, top: float, right: float, bottom: float) -> Illustrated:
    """Show a region of the image larger.

    Args:
        left: Left edge, as a share of the width from 0 to 1.
        top: Upper edge, as a share of the height from 0 to 1.
        right: Right edge, from 0 to 1.
        bottom: Lower edge, from 0 to 1.
    """
    if not (0 <= left < right <= 1 and 0 <= top < bottom <= 1):
        raise ToolError("a region runs from left to right and from top to bottom, within 0 to 1")
    image = case.image
    width, height = image.size
    box = (round(left * width), round(top * height), round(right * width), round(bottom * height))
    if min(box[2] - box[0], box[3] - box[1]) < LEAST_REGION:
        raise ToolError(f"the region is smaller than {LEAST_REGION} pixels; take a larger one")
    region = image.crop(box)
    scale = ZOOMED_SIDE / max(region.size)
    size = (round(region.width * scale), round(region.height * scale))
    return Illustrated("The region: <image>", (region.resize(size, 3),))


@tool
def set_window(case: ConsultCase, level: float, width: float) -> Illustrated:
    """Show the image with another level and width of its grey values.

    Args:
        level: Value that becomes mid-grey, from 0 (black) to 255 (white).
        width: Range of values that is spread from black to white, from 1 to 255.
    """
    if not (0 <= level <= 255 and 1 <= width <= 255):
        raise ToolError("level is from 0 to 255, and width from 1 to 255")
    low = level - width / 2
    table = [min(255, max(0, round((value - low) / width * 255))) for value in range(256)]
    image = case.image
    shown = image.point(table * len(image.getbands()))
    return Illustrated(f"Level {level:g}, width {width:g}: <image>", (shown,))


@tool
def measure_distance(case: ConsultCase, x1: float, y1: float, x2: float, y2: float) -> str:
    """Measure the distance between two points of the image.

    Args:
        x1: The first point, as a share of the width from the left, 0 to 1.
        y1: The first point, as a share of the height from the top, 0 to 1.
        x2: The second point, as a share of the width.
        y2: The second point, as a share of the height.
    """
    if not all(0 <= share <= 1 for share in (x1, y1, x2, y2)):
        raise ToolError("points are shares of width and height, from 0 to 1")
    width, height = image_of(case, case.hospital.folder).size
    pixels = hypot((x2 - x1) * width, (y2 - y1) * height)
    share = pixels / hypot(width, height)
    return f"{pixels:.1f} pixels of the image in full quality, {share:.3f} of its diagonal"
