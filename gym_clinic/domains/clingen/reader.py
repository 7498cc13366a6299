"""Finds experimental evidence in an article: the offline reader behind ClinGen's baselines.

A sentence is a finding if it is about the gene, states a result of the authors' own, and tells a
kind of experiment: in which system, what was done and what was seen. A sentence without the
gene's name is about the gene spoken of last, in the system of the sentence before. Plans,
conjectures, others' work and denied clauses do not count; a later sentence may withdraw a finding.
Where no rule knows how the sentence is built, its words alone decide (``broad`` in ``cues.json``).

The vocabulary was first written from the definitions of Strande 2017 and the ClinGen SOP and the
usual language of genetics papers. It was then developed on simulated articles of the train split,
with general words, and chosen by its score on the dev split.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import orjson

_PART = re.compile(r"<[a-z]+>")
_SYSTEMS = {"organism", "culture", "host", "line", "patient", "patient_cells"}
_BRIEF = {"double", "function", "agent", "treatment"}
Rule = tuple[str, list[set[str]], set[str]]
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
        self.broad = {name: _pattern(words) for name, words in data["broad"].items()}
        self.rules, self.broad_rules = (
            [
                (key, [set(need.split("|")) for need in needs.split()], set(bars.split()))
                for key, needs, bars in data[name]
            ]
            for name in ("rules", "broad_rules")
        )
        self.aliases = ["".join(pieces) for pieces in data["aliases"]]
        self.numbers: dict[str, int] = data["numbers"]
        self._named = {name: _pattern(words) for name, words in data["lists"].items()}
        for gene in ("own", "other"):
            slots = ["".join(slot).replace("GENE", f"{gene}gene") for slot in data["slot"]]
            self._named[f"slot_{gene}"] = _pattern(slots)
        forms = {name: "".join(pieces) for name, pieces in data["forms"].items()}
        parts = {f"<{name}>": form for name, form in forms.items()}
        parts |= {f"<{name}>": self.words[name].pattern for name in ("patient", "culture")}
        for name, form in forms.items():
            while form != (full := _PART.sub(lambda part: parts[part[0]], form)):
                form = full
            self._named[name] = re.compile(form, re.IGNORECASE)
        self.words["patient_cells"] = self._named["patient_cells"]

    def __getattr__(self, name: str) -> re.Pattern[str]:
        return self._named[name]


def _pattern(words: Sequence[str | Sequence[str]]) -> re.Pattern[str]:
    """Any of the words; a nested list is one expression in pieces."""
    joined = "|".join("".join(pieces) for pieces in words)
    flexible = re.sub(r" (\??)", lambda gap: rf"[\s-]{'*' if gap[1] else '+'}", joined)
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
    texts = _spell_out(gene, [text for _, text in sections])
    names = _names(gene, " ".join(texts))
    listed, retractions = list[Finding](), list[str]()
    for (heading, _), text in zip(sections, texts, strict=True):
        if is_read(heading):
            findings, retracted = _findings(names, text, bool(cues().guarded.search(heading)))
            listed += findings
            retractions += retracted
    found: dict[str, Finding] = {}
    for finding in listed:
        if not any(_repeats(finding.sentence, retraction) for retraction in retractions):
            found.setdefault(finding.subtype, finding)
    return tuple(found.values())


def _repeats(sentence: str, retraction: str) -> bool:
    """Whether a later sentence repeats most words of a finding, to withdraw it."""
    words = set(re.findall(r"\w+", sentence.lower()))
    return len(words & set(re.findall(r"\w+", retraction.lower()))) > 0.7 * len(words)


def _spell_out(gene: str, texts: Sequence[str]) -> list[str]:
    """Texts with genes instead of the labels that the article gives them ("L11 stands for ABC1").

    A sentence counts if it labels the gene at hand and has as many labels as genes.
    """
    genes: dict[str, str] = {}
    for sentence in (one for text in texts for one in split_sentences(text)):
        if gene in sentence and cues().labelling.search(sentence):
            labels = [found[0] for found in cues().label.finditer(sentence)]
            named = [found[0] for found in cues().named.finditer(sentence)]
            named = [name for name in named if name not in labels]
            if len(named) == len(labels):  # in the same order
                genes |= dict(zip(labels, named, strict=True))
    for label in sorted(genes, key=len, reverse=True):
        written = re.compile(rf"(?<![\w-]){re.escape(label)}(?!\w|-\d)", re.IGNORECASE)
        texts = [written.sub(genes[label], text) for text in texts]
    return list(texts)


def _findings(names: re.Pattern[str], text: str, guarded: bool) -> tuple[list[Finding], list[str]]:
    """The findings of a section, and the sentences that withdraw a finding by repeating it."""
    found: list[list[Finding]] = [[]]
    retractions, subject = list[str](), 0
    for sentence in _sentences(names, text):
        withdrawn = cues().withdrawn.search(sentence.text)
        if "owngene" in sentence.text:
            subject = len(found)
        if withdrawn and not cues().words["rescue"].search(sentence.text):
            retractions.append(sentence.source)
            if not cues().turn.search(sentence.text[: withdrawn.start()]):
                found[min(subject, len(found) - 1) :] = []
                subject = len(found)
            found.append([])
        elif sentence.cited or (guarded and not cues().own_work.search(sentence.text)):
            found.append([])
        else:
            found.append([Finding(key, sentence.source) for key in sentence.subtypes()])
    return [finding for findings in found for finding in findings], retractions


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
        if _even(self.text):
            return []
        for clause in _clauses(self.text):
            found = self._features(_stated(clause, equal_counts=True))
            if cues().words["rescue"].search(clause):  # being as good as normal is the success
                plain = self._features(_stated(clause, equal_counts=False))
                found |= plain & {"rescue", "improve", "better"}
            whole |= found
            shown |= dict.fromkeys(self._experiments(found))
        if "cell_culture_model" in shown:  # the altered function is what the model shows
            shown.pop("functional_alteration_non_patient_cells", None)
        return list(shown) or self._experiments(whole) or self._broadly()

    def _experiments(self, stated: set[str]) -> list[str]:
        """The subtypes of the first rule that what is stated and the setting fulfil."""
        return _first_rule(cues().rules, stated | self.setting)

    def _broadly(self) -> list[str]:
        """The subtypes by words alone, where the sentence is built in no way known."""
        text = cues().broad_exempt.sub(" ", self.text)
        doubts = (cues().broad_denied, cues().broad_tentative, cues().equal)
        doubtful = any(doubt.search(text) for doubt in (*doubts, cues().words["statistic"]))
        if doubtful or "near" not in self.setting:
            return []
        found = {name for name, pattern in cues().broad.items() if pattern.search(self.text)}
        found |= {"second_gene"} if "othergene" in self.text else set()
        return _first_rule(cues().broad_rules, found)

    def _features(self, stated: str) -> set[str]:
        """What a clause states; its systems and perturbations are those of the sentence."""
        found = {name for name, pattern in cues().words.items() if pattern.search(stated)}
        if self.about and ("owngene" in self.text or cues().protein.search(self.text)):
            found |= {"level_own"} if "level" in found else set()
            if "express" in found and not cues().not_own.search(self.text):
                found.add("expressed_own")
        return found - (_CARRIED - {"function"})


def _first_rule(rules: Sequence[Rule], found: set[str]) -> list[str]:
    for key, needs, bars in rules:
        if all(need & found for need in needs) and not bars & found:
            return [] if key == "none" else key.split()
    return []


def _sentences(names: re.Pattern[str], text: str) -> Iterator[_Sentence]:
    """The sentences of a section, each with its subject and setting."""
    for paragraph in text.split("\n"):
        about, cited, setting, fresh = True, False, set[str](), set[str]()
        follows, age = False, 0
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
            age = 0 if named & _SYSTEMS or cues().anaphor.search(masked) else age + 1
            kept = setting - (_BRIEF - fresh) if age < 2 else set[str]()
            setting, fresh = _setting(masked, named, kept), named
            extra = {"about"} if about else set[str]()
            extra |= {"cells", "culture"} if setting & {"host", "line"} else set()
            named_here = "owngene" in masked or (about and cues().protein.search(masked))
            extra |= {"named"} if named_here else set()
            if "owngene" in masked or (follows and "othergene" not in masked):
                extra.add("near")
            follows = "owngene" in masked
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


def _even(text: str) -> bool:
    """Whether a sentence counts or measures two groups and finds them alike."""
    shares = [int(a) / max(int(b), 1) for a, b in cues().share.findall(text)]
    shares += [float(number) / 100 for number in cues().percent.findall(text)]
    return len(shares) == 2 and abs(shares[0] - shares[1]) < 0.05


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
