#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# gdb stops at a line of each of two kernels, the second of which is equal to the first but for its lines, and shows the threads' index and
# values. A folder of compiled kernels is there, and has the code without lines.
set -euo pipefail
program=$1 source=$(dirname "$0")/debugged.cpp
if ! command -v gdb > /dev/null; then
  echo "skipped: gdb is missing (Debian: gdb)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export KRAIT_CACHE=rw KRAIT_CACHE_DIR=$folder/kept
"$program"
mapfile -t loads < <(grep -n 'old = x\[i\]' "$source" | cut -d: -f1)
mapfile -t stores < <(grep -n 'x\[i\] = old \* 3' "$source" | cut -d: -f1)
cat > "$folder/commands" << END
set breakpoint pending on
set debuginfod enabled off
break triple
run
info inferiors
delete 1
break debugged.cpp:${loads[0]}
break debugged.cpp:${stores[0]}
break debugged.cpp:${stores[1]}
continue
info locals
backtrace 1
continue
info locals
continue
continue
info locals
END
KRAIT_DEBUG=1 gdb -batch -nx -x "$folder/commands" "$program" > "$folder/log" 2>&1 || true
process=$(sed -n 's/.* process \([0-9]*\) .*/\1/p' "$folder/log" | head -1)
map=/tmp/perf-$process.map
shows() {
  grep -q -e "$1" "$folder/log" || { cat "$folder/log"; echo "gdb did not show: $1"; exit 1; }
}
shows "^#0  triple () at .*debugged.cpp:${loads[0]}"
shows '^global_id_x = 0'
# A line stops before its product: what was loaded is there.
shows '= {10, 11, 12, 13, 0'
shows "triple () at .*debugged.cpp:${stores[1]}"
shows '= {30, 33, 36, 39, 0'
[ "$(grep -c ' triple' "$map")" = 2 ] || { echo "$map does not name both kernels"; exit 1; }
rm -f "$map"
