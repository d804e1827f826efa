"""A key put wherever one can be put is found nowhere afterwards but in the request's header."""

from __future__ import annotations

import logging
import traceback

import pytest

from memfold.config import ModelSettings
from memfold.errors import EndpointError
from memfold.llm import open_model
from memfold.llm.keys import Secret, read_key, shown_url, shown_words

KEY = "sk-proj-VeryS3cretValue9876"


def test_a_key_is_nowhere(endpoint, ask, fault, tmp_path, monkeypatch, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    key_file = tmp_path / "key.txt"
    key_file.write_text(f"{KEY}\n")

    def act(request, nth):
        text = request["messages"][-1]["content"]
        if text == "echo":
            return endpoint.said('{"action": "merge", "note": "' + KEY + '"}')
        return fault(401, {"message": f"Incorrect API key provided: {KEY}. Bearer {KEY}", "code": "invalid_api_key"})

    endpoint.act = act
    seen = []
    written = tmp_path / "written"
    for settings in ({"key_file": str(key_file)}, {}):
        url = endpoint.url.replace("127.0.0.1", f"user:{KEY}@127.0.0.1") + f"?api_key={KEY}"
        for base_url in (endpoint.url, url):
            model = open_model(f"record:{written / str(len(seen))}.jsonl:m", ModelSettings(base_url=base_url, **settings))
            replies = model.complete_many([ask("echo"), ask("fail")])
            seen += [repr(model), repr(model.raw), repr(replies), str(model.usage.as_dict())]
            if base_url == endpoint.url:
                assert replies[0].value is not None
                assert replies[1].failure.kind == "unreachable"
    assert f"Bearer {KEY}" in endpoint.keys
    batch = open_model(f"batch:{written / 'batch'}:m", ModelSettings(key_file=str(key_file)))
    seen.append(repr(batch.complete_many([ask("fail")])))
    files = [path.read_text() for path in written.rglob("*") if path.is_file()]
    assert len(files) >= 3
    out, err = capfd.readouterr()
    assert [text for text in [*seen, *files, out, err] if KEY in text] == []
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("memfold")]
    assert KEY not in "".join(ours)


def test_errors_about_key_files_do_not_show_them(tmp_path):
    missing, two, empty = tmp_path / "none", tmp_path / "two", tmp_path / "empty"
    two.write_text(f"{KEY} {KEY}")
    empty.write_text(" \n")
    for path in (missing, two, empty):
        with pytest.raises(EndpointError, match="key file") as caught:
            read_key(str(path))
        assert KEY not in "".join(traceback.format_exception(caught.value))


def test_a_bad_key_file_is_a_failure_of_the_request(endpoint, ask, tmp_path):
    model = open_model("m", ModelSettings(base_url=endpoint.url, key_file=str(tmp_path / "none")))
    reply = model.complete_many([ask()])[0]
    assert reply.failure is not None
    assert reply.failure.kind == "unreachable"
    assert endpoint.requests == []


def test_the_file_goes_before_the_environment(endpoint, ask, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "from-environment")
    path = tmp_path / "key"
    path.write_text("from-file\n")
    open_model("m", ModelSettings(base_url=endpoint.url, key_file=str(path))).complete_many([ask("a")])
    open_model("m", ModelSettings(base_url=endpoint.url)).complete_many([ask("a")])
    assert endpoint.keys == ["Bearer from-file", "Bearer from-environment"]


def test_words_of_an_endpoint_are_shown_without_what_was_asked():
    secret = Secret(KEY)
    assert repr(secret) == "Secret()"
    assert shown_words(f"bad key {KEY}\nnext", secret, "") == "bad key *** next"
    assert shown_words("the model phi does not exist", secret, "Rosa keeps hens in the yard.") == "the model phi does not exist"
    assert shown_words("cannot read: Rosa keeps hens in the yard.", secret, "Note: Rosa keeps hens in the yard.") == ""


def test_addresses_are_shown_without_what_may_be_a_key():
    assert shown_url("https://user:pass@host:8080/v1/?key=abc#x") == "https://host:8080/v1"
