#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# tools/format.sh          formats the C++ sources by .clang-format
# tools/format.sh check    fails where that would change a file, as CI
#
# Left out are tables of numbers and code that the documentation quotes: their lines are laid out by hand.
set -euo pipefail
cd "$(dirname "$0")/.."
kept='^(lib/math/coefficients\.h|tests/unit/d(sl|ocs)_snippets\.cpp|tests/docs/|tests/errors/|examples/)'
formatter=clang-format-16
files() { git ls-files '*.cpp' '*.h' | grep -vE "$kept"; }
case "${1:-}" in
  '') files | xargs -P "$(nproc)" -n 20 "$formatter" -i ;;
  check) files | xargs -P "$(nproc)" -n 20 "$formatter" --dry-run -Werror ;;
  *) sed -n '4,5s/^# //p' "$0"; exit 2 ;;
esac
