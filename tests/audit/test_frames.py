from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.audit.frames import SLOT, difference, forms, same_values, same_words


def how(a: str, b: str, *others: str) -> str | None:
    x, y = forms([a, b, *others])[:2]
    assert difference(y, x) == difference(x, y)
    return difference(x, y)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ana's locker code is 4417.", "Ben's locker code is 4471."),
        ("The blue van holds 6 crates.", "The blue van holds 9 crates on Sundays."),
        ("Iris is allergic to peanuts.", "Iris is not allergic to walnuts."),
        ("Iris can swim.", "Iris can't swim."),
        ("Momo gets 2.5 mg once a day.", "Momo gets 25 mg once a day."),
        ("The server listens on port 8080.", "The server listens on port 8081."),
        ("Meet on 4 March 2025 at the gate.", "Meet on 14 March 2025 at the gate."),
        ("Train 512 leaves on Monday.", "Train 512 leaves on Tuesday."),
        ('The ship is called "Petrel" today.', 'The ship is called "Plover" today.'),
        ("Use parse_shelf() for titles.", "Use parse_isbn() for titles."),
        ("Omar takes two tablets daily.", "Omar takes three tablets daily."),
        ("We release v2.3 from the branch.", "We release v2.4 from the branch."),
        ("Das Paket wiegt 12 kg und ist da.", "Das Paket wiegt 21 kg und ist da."),
        ("El tren sale a las 7:15.", "El tren sale a las 7:45."),
        ("会议室在 12 楼。", "会议室在 21 楼。"),
        ("小雯会游泳。", "小雯不会游泳。"),
        ("猫が好きです。犬と遊ぶ。", "猫が好きではない。犬と遊ぶ。"),
        ("The parcel went to Lisbon by night train.", "The parcel went to Porto by night train."),
    ],
)
def test_same_frame_other_value(a: str, b: str) -> None:
    assert how(a, b) == "value"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Iris is allergic to peanuts.", "Iris is allergic to walnuts."),
        ("Take it before the long walk.", "Take it after the long walk."),
        ("The lamp stands on the left.", "The lamp stands on the right."),
        ("小雯的妈妈对花生过敏。", "小雯的妈妈对芒果过敏。"),
    ],
)
def test_one_other_word(a: str, b: str) -> None:
    assert how(a, b) == "word"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Thanks!", "thanks"),
        ("The lamp is in the hall.", "The lamp was in the hall."),
        ("Omar likes long walks.", "Omar liked long walks."),
        ("The van holds 6 crates.", "The blue van holds 6 crates on the roof."),
        ("Ana plays the harp.", "Rent is due on the first."),
        ("Ana was in Lisbon.", "Ana was in Lisbon in March 2024."),
        ("The dog is brown and slow", "The cat is grey, quick and never at home"),
    ],
)
def test_no_suspects(a: str, b: str) -> None:
    assert how(a, b) is None


def test_a_first_word_is_a_name_only_where_the_texts_say_so() -> None:
    booked, other = forms(["Booked the tickets for the show.", "The show was booked."])
    assert booked.values == ()
    named, _ = forms(["Ragna paints the show.", "A gift for Ragna."])
    assert named.values == ("ragna",)


def test_german_nouns_are_no_names() -> None:
    (form,) = forms(["Der Schlüssel für den Schuppen hängt hinter der Tür."])
    assert form.values == ()


def test_frame_and_values() -> None:
    (form,) = forms(["Ana's locker code is 4417, since 4 March 2025."])
    assert form.frame == (SLOT, "locker", "code", "is", SLOT, "since", SLOT)
    assert form.values == ("ana", "4417", "4", "march", "2025")


def test_values_are_the_same_whatever_the_order() -> None:
    a, b, c = forms(["Call Omar at 7 and Iris at 9.", "At 9 call Iris, at 7 call Omar.", "Call Omar at 7."])
    assert same_values(a, b)
    assert not same_values(a, c)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("Omar walks the old dog.", "Omar walked the old dog", True),
        ("Omar walks the old dog at night.", "Omar walks the dog.", True),
        ("Omar walks the old dog.", "Omar feeds the old dog.", False),
        ("Search tool: Status: Proposed", "Search tool: Status: Completed", False),
    ],
)
def test_words_of_ones_own(a: str, b: str, same: bool) -> None:
    x, y = forms([a, b])
    assert same_words(x, y) is same_words(y, x) is same


@given(st.lists(st.text(), max_size=5))
def test_any_text_comes_apart(texts: list[str]) -> None:
    taken = forms(texts)
    assert len(taken) == len(texts)
    for form in taken:
        assert difference(form, form) is None
