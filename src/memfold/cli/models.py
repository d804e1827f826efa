"""The options by which a command names a language model, and what it may cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from memfold.config import ModelSettings

if TYPE_CHECKING:
    from memfold.protocols import ChatModel, ReplyCache

_F = TypeVar("_F", bound=Callable[..., Any])

FAILED, WAITING, STOPPED = 1, 4, 5
"""Exit codes: something failed; replies are still to come; the endpoint is not there, or the budget of calls, tokens or money is spent."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model named on the command line ("" where none was) and how it is reached."""

    spec: str
    settings: ModelSettings

    def __bool__(self) -> bool:
        return bool(self.spec)

    @property
    def in_files(self) -> bool:
        """Whether requests and replies are exchanged as files."""
        return self.spec.startswith("batch:")

    def open(self, cache: ReplyCache | None = None) -> ChatModel:
        """The model; nothing is sent before it is used.

        :param cache: keeps replies, so that nothing is asked twice.
        """
        from memfold.llm import open_model

        return open_model(self.spec, self.settings, cache=cache)


def tell_files(model: ChatModel | None) -> None:
    """Say on stderr what became of a model's batch files: lines passed over, and where replies are awaited."""
    from memfold.llm import BatchModel, LanguageModel

    if not isinstance(model, LanguageModel) or not isinstance(model.raw, BatchModel):
        return
    for note in model.notes:
        click.echo(f"batch files: {note}", err=True)
    if model.waiting:
        what = f"{model.waiting:,} request{'s' if model.waiting > 1 else ''} of about {model.raw.waiting_tokens:,} tokens"
        requests, replies = model.raw.requests, model.raw.folder / "responses.jsonl"
        click.echo(f"{what} in {requests}: put the replies into {replies} and run the same command again", err=True)


_COUNT = click.IntRange(min=1)
_OPTIONS: tuple[tuple[str, str, str, Mapping[str, Any]], ...] = (
    ("--model", "spec", "M", {"help": "A model's name at --base-url, or batch:FOLDER to exchange requests and replies as files."}),
    ("--base-url", "base_url", "URL", {"help": "An OpenAI-compatible endpoint, as http://localhost:11434/v1; left out, OpenAI's own."}),
    ("--key-file", "key_file", "FILE", {"help": "The file that holds the key; left out, OPENAI_API_KEY of the environment."}),
    ("--concurrency", "concurrency", "N", {"type": _COUNT, "help": "Requests in flight at once."}),
    ("--requests-per-minute", "requests_per_minute", "N", {"type": _COUNT, "help": "At most so many requests a minute."}),
    ("--tokens-per-minute", "tokens_per_minute", "N", {"type": _COUNT, "help": "At most so many tokens a minute, in and out."}),
    ("--timeout", "timeout", "S", {"type": click.FloatRange(min=0, min_open=True), "help": "Seconds that one request may take."}),
    ("--max-calls", "max_calls", "N", {"type": _COUNT, "help": "Stop when so many requests were sent."}),
    ("--max-tokens-spent", "max_tokens", "N", {"type": _COUNT, "help": "Stop when so many tokens were spent, in and out."}),
    ("--max-cost", "max_cost", "C", {"type": click.FloatRange(min=0), "help": "Stop when so much money was spent, as the prices count."}),
    ("--prices", "prices", "FILE", {"help": "Prices of models, where the table that comes with Memfold lacks or misses them."}),
)
"""Flag, field of `ModelSettings` (`spec` excepted), metavar, and what else click is told."""


def model_options(function: _F) -> _F:
    """Options for a language model; the command gets them as one `model: ModelChoice`."""

    def gathered(*args: Any, **given: Any) -> Any:
        stated = {name: given.pop(name) for _, name, _, _ in _OPTIONS}
        spec = stated.pop("spec") or ""
        settings = ModelSettings(**{name: value for name, value in stated.items() if value is not None})
        return function(*args, model=ModelChoice(spec, settings), **given)

    gathered.__name__, gathered.__doc__ = function.__name__, function.__doc__
    command: Any = gathered
    command.__click_params__ = list(getattr(function, "__click_params__", []))
    for flag, name, metavar, more in reversed(_OPTIONS):
        command = click.option(flag, name, metavar=metavar, **more)(command)
    return command
