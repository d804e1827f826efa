from datetime import UTC, datetime

import numpy as np

from memfold.refine.seen import Seen
from memfold.types import Entry, Pair


def test_the_key_of_one_pair_is_that_of_many():
    entries = [Entry(f"e{i}", f"text {i}", occurred_at=datetime(2026, 1, 1 + i % 28, tzinfo=UTC)) for i in range(40)]
    nothing = Seen(np.empty(0, np.int64), entries)
    keys = {nothing.key(Pair(a, b, 0.5)) for a in entries[:20:2] for b in entries[20::3]}
    assert len(keys) == 10 * 7
    assert any(key < 0 for key in keys)
    seen = Seen(np.array(sorted(keys)), entries)
    for n, entry in enumerate(entries[:20]):
        known = seen(entry.id, [other.id for other in entries[20:]])
        assert known == [n % 2 == 0 and m % 3 == 0 for m in range(20)]
        assert [seen.key(Pair(other, entry, 0.1)) in seen for other in entries[20:]] == known
