"""The five steps on one conversation, each with and without its switch."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memfold.config import ExtractSettings
from memfold.protocols import Failure

GLOBEX, TEAM = "Ada works at Globex since last Monday.", "Ada's team at Globex has 12 people."
REX, HIP = "Ada's dog Rex sleeps all day.", "The hip of Ada's dog Rex hurts."
BICYCLE = "Ben sold his blue bicycle for 140 euros."


@pytest.fixture
def draft(tell):
    return {
        "entries": [tell(GLOBEX, 3, when="last Monday"), tell(TEAM, 3), tell(REX, 5), tell(HIP, 5)],
        "details": [tell("Rex is 9 years old.", 5)],
        "relations": [{"source": 4, "type": "causes", "target": 3}],
    }


@pytest.fixture
def model(scripted, draft, tell, supported):
    return scripted(
        draft=draft,
        events={"events": [tell("Ada has a new job at Globex.", 3), tell(BICYCLE, 6, when="yesterday")]},
        verify=supported,
        probe={"probes": [{"relation": 1, "question": "Why does Rex sleep all day?", "answer": "", "answered": False}]},
        support={"relations": [{"relation": 1, "supported": True, "turns": [5]}]},
    )


def texts(outcome):
    return [entry.text for entry in outcome.entries]


def entry(outcome, start):
    return next(e for e in outcome.entries if e.text.startswith(start))


def test_everything_said_becomes_an_entry_with_its_turn_and_span(outcome_of, model):
    outcome = outcome_of(model)
    assert outcome.state == "stored"
    assert len(outcome.entries) == 6
    team = entry(outcome, "Ada's team")
    assert [(s.turn, s.span) for s in team.sources] == [("s1:3", "I work at Globex now, since last Monday. The team has 12 people.")]
    assert all(source.span for e in outcome.entries for source in e.sources)


def test_an_ordinary_session_takes_at_most_five_requests_in_at_most_four_rounds(outcome_of, model):
    outcome = outcome_of(model)
    assert outcome.asked <= 5
    assert len(model.rounds) <= 4
    assert model.rounds[0] == ["draft", "events"]
    assert (outcome.calls, outcome.tokens) == (outcome.asked, 15 * outcome.asked)


def test_the_event_that_the_draft_misses_is_added_and_the_one_it_has_is_not(outcome_of, model):
    outcome = outcome_of(model)
    assert entry(outcome, "Ben sold").kind == "event"
    assert "Ada has a new job at Globex." not in texts(outcome)
    assert entry(outcome, "Ada works at Globex").kind == "event"  # it covers an event


def test_an_event_with_a_value_that_the_draft_lacks_is_missing_however_alike_they_are(outcome_of, model, tell):
    model.replies["draft"] = {"entries": [tell("Ada's team at Globex has many people.", 3)]}
    model.replies["events"] = {"events": [tell(TEAM, 3)]}
    assert any("12" in text for text in texts(outcome_of(model)))


def test_without_completeness_no_events_are_asked_for(outcome_of, model):
    outcome = outcome_of(model, settings=ExtractSettings(completeness=False))
    assert "events" not in model.purposes()
    assert not any(text.startswith("Ben") for text in texts(outcome))


def test_a_higher_coverage_adds_more(memory, session, scripted, tell, supported):
    added = []
    for n, bound in enumerate((0.3, 0.6, 0.95)):
        model = scripted(
            draft={"entries": [tell(GLOBEX, 3)]},
            events={"events": [tell("Ada has a new job at Globex.", 3), tell(BICYCLE, 6)]},
            verify=supported,
        )
        report = memory.observe([session()], f"n{n}", model=model, settings=ExtractSettings(coverage_cosine=bound))
        added.append(len(report.entries))
    assert added == sorted(added)
    assert added[0] < added[-1]


def test_a_needed_and_supported_relation_is_an_edge_with_its_turn_and_question(outcome_of, model):
    outcome = outcome_of(model)
    edge = next(edge for edge in outcome.edges if edge.relation == "causes")
    assert (edge.source, edge.target) == (entry(outcome, "The hip").id, entry(outcome, "Ada's dog").id)
    assert (edge.turns, edge.probe) == (("s1:5",), "Why does Rex sleep all day?")
    assert (edge.target, "causes") in [(link.target, link.relation) for link in entry(outcome, "The hip").links]


def test_a_relation_that_the_entries_answer_without_it_is_not_needed(outcome_of, model):
    model.replies["probe"] = {"probes": [{"relation": 1, "question": "Why?", "answer": "His hip hurts.", "answered": True}]}
    outcome = outcome_of(model)
    assert "support" not in model.purposes()
    assert not [edge for edge in outcome.edges if edge.relation == "causes"]
    assert any(claim.step == "relate" and "without it" in claim.reason for claim in outcome.rejected)


@pytest.mark.parametrize(
    "support",
    [
        {"relation": 1, "supported": False, "turns": [5]},
        {"relation": 1, "supported": True, "turns": []},
        {"relation": 1, "supported": True, "turns": [99]},
        {"relation": 7, "supported": True, "turns": [5]},
    ],
)
def test_a_relation_without_support_in_its_turns_is_dropped(outcome_of, model, support):
    model.replies["support"] = {"relations": [support]}
    outcome = outcome_of(model)
    assert not [edge for edge in outcome.edges if edge.relation == "causes"]
    assert any(claim.step == "relate" for claim in outcome.rejected)


@pytest.mark.parametrize(("source", "kind", "target"), [(4, "marries", 3), (4, "causes", 44), (0, "causes", 3)])
def test_relations_of_unknown_kind_or_side_are_reported(outcome_of, model, draft, source, kind, target):
    draft["relations"] = [{"source": source, "type": kind, "target": target}]
    outcome = outcome_of(model)
    assert [claim.step for claim in outcome.rejected] == ["relate"]
    assert "probe" not in model.purposes()


def test_without_relations_nobody_is_asked_for_them(outcome_of, model):
    outcome = outcome_of(model, settings=ExtractSettings(relations=False))
    assert not {"probe", "support"} & set(model.purposes())
    assert {edge.relation for edge in outcome.edges} == {"part_of"}


def test_a_detail_is_anchored_to_what_the_same_turn_tells(outcome_of, model):
    outcome = outcome_of(model)
    edge = next(edge for edge in outcome.edges if edge.relation == "part_of")
    assert edge.source == entry(outcome, "Rex is 9").id
    assert edge.turns == ("s1:5",)
    assert edge.target in (entry(outcome, "Ada's dog").id, entry(outcome, "The hip").id)


def test_without_anchoring_details_stand_alone(outcome_of, model):
    outcome = outcome_of(model, settings=ExtractSettings(anchoring=False))
    assert "part_of" not in {edge.relation for edge in outcome.edges}
    assert entry(outcome, "Rex is 9").kind == "detail"


def test_dates_come_from_the_turns_and_keep_the_zone(outcome_of, model):
    outcome = outcome_of(model)
    zone = timezone(timedelta(hours=2))
    globex = entry(outcome, "Ada works")
    assert globex.text == "Ada works at Globex since 12 May 2031."
    assert globex.occurred_at == datetime(2031, 5, 12, tzinfo=zone)
    assert entry(outcome, "Ben sold").occurred_at == datetime(2031, 5, 13, tzinfo=zone)
    assert entry(outcome, "Ada's team").occurred_at is None
    assert entry(outcome, "Ada's team").created_at == datetime(2031, 5, 14, 10, tzinfo=zone)


def test_a_session_longer_than_the_window_is_split_at_turns_and_merged(outcome_of, scripted, tell, supported, rows_of):
    def by_window(request):
        turns = [row["turn"] for row in rows_of(request, "turns")]
        return {"entries": [tell(GLOBEX, 3)] * (3 in turns) + [tell(REX, 5)] * (5 in turns)}

    model = scripted(draft=by_window, verify=supported)
    outcome = outcome_of(model, settings=ExtractSettings(window=170, overlap=1))
    drafts = [[row["turn"] for row in rows_of(request, "turns")] for request in model.asked if request.purpose == "draft"]
    assert len(drafts) > 1
    assert sorted({turn for turns in drafts for turn in turns}) == list(range(1, 8))
    assert all(later[0] <= earlier[-1] for earlier, later in zip(drafts, drafts[1:], strict=False))  # they overlap
    assert len(outcome.entries) == 2


def test_a_turn_longer_than_the_window_is_read_in_pieces(outcome_of, scripted, rows_of):
    model = scripted()
    long = " ".join(f"word{n}" for n in range(600))
    outcome = outcome_of(model, [("Ada", long), ("Ben", "I see.")], settings=ExtractSettings(window=200))
    assert outcome.state == "empty"
    pieces = [row["text"] for request in model.asked if request.purpose == "draft" for row in rows_of(request, "turns")]
    assert set(long.split()) <= {word for piece in pieces for word in piece.split()}


def test_sessions_share_their_rounds(memory, session, model):
    sessions = [session(id=f"s{n}", began=datetime(2031, 5, n)) for n in range(1, 6)]
    report = memory.observe(sessions, "ada", model=model)
    assert len(report.outcomes) == 5
    assert len(model.rounds) <= 4
    assert model.rounds[0] == ["draft", "events"] * 5


def test_the_result_does_not_depend_on_which_sessions_share_a_round(memory, session, model):
    sessions = [session(id=f"s{n}", began=datetime(2031, 5, n)) for n in range(1, 4)]
    told = []
    for name, size in (("one", 1), ("all", 32)):
        memory.observe(sessions, name, model=model, settings=ExtractSettings(sessions=size))
        told.append([{**e.as_dict(), "namespace": ""} for e in memory.entries(name)])
    assert told[0] == told[1]


@pytest.mark.parametrize("step", ["verify", "probe", "support"])
def test_a_failed_check_is_noted_and_does_not_lose_the_session(outcome_of, model, step, draft, tell):
    draft["entries"].append(tell("Ada keeps 40 bees.", 3))
    model.replies[step] = Failure("bad_reply", "no JSON")
    outcome = outcome_of(model)
    assert outcome.state == "stored"
    assert GLOBEX.removesuffix("last Monday.") in " ".join(texts(outcome))
    assert any("no JSON" in note for note in outcome.notes)


@pytest.mark.parametrize("step", ["draft", "events"])
def test_without_draft_or_events_the_session_failed(outcome_of, model, step, memory):
    model.replies[step] = Failure("timeout", "no reply in time")
    outcome = outcome_of(model)
    assert (outcome.state, outcome.reason, outcome.halt) == ("failed", "no reply in time", "")
    assert list(memory.entries("ada")) == []


def test_nothing_worth_keeping_is_empty_and_not_failed(outcome_of, scripted):
    outcome = outcome_of(scripted())
    assert (outcome.state, outcome.reason, outcome.rejected) == ("empty", "", ())


def test_own_prompts_are_asked(outcome_of, model, tmp_path):
    from memfold.errors import UnknownName
    from memfold.extract import Prompts

    (tmp_path / "draft.txt").write_text("Note what matters.")
    prompts = Prompts.load(tmp_path)
    outcome_of(model, prompts=prompts)
    assert model.asked[0].messages[0].content == "Note what matters."
    assert model.asked[1].messages[0].content == Prompts().events
    (tmp_path / "drafts.txt").write_text("x")
    with pytest.raises(UnknownName, match="draft, events"):
        Prompts.load(tmp_path)
