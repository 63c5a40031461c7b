#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What ptxas makes of the lines in PTX: a table that NVIDIA's profiler and debuggers read, beside the same instructions.
set -euo pipefail
krait=$1
if ! command -v ptxas > /dev/null || ! command -v readelf > /dev/null; then
  echo "skipped: ptxas or readelf is missing"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > kernel.kir << 'END'
kir 1
kernel @triple fp(native) facts(contiguous, small, disjoint) (%0: view<f32, 1>) {
  %1: i64 = global_id {0} ; user.cpp:13
  %2: f32 = load %0, %1 ; user.cpp:14
  %3: f32 = const 0x1.8p1 ; user.cpp:15
  %4: f32 = mul %2, %3 ; user.cpp:15
  store.f32 %0, %1, %4 ; user.cpp:16
  return ; user.cpp:16
}
END
"$krait" dump kernel.kir --emit ptx --target sm_90 > kernel.ptx
ptxas -arch=sm_90 kernel.ptx -o plain.cubin
ptxas -arch=sm_90 -lineinfo kernel.ptx -o lines.cubin
readelf --debug-dump=decodedline lines.cubin > table 2> /dev/null || true
for line in 13 14 15 16; do
  grep -Eq "^user.cpp +$line " table || { cat kernel.ptx table; echo "no line $line"; exit 1; }
done
for cubin in plain lines; do readelf -x .text.krait_triple $cubin.cubin 2> /dev/null > $cubin.text; done
[ -s plain.text ] && cmp plain.text lines.text
