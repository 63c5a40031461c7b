#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A pack is run by processes that never load the code generator, and by a library that has none: shipped.sh SHIPPED LIBKRAIT FROM_C
set -uo pipefail
shipped=$1 from_c=$3 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export KRAIT_CACHE=off
library=$work/$(basename "$2")
cp -L "$2" "$library"
alone() { LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}$library" "$@"; }  # it is found by its name, and there is no code generator beside it

matches() {  # PATTERN COMMAND...
  local pattern=$1 out
  shift
  out=$("$@" 2>&1)
  # shellcheck disable=SC2053
  [[ $out == $pattern ]] || { printf '%s: expected "%s" but\n%s\n' "$*" "$pattern" "$out" >&2; failed=1; }
}

"$shipped" make "$work/levels.kpack" "x86-64-v2; x86-64-v3; x86-64-v4; sm_90; vulkan" || failed=1
KRAIT_DEVICE=cpu matches "without the code generator" "$shipped" run "$work/levels.kpack"
KRAIT_DEVICE=cpu KRAIT_CPU=v2 matches "without the code generator" "$shipped" run "$work/levels.kpack"
KRAIT_DEVICE=cpu matches "without the code generator" alone "$shipped" run "$work/levels.kpack"
KRAIT_DEVICE=cpu matches "from C" alone "$from_c" "$work/levels.kpack"
vulkan=$(KRAIT_DEVICE=vulkan "$shipped" run "$work/levels.kpack" 2>&1)
case "$vulkan" in
  "without the code generator") KRAIT_DEVICE=vulkan matches "from C" alone "$from_c" "$work/levels.kpack" ;;
  "no device matches KRAIT_DEVICE=vulkan"*) echo "no Vulkan device: not run there" ;;
  *) printf 'on Vulkan: %s\n' "$vulkan" >&2; failed=1 ;;
esac

"$shipped" make "$work/far.kpack" "sm_90" || failed=1
KRAIT_DEVICE=cpu matches "with the code generator" "$shipped" run "$work/far.kpack"
# What is inside, what is needed, and why that is not there.
KRAIT_DEVICE=cpu KRAIT_CPU=v2,amd matches 'kernel saxpy (*shipped.cpp:*): */far.kpack has code for "ptx sm=90 isa=80", but none that cpu runs ("cpu x86-64 lanes=4 cpu=x86-64-v2 tune=x86-64-v2"); to compile it here, the code generator is needed, and *libkrait_codegen.so: cannot open*: pack the kernel for this target, too, or install libkrait_codegen.so' \
  alone "$shipped" run "$work/far.kpack"

# Code of another format is made anew, where that is possible.
"$shipped" age "$work/levels.kpack" || failed=1
KRAIT_DEVICE=cpu matches "with the code generator" "$shipped" run "$work/levels.kpack"
KRAIT_DEVICE=cpu KRAIT_CPU=v2,amd matches '*, but that for "cpu x86-64 lanes=4 cpu=x86-64-v2 tune=x86-64-v2" cannot be used (its code is in format 99, expected 4: *); to compile it here, *' \
  alone "$shipped" run "$work/levels.kpack"
exit $failed
