"""Cases 2 and 3: repeated passes must not erode a store, and merging must not make it grow."""

import io
import random

from memfold import Entry, Memory, RefineSettings
from memfold.refine.judges.scripted import ScriptedJudge
from memfold.types import Decision

PEOPLE = ["Ada", "Ben", "Chloe", "Dev", "Edda", "Femi", "Gita", "Hugo"]
FACTS = [
    f"{name} {fact}"
    for name in PEOPLE
    for fact in (
        f"keeps {len(name) + 3} bees in the garden",
        f"plays the violin on {['Monday', 'Tuesday', 'Friday'][len(name) % 3]}",
        f"was born in 19{60 + ord(name[0]) % 30}",
        "is allergic to peanuts" if name[0] in "AEI" else "likes peanuts",
        f"works in room {ord(name[0])} of the library",
    )
]
COPIES = FACTS[:10]
PARAPHRASES = [f"As far as I know, {fact[0]}{fact[1:]}!" for fact in FACTS[10:20]]


def exported(memory):
    stream = io.StringIO()
    memory.export(stream)
    return stream.getvalue()


def wrong_in_five_percent(seed):
    """Deletes exact copies and paraphrases; one judgement in twenty says delete whatever it sees."""

    def rule(pair):
        draw = random.Random(f"{seed} {pair.a.id} {pair.b.id}").random()
        a, b = (text.strip("!").lower().removeprefix("as far as i know, ") for text in (pair.a.text, pair.b.text))
        if draw < 0.05 or a == b:
            return Decision("delete", target="b", reason="looks the same")
        return Decision("preserve")

    return ScriptedJudge(rule, name=f"five-percent-{seed}")


def test_thirty_runs_with_a_careless_judge(open_memory):
    memory = open_memory(texts=FACTS + COPIES + PARAPHRASES)
    memory.pin("e03")
    before, start = exported(memory), {entry.id: entry for entry in memory.entries()}
    runs = []
    for seed in range(30):
        report = memory.refine(
            budget="40%", judge=wrong_in_five_percent(seed), apply=True, settings=RefineSettings(max_edits=3, max_judgements=200)
        )
        assert report.edits <= 3
        runs.append(report.run)
    left = {entry.id: entry for entry in memory.entries()}
    assert left["e03"] == start["e03"]
    lost_facts = [fact for fact in FACTS if not any(fact in entry.text or fact[1:] in entry.text for entry in left.values())]
    assert lost_facts == []  # guards caught what the judge got wrong
    journaled = {entry.id: entry for run in runs for edit in memory.edits(run) for entry in edit.before}
    assert journaled == {id: entry for id, entry in start.items() if id not in left}  # every removed entry, in full
    for run in reversed(runs):
        if memory.journal.run(run).saved:
            memory.undo(run)
    assert exported(memory) == before


FIRST = ["Mona's flight to Oslo leaves at 7 am on Monday.", "The boiler was serviced by Karl in May.", "Rosa keeps 12 hens in the yard."]
ROUNDS = [
    ["On Monday at 7 am Mona's flight leaves for Oslo.", "Karl serviced the boiler in May.", "Rosa has 12 hens in the yard."],
    ["Mona's Oslo flight leaves Monday, 7 am.", "In May, Karl serviced the boiler.", "There are 12 hens in Rosa's yard."],
    ["Mona's flight to Oslo leaves Monday at 7 am.", "Karl did the boiler's service in May.", "Rosa keeps twelve hens in the yard."],
    ["Mona's flight to Oslo: Monday, 7 am.", "The boiler was serviced in May, by Karl.", "12 hens are kept in the yard by Rosa."],
    ["Mona's flight leaves for Oslo on Monday at 7 am.", "Karl has serviced the boiler in May.", "Rosa keeps 12 hens in her yard."],
]


def test_the_merge_treadmill(tmp_path, now):
    with Memory.open(tmp_path / "agent.db", clock=lambda: now) as memory:
        memory.add(Entry(f"e{i}", text, created_at=now) for i, text in enumerate(FIRST))
        sizes = []
        for number, texts in enumerate(ROUNDS):
            memory.add(Entry(f"r{number}-{i}", text, created_at=now) for i, text in enumerate(texts))
            memory.refine(budget="0", apply=True)
            sizes.append(sum(len(entry.text) for entry in memory.entries()))
        assert len(list(memory.entries())) == len(FIRST)  # each fact once, however it is told
        assert sizes[-1] <= 1.1 * sizes[0]
        kept = " ".join(entry.text for entry in memory.entries())
        assert all(value in kept for value in ("Mona", "Oslo", "Monday", "7 am", "Karl", "boiler", "May", "Rosa", "hens", "yard"))
        edits = sum(run.edits for run in memory.runs())
        report = memory.refine(budget="0", apply=True)  # no new data: no call, no edit
        assert report.judgements == 0
        assert sum(run.edits for run in memory.runs()) == edits


def test_a_merger_that_swells_is_refused(open_memory):
    swelling = ScriptedJudge(lambda pair: Decision("merge", merged=f"{pair.a.text} And so it is. {pair.b.text}"), name="swell")
    memory = open_memory(texts=FIRST + [text for texts in ROUNDS for text in texts])
    before = list(memory.entries())
    report = memory.refine(budget="0", judge=swelling, apply=True)
    assert list(memory.entries()) == before
    assert report.vetoes["size"] == report.judgements > 0
    assert memory.refine(budget="0", judge=swelling, apply=True).judgements == 0


def test_a_merge_over_the_limit_is_refused(open_memory):
    memory = open_memory(texts=[("word " * 300 + f"Rosa keeps {n} hens.") for n in (12, 12)])
    joining = ScriptedJudge(lambda pair: Decision("merge", merged="word " * 450 + "Rosa keeps 12 hens."))
    report = memory.refine(budget="0", judge=joining, apply=True)
    assert report.vetoes == {"length": 1}
