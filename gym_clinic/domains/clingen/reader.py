"""Finds experimental evidence in an article: the offline reader behind ClinGen's baselines.

A sentence is a finding if it is about the gene, states a result of the authors' own, and tells a
kind of experiment: in which system, what was done and what was seen. A sentence without the
gene's name is about the gene spoken of last, in the system of the sentence before. Plans,
conjectures, others' work and denied clauses do not count; the next sentence may withdraw a finding.

The vocabulary in ``cues.json`` was written without sight of the simulated articles, from the
definitions of Strande 2017 and the ClinGen SOP and the usual language of genetics papers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import orjson

from gym_clinic.domains.clingen.evidence import SUBTYPES

_PART = re.compile(r"<[a-z]+>")
_SYSTEMS = {"organism", "culture", "host", "line", "patient", "patient_cells"}
_BRIEF = {"double", "function", "agent", "treatment"}
_CARRIED = _SYSTEMS | _BRIEF | {"perturbed", "variant"}


@dataclass(frozen=True)
class Finding:
    """Evidence of one subtype in an article.

    Attributes:
        subtype: Key of the subtype.
        sentence: The sentence that says so.
    """

    subtype: str
    sentence: str


class Cues:
    """The vocabulary, compiled: patterns by name, and the rules that make a subtype of them."""

    def __init__(self) -> None:
        data = orjson.loads(Path(__file__).with_name("cues.json").read_bytes())
        self.words = {name: _pattern(words) for name, words in data["words"].items()}
        self.topics = {name: _pattern(words) for name, words in data["topics"].items()}
        self.rules = [
            (key, [set(need.split("|")) for need in needs.split()], set(bars.split()))
            for key, needs, bars in data["rules"]
        ]
        self.aliases: list[str] = data["aliases"]
        self.numbers: dict[str, int] = data["numbers"]
        self._named = {name: _pattern(words) for name, words in data["lists"].items()}
        for gene in ("own", "other"):
            slots = [slot.replace("GENE", f"{gene}gene") for slot in data["slot"]]
            self._named[f"slot_{gene}"] = _pattern(slots)
        parts = {f"<{name}>": form for name, form in data["forms"].items()}
        parts |= {f"<{name}>": self.words[name].pattern for name in ("patient", "culture")}
        for name, form in data["forms"].items():
            while form != (full := _PART.sub(lambda part: parts[part[0]], form)):
                form = full
            self._named[name] = re.compile(form, re.IGNORECASE)
        self.words["patient_cells"] = self._named["patient_cells"]

    def __getattr__(self, name: str) -> re.Pattern[str]:
        return self._named[name]


def _pattern(words: Sequence[str]) -> re.Pattern[str]:
    flexible = re.sub(r" (\??)", lambda gap: rf"[\s-]{'*' if gap[1] else '+'}", "|".join(words))
    return re.compile(rf"(?<!\w)(?:{flexible})(?!\w)", re.IGNORECASE)


@lru_cache(maxsize=1)
def cues() -> Cues:
    """Return the vocabulary of this package."""
    return Cues()


def split_sentences(text: str) -> list[str]:
    """Split prose at full stops that end a sentence, not an abbreviation or an initial."""
    ends = [
        mark.end()
        for mark in cues().end.finditer(text)
        if "\n" in mark[0]
        or not cues().abbreviation.search(text[: mark.start()], max(mark.start() - 12, 0))
    ]
    sentences = [text[a:b].strip() for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]
    return [sentence for sentence in sentences if sentence]


def is_read(heading: str) -> bool:
    """Whether a section may state findings, as no introduction, methods or references do."""
    return "result" in heading.lower() or not cues().unread.search(heading)


def read_article(gene: str, sections: Sequence[tuple[str, str]]) -> list[Finding]:
    """Find the experimental evidence that an article reports for a gene.

    Args:
        gene: Symbol of the gene.
        sections: Heading and text of each section.

    Returns:
        One finding for each subtype that holds, in the order of the text.
    """
    return list(_read(gene, tuple((heading, text) for heading, text in sections)))


@lru_cache(maxsize=32)  # six sub-agents read the same article in turn
def _read(gene: str, sections: tuple[tuple[str, str], ...]) -> tuple[Finding, ...]:
    names = _names(gene, " ".join(text for _, text in sections))
    found: dict[str, Finding] = {}
    for heading, text in sections:
        if is_read(heading):
            for key, sentence in _findings(names, text, bool(cues().guarded.search(heading))):
                found.setdefault(key, Finding(key, sentence))
    return tuple(found.values())


def categories_in_abstract(gene: str, abstract: str) -> list[str]:
    """Name the categories of evidence that an article is worth asking for.

    A result is, and so are an announced topic and a negative result: the article may hold more.

    Args:
        gene: Symbol of the gene.
        abstract: Its abstract.

    Returns:
        Keys of categories, results before announced topics; empty if it promises nothing.
    """
    names = _names(gene, abstract)
    keys = [SUBTYPES[key].category for key, _ in _findings(names, abstract, False)]
    for sentence in _sentences(names, abstract):
        if sentence.about and not sentence.cited and cues().announces.search(sentence.text):
            keys += [key for key, topic in cues().topics.items() if topic.search(sentence.text)]
    return list(dict.fromkeys(keys))


def _findings(names: re.Pattern[str], text: str, guarded: bool) -> list[tuple[str, str]]:
    """Subtypes and their sentences, less what the next sentence withdraws."""
    found: list[list[tuple[str, str]]] = [[]]
    for sentence in _sentences(names, text):
        withdrawn = cues().withdrawn.search(sentence.text)
        if withdrawn and not cues().words["rescue"].search(sentence.text):
            if not cues().turn.search(sentence.text[: withdrawn.start()]):
                found[-1] = []
            found.append([])
        elif sentence.cited or (guarded and not cues().own_work.search(sentence.text)):
            found.append([])
        else:
            found.append([(key, sentence.source) for key in sentence.subtypes()])
    return [finding for findings in found for finding in findings]


@dataclass
class _Sentence:
    """A sentence with its names masked, and what it takes over from the one before."""

    source: str  # as written
    text: str  # with genes and variants masked
    about: bool  # its subject is the gene, by name or because the text spoke of it last
    cited: bool  # it reports others' work, or asks a question
    setting: set[str]  # the systems and perturbations that it names or takes over

    def subtypes(self) -> list[str]:
        """The kinds of experiment whose result it states, clause by clause."""
        shown, whole = dict[str, None](), set[str]()
        for clause in _clauses(self.text):
            found = self._features(_stated(clause, equal_counts=True))
            if cues().words["rescue"].search(clause):  # being as good as normal is the success
                plain = self._features(_stated(clause, equal_counts=False))
                found |= plain & {"rescue", "improve", "better"}
            whole |= found
            shown |= dict.fromkeys(self._experiments(found))
        if "cell_culture_model" in shown:  # the altered function is what the model shows
            shown.pop("functional_alteration_non_patient_cells", None)
        return list(shown) or self._experiments(whole)

    def _experiments(self, stated: set[str]) -> list[str]:
        """The subtypes of the first rule that what is stated and the setting fulfil."""
        found = stated | self.setting
        for key, needs, bars in cues().rules:
            if all(need & found for need in needs) and not bars & found:
                return [] if key == "none" else key.split()
        return []

    def _features(self, stated: str) -> set[str]:
        """What a clause states; its systems and perturbations are those of the sentence."""
        found = {name for name, pattern in cues().words.items() if pattern.search(stated)}
        if self.about and ("owngene" in self.text or cues().protein.search(self.text)):
            found |= {"level_own"} if "level" in found else set()
            if "express" in found and not cues().not_own.search(self.text):
                found.add("expressed_own")
        return found - (_CARRIED - {"function"})


def _sentences(names: re.Pattern[str], text: str) -> Iterator[_Sentence]:
    """The sentences of a section, each with its subject and setting."""
    for paragraph in text.split("\n"):
        about, cited, setting, fresh = True, False, set[str](), set[str]()
        for source in split_sentences(paragraph):
            masked = cues().contrast.sub(" ", _mask(names, source))
            pairs = cues().pair.sub("owngene", masked)
            slot_other = cues().slot_other.search(pairs)
            if "owngene" in masked:
                about = bool(cues().slot_own.search(pairs) or not slot_other)
            elif slot_other or cues().subject_other.match(masked):
                about = False
            rest = cues().agreeing.sub(" ", masked)
            marked = cues().cited.search(rest) or cues().reference.search(rest)
            borrowed = marked or (cited and cues().anaphor.match(masked))
            cited = bool(borrowed and not cues().own_work.search(rest))
            idle = cited or bool(cues().question.search(source))
            masked = cues().parenthesis.sub(" ", masked)
            named = {name for name in _CARRIED if cues().words[name].search(masked)}
            setting, fresh = _setting(masked, named, setting - (_BRIEF - fresh)), named
            extra = {"about"} if about else set[str]()
            extra |= {"cells", "culture"} if setting & {"host", "line"} else set()
            named_here = "owngene" in masked or (about and cues().protein.search(masked))
            extra |= {"named"} if named_here else set()
            yield _Sentence(source, masked, about, idle, setting | extra)


def _setting(text: str, named: set[str], before: set[str]) -> set[str]:
    """What a sentence names, with the system and perturbation it takes over from before."""
    if cues().control.match(text):
        return named
    if "culture" in named and "patient" in before and not named & {"host", "organism", "perturbed"}:
        return named | {"patient", "patient_cells"} | (before - _SYSTEMS)
    if named & _SYSTEMS <= before:
        return named | before
    return named | (before - _SYSTEMS if cues().anaphor.search(text) else set())


def _clauses(text: str) -> Iterator[str]:
    """The clauses that state something: no purposes, plans or conjectures."""
    text = cues().aside.sub(" ", cues().purpose.sub(" ", text))
    if found := cues().concession.match(text):
        yield from _clauses(text[found.end() :])
        text = found[0]
    for clause in cues().clause.split(text):
        if clause and not cues().tentative.search(clause):
            yield clause


def _stated(clause: str, *, equal_counts: bool) -> str:
    """A clause without what it denies; a function that is missing counts as an effect."""
    bare = cues().exempt.sub(" ", clause)
    plain = cues().attributive.sub(" ", bare)
    if equal_counts and (equal := cues().equal.search(plain)):
        return plain[: equal.start()].rpartition(" and ")[0]
    denial = cues().denial.search(bare)
    if not denial:
        return bare
    before, scope = bare[: denial.start()], bare[denial.end() :]
    if cues().words["effect"].search(scope):
        return before
    seen = cues().observed.match(scope.strip())
    if seen and not cues().readout.search(before):
        return ""
    loses = cues().strict_loss.match(denial[0]) or cues().readout.search(before if seen else scope)
    denied = cues().words["rescue"].search(scope) or cues().words["bind"].search(scope)
    return f"{before} losseffect" if loses and not denied else before


def _mask(names: re.Pattern[str], sentence: str) -> str:
    """A sentence with the gene, other genes and variants under fixed names."""

    def other(found: re.Match[str]) -> str:
        return found[0] if cues().not_gene.fullmatch(found[0]) else "othergene"

    text = cues().variant.sub("somevariant", re.sub("[‐‑‒–—−]", "-", sentence))
    text = cues().symbol.sub(other, names.sub("owngene", text))
    text = re.sub(r"(owngene|othergene)\s?\(?-/-\)?", r"\1 null", text)
    return re.sub(r"(owngene|othergene)\s?\(?(?:\+/-|-/\+)\)?", r"\1 heterozygous", text)


def _names(gene: str, text: str) -> re.Pattern[str]:
    """A pattern of the gene's symbol, its orthologues' and the protein names given in a text."""
    symbol, lower = re.escape(gene), re.escape(gene.lower())
    if re.search(r"\d", gene):
        listed = [symbol.replace(r"\-", "[- ]?")]
    else:  # a symbol of letters may be a word: in lower case only before what is said of genes
        said = r"[ -]?(?:-/-|null|mutant|morph|mRNA|knock|cDNA)"
        listed = [f"(?-i:{symbol}|{re.escape(gene.capitalize())}|{lower}[ab]?(?={said}))"]
    for alias in cues().aliases:
        found = re.finditer(alias.replace("<gene>", f"(?-i:{symbol})"), text)
        listed += [re.escape(name[1].strip()) for name in found]
    joined = "|".join(dict.fromkeys(listed))
    ending = r"(?:(?<=\d)[abp]|p|KO|tm\w*|Δ\w*)?(?![A-Za-z0-9])"
    return re.compile(rf"(?<![A-Za-z0-9])(?:[hmzdrx]|Δ|anti-)?(?:{joined}){ending}", re.IGNORECASE)
