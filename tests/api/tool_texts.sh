#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the tool says, word by word: tool_texts.sh KRAIT
set -uo pipefail
krait=$1 failed=0
KRAIT_CACHE_DIR=$(mktemp -d)
export KRAIT_CACHE_DIR
trap 'rm -rf "$KRAIT_CACHE_DIR"' EXIT

says() {  # STATUS COMMAND...: the lines of standard input are among what the command prints, and it exits so
  local status=$1 line out
  shift
  out=$("$krait" "$@" 2>&1)
  if [ $? -ne "$status" ]; then echo "krait $*: exit status is not $status" >&2; failed=1; fi
  while IFS= read -r line; do
    case "$out" in *"$line"*) ;; *) printf 'krait %s: prints no "%s" but\n%s\n' "$*" "$line" "$out" >&2; failed=1 ;; esac
  done
}

says 0 --help <<'TEXT'
Inspects Krait's kernels and devices
print a kernel, stage by stage
list the devices
list, check or remove the compiled kernels on disk
TEXT
says 0 dump --help <<'TEXT'
a kernel in text form (.kir), - for standard input
ir, final, hints, llvm, asm, ptx, sass, spirv, spirv-cl, spirv-cl-llvm, wgsl (a comma list); spv alone: the words of a SPIR-V module, for a file
cpu, sm_90, vulkan, opencl, webgpu, or a full target string as printed by `krait devices`
run a program and print every kernel that it compiles; its output goes to stderr
TEXT
says 0 cache --help <<'TEXT'
every entry, most recently used first
an entry: how it was made, and from what
check every entry; exit with status 1 if one is damaged
remove damaged entries, and the least recently used ones beyond the size
remove every entry
TEXT
says 0 cache show --help <<'TEXT'
the beginning of its hash
TEXT
says 0 cache prune --help <<'TEXT'
bytes to keep, such as 500M; default: KRAIT_CACHE_MAXSIZE, else 1G
TEXT
says 2 dump <<'TEXT'
krait dump: give a .kir file, or --run PROGRAM [ARGS]
TEXT
says 0 cache list <<TEXT
0 entries, 0.0 KiB in $KRAIT_CACHE_DIR
TEXT
says 1 cache show 77 <<'TEXT'
krait: no entry's hash starts with 77
TEXT
says 0 cache verify <<'TEXT'
0 entries intact, 0 damaged
TEXT
says 0 cache clear <<'TEXT'
0 entries removed
TEXT
exit $failed
