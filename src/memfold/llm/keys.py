"""The key of an endpoint: where it comes from, and how it is kept out of everything that is written."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from memfold.errors import EndpointError

KEY = "OPENAI_API_KEY"
_KEY_LIKE = re.compile(r"\b(?:sk|pk|key|gsk|xai|hf|or)-[\w*.\-]{8,}|\bBearer\s+\S+", re.IGNORECASE)
_ECHO = 20
"""So many characters of a request, found again in an endpoint's message, keep the message from being shown."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A key that no printing shows. `clean` takes it out of texts."""

    value: str = field(repr=False)

    def clean(self, text: str) -> str:
        """The text without the key."""
        return text.replace(self.value, "***") if len(self.value) >= 4 else text


def read_key(key_file: str = "") -> Secret:
    """The key from a file, else from the environment variable OPENAI_API_KEY; an empty one if there is none.

    :raises EndpointError: the file cannot be read, or is empty.
    """
    if not key_file:
        return Secret(os.environ.get(KEY, "").strip())
    try:
        key = Path(key_file).expanduser().read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        cause = type(error).__name__
        raise EndpointError(f"the key file {key_file} cannot be read ({cause}); name a file that holds the key alone") from None
    if not key or len(key.split()) != 1:
        raise EndpointError(f"the key file {key_file} must hold the key alone, on one line")
    return Secret(key)


def shown_url(url: str) -> str:
    """An address for messages: without user, password and query, in which keys are sometimes put."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}".rstrip("/")


def shown_words(told: str, secret: Secret, asked: str) -> str:
    """An endpoint's words for a message: one line, without keys; "" where they repeat what was asked."""
    line = " ".join(_KEY_LIKE.sub("***", secret.clean(told)).split())[:200]
    echoes = any(line[at : at + _ECHO] in asked for at in range(0, max(0, len(line) - _ECHO) + 1)) if len(line) >= _ECHO else False
    return "" if echoes else line
