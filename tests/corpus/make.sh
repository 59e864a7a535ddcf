#!/bin/sh
# Makes a corpus of ledgers: recordings of program.c in every mode, raw and sealed.
#
#   make.sh HEAPLEDGER_TOOL RUNTIME_LIBRARY FOLDER
#
# It was run once for each version of the format, with the last code that wrote it: what is stored
# is never made again. The program runs in a folder of no importance, on a host of no name.
set -eu
tool=$(realpath "$1")
library=$(realpath "$2")
to=$(realpath -m "$3")
here=$(dirname "$(realpath "$0")")
place=$(mktemp -d /tmp/corpus.XXXXXX)
trap 'rm -rf "$place"' EXIT
cd "$place"
mkdir ledgers
cp "$library" libheapledger.so
cc -g -O1 -fno-builtin -ffile-prefix-map="$here=." -I "$here/../../include" "$here/program.c" -o program

record() { # NAME SETTINGS [WORD]
  # shellcheck disable=SC2016
  unshare --uts sh -c 'hostname corpus && HEAPLEDGER=$1 LD_PRELOAD=./libheapledger.so exec ./program $2' \
    sh "out=ledgers/$1.%p.ledger $2" "${3-}"
  number=0
  for ledger in ledgers/"$1".*.ledger; do
    number=$((number + 1))
    mv "$ledger" "ledgers/$1-$number.ledger"
  done
}

record trace "maps=on"
record shallow "depth=3 stacks-for=>=100"
record sample "mode=sample sample=4K seed=7"
record sample-calls "mode=sample sample-calls=3 seed=7 weigh=time"
record count "mode=count"
record log "mode=log file=/dev/null"
record live "mode=live"
record live-file "mode=live tables=file"
record live-sampled "mode=live live=sampled sample=1K seed=5"
record guard "guard=report" overrun
record switched "mode=off" switch

mkdir -p "$to"
for ledger in ledgers/*.ledger; do
  name=$(basename "$ledger" .ledger)
  cp "$ledger" sealed.ledger
  "$tool" seal sealed.ledger > /dev/null 2>&1 || echo "$name cannot be sealed" >&2
  gzip -9nc "$ledger" > "$to/$name.raw.gz"
  gzip -9nc sealed.ledger > "$to/$name.sealed.gz"
done
