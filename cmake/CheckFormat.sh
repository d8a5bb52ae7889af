#!/bin/sh
# Fails if a tracked C or C++ file is not as clang-format would have it; prints the files. Arguments: clang-format's path.
# In a tree without git (an export) all files outside build/ count.
set -eu
cd "$(dirname "$0")/.."
formatter=$1

files=$(git ls-files -- '*.c' '*.cpp' '*.h' 2>/dev/null) ||
  files=$(find . -path ./build -prune -o \( -name '*.c' -o -name '*.cpp' -o -name '*.h' \) -print)
[ -n "$files" ] || { echo "no files found"; exit 1; }

# shellcheck disable=SC2086 # none of our file names has a space
if "$formatter" --dry-run -Werror $files 2>/tmp/skein-format.$$; then
  rm -f /tmp/skein-format.$$
  echo "$(echo "$files" | wc -l) files are formatted"
else
  sed -n 's/^\(.*\):[0-9]*:[0-9]*: error: .*/\1/p' /tmp/skein-format.$$ | sort | uniq -c
  rm -f /tmp/skein-format.$$
  echo "run: $formatter -i <file>"
  exit 1
fi
