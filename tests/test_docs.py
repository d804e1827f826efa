"""The documentation runs, and it is complete.

In README.md and docs/**/*.md

- a ```python block is executed; the blocks of a page share one namespace. Where it has comments `# -> text`, the
  printed lines must be those texts, in order.
- a ```console block is executed line by line: `$ ` starts a command (`> ` continues it), the lines after it are its
  output. They are compared where there are any; `...` stands for anything, on a line of its own for any lines.
  A command must succeed; `; echo $?` shows the exit code of one that is meant to fail.
- `<!-- file: NAME -->` before a block writes the block to the file NAME.
- `<!-- not run: REASON -->` before a block leaves it out. Blocks of other languages (sh, json, text) are never run.

All of a page happens in one temporary folder, which holds a copy of the sample store as `assistant.jsonl` and of the
pairs as `look_alikes.jsonl`, and which is the home folder too.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SAMPLES = {"assistant.jsonl": ROOT / "src/memfold/cli/sample.jsonl", "look_alikes.jsonl": ROOT / "examples/look_alikes.jsonl"}
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[\w-]*).*$")
MARK = re.compile(r"^\s*<!-- (?P<word>file|not run): (?P<rest>.+?) -->\s*$")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: its language, its text, the line where the text begins, and the mark before it."""

    language: str
    text: str
    line: int
    mark: str = ""
    note: str = ""


def blocks_of(page: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found: list[Block] = []
    lines = page.splitlines()
    at = 0
    while at < len(lines):
        opening = FENCE.match(lines[at])
        if opening is None:
            at += 1
            continue
        before = next((line for line in reversed(lines[:at]) if line.strip()), "")
        mark = MARK.match(before)
        end = next(n for n in range(at + 1, len(lines)) if lines[n].strip() == "```")
        body = "\n".join(line.removeprefix(opening["indent"]) for line in lines[at + 1 : end])
        found.append(Block(opening["language"], body, at + 2, mark["word"] if mark else "", mark["rest"] if mark else ""))
        at = end + 1
    return found


def commands_of(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output that the page shows for it."""
    commands: list[tuple[str, str]] = []
    for line in block.splitlines():
        command, output = commands[-1] if commands else ("", "")
        if line.startswith("$ "):
            commands.append((line[2:], ""))
        elif line.startswith("> ") and commands and not output:
            commands[-1] = (f"{command}\n{line[2:]}", "")
        elif commands:
            commands[-1] = (command, f"{output}{line}\n")
        else:
            raise AssertionError(f"output before the first command: {line!r}")
    return commands


def same_output(shown: str, printed: str) -> bool:
    """Whether `printed` is what the page shows, where `...` stands for anything; space at line ends does not count."""
    parts = []
    for line in shown.rstrip().splitlines():
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(".*".join(re.escape(piece) for piece in line.rstrip().split("...")) + "\n")
    text = "".join(f"{line.rstrip()}\n" for line in printed.rstrip().splitlines())
    return re.fullmatch("".join(parts), text) is not None


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, source in SAMPLES.items():
        shutil.copy(source, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for name, value in {"NO_COLOR": "1", "COLUMNS": "120", "TERM": "dumb", "LC_ALL": "C.UTF-8"}.items():
        monkeypatch.setenv(name, value)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_runs(page: Path, desk: Path) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks_of(page.read_text("utf-8")):
        where = f"{page.relative_to(ROOT)}:{block.line}"
        if block.mark == "not run":
            continue
        if block.mark == "file":
            (desk / block.note).write_text(block.text + "\n", "utf-8")
        elif block.language == "python":
            _run_python(block, page, namespace, where)
        elif block.language == "console":
            _run_console(block, where)
        else:
            assert not re.search(r"^(\$ )?memfold ", block.text, re.MULTILINE), f"{where}: a memfold command outside a console block"


def _run_python(block: Block, page: Path, namespace: dict[str, object], where: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), namespace)
    shown = re.findall(r"# -> (.*)$", block.text, re.MULTILINE)
    assert not shown or printed.getvalue().splitlines() == shown, f"{where}: printed {printed.getvalue()!r}"


def _run_console(block: Block, where: str) -> None:
    for command, shown in commands_of(block.text):
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
        assert done.returncode == 0, f"{where}: `{command}` exited {done.returncode}\n{done.stdout}{done.stderr}"
        printed = done.stdout + done.stderr
        assert not shown or same_output(shown, printed), f"{where}: `{command}` printed\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_inside_the_repository_lead_somewhere(page: Path) -> None:
    targets = [match["target"].partition("#")[0] for match in LINK.finditer(page.read_text("utf-8"))]
    dead = [t for t in targets if t and not re.match(r"[a-z]+:", t) and not (page.parent / t).exists()]
    assert dead == []


def test_every_command_and_option_stands_in_the_reference() -> None:
    script = [sys.executable, str(ROOT / "scripts" / "cli_reference.py")]
    made = subprocess.run(script, capture_output=True, text=True, check=True, timeout=60, encoding="utf-8").stdout
    assert (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8") == made, "run `make docs`"
    import memfold.cli

    for name, command in memfold.cli.main.commands.items():
        assert command.help, f"memfold {name} has no help"
        assert f"## memfold {name}\n" in made
        for option in (opt for param in command.params for opt in (*param.opts, *param.secondary_opts) if opt.startswith("-")):
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", made), f"memfold {name} {option} is not in the reference"


PAGE = """
<!-- file: a.txt -->
```text
one
```

<!-- not run: no key -->

```python
x
```

1. list

   ```console
   $ a \\
   > b
   out
   $ c
   ```
"""


def test_harness_reads_blocks_marks_and_commands() -> None:
    written, left_out, console = blocks_of(PAGE)
    assert (written.language, written.text, written.line, written.mark, written.note) == ("text", "one", 4, "file", "a.txt")
    assert (left_out.language, left_out.mark, left_out.note) == ("python", "not run", "no key")
    assert (console.language, console.mark) == ("console", "")
    assert commands_of(console.text) == [("a \\\nb", "out\n"), ("c", "")]


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb", "a  \nb\n\n", True),
        ("a\n...\nz", "a\nb\nc\nz\n", True),
        ("took ... s", "took 0.3 s", True),
        ("a\nb", "a\nc", False),
        ("a", "a\nb", False),
        ("1.5", "1x5", False),
    ],
)
def test_harness_compares_output(shown: str, printed: str, same: bool) -> None:
    assert same_output(shown, printed) is same
