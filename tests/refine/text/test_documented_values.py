"""Every cell of the table in docs/guards.md that claims something, run."""

import re
from datetime import datetime
from pathlib import Path

import pytest

from memfold.refine.text import values
from memfold.refine.text.polarity import doubted, negations
from memfold.refine.text.value import stands_for

WHEN = datetime(2024, 5, 5, 18, 30)  # the day that the table names
SENTENCES = {
    "English": "we have {}",
    "Chinese": "他说的是 {} ，对吧",
    "Japanese": "これは {} です",
    "Spanish": "No es lo que está en la lista: {}",
    "French": "Elle est dans la liste avec les autres : {}",
    "German": "Das ist nicht auf der Liste und so: {}",
    "Russian": "Он не был там, это так: {}",
    "Arabic": "هذا كان في على من: {}",
    "Vietnamese": "Tôi đã và đang có: {}",
}


def cells():
    lines = (Path(__file__).parents[3] / "docs" / "guards.md").read_text(encoding="utf-8").splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("| | English | Chinese"))
    languages = [name.strip() for name in lines[head].split("|")[2:-1]]
    for line in lines[head + 2 :]:
        if not line.startswith("|"):
            return
        kind, *claims = [cell.strip() for cell in line.split("|")[1:-1]]
        for language, claim in zip(languages, claims, strict=True):
            if claim != "–":
                yield pytest.param(kind, language, claim, id=f"{kind} in {language}")


def stands(held, lost):
    there = values(held, WHEN)
    return all(any(stands_for(one, value) for one in there) for value in values(lost, WHEN))


@pytest.mark.parametrize(("kind", "language", "claim"), list(cells()))
def test_the_table_tells_the_truth(kind, language, claim):
    one, sign, other = re.fullmatch(r"`(.+)` ([=/]) `(.+)`", claim).groups()
    one, other = SENTENCES[language].format(one), SENTENCES[language].format(other)
    if kind == "negation":
        assert negations(one) == negations(other) + 1
    elif kind == "plan or doubt":
        assert doubted(one)
        assert not doubted(other)
    elif sign == "=":
        assert values(one, WHEN)
        assert stands(one, other)
        assert stands(other, one)
    else:
        assert values(one, WHEN) != values(other, WHEN)
        assert not (stands(one, other) and stands(other, one))


def test_most_of_the_table_is_claimed():
    assert sum(1 for _ in cells()) >= 140
