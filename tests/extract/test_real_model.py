"""Extraction over real HTTP with a real, small and foolish model: the outcome is one of ours, and every entry has a span."""

from __future__ import annotations

from memfold.config import ExtractSettings, ModelSettings
from memfold.extract import Prompts
from memfold.llm import open_model

SHORT = Prompts(
    draft='Write down facts as JSON: {"entries": [{"number": 1, "text": "…", "turns": [1], "when": ""}], "details": [], "relations": []}'
)


def test_a_small_model_ends_in_an_outcome_and_stores_nothing_unsupported(memory, session, smollm_url, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    settings = ModelSettings(base_url=smollm_url, concurrency=1, timeout=30, tries=1)
    lines = [("Ada", "I work at Globex now, since last Monday. The team has 12 people."), ("Ben", "My dog Rex is 9 years old.")]
    model = open_model("smollm2-135m-instruct", settings, cache=memory.replies)
    short = ExtractSettings(reply_tokens=48, completeness=False)
    report = memory.observe([session(lines)], "ada", model=model, settings=short, prompts=SHORT)
    (outcome,) = report.outcomes
    assert outcome.state in ("stored", "empty", "failed")
    assert outcome.asked >= 1
    assert outcome.state != "failed" or outcome.reason
    for entry in outcome.entries:
        assert entry.sources
        assert all(source.span in dict(enumerate_turns(lines))[source.turn] for source in entry.sources)
    if outcome.state != "failed":
        assert memory.observe([session(lines)], "ada", model=model).states == {"known": 1}


def enumerate_turns(lines):
    return [(f"s1:{n}", text) for n, (_, text) in enumerate(lines, start=1)]
