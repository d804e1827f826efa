#!/bin/sh
# Shrinks a copy of the sample store and takes it back: sh examples/demo.sh COPY.jsonl (make demo makes the copy).
set -eu
store=$1
run() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

run memfold audit "$store"
run memfold refine "$store" --budget 60%
run memfold refine "$store" --budget 60% --apply
run memfold log "$store"
run memfold undo "$store"
