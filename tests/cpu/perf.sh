#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# perf names the line of a kernel that takes the time: perf.sh PROFILED
set -euo pipefail
program=$1 source=$(realpath "$(dirname "$0")")/profiled.cpp
if ! command -v perf > /dev/null; then
  echo "skipped: perf is missing (Debian: linux-perf)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"; rm -f "/tmp/perf-${process:-none}.map"' EXIT
cd "$folder"
export KRAIT_CACHE=off HOME=$folder  # perf keeps what it knows of objects at home
if ! perf record -q -e cpu-clock -o try.data true 2> said; then
  echo "skipped: perf may not record here: $(tail -1 said)"
  exit 77
fi
KRAIT_DEBUG=1 KRAIT_PERF=$folder perf record -q -k mono -e cpu-clock -o perf.data "$program"
process=$(basename jit-*.dump .dump | sed 's/jit-//')
perf inject --jit -i perf.data -o perf.jit.data
perf script -i perf.jit.data -F ip,sym,srcline > lines 2> said || { cat said; exit 1; }
line=$(grep -n '// the line' "$source" | cut -d: -f1)
all=$(grep -c ' busy ' lines || true) own=$(grep -c "profiled.cpp:$line\$" lines || true)
[ "$own" -gt 20 ] && [ $((2 * own)) -gt "$all" ] || { sort lines | uniq -c | sort -rn | head -20; echo "of $all samples in the kernel $own are of line $line"; exit 1; }
