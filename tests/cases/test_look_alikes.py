"""Case 1: same frame, other value. A judge that always says delete must not cost a fact."""

from memfold.refine.judges.scripted import ScriptedJudge
from memfold.types import Decision

LOOK_ALIKES = [
    "Ana's locker code is 4417.",
    "Ben's locker code is 4471.",
    "The blue van holds 6 crates.",
    "The blue van holds 9 crates on Sundays.",
    "Iris is allergic to peanuts.",
    "Iris is not allergic to walnuts.",
]


def test_guards_veto_and_the_report_says_that_the_budget_was_missed(open_memory):
    memory = open_memory(texts=LOOK_ALIKES)
    for target in "ab":
        judge = ScriptedJudge(lambda pair, target=target: Decision("delete", target=target, reason="similar"), name=f"always-{target}")
        report = memory.refine(budget="50%", judge=judge, apply=True)
        assert [entry.text for entry in memory.entries()] == LOOK_ALIKES
        assert not report.met
        assert report.missed_by == report.after - report.limit > 0
        assert report.stopped == "exhausted"
        assert "vetoed by guards" in report.why
        assert sum(report.vetoes.values()) == report.judgements == 15
        assert all(held.reason for held in report.held)


def test_the_embedded_judge_keeps_them_too(open_memory):
    memory = open_memory(texts=LOOK_ALIKES)
    report = memory.refine(budget="50%", apply=True)
    kept = " ".join(entry.text for entry in memory.entries())
    for value in ("4417", "4471", "6 crates", "9 crates", "Sundays", "peanuts", "not allergic to walnuts"):
        assert value in kept
    assert report.deletes == 0
