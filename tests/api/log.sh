#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# usage: log.sh PROGRAM: what KRAIT_LOG tells of a program that launches the kernel `twice`, and of values that it does not have.
program=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
log=$folder/log
export KRAIT_CACHE=rw KRAIT_CACHE_DIR="$folder/cache" KRAIT_TIERS=off
fails=0

# says PATTERN: the log has a line that is it.
says() {
  grep -Eqx "krait: [a-z]+: [0-9]+\.[0-9]{3} ms: $1" "$log" || { echo "no line: $1"; cat "$log"; fails=1; }
}
never() {
  if grep -Eq "$1" "$log"; then echo "there is a line: $1"; cat "$log"; fails=1; fi
}

KRAIT_LOG=debug "$program" 2> "$log" || fails=1
says "device cpu: .*, cpu x86-64 .*"
says "recorded twice \(.*log.cpp:[0-9]+\) in [0-9.]+ ms: [0-9]+ operations"
says "twice \(.*log.cpp:[0-9]+\) for cpu is not in the cache: .*"
says "compiled twice \(.*\) for cpu: best code, [0-9.]+ ms of passes, [0-9.]+ ms of code generation, [0-9.]+ ms to load, [0-9]+ bytes"
says "launch twice on cpu: grid 1 x 1 x 1, block 64 x 1 x 1"
says "launch a graph on cpu: 1 kernels"
says "found twice \(.*\) for cpu in memory"

KRAIT_LOG=info "$program" 2> "$log" || fails=1
says "found twice \(.*\) for cpu on disk: .* [0-9.]+ ms to load"
never "compiled|launch"

# Behind what is there comes a smaller entry, and the folder is too large.
export KRAIT_CACHE_DIR="$folder/full"
KRAIT_CHECK=1 "$program" || fails=1
bytes=$(cat "$KRAIT_CACHE_DIR"/* | wc -c)
KRAIT_CACHE_MAXSIZE=$bytes KRAIT_LOG=info "$program" 2> "$log" || fails=1
says "removed [0-9]+ files from $folder/full: KRAIT_CACHE_MAXSIZE is $bytes bytes"

KRAIT_LOG=info KRAIT_DEVICE=interpreter "$program" many 2> "$log" || fails=1
says "dropped one for interpreter: no kernel holds it"
KRAIT_LOG=info "$program" "$folder/pack" 2> "$log" || fails=1
says "found twice .* for cpu in the pack $folder/pack"

KRAIT_LOG=info:$folder/file "$program" 2> "$log" || fails=1
[ -s "$log" ] && { echo "stderr has lines though a file was named"; fails=1; }
KRAIT_LOG=info:$folder/file "$program"
[ "$(grep -c "info: .* device cpu" "$folder/file")" = 2 ] || { echo "a file that exists is not appended to"; fails=1; }

KRAIT_LOG=error "$program" 2> "$log" || fails=1
[ -s "$log" ] && { echo "errors are told where none is"; cat "$log"; fails=1; }
KRAIT_LOG=error KRAIT_DEVICE=nowhere "$program" 2> "$log" && fails=1
says "no device matches KRAIT_DEVICE=nowhere; available devices: .*"

KRAIT_LOG=error "$program" untaken 2> "$log" || fails=1
says "nobody waited for this error: thrown by a function"
says "nobody waited for this error: a function threw an object that is not a std::exception"
# A fault of a stream that has ended: where launches do not wait, and there is such a device.
if KRAIT_DEVICE=vulkan "$program" 2> /dev/null; then
  KRAIT_LOG=error KRAIT_DEVICE=vulkan "$program" untaken 2> "$log" || fails=1
  says "nobody waited for this error: .*wrong.*; and 63 further faults"
fi

KRAIT_LOG=info KRAIT_DEVICE=vulkan VK_DRIVER_FILES=/nowhere.json VK_ICD_FILENAMES=/nowhere.json "$program" 2> "$log" && fails=1
says "not used: vulkan: no Vulkan .*"

# warns VALUE TEXT
warns() {
  KRAIT_LOG=$1 "$program" 2> "$log" || fails=1
  [ "$(cat "$log")" = "krait: warning: $2" ] || { echo "KRAIT_LOG=$1: another warning than: $2"; cat "$log"; fails=1; }
}
warns all "KRAIT_LOG=all: expected error, info or debug, followed by :FILE for a file: nothing is logged"
warns off "KRAIT_LOG=off: expected error, info or debug, followed by :FILE for a file: nothing is logged"
warns info: "KRAIT_LOG=info:: expected error, info or debug, followed by :FILE for a file: nothing is logged"
warns info:/nowhere/log "KRAIT_LOG=info:/nowhere/log: the file cannot be written: No such file or directory: nothing is logged"
KRAIT_LOG='' "$program" 2> "$log" || fails=1
[ -s "$log" ] && { echo "an empty value is not unset"; fails=1; }
exit $fails
