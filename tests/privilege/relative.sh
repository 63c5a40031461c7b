#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Libraries are loaded from where they were when libkrait was loaded, whatever folder the program goes to: relative.sh PROGRAM LIBRARIES PLANTED_LIBRARY
set -uo pipefail
program=$1 libraries=$2 planted=$3 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export KRAIT_CACHE=memory KRAIT_DEVICE=cpu PROOF=$work/proof
mkdir "$work/later" "$work/later/lib" "$work/prefix" "$work/links"
ln -s "$libraries" "$work/prefix/lib"
for name in libkrait_codegen.so libopenblas.so.0 liblapack.so.3 libOpenCL.so.1 libvulkan.so.1 libkrait_translator.so; do
  cp "$planted" "$work/later/lib/$name"
done
check() {  # WHAT
  [ "$status" = 0 ] || { echo "$1: status $status"; cat "$work/said"; failed=1; }
  [ -e "$work/proof" ] && { echo "$1: loaded what was planted"; failed=1; rm -f "$work/proof"; }
}
cd "$work/prefix" || exit 1
LD_LIBRARY_PATH=lib "$program" chdir "$work/later" run > "$work/said" 2>&1
status=$?
check "LD_LIBRARY_PATH=lib"
# The folder that the variable names then is another one.
LD_LIBRARY_PATH=lib "$program" chdir "$work/later" solve devices > "$work/said" 2>&1
status=0
check "LD_LIBRARY_PATH=lib, libraries of others"
if ! grep -q "the program has changed its folder, so that lib/libopenblas.so.0 is another file: make lib absolute in LD_LIBRARY_PATH" "$work/said"; then
  echo "it does not say why there is no LAPACK:"; cat "$work/said"; failed=1
fi
# An empty part of it is the current folder.
LD_LIBRARY_PATH=:$libraries "$program" chdir "$work/later/lib" run solve devices > "$work/said" 2>&1
status=0
check "LD_LIBRARY_PATH=:…"
# The library by a link in another folder.
for name in "$libraries"/libkrait.so.*; do ln -s "$name" "$work/links/"; done
LD_LIBRARY_PATH=$work/links "$program" run > "$work/said" 2>&1
status=$?
check "libkrait.so is a link"
exit $failed
