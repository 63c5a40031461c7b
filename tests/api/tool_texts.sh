#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the tool says, word by word: tool_texts.sh KRAIT PROGRAM KERNEL.kir
# The program runs kernels on the device of the variable KRAIT_DEVICE.
set -uo pipefail
krait=$1 program=$2 kernel=$3 failed=0
KRAIT_CACHE_DIR=$(mktemp -d)
export KRAIT_CACHE_DIR
tools=$(mktemp -d)
trap 'rm -rf "$KRAIT_CACHE_DIR" "$tools"' EXIT

says() {  # STATUS COMMAND...: the lines of standard input are among what the command prints, and it exits so
  local status=$1 line out
  shift
  out=$("$krait" "$@" 2>&1)
  if [ $? -ne "$status" ]; then echo "krait $*: exit status is not $status" >&2; failed=1; fi
  while IFS= read -r line; do
    case "$out" in *"$line"*) ;; *) printf 'krait %s: prints no "%s" but\n%s\n' "$*" "$line" "$out" >&2; failed=1 ;; esac
  done
}

matches() {  # PATTERN COMMAND...: what the command prints, its lines joined by blanks, is like the shell's pattern
  local pattern=$1 out
  shift
  out=$("$krait" "$@" 2>&1 | tr '\n' ' ')
  # shellcheck disable=SC2053
  [[ $out == *$pattern* ]] || { printf 'krait %s: prints nothing like "%s" but\n%s\n' "$*" "$pattern" "$out" >&2; failed=1; }
}

says 0 --help <<'TEXT'
Inspects Krait's kernels and devices
print a kernel, stage by stage
list the devices
list, check or remove the compiled kernels on disk
TEXT
says 0 dump --help <<'TEXT'
a kernel in text form (.kir), - for standard input
a comma list of ir, passes (IR after each pass, changes marked), diff (only the changes), final, hints, stats, llvm, asm, ptx, sass, spirv, spirv-cl, spirv-cl-llvm, wgsl. Given alone, spv writes the words of a SPIR-V module
write a page with the stages side by side and linked lines; without --emit: all stages
cpu, sm_90, vulkan, opencl, webgpu, or a full target string as printed by `krait devices`
run a program and print every kernel that it compiles; its output goes to stderr
TEXT
says 0 cache --help <<'TEXT'
every entry, most recently used first
show an entry: its source and how it was compiled
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
says 0 --help <<'TEXT'
write kernels into a file that programs load, or list the contents of one
TEXT
says 0 pack --help <<'TEXT'
the file, such as kernels.kpack
kernels in text form (.kir); without them the pack is listed
targets to compile for, separated by semicolons; "": only the IR
--targets TEXT=x86-64-v2; x86-64-v3; x86-64-v4; sm_75; sm_80; sm_90; vulkan
TEXT
says 0 mpi --help <<'TEXT'
make krait/dist.h work with another MPI
compile the library for an MPI of unknown ABI, which KRAIT_MPI then names
TEXT
says 0 mpi build --help <<'TEXT'
the file, such as libkrait_mpi.so
the C++ compiler of that MPI
TEXT
says 0 pack "$tools/saxpy.kpack" "$kernel" --targets 'x86-64-v3; sm_90' <<'TEXT'
saxpy (f32, view<f32, 1, const>, view<f32, 1>): "cpu x86-64 lanes=8 cpu=x86-64-v3 tune=x86-64-v3", "ptx sm=90 isa=80"
TEXT
says 0 pack "$tools/saxpy.kpack" <<'TEXT'
saxpy (f32, view<f32, 1, const>, view<f32, 1>): "cpu x86-64 lanes=8 cpu=x86-64-v3 tune=x86-64-v3", "ptx sm=90 isa=80"
TEXT
says 2 dump <<'TEXT'
krait dump: give a .kir file, or --run PROGRAM [ARGS], or --hash HASH
TEXT
says 1 dump --html "$tools/page.html" --run true <<'TEXT'
krait dump: true compiled no kernel of its own; --all shows Krait's own kernels, too
TEXT
says 1 dump --html "$tools/page.html" --all --run true <<'TEXT'
krait dump: true compiled no kernel: there is nothing to show
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

# Entries: sound ones, one of another name, and one that others may write.
KRAIT_CACHE=rw KRAIT_DEVICE=cpu "$program" "$tools/site" > "$tools/said" 2>&1 || { cat "$tools/said" >&2; failed=1; }
entries=("$KRAIT_CACHE_DIR"/*.krait)
hash=$(basename "${entries[0]}" .krait)
matches 'made of * bytes, * bytes: kir 1' cache show "$hash"
printf 'none of it is text \1' > "$KRAIT_CACHE_DIR/$(printf '%032d' 7).krait"
chmod 600 "$KRAIT_CACHE_DIR/$(printf '%032d' 7).krait"
cp -p "${entries[0]}" "$KRAIT_CACHE_DIR/$(printf '%032d' 8).krait"
cp -p "${entries[0]}" "$KRAIT_CACHE_DIR/$(printf '%032d' 9).krait"
chmod 666 "$KRAIT_CACHE_DIR/$(printf '%032d' 9).krait"
says 1 cache verify <<'TEXT'
00000000000000000000000000000008.krait: of another name
00000000000000000000000000000009.krait: cannot be read, or is writable by others
entries intact, 3 damaged
TEXT
says 0 cache prune <<TEXT
3 entries removed, ${#entries[@]} left, 
TEXT
KRAIT_CACHE_DIR='' XDG_CACHE_HOME='' HOME='' says 0 cache list <<'TEXT'
krait: there is no cache: no folder is set
TEXT

KRAIT_DEVICE=cpu matches 'cpu * GiB, target "cpu x86-64 *"' devices
[ -e /dev/nvidiactl ] || says 0 devices <<'TEXT'
cuda: no NVIDIA driver: /dev/nvidiactl does not exist
TEXT
grep -q avx512vl /proc/cpuinfo || KRAIT_DEVICE=cpu KRAIT_CPU=v4 matches 'KRAIT_CPU=v4: this processor supports x86-64-v[23] at most' devices
KRAIT_DEVICE=cpu KRAIT_CPU=v2,fast says 1 devices <<'TEXT'
KRAIT_CPU=v2,fast: expected a list of v2, v3, v4, amd, intel, lanes=1..64, parts=1..8 and -IDIOM, not "fast"
TEXT
KRAIT_DEVICE=cpu KRAIT_CPU=-flips matches 'KRAIT_CPU=-flips: there is no idiom "flips"; there are clamped_loads, *' devices
KRAIT_DEVICE=cpu KRAIT_CPU=v2,-clamped_loads matches 'cpu * GiB, target "cpu x86-64 *features=-clamped_loads"' devices

# NVIDIA's assembler and disassemblers, made up.
if [ ! -e /usr/local/cuda/bin ]; then
  PATH=$tools says 1 dump "$kernel" --emit sass --target sm_90 <<'TEXT'
SASS needs NVIDIA's ptxas on the PATH (CUDA toolkit)
TEXT
  printf '#!/bin/sh\necho no such instruction; exit 1\n' > "$tools/ptxas"
  chmod 755 "$tools/ptxas"
  PATH=$tools says 1 dump "$kernel" --emit sass --target sm_90 <<'TEXT'
SASS needs NVIDIA's nvdisasm or cuobjdump on the PATH (CUDA toolkit)
TEXT
  printf '#!/bin/sh\necho cannot read it; exit 1\n' > "$tools/nvdisasm"
  chmod 755 "$tools/nvdisasm"
  PATH=$tools says 1 dump "$kernel" --emit sass --target sm_90 <<'TEXT'
ptxas rejects the kernel: no such instruction
TEXT
  printf '#!/bin/sh\nexit 0\n' > "$tools/ptxas"
  PATH=$tools says 1 dump "$kernel" --emit sass --target sm_90 <<'TEXT'
the disassembler failed: cannot read it
TEXT
  TMPDIR=/nowhere PATH=$tools says 1 dump "$kernel" --emit sass --target sm_90 <<'TEXT'
cannot create a temporary folder in /nowhere/krait-XXXXXX
TEXT
fi
exit $failed
