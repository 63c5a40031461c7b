#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# With KRAIT_HINTS=1 kernels are compiled though they lie on disk, and the folder stays as it is.
set -euo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export KRAIT_CACHE=rw KRAIT_CACHE_DIR=$folder
unset KRAIT_HINTS
"$program" unset
before=$(ls "$folder" | wc -l)
[ "$before" -gt 0 ]
KRAIT_HINTS=1 "$program" all
[ "$(ls "$folder" | wc -l)" = "$before" ]
