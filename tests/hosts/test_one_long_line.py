from memfold.hosts import open_host


def test_one_line_of_ten_megabytes_is_jsonl(tmp_path):
    path = tmp_path / "notes.jsonl"
    path.write_text('{"text": "' + "word " * 2_000_000 + '"}')
    (entry,) = open_host(str(path)).read().entries
    assert len(entry.text) == 10_000_000
