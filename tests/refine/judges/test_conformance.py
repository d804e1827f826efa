"""The shipped suite on every judge, and a judge that fails it."""

import pytest

from memfold.refine.judges import JUDGES, MODEL_JUDGES, open_judge
from memfold.refine.judges.scripted import ScriptedJudge
from memfold.testing.judge import CHECKS, check_judge
from memfold.types import Decision

FREE = [name for name in JUDGES if name not in MODEL_JUDGES]
JUDGED = {name: (lambda name=name: open_judge(name)) for name in (*FREE, "similarity:0.9")} | {"scripted": ScriptedJudge.mix}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", JUDGED)
def test_every_judge_keeps_the_rules(name, check):
    check(JUDGED[name]())


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (lambda pair: Decision("delete", reason="because"), "target"),
        (lambda pair: Decision("preserve"), "reason"),
        (lambda pair: Decision("delete", "a", reason="always the first"), "another entry goes"),
        (lambda pair: Decision("preserve", reason="two\nlines"), "reason"),
    ],
)
def test_the_suite_finds_what_is_wrong(rule, told):
    with pytest.raises(AssertionError, match=told):
        check_judge(ScriptedJudge(rule))
