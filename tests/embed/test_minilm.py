"""The bundled model: its files, its fidelity to the original, batches, long texts, threads, start-up."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memfold.embed import MiniLM
from memfold.embed.minilm import pieces as pieces_module
from memfold.embed.minilm import session as session_module
from memfold.embed.minilm.pieces import bundled_tokenizer, continuations, count_pieces, word_pieces
from memfold.embed.minilm.windows import split_windows

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
REFERENCE = json.loads((HERE / "minilm_reference.json").read_text("utf-8"))["texts"]
MODEL = MiniLM()


def build_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_minilm", ROOT / "scripts" / "build_minilm.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not (ROOT / "scripts").is_dir(), reason="needs a checkout")
def test_the_bundled_files_are_the_ones_that_the_script_builds() -> None:
    script = build_script()
    for name, digest in script.BUILT.items():
        assert hashlib.sha256((script.OUT / name).read_bytes()).hexdigest() == digest


@pytest.mark.skipif(not (ROOT / "scripts").is_dir(), reason="needs a checkout")
def test_int8_weights_are_within_half_a_step_of_the_original() -> None:
    weights = np.random.default_rng(5).normal(size=(7, 11)).astype(np.float32)
    for channel in (0, 1):
        values, scale = build_script().quantize(weights, channel)
        steps = scale[:, None] if channel == 0 else scale[None, :]
        assert values.dtype == np.int8
        assert (np.abs(values * steps - weights) <= steps * 0.5001).all()


@pytest.mark.parametrize("reference", REFERENCE, ids=lambda reference: reference["text"][:20])
def test_word_pieces_are_the_originals(reference: dict[str, object]) -> None:
    assert [101, *word_pieces([str(reference["text"])])[0].tolist(), 102] == reference["pieces"]


def test_vectors_are_the_originals_up_to_int8(minilm: MiniLM) -> None:
    vectors = minilm.embed([reference["text"] for reference in REFERENCE])
    for reference, vector in zip(REFERENCE, vectors, strict=True):
        original = np.frombuffer(base64.b64decode(reference["vector"]), "<f2").astype(np.float32)
        assert vector @ original > (0.999 if len(reference["pieces"]) > 5 else 0.995), reference["text"]


def test_paraphrases_are_near_and_strangers_far(minilm: MiniLM) -> None:
    moved, moved_too, backup = minilm.embed([reference["text"] for reference in REFERENCE[:3]])
    assert moved @ moved_too > 0.9
    assert abs(moved @ backup) < 0.2


odd_text = st.one_of(
    st.text(max_size=60),
    st.text(st.characters(categories=["Cs", "Co", "Cn", "So", "Mn", "Cf", "Cc", "Zs"]), max_size=20),
    st.lists(st.sampled_from(["tea", "Löwe", "🎉", "\x00", "\ud83d", "东京", "ไทย", "[SEP]", " ", "\n", "ﷺ", "x" * 130]), max_size=30).map(
        "".join
    ),
)


@given(text=odd_text, mates=st.lists(odd_text, max_size=6), place=st.integers(0, 6))
@settings(max_examples=20, deadline=None)
def test_a_vector_does_not_depend_on_its_batch(text: str, mates: list[str], place: int) -> None:
    alone = MODEL.embed([text])[0]
    beside = [*mates[:place], text, *mates[place:], "a longer mate that makes all the others be padded " * 3]
    together = MODEL.embed(beside)[min(place, len(mates))]
    assert np.isfinite(alone).all()
    assert abs(np.linalg.norm(alone) - 1) < 1e-5
    assert np.abs(alone - together).max() < 1e-6


def test_a_text_of_100_kilobytes(minilm: MiniLM, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memfold.embed.minilm.windows.MOST_WINDOWS", 12)
    text = " ".join(f"Shelf {shelf} holds {shelf % 13} boxes of nails." for shelf in range(2900))
    assert len(text) > 100_000
    long, short, again = minilm.embed([text, "Shelf 4 holds boxes of nails.", text])
    assert abs(np.linalg.norm(long) - 1) < 1e-5
    assert (long == again).all()
    assert long @ short > 0.4


def test_a_long_text_is_the_weighted_mean_of_its_windows(minilm: MiniLM) -> None:
    text = " ".join(reference["text"] for reference in REFERENCE) * 2
    windows = split_windows(word_pieces([text])[0], continuations())
    assert len(windows) > 1
    session = session_module.shared_session(minilm.threads)
    mean = np.zeros(minilm.dim)
    for window in windows:
        ids = np.array([[101, *window, 102]], np.int32)
        mean += len(window) * session_module.run(session, ids, np.ones_like(ids))[0]
    assert np.abs(minilm.embed([text])[0] - mean / np.linalg.norm(mean)).max() < 1e-6


def test_the_fallbacks_of_the_tokenizer() -> None:
    def tokens(text: str) -> list[str]:
        return [bundled_tokenizer().id_to_token(int(piece)) for piece in word_pieces([text])[0]]

    assert tokens("see you Friday🎉") == ["see", "you", "friday", "[UNK]"]
    assert tokens("🎉🎉") == ["[UNK]"]
    assert "[UNK]" not in tokens("x" * 1000)
    assert tokens("[SEP]") == ["[", "sep", "]"]
    assert tokens("\x00 \t") == []
    assert tokens("25°C") == ["25", "##°", "##c"]


def test_counting_agrees_with_the_pieces_and_reads_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["", "one two", "word " * 30_000, "unbroken" * 20_000]
    counts = count_pieces(texts)
    assert counts[:3] == [0, 2, 30_000]
    assert counts == [len(pieces) for pieces in word_pieces(texts)]
    monkeypatch.setattr(pieces_module, "BATCH", 10)
    assert counts == count_pieces(texts)


def test_slabs_do_not_change_the_result(minilm: MiniLM, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"Note {n}: {'more ' * (n % 7)}" for n in range(23)]
    whole = minilm.embed(texts)
    monkeypatch.setattr("memfold.embed.minilm.SLAB", 5)
    assert np.abs(whole - minilm.embed(texts)).max() < 1e-6


def test_one_session_for_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []
    monkeypatch.setattr(session_module, "_build", lambda threads: built.append(threads) or object())
    monkeypatch.setattr(session_module, "_sessions", {})
    found: list[object] = []
    workers = [threading.Thread(target=lambda: found.append(session_module.shared_session(1))) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert built == [1]
    assert len(set(map(id, found))) == 1


@pytest.mark.parametrize("threads", [0, -1])
def test_threads_must_be_positive(threads: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        MiniLM(threads=threads)


def test_one_text_instead_of_a_list_is_refused(minilm: MiniLM) -> None:
    with pytest.raises(TypeError, match="wrap it in a list"):
        minilm.embed("not a list")


def _embed_in_child(queue: multiprocessing.Queue[bytes]) -> None:
    queue.put(MODEL.embed(["after the fork"]).tobytes())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_gets_its_own_session(minilm: MiniLM) -> None:
    expected = minilm.embed(["after the fork"])
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[bytes] = context.Queue()
    child = context.Process(target=_embed_in_child, args=(queue,))
    child.start()
    assert np.abs(np.frombuffer(queue.get(timeout=60), np.float32) - expected[0]).max() < 1e-6
    child.join()


def run_python(code: str, home: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")}
    environment["HOME"] = str(home)
    result = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return result.stdout.strip()


def test_importing_loads_neither_runtime_nor_tokenizer(tmp_path: Path) -> None:
    code = """if True:
        import sys, memfold.embed
        memfold.embed.open_embedder("minilm"), memfold.embed.open_counter()
        print(sorted({"onnxruntime", "tokenizers", "openai", "bpe_openai"} & set(sys.modules)))
    """
    assert run_python(code, tmp_path) == "[]"


def test_embedding_leaves_no_trace_in_the_home_directory(tmp_path: Path) -> None:
    code = "from memfold.embed import MiniLM; print(MiniLM().embed(['hello']).shape)"
    assert run_python(code, tmp_path) == "(1, 384)"
    assert list(tmp_path.rglob("*")) == []
