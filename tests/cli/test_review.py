"""`memfold refine --review`: a person's word on each edit."""

import json
import re

import pytest

MERGING = ("--judge", "similarity:1", "--embedder", "hashing")
SHED = "The garden shed has a red roof and two small windows."


@pytest.fixture
def review(memfold, notes, rule):
    """Runs a review with the given answers; returns what was printed and the texts that live afterwards."""

    def run(*answers, budget="50%", code=3, judge=rule):
        words = ["refine", notes, "--budget", budget, "--apply", "--review", "--no-guards", *judge]
        result = memfold(*words, input="".join(f"{answer}\n" for answer in answers), code=code)
        return result.stdout, [json.loads(line)["text"] for line in notes.read_text("utf-8").splitlines()]

    return run


@pytest.fixture
def shed(notes):
    """The notes replaced by two that can be merged and a pair of copies."""
    texts = [f"{SHED} It was built in spring.", f"{SHED} The tools are kept in it.", "Thank you!", "Thank you!"]
    notes.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))


def test_yes_makes_the_edit_and_the_end_of_input_quits(review):
    shown, left = review("y", "yes")
    assert len(left) == 15
    assert re.search(r"- [ab] The spare key hangs behind the blue door\.\n", shown)
    assert "no more answers: the review ends here" in shown
    assert "you ended the review" in shown


def test_no_keeps_the_pair_apart_also_in_the_next_run(review):
    shown, left = review("n", "q")
    assert len(left) == 17
    assert shown.count("delete this? [y,n,e,a,q,?] ") == 2
    again, _ = review("q")
    asked = [text.partition("delete this?")[0] for text in (shown, again)]
    assert "(the same text)" in asked[0]
    assert "(the same text)" not in asked[1]


def test_edits_are_asked_in_the_order_that_was_chosen(review, rule):
    shown, left = review("n", "y", "q", judge=(*rule, "--order", "safest"))
    assert shown.count("delete this? [y,n,e,a,q,?] ") == 3
    assert len(left) == 16


def test_all_answers_for_every_edit_of_the_kind(review):
    shown, left = review("a", budget="70%", code=0)
    assert shown.count("delete this?") == 1
    assert len(left) < 14


def test_help_and_nonsense_ask_again(review):
    shown, left = review("?", "zebra", "q")
    assert shown.count("quit: leave this one and all that follow") == 2
    assert shown.count("delete this?") == 3
    assert len(left) == 17


def test_edit_takes_a_new_text_for_a_merge(review, shed):
    shown, left = review("y", "e", "The red-roofed shed holds the tools.", judge=MERGING, budget="60%", code=0)
    assert "merge this? [y,n,e,a,q,?] e\nnow: " in shown
    assert sorted(left) == ["Thank you!", "The red-roofed shed holds the tools."]


def test_edit_refuses_what_would_save_nothing_and_has_nothing_to_edit_in_a_delete(review, shed):
    shown, left = review("e", "y", "e", "long " * 200, "e", "", "q", judge=MERGING)
    assert "a delete has no merged text to edit" in shown
    assert "bytes too long: nothing would be saved" in shown
    assert "the text is as it was" in shown
    assert len(left) == 3


def test_json_goes_to_stdout_and_the_questions_to_stderr(memfold, notes, read_lines, rule):
    words = ["refine", notes, "--budget", "50%", "--apply", "--review", "--no-guards", "--json", *rule]
    result = memfold(*words, input="y\nq\n", code=3)
    assert [line["type"] for line in read_lines(result.stdout)][-1] == "report"
    assert "delete this?" in result.stderr
