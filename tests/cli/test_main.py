"""The group of commands: help, version, errors."""

import click
import pytest

import memfold as package
from memfold.cli import main

COMMANDS = main.list_commands(click.Context(main))


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_every_command_has_help_with_an_example(memfold, name, flag):
    shown = memfold(name, flag).stdout
    assert f"  memfold {name} " in shown or f"  memfold {name}\n" in shown
    assert "Example" in shown
    assert "--json" in shown


def test_help_lists_all_commands_and_the_pipeline(memfold):
    shown = memfold("-h").stdout
    assert all(f"\n  {name} " in shown for name in COMMANDS)
    assert "audit > refine > show > undo" in " ".join(shown.split())


def test_version(memfold):
    assert package.__version__ in memfold("--version").stdout


def test_errors_are_one_line_and_a_traceback_on_request(memfold, tmp_path, monkeypatch):
    (tmp_path / "bad.jsonl").write_text("no json\n")
    told = memfold("log", "bad.jsonl", code=1).stderr
    assert told.startswith("error: bad.jsonl")
    assert told.count("\n") == 1
    with pytest.raises(package.MemfoldError):
        memfold("--debug", "log", "bad.jsonl")
    monkeypatch.setenv("MEMFOLD_DEBUG", "1")
    with pytest.raises(package.MemfoldError):
        memfold("log", "bad.jsonl")


def test_unknown_commands_and_options_are_wrong_use(memfold, notes):
    assert "No such command 'shrink'" in memfold("shrink", code=2).stderr
    assert "No such option" in memfold("log", notes, "--loud", code=2).stderr
