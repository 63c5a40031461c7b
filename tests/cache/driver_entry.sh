#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the tool says of an entry that a driver made: driver_entry.sh KRAIT MADE_UP_ENTRY
set -uo pipefail
krait=$1
KRAIT_CACHE_DIR=$(mktemp -d)
export KRAIT_CACHE_DIR
trap 'rm -rf "$KRAIT_CACHE_DIR"' EXIT
"$2" || exit 1
hash=$(basename "$KRAIT_CACHE_DIR"/*.krait .krait)
failed=0
expect() {  # LINE: it is the last one of standard input
  local said
  said=$(tail -n 1)
  [ "$said" = "$1" ] || { printf 'expected "%s", not "%s"\n' "$1" "$said" >&2; failed=1; }
}
expect '(4 bytes of binary data)' < <("$krait" cache show "$hash" 2>&1)
expect "krait: $hash.krait: it holds data of a driver, not a kernel: krait cache show $hash shows more" < <("$krait" dump --hash "$hash" 2>&1)
exit $failed
