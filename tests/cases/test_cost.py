"""Case 14: cost follows what is new; an explicit trigger, a bounded blast radius, a record that a person can inspect."""

from memfold import Entry, RefineSettings
from memfold.refine.judges.scripted import ScriptedJudge
from memfold.types import Decision

TEXTS = [
    f"The {noun} in the {place} is {colour}."
    for noun in ("lamp", "chair", "box")
    for place in ("hall", "attic")
    for colour in ("red", "blue")
]


def test_a_second_run_makes_no_call_and_a_grown_store_pays_for_what_is_new(open_memory, now):
    memory = open_memory(texts=TEXTS)
    judge = ScriptedJudge(lambda pair: Decision("preserve"))
    first = memory.refine(budget="50%", judge=judge, apply=True)
    assert first.judgements == len(TEXTS) * (len(TEXTS) - 1) // 2
    assert memory.refine(budget="50%", judge=judge, apply=True).judgements == 0
    assert open_memory().refine(budget="50%", judge=judge, apply=True).judgements == 0  # another process, another day
    memory.add([Entry("new", "The lamp in the hall is new.", created_at=now)])
    assert memory.refine(budget="50%", judge=judge, apply=True).judgements == len(TEXTS)


def test_a_share_asked_for_twice_shrinks_once(open_memory):
    memory = open_memory(texts=TEXTS)
    judge = ScriptedJudge(lambda pair: Decision("delete", target="b"))
    settings = RefineSettings(guards=False)
    first = memory.refine(budget="50%", judge=judge, apply=True, settings=settings)
    assert first.met
    second = memory.refine(budget="50%", judge=judge, apply=True, settings=settings)
    assert (second.judgements, second.edits, second.limit, second.met) == (0, 0, first.limit, True)
    assert memory.refine(budget="25%", judge=judge, apply=True, settings=settings).limit == first.taken_in // 4


def test_a_preview_changes_nothing_and_says_the_same_as_the_run(open_memory, tmp_path):
    memory = open_memory(texts=TEXTS)
    judge = ScriptedJudge.mix(seed=3)
    settings = RefineSettings(guards=False)
    before = list(memory.entries())
    preview = memory.refine(budget="50%", judge=judge, settings=settings)
    assert list(memory.entries()) == before
    assert memory.runs() == []
    done = memory.refine(budget="50%", judge=judge, settings=settings, apply=True)
    assert [edit.as_dict() | {"run": "", "state": ""} for edit in preview.plan] == [
        edit.as_dict() | {"run": "", "state": ""} for edit in memory.edits(done.run)
    ]
    assert preview.as_dict() | {"applied": 0, "run": 0, "seconds": 0, "files": 0} == done.as_dict() | {
        "applied": 0,
        "run": 0,
        "seconds": 0,
        "files": 0,
    }


def test_the_blast_radius_is_bounded(open_memory):
    memory = open_memory(texts=TEXTS)
    judge = ScriptedJudge(lambda pair: Decision("delete", target="a"))
    report = memory.refine(budget="0", judge=judge, apply=True, settings=RefineSettings(max_edits=2, guards=False))
    assert len(list(memory.entries())) == len(TEXTS) - 2
    assert report.stopped == "max_edits"


def test_an_edit_taken_back_is_not_made_again(open_memory):
    memory = open_memory(texts=["Ida has a cat", "Ida has a cat!", "Snow fell in May"])
    judge = ScriptedJudge(lambda pair: Decision("delete", target="a") if "Ida" in pair.a.text + pair.b.text else Decision("preserve"))
    run = memory.refine(budget="60%", judge=judge, apply=True, settings=RefineSettings(max_edits=1)).run
    memory.undo(run, 1)
    again = memory.refine(budget="60%", judge=judge, apply=True, settings=RefineSettings(max_edits=1, guards=False))
    assert {"e00", "e01"} <= {entry.id for entry in memory.entries()} or all(
        {edit.before[0].id, edit.kept} != {"e00", "e01"} for edit in memory.edits(again.run)
    )


def test_namespaces_are_walls(open_memory, now):
    memory = open_memory()
    memory.add(Entry(f"{ns}{i}", "Lena has a red boat", namespace=ns, created_at=now) for ns in ("ada", "ben") for i in range(3))
    seen = []

    def rule(pair):
        seen.append((pair.a.namespace, pair.b.namespace))
        return Decision("delete", target="b", reason="same")

    report = memory.refine("ada", budget="0", judge=ScriptedJudge(rule), apply=True)
    assert set(seen) == {("ada", "ada")}
    assert report.entries_before == 3
    assert len(list(memory.entries("ben"))) == 3
