"""The options by which a command names a judge, and the model and prompts of one that asks a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from memfold.cli.models import ModelChoice, model_options

if TYPE_CHECKING:
    from memfold.protocols import ChatModel
    from memfold.refine.guards import GuardSettings
    from memfold.refine.judges import Asking

_F = TypeVar("_F", bound=Callable[..., Any])
_PROMPT = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """The judge named on the command line, and how it asks if it asks a model."""

    spec: str
    model: ModelChoice
    updates: Literal["history", "latest"]
    judge_prompt: Path | None
    merge_prompt: Path | None
    max_chars: int

    def __str__(self) -> str:
        return self.spec

    @property
    def asks(self) -> bool:
        """Whether it asks a language model."""
        from memfold.refine.judges import asks_model

        return asks_model(self.spec)

    def check(self) -> None:
        """Refuse a model or prompts that this judge would not use, and a judge whose model was not named.

        :raises click.UsageError: with what to type instead.
        """
        options = {"--model": self.model, "--judge-prompt": self.judge_prompt, "--merge-prompt": self.merge_prompt}
        given = [flag for flag, value in options.items() if value]
        if given and not self.asks:
            raise click.UsageError(f"{given[0]} is for judges that ask a model: add --judge llm, or --judge cascade")
        if self.asks and not self.model:
            cure = "name it with --model NAME (and --base-url), or --model batch:FOLDER"
            raise click.UsageError(f"--judge {self.spec} asks a language model: {cure}")

    def asking(self, model: ChatModel | None, guards: GuardSettings | None) -> Asking:
        """What the judge needs beside its name."""
        from memfold.refine.judges import Asking

        judge, merge = (path.read_text("utf-8") if path else "" for path in (self.judge_prompt, self.merge_prompt))
        return Asking(model, judge, merge, self.max_chars, self.updates, guards)


def judge_options(function: _F) -> _F:
    """`--judge`, `--updates`, the prompts' and the model's options; the command gets them as one `judge: JudgeChoice`."""

    @click.option(
        "--judge",
        "named",
        default="embedded",
        show_default=True,
        metavar="J",
        help="embedded (embedded:0.8 deletes only from that confidence on), llm, cascade (embedded where it is sure, else llm), "
        "similarity:0.8 or pagerank:0.8.",
    )
    @click.option(
        "--updates",
        type=click.Choice(["history", "latest"]),
        default="history",
        show_default=True,
        help="Of two states of one thing, keep both, or the latest only.",
    )
    @click.option("--judge-prompt", type=_PROMPT, metavar="FILE", help="Ask the model about a pair in these words.")
    @click.option("--merge-prompt", type=_PROMPT, metavar="FILE", help="Ask it for a merged text in these words.")
    @click.option(
        "--max-chars",
        type=click.IntRange(min=0),
        default=2000,
        show_default=True,
        metavar="N",
        help="Of each text, show the model so many characters; 0 for all.",
    )
    @model_options
    def gathered(
        *args: Any,
        model: ModelChoice,
        named: str,
        updates: Literal["history", "latest"],
        judge_prompt: Path | None,
        merge_prompt: Path | None,
        max_chars: int,
        **given: Any,
    ) -> Any:
        choice = JudgeChoice(named, model, updates, judge_prompt, merge_prompt, max_chars)
        choice.check()
        return function(*args, judge=choice, **given)

    command: Any = gathered
    command.__name__, command.__doc__ = function.__name__, function.__doc__
    command.__click_params__ = [*getattr(function, "__click_params__", []), *command.__click_params__]
    return command
