from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gym_clinic.importers.passages.chunks import chunks, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Dr. Smith saw Mr. Jones. He slept.", ["Dr. Smith saw Mr. Jones.", "He slept."]),
        ("Seen, e.g. In mice (Fig. 2). More.", ["Seen, e.g. In mice (Fig. 2).", "More."]),
        ("It was 38.5 C. Then 3.5 mg.", ["It was 38.5 C. Then 3.5 mg."]),
        ("It was 38.5 °C. Then it fell.", ["It was 38.5 °C.", "Then it fell."]),
        ('He said "no." She left.', ['He said "no."', "She left."]),
        ("by S. aureus. Staph. is short.", ["by S. aureus.", "Staph. is short."]),
        ("of vitamin K. no capital", ["of vitamin K. no capital"]),
        ("p. 3 vs. 4. (Both.) 5 ml.", ["p. 3 vs. 4.", "(Both.)", "5 ml."]),
        ("发热。咳嗽。", ["发热。", "咳嗽。"]),
    ],
)
def test_sentences_end_at_full_stops_and_not_at_abbreviations(text, expected):
    assert list(sentences(text)) == expected


def test_pieces_are_as_long_as_possible():
    text = "Aaaa bbbb. Cccc dddd. Eeee ffff."
    assert list(chunks([text], 21)) == ["Aaaa bbbb. Cccc dddd.", "Eeee ffff."]
    assert list(chunks([text], 20)) == ["Aaaa bbbb.", "Cccc dddd.", "Eeee ffff."]
    assert list(chunks(["One.  Two.", " ", "Three."], 100)) == ["One. Two.\nThree."]


def test_long_sentences_are_cut_between_words_and_long_words_anywhere():
    assert list(chunks(["aaa bbb ccc ddd"], 8)) == ["aaa bbb", "ccc ddd"]
    assert list(chunks(["abcdefghij"], 4)) == ["abcd", "efgh", "ij"]
    assert [len(one) for one in chunks(["x" * 2500])] == [1000, 1000, 500]


WORDS = st.sampled_from(
    ["fever", "Dr.", "e.g.", "A", "S.", "38.5", "end.", "End.", "why?", '"No!"', "(see", "it).",
     "。", "x" * 30, "\u00a0", "\n", "—", "é."]
)  # fmt: skip


@given(
    st.lists(st.text() | st.lists(WORDS, max_size=30).map(" ".join), max_size=4),
    st.integers(1, 60),
)
def test_nothing_is_lost_and_no_piece_is_too_long(paragraphs, size):
    pieces = list(chunks(paragraphs, size))
    assert all(piece.strip() and len(piece) <= size for piece in pieces)
    # White space at the cuts is all that may change.
    assert "".join("".join(pieces).split()) == "".join("".join(paragraphs).split())
