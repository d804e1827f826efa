"""Cases 2 and 3: repeated passes must not erode a store, and merging must not make it grow."""

import io
import random

from memfold import Entry, RefineSettings
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


def test_the_merge_treadmill(open_memory, now):
    facts = ["Mona's flight to Oslo leaves at 7 am on Monday.", "The boiler was serviced by Karl in May.", "Rosa keeps 12 hens."]
    swelling = ScriptedJudge(lambda pair: Decision("merge", merged=f"{pair.a.text} {pair.b.text}"), name="concatenate")
    memory = open_memory(texts=facts)
    sizes = []
    for round_ in range(5):
        fresh = [f"{opening} {fact[0]}{fact[1:]}" for fact in facts for opening in (f"Note {round_}x:", "Again:")][:4]
        memory.add(Entry(f"r{round_}-{i}", text, created_at=now) for i, text in enumerate(fresh))
        memory.refine(budget="500 bytes", apply=True)
        sizes.append(sum(len(entry.text) for entry in memory.entries()))
    assert sizes[-1] <= sizes[0]
    edits = sum(run.edits for run in memory.runs())
    report = memory.refine(budget="500 bytes", apply=True)  # no new data: no call, no edit
    assert report.judgements == 0
    assert sum(run.edits for run in memory.runs()) == edits
    memory = open_memory("swelling.db", texts=facts * 3)
    memory.refine(budget="0", judge=swelling, apply=True)
    assert max(len(entry.text) for entry in memory.entries()) < 2 * max(map(len, facts))
    assert memory.refine(budget="0", judge=swelling, apply=True).judgements == 0
