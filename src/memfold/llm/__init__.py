"""Language models. A model is anything that keeps `protocols.ChatModel`; `open_model` opens these:

| name                        | what it is                                                                          |
|-----------------------------|-------------------------------------------------------------------------------------|
| `MODEL` or `openai:MODEL`   | a model at an OpenAI-compatible endpoint (`settings.base_url`); needs the extra `openai` |
| `batch:FOLDER[:MODEL]`      | requests are written to files in a folder, replies are read from files there        |
| `record:FILE:MODEL`         | a model at an endpoint, its usable replies recorded                                 |
| `replay:FILE`               | the recorded replies, and nothing else                                              |

`ScriptedModel` says what it is told to, for tests. All pass through the same reading: a reply becomes a value of the wanted
form or a typed failure, never an exception, and a bad reply is asked again with what was wrong. `memfold.testing.chatmodel`
checks this of any model, yours too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from memfold.config import ModelSettings
from memfold.errors import UnknownName
from memfold.llm.batch import BatchModel
from memfold.llm.model import LanguageModel
from memfold.llm.openai import OpenAIModel
from memfold.llm.prices import Cost, Prices
from memfold.llm.raw import RawModel, RawReply, estimated_text, estimated_tokens
from memfold.llm.replay import Recorded, Recording, ReplayModel
from memfold.llm.scripted import ScriptedModel
from memfold.llm.usage import Usage, Use
from memfold.protocols import ReplyCache

__all__ = [
    "MODELS",
    "BatchModel",
    "Cost",
    "LanguageModel",
    "OpenAIModel",
    "RawModel",
    "RawReply",
    "Recording",
    "ReplayModel",
    "ScriptedModel",
    "Usage",
    "Use",
    "estimate_cost",
    "estimated_text",
    "estimated_tokens",
    "open_model",
]

Factory: TypeAlias = Callable[[str, ModelSettings, "ReplyCache | None"], "LanguageModel | None"]


def _openai(rest: str, settings: ModelSettings, cache: ReplyCache | None) -> LanguageModel | None:
    return LanguageModel(OpenAIModel(rest, settings), cache=cache) if rest else None


def _batch(rest: str, settings: ModelSettings, cache: ReplyCache | None) -> LanguageModel | None:
    folder, model = _split(rest)
    return LanguageModel(BatchModel(folder, model, settings), cache=cache) if folder else None


def _record(rest: str, settings: ModelSettings, cache: ReplyCache | None) -> LanguageModel | None:
    file, name = _split(rest)
    if not file or not name:
        return None
    model = OpenAIModel(name, settings)
    return LanguageModel(model, cache=Recorded(Recording(file, model.name), cache))


def _replay(rest: str, settings: ModelSettings, cache: ReplyCache | None) -> LanguageModel | None:
    return LanguageModel(ReplayModel(rest)) if rest else None


MODELS: dict[str, Factory] = {
    "MODEL": _openai,
    "openai:MODEL": _openai,
    "batch:FOLDER[:MODEL]": _batch,
    "record:FILE:MODEL": _record,
    "replay:FILE": _replay,
}
"""Name to factory. It takes what follows the colon, the settings and the cache, and gives None if it cannot read the former."""


def open_model(spec: str, settings: ModelSettings | None = None, *, cache: ReplyCache | None = None) -> LanguageModel:
    """The model of this name, as in the table above; no request is made before it is used.

    A model's own name may hold colons (`qwen2.5:7b`): what is none of the kinds above is a model's name.

    :param cache: replies by what was asked, for example the store's; a replay uses none.
    :raises UnknownName: the name is incomplete, as `record:` is. :raises MissingExtra: it needs a package that is not installed.
    :raises BadParameter: a file or folder that the name or the settings give cannot be used.
    """
    settings = settings or ModelSettings()
    kind, colon, rest = spec.strip().partition(":")
    factories = {pattern.partition(":")[0]: factory for pattern, factory in MODELS.items() if ":" in pattern}
    factory = factories.get(kind) if colon else None
    model = factory(rest, settings, cache) if factory is not None else _openai(spec.strip(), settings, cache)
    if model is None or (not colon and kind in ("batch", "record", "replay")):
        raise UnknownName("model", spec, MODELS)
    return model


def estimate_cost(spec: str, tokens_in: int, tokens_out: int, settings: ModelSettings | None = None) -> Cost:
    """What so many tokens would cost with a model, by its name as in `open_model`; unknown models cost 0 and say so.

    :raises BadParameter: the settings' file of prices cannot be read.
    """
    kind, colon, rest = spec.partition(":")
    batch = kind == "batch" and bool(colon)
    model = _split(rest)[1] if batch or kind == "record" else rest if kind == "openai" and colon else spec
    return Prices((settings or ModelSettings()).prices).cost(model, tokens_in, tokens_out, batch=batch)


def _split(rest: str) -> tuple[str, str]:
    """A path and a model's name: at the first colon that is not that of a Windows drive."""
    drive = rest[:2] if len(rest) > 2 and rest[0].isalpha() and rest[1] == ":" and rest[2] in "\\/" else ""
    path, _, model = rest[len(drive) :].partition(":")
    return drive + path, model
