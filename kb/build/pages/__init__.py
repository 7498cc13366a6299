"""Pages of the documentation that follow from declarations.

python -m kb.build.pages        write them
"""

from __future__ import annotations

from pathlib import Path

from gym_clinic.facts import load
from kb.build.pages.chart import chart_page
from kb.build.pages.clingen import clingen_page
from kb.build.pages.conditions import condition_page
from kb.build.pages.deciding import deciding_page
from kb.build.pages.domain import clinical_ids, domain_page
from kb.build.pages.instruments import instrument_page

DOCS = Path(__file__).parents[3] / "docs"


def pages() -> dict[Path, str]:
    """Return each generated page and its text."""
    facts = load()
    return {
        DOCS / "chart.md": chart_page(facts),
        DOCS / "clingen-literature.md": clingen_page(),
        DOCS / "conditions.md": condition_page(facts),
        DOCS / "deciding-facts.md": deciding_page(facts),
        DOCS / "instruments.md": instrument_page(facts),
        **{
            DOCS / f"{name.replace('_', '-')}.md": domain_page(env_id)
            for name, env_id in clinical_ids().items()
        },
    }
