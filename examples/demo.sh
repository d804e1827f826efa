#!/bin/sh
# A tour of the command line on the sample store: sh examples/demo.sh FOLDER (`make demo` runs it).
set -eu
folder=$1
store=$folder/assistant.jsonl

# Shows a command and runs it. 3 says that the budget was missed, which the report explains: no failure.
run() {
  printf '\n\033[1m$ %s\033[0m\n' "$*"
  "$@" || [ $? -eq 3 ]
}

run memfold demo "$folder"
before=$(cksum < "$store")

run memfold audit "$store" --examples 3 --plot "$folder/audit.png"
run memfold refine "$store" --budget 70%
run memfold refine "$store" --budget 70% --apply
run memfold log "$store"
run memfold show "$store" r1 --edit 1
run memfold undo "$store" r1

[ "$(cksum < "$store")" = "$before" ] || { echo "$store is not what it was before" >&2; exit 1; }
cat <<END

The sample store is byte for byte what it was. $folder/audit.png shows what was in it.

Now your own: a JSONL file, an MCP memory file, a Letta agent file. Nothing is changed without --apply.

  memfold audit notes.jsonl
  memfold refine notes.jsonl --budget 50%
  memfold refine mcp:memory.jsonl --budget 50%
  memfold refine agent.af --budget 50%

END
