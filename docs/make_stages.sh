#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The texts of the stages in docs/architecture.md are what the tool prints. After a line `<!-- COMMAND -->`, whose command names
# `krait dump`, comes a code block: the command's output, run from the repository's root.
#
#   docs/make_stages.sh [KRAIT]           writes the blocks anew
#   docs/make_stages.sh --check [KRAIT]   exit status 1 where one is not current
#
# The check compares the IR, before and after the passes. The texts of LLVM and SPIRV-Tools depend on their versions: those
# commands have to succeed and to print something. KRAIT is the tool, by default build/bin/krait.
set -euo pipefail
cd "$(dirname "$0")/.."

check=no
if [ "${1:-}" = --check ]; then check=yes; shift; fi
krait=${1:-build/bin/krait}
folder=$(cd "$(dirname "$krait")" && pwd)
export PATH="$folder:$PATH"

page=docs/architecture.md
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
blocks=0 failed=0

# Reads the page from standard input, writes it with new blocks to standard output; what is wrong goes to standard error.
render() {
  local line command text old fence
  while IFS= read -r line; do
    printf '%s\n' "$line"
    case "$line" in '<!-- '*'krait dump '*' -->') ;; *) continue ;; esac
    command=${line#'<!-- '} command=${command%' -->'} blocks=$((blocks + 1))
    IFS= read -r fence
    case "$fence" in '```'*) ;; *) echo "$page: no code block after: $command" >&2; failed=1; return ;; esac
    old=
    while IFS= read -r line && [ "$line" != '```' ]; do old+=$line$'\n'; done
    if ! text=$(bash -o pipefail -c "$command") || [ -z "$text" ]; then
      echo "$page: this command gives nothing: $command" >&2
      failed=1 text=${old%$'\n'}
    fi
    case "$command" in
      *'--emit ir'*|*'--emit final'*)
        if [ $check = yes ] && [ "$old" != "$text"$'\n' ]; then echo "$page: not current: $command" >&2; failed=1; fi ;;
    esac
    printf '%s\n%s\n```\n' "$fence" "$text"
  done
}
render <"$page" >"$fresh"
[ $blocks -gt 0 ] || { echo "$page holds no text of a stage" >&2; exit 1; }
[ $failed = 0 ] || exit 1
if [ $check = yes ]; then
  echo "$page: $blocks blocks checked"
else
  cat "$fresh" >"$page"
  echo "$page: $blocks blocks written"
fi
