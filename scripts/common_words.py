"""Write src/memfold/refine/judges/common_words.txt: English words, the most frequent first.

    python -m scripts.common_words

They are the whole words of the bundled tokenizer's vocabulary, which lists its pieces by frequency (BERT's uncased
vocabulary, Apache-2.0). The embedded judge takes a word that is not among them for a rare one.
"""

from __future__ import annotations

import json
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src/memfold/embed/minilm/tokenizer.json"
TARGET = Path(__file__).parent.parent / "src/memfold/refine/judges/common_words.txt"
MOST = 16_000


def main() -> None:
    vocabulary = json.loads(SOURCE.read_text("utf-8"))["model"]["vocab"]
    by_frequency = sorted(vocabulary, key=lambda piece: vocabulary[piece])
    words = [piece for piece in by_frequency if piece.isascii() and piece.isalpha() and len(piece) > 1][:MOST]
    TARGET.write_text("\n".join(words) + "\n", "utf-8")
    print(f"{len(words)} words in {TARGET}")


if __name__ == "__main__":
    main()
