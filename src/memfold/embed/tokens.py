"""Counters of tokens, for budgets that are given in tokens."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence, Set
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from memfold.embed.minilm.pieces import count_pieces
from memfold.embed.texts import SEGMENT, clean_text, segments
from memfold.errors import BadParameter, EndpointError, MissingExtra, UnknownName
from memfold.protocols import TokenCounter

if TYPE_CHECKING:
    from tokenizers import Tokenizer


_CHUNK = re.compile(r"[^ \t\n\r]+")
_NOT_PLAIN = re.compile(r"[^!-~]")
_WORD = re.compile(r"[a-z0-9]+|[^a-z0-9]")
LONGEST_CHUNK = 100
"""Characters; a text with a longer one, like most texts of scripts without spaces, is given to the tokenizer as it is."""
MOST_CHUNKS = 100_000
"""That a counter remembers at most."""


class WordPieceCounter:
    """Word pieces of the bundled tokenizer.

    For most text they are more than a language model's tokens, so a budget errs on the safe side.
    """

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    @property
    def name(self) -> str:
        return "wordpiece"

    @property
    def lines_apart(self) -> int:
        """A word piece ends with its line; a longer text is read in parts, whose borders may lie elsewhere. See `TokenCounter`."""
        return SEGMENT

    def count(self, text: str) -> int:
        """Word pieces of the text, without the marks at its ends; 0 for a text without visible characters."""
        return self.count_many([text])[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """`count` of each text, in order; much faster than one by one.

        A word piece ends at white space, and in plain ASCII also where letters and digits end: so texts that share words with
        those counted before are counted by looking up.
        """
        cleaned = [clean_text(text) for text in texts]
        chunks = [_CHUNK.findall(text) if len(text) <= SEGMENT else [] for text in cleaned]
        apart = [0 < max(map(len, found), default=0) <= LONGEST_CHUNK for found in chunks]
        whole = iter(() if all(apart) else count_pieces([text for text, is_apart in zip(cleaned, apart, strict=True) if not is_apart]))
        self._learn({chunk for found, is_apart in zip(chunks, apart, strict=True) if is_apart for chunk in found})
        known = self._known.__getitem__
        return [sum(map(known, found)) if is_apart else next(whole) for found, is_apart in zip(chunks, apart, strict=True)]

    def _learn(self, chunks: Set[str]) -> None:
        if len(self._known) > MOST_CHUNKS:
            self._known.clear()
        unknown = [chunk for chunk in chunks if chunk not in self._known]
        if not unknown:
            return
        new = {chunk: [chunk] if _NOT_PLAIN.search(chunk) else _WORD.findall(chunk.lower()) for chunk in unknown}
        words = list({word for parts in new.values() for word in parts} - self._known.keys())
        self._known |= zip(words, count_pieces(words), strict=True)
        self._known |= {chunk: sum(self._known[part] for part in parts) for chunk, parts in new.items() if chunk not in self._known}


class _Encoding(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


class BPECounter:
    """Tokens of OpenAI's byte pair encodings, offline: `o200k` (GPT-4o and later) and `cl100k` (GPT-4)."""

    def __init__(self, name: str) -> None:
        """:raises MissingExtra: bpe-openai is not installed."""
        if find_spec("bpe_openai") is None:
            raise MissingExtra(f"the token counter {name!r}", "tokens")
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    def count(self, text: str) -> int:
        """Tokens of the text; names of control tokens in it are text like any other.

        A text is read in parts of 50,000 characters, each of which may add one token to the exact count.
        """
        return sum(len(self._encoding.encode_ordinary(segment)) for segment in segments(clean_text(text)))

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """`count` of each text, in order."""
        return [self.count(text) for text in texts]

    @cached_property
    def _encoding(self) -> _Encoding:
        with warnings.catch_warnings():
            # Its import reads files in a way that Python calls deprecated.
            warnings.simplefilter("ignore", DeprecationWarning)
            package: Any = import_module("bpe_openai")
        return package.get_encoding(f"{self._name}_base")


class TiktokenCounter:
    """Tokens of an encoding of the package tiktoken, which fetches the encoding's ranks from the network when it first uses it."""

    def __init__(self, encoding: str = "o200k_base") -> None:
        """:raises MissingExtra: tiktoken is not installed. :raises UnknownName: it has no such encoding.

        :raises EndpointError: its ranks could not be fetched.
        """
        if find_spec("tiktoken") is None:
            raise MissingExtra(f"the token counter 'tiktoken:{encoding}'", "tiktoken")
        package: Any = import_module("tiktoken")
        if encoding not in package.list_encoding_names():
            raise UnknownName("encoding of tiktoken", encoding, package.list_encoding_names())
        self._name = f"tiktoken:{encoding}"
        try:
            self._encoding: _Encoding = package.get_encoding(encoding)
        except (OSError, ValueError) as error:  # ValueError: what came has another hash than it should
            raise EndpointError(
                f"tiktoken could not fetch the ranks of {encoding} ({error}); let TIKTOKEN_CACHE_DIR name a folder that holds them, "
                "or take the counter o200k or cl100k, which bring theirs along (the extra 'tokens')"
            ) from error

    @property
    def name(self) -> str:
        return self._name

    def count(self, text: str) -> int:
        """Tokens of the text, as `BPECounter.count` says."""
        return sum(len(self._encoding.encode_ordinary(segment)) for segment in segments(clean_text(text)))


class TokenizerCounter:
    """Tokens of a tokenizer of Hugging Face: a `tokenizer.json`, a folder that has one, or a model's name at the hub."""

    def __init__(self, source: str) -> None:
        """:raises BadParameter: the file is none, or not a tokenizer's. :raises EndpointError: the hub did not give it."""
        if not source:
            raise BadParameter("tokenizer: which one? Give a file, a folder or a name, for example tokenizer:model/tokenizer.json")
        self._name = f"tokenizer:{source}"
        self._tokenizer = _read_tokenizer(source)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True

    @property
    def name(self) -> str:
        return self._name

    def count(self, text: str) -> int:
        """Tokens of the text without those at its ends; names of control tokens in it are text. Parts as in `BPECounter.count`."""
        return self.count_many([text])[0]

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """`count` of each text, in order; faster than one by one."""
        parts = [list(segments(clean_text(text))) for text in texts]
        encoded = iter(self._tokenizer.encode_batch_fast([part for own in parts for part in own], add_special_tokens=False))
        return [sum(len(next(encoded)) for _ in own) for own in parts]


def _read_tokenizer(source: str) -> Tokenizer:
    from tokenizers import Tokenizer

    path = Path(source) / "tokenizer.json" if Path(source).is_dir() else Path(source)
    is_file = path.is_file()
    if not is_file and (path.suffix == ".json" or Path(source).exists()):
        raise BadParameter(f"tokenizer:{source}: there is no file {path}")
    try:
        return Tokenizer.from_file(str(path)) if is_file else Tokenizer.from_pretrained(source)
    except Exception as error:  # the package raises Exception itself, for whatever goes wrong
        if is_file:
            raise BadParameter(f"tokenizer:{source}: {path} holds no tokenizer ({error})") from error
        raise EndpointError(
            f"tokenizer:{source}: no such file, and the hub did not give a tokenizer of this name ({error}); "
            "download its tokenizer.json where there is a network, and give its path"
        ) from error


def _without_parameter(build: Callable[[], TokenCounter]) -> Callable[[str], TokenCounter]:
    def opener(parameter: str) -> TokenCounter:
        counter = build()
        if parameter:
            raise BadParameter(f"{counter.name}:{parameter}: the token counter {counter.name!r} takes no parameter")
        return counter

    return opener


COUNTERS: dict[str, Callable[[str], TokenCounter]] = {
    "wordpiece": _without_parameter(WordPieceCounter),
    "o200k": _without_parameter(lambda: BPECounter("o200k")),
    "cl100k": _without_parameter(lambda: BPECounter("cl100k")),
    "tiktoken": lambda encoding: TiktokenCounter(encoding or "o200k_base"),
    "tokenizer": TokenizerCounter,
}
"""Name to counter; what follows a colon is the counter's parameter."""


def open_counter(spec: str = "wordpiece") -> TokenCounter:
    """The counter of a name: `wordpiece`, `o200k`, `cl100k`, `tiktoken:o200k_base`, `tokenizer:PATH_OR_NAME`.

    :raises UnknownName: there is none of this name. :raises MissingExtra: it needs a package that is not installed.
    :raises BadParameter: what follows the colon is not the counter's. :raises EndpointError: what it needs could not be fetched.
    """
    name, _, parameter = spec.partition(":")
    if name not in COUNTERS:
        raise UnknownName("token counter", name, COUNTERS)
    return COUNTERS[name](parameter)
