#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# In a setuid program the user's variables choose neither code nor files: setuid.sh PROGRAM PLANTED_LIBRARY. Needs root, to make one.
set -uo pipefail
program=$1 library=$2 failed=0
skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" = 0 ] || skip "only root makes a setuid program"
command -v setpriv > /dev/null || skip "setpriv is missing (Debian: util-linux)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -m 700 "$work/root"
mkdir -m 777 "$work/user" "$work/user/vendors"
cp "$program" "$work/plain" && cp "$program" "$work/raised" && chmod 4755 "$work/raised" && cp "$library" "$work/planted.so"
user=(setpriv --reuid 65534 --regid 65534 --clear-groups env -i PATH=/usr/bin:/bin HOME="$work/user" KRAIT_CACHE=memory KRAIT_DEVICE=cpu)
"${user[@]}" "$work/plain" run > "$work/said" 2>&1 || skip "another user cannot run what was built here: $(head -1 "$work/said")"
# shellcheck disable=SC2016
"${user[@]}" "$work/raised" run > "$work/said" 2>&1 || { cat "$work/said"; exit 1; }
cp "$(command -v id)" "$work/id" && chmod 4755 "$work/id"
[ "$("${user[@]}" "$work/id" -u)" = 0 ] || skip "setuid has no effect in $work"

cd "$work/user" || exit 1
proof=$work/root/proof
holds() {  # WHAT: the last command left no proof of the user's code
  if [ -e "$proof" ]; then echo "OPEN: $*"; failed=1; rm -f "$proof"; fi
}
intact() {  # FILE WHAT
  local file=$1
  shift
  [ "$(cat "$file")" = precious ] || { echo "OPEN: $*"; failed=1; }
}
as_root() { "${user[@]}" PROOF="$proof" "$@" > "$work/said" 2>&1; }

# The same as the user alone, so that the test would see it.
"${user[@]}" PROOF="$work/user/proof" KRAIT_LAPACK="$work/planted.so" "$work/plain" solve > /dev/null 2>&1
[ -e "$work/user/proof" ] || { echo "KRAIT_LAPACK loads nothing where it may: this test sees nothing"; failed=1; }

as_root KRAIT_LAPACK="$work/planted.so" "$work/raised" solve
holds "KRAIT_LAPACK loads the user's library as root"
echo "$work/planted.so" > "$work/user/vendors/x.icd"
as_root KRAIT_DEVICE=opencl OCL_ICD_VENDORS="$work/user/vendors" "$work/raised" run devices
holds "OCL_ICD_VENDORS loads the user's library as root"
grep -q "opencl: the process has raised privileges, and drivers load libraries that its user's variables name: call clearenv() before Krait's first use" "$work/said" ||
  { echo "it does not say why there is no OpenCL:"; cat "$work/said"; failed=1; }
# Without variables drivers have nothing to obey.
as_root "$work/raised" clear devices || failed=1
grep -q "opencl: the process has raised" "$work/said" && { echo "OpenCL is refused without any variable"; failed=1; }
as_root NVTX_INJECTION64_PATH="$work/planted.so" "$work/raised" run
holds "NVTX_INJECTION64_PATH loads the user's library as root"
mkdir "$work/user/bin"
# shellcheck disable=SC2016
printf '#!/bin/sh -p\n: > "$PROOF"\n' > "$work/user/bin/ptxas"
chmod 755 "$work/user/bin/ptxas"
as_root PATH="$work/user/bin:/usr/bin:/bin" "$work/raised" report
holds "PATH starts the user's program as root"
mkdir "$work/user/later" "$work/user/later/lib"
for name in libkrait_codegen.so libopenblas.so.0 libOpenCL.so.1; do cp "$library" "$work/user/later/lib/$name"; done
as_root LD_LIBRARY_PATH=lib "$work/raised" chdir "$work/user/later" run solve devices
holds "LD_LIBRARY_PATH loads the user's library as root"

for file in dumped jitted mapped; do echo precious > "$work/root/$file"; done
setpriv --reuid 65534 --regid 65534 --clear-groups sh -c "mkdir d && ln -s '$work/root/dumped' d/0001-scale.ir"
as_root KRAIT_DUMP="$work/user/d:ir" "$work/raised" run
intact "$work/root/dumped" "KRAIT_DUMP writes through a link as root"
# shellcheck disable=SC2016
as_root KRAIT_DEBUG=1 KRAIT_PERF="$work/user" sh -c 'ln -s "$1/root/jitted" jit-$$.dump; ln -s "$1/root/mapped" /tmp/perf-$$.map; echo $$ > process; exec "$1/raised" run' sh "$work"
intact "$work/root/jitted" "KRAIT_PERF writes through a link as root"
intact "$work/root/mapped" "KRAIT_DEBUG appends through a link in /tmp as root"
rm -f "/tmp/perf-$(cat process).map"
as_root KRAIT_LOG="info:$work/root/log" "$work/raised" run
as_root KRAIT_CACHE=rw KRAIT_CACHE_DIR="$work/root/cache" XDG_CACHE_HOME="$work/root/cache" HOME="$work/root/cache" "$work/raised" run
as_root KRAIT_CACHE=rw HOME="$work/root/cache" "$work/raised" run
for made in log cache; do [ -e "$work/root/$made" ] && { echo "OPEN: a variable makes root/$made as root"; failed=1; }; done
as_root KRAIT_DEVICE=nowhere KRAIT_NUM_THREADS=none KRAIT_CPU=none KRAIT_MEMORY_LIMIT=none "$work/raised" run || { echo "variables take effect:"; cat "$work/said"; failed=1; }
exit $failed
