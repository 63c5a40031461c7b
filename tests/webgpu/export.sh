#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What `krait export` writes, and what it refuses, word by word: export.sh KRAIT KERNELS DOCS FOLDER
set -uo pipefail
krait=$1 kernels=$2 docs=$3 folder=$4 failed=0
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1

fail() { echo "$*" >&2; failed=1; }

"$krait" export good "$kernels"/saxpy.kir "$kernels"/tiled_product.kir > said || fail "export: exit status $?"
grep -qx 'good/index.html runs and checks 2 kernels; serve the folder by https or from localhost' said || fail "said: $(cat said)"
for file in index.html page.mjs krait.mjs krait.d.mts examples.mjs saxpy.mjs saxpy.d.mts tiled_product.mjs tiled_product.d.mts; do
  [ -s "good/$file" ] || fail "there is no $file"
done

cat > body <<'KIR'
kir 1
kernel @one fp(strict) (%0: view<i32, 1>) {
  %1: i64 = extent %0 {0}
  grid_stride %1 {
  ^(%2: i64):
    %3: i32 = const 1
    store.i32 %0, %2, %3
    continue
  }
  return
}
KIR
# A file with this launch, or launches, and a kernel that adds one to an array.
file() {
  printf '%b\n' "$2" > "$1.kir"
  cat body >> "$1.kir"
}
refuses() {  # MESSAGE FILE: leaves no folder
  local said
  said=$("$krait" export none "$2" 2>&1) && fail "$2 is taken"
  case "$said" in *"$1"*) ;; *) fail "$2: no \"$1\" but: $said" ;; esac
  [ ! -e none ] || fail "$2 leaves a folder"
}
refuses 'a number of type f64, which WebGPU lacks: use float, and literals such as 2.0f, or the target'"'"'s f64=double-single' "$kernels"/three_dimensions.kir
"$krait" export --target 'wgsl f64=double-single' doubles "$kernels"/three_dimensions.kir > said || fail "doubles: $(cat said)"
grep -q 'Float64Array' doubles/three_dimensions.d.mts || fail "no Float64Array: $(cat doubles/three_dimensions.d.mts)"
refuses 'krait: nothing.kir: No such file or directory' nothing.kir
refuses 'krait: good: Is a directory' good
{ printf x && head -c 3000000 /dev/urandom | tr -d '\n'; } > noise.kir
refuses "krait: noise.kir: 1:1: expected 'kir 1'" noise.kir
: > empty.kir
refuses "krait: empty.kir: 1:1: expected 'kir 1'" empty.kir
{ printf '; run: block 1 arguments 1\nkir 1\n' && head -c 3000000 /dev/urandom | tr -d '$'; } > noise.kir
refuses "krait: noise.kir: a kernel's file: 2:1: expected 'kernel' in" noise.kir
"$krait" export none noise.kir 2>&1 | LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f]' && fail "control characters of a file are printed"
[ "$("$krait" export none noise.kir 2>&1 | wc -c)" -lt 5000 ] || fail "all of a broken file is printed"
file missing '; no launch'
refuses "krait export missing.kir: 0 arguments are given, the kernel takes 1:
  parameter 1, an array of 1 dimension of type <i4" missing.kir
file wide '; run: block 512 arguments [8]=0'
refuses "kernel one (wide.kir): the example's block of 512 x 1 x 1 has 512 threads, but the target \"webgpu\" takes 256: make it smaller, or give the target more by threads=" wide.kir
file deep '; run: block 1 1 128 arguments [8]=0'
refuses "kernel one (deep.kir): the example's block has 128 threads in z, but WebGPU takes 64" deep.kir
file class '; run: block 8 arguments [8]=0'
refuses '"class" cannot be the name of a function in JavaScript: use letters and digits, and no reserved word of the language' class.kir
refuses 'its accesses are flat: a web page needs kernels as they are recorded' "$kernels"/add_one.kir
file broken '; run: block 8 arguments [8]=0'
sed -i 's/kernel @one/kernel one/' broken.kir
refuses "broken.kir: a kernel's file: 2:8: expected 'fp' in" broken.kir
while IFS='|' read -r launch message; do
  file case "; run: $launch"
  refuses "$message" case.kir
done <<'CASES'
block 8 arguments [8]=7q|a kernel's file: 7q is not an integer
block 8|a kernel's file: expected '[' before ''
block 8 arguments [1,1,1,1,1,1,1]=0|a view has six dimensions at most before
block 8 arguments [8]=bytes(0)|expected two digits per byte before
block 8 arguments [8]=bytes(00)|an argument does not fit the kernel's parameter before
block 8 arguments [8]=stairs(1)|expected ramp, hash, permuted, random or bytes before
block 8 arguments [8]=0 3|more arguments than the kernel takes before '3'
8 arguments [8]=0|a kernel's file: expected grid X Y Z block X Y Z warp LANES arguments …, not 8 arguments [8]=0
block $N arguments [8]=0|a kernel's file: $N arguments [8]=0 is not defined
CASES
cat > twice.kir <<'KIR'
; results: 1
; run: block 8 arguments [8]=ramp(0,1) [8]=0
kir 1
kernel @twice fp(strict) (%0: view<i32, 1, const>, %1: view<i32, 1>) {
  %2: i64 = extent %1 {0}
  grid_stride %2 {
  ^(%3: i64):
    %4: i32 = load %0, %3
    %5: i32 = add %4, %4
    store.i32 %1, %3, %5
    continue
  }
  return
}
KIR
"$krait" export twice twice.kir > said || fail "results: $(cat said)"
grep -q 'function twice(device: GPUDevice, p0: Elements<Int32Array>, options?: LaunchOptions): Promise<Int32Array>' twice/twice.d.mts ||
  fail "results: $(cat twice/twice.d.mts)"
sed 's/results: 1/results: 2/' twice.kir > all.kir
refuses "all.kir: a kernel's file: results: 2 must be the last parameters, arrays of one dimension, after the inputs" all.kir
file picture '; image: 8\n; run: block 8 arguments [8]=0'
refuses "a kernel's file: expected image: WIDTH HEIGHT, not 8" picture.kir
file words '; for: A 1 | 2\n; run: block 8 arguments [8]=0'
refuses "a kernel's file: expected NAME in WORD | WORD …, not A 1 | 2" words.kir
file pairs '; for: A / B in 1 | 2 / 3\n; run: block 8 arguments [8]=0'
refuses "a kernel's file: 1 does not stand for 2 words" pairs.kir
printf '; run: block 8 arguments\nkir 1\nkernel @empty fp(strict) (%%0: f32) {\n  return\n}\n' > scalar.kir
refuses 'an argument is missing before' scalar.kir

# ---- what krait dump --emit ir prints, with arguments and a launch as krait run takes them
"$krait" dump --emit ir "$docs/saxpy.kir" > saxpy.kir
printf '\x93NUMPY\x01\x00\x76\x00%-117s\n\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40' \
  "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" > x.npy  # 1, 2, 3
exports() {  # WORDS...: and the example's numbers are in the site
  rm -rf launched
  "$krait" export launched "$@" > said 2>&1 || fail "export $*: $(cat said)"
}
has() { grep -qF "$1" launched/examples.mjs || fail "no $1 in $(cat launched/examples.mjs)"; }
exports saxpy.kir 2 x.npy zeros:3
has "launch: { grid: [1, 1, 1], block: [64, 1, 1] }"
has "given: [2, { type: 'f32', shape: [3], data: 'AACAPwAAAEAAAEBA' }, { type: 'f32', shape: [3] }]"
has "expected: [{ name: \"p2\", type: 'f32', data: 'AAAAQAAAgEAAAMBA' }]"  # 2, 4, 6
exports saxpy.kir -0.5 x.npy x.npy --grid 2,1 --block 32
has "launch: { grid: [2, 1, 1], block: [32, 1, 1] }"
has "given: [-0.5, "
has "data: 'AAAAPwAAgD8AAMA/' }]"  # 0.5, 1, 1.5
exports saxpy.kir 2 zeros:1000 zeros:1000 --count 130
has "launch: { grid: [3, 1, 1], block: [64, 1, 1] }"
# A file of KRAIT_DUMP has a head, and a name that JavaScript does not take: the kernel's own is there.
{ echo '; ==== kernel saxpy (saxpy.cpp:19) — ir' && cat saxpy.kir; } > 0001-saxpy.ir
exports 0001-saxpy.ir 2 x.npy zeros:3
[ -s launched/saxpy.mjs ] || fail "no saxpy.mjs of 0001-saxpy.ir"
rm -rf launched && "$krait" export launched - 2 x.npy zeros:3 < saxpy.kir > said 2>&1 || fail "standard input: $(cat said)"
# A launch of the command line takes the place of the file's.
file ones '; run: block 8 arguments [8]=0'
exports ones.kir zeros:3
has "given: [{ type: 'i32', shape: [3] }]"
takes_not() {  # MESSAGE WORDS...
  local message=$1 said
  shift
  said=$("$krait" export none "$@" 2>&1) && fail "export $* is taken"
  case "$said" in *"$message"*) ;; *) fail "export $*: no \"$message\" but: $said" ;; esac
  [ ! -e none ] || fail "export $* leaves a folder"
}
takes_not 'krait: krait export saxpy.kir: 1 argument is given, the kernel takes 3:' saxpy.kir 2
takes_not 'krait: "two" is given for parameter 1, a f32: expected a number' saxpy.kir two x.npy x.npy
takes_not "krait: krait export: --grid needs --block: the kernel's text does not fix one" saxpy.kir 2 x.npy x.npy --grid 1
takes_not 'krait: krait export: --block needs --grid' saxpy.kir 2 x.npy x.npy --block 1
takes_not 'krait: krait export: --grid and --count are two ways to say how many threads run: give one of them' saxpy.kir 2 x.npy x.npy --grid 1 --count 3
takes_not 'krait: krait export: arguments, --grid, --block and --count are for one kernel: several have their launches in their files' saxpy.kir 2 x.npy x.npy 0001-saxpy.ir
cat saxpy.kir saxpy.kir > two.kir
takes_not 'krait: krait export two.kir: the file has several kernels: krait dump --emit ir --kernel NAME prints one' two.kir 2 x.npy x.npy
cat > one.kir <<'KIR'
kir 1
kernel @one fp(strict) (%0: view<i32, 1>) {
  %1: i64 = global_id {0}
  %2: i32 = const 1
  store.i32 %0, %1, %2
  return
}
KIR
takes_not 'krait: one.kir: kernel one (one.kir): grid 1 1 1 block 64 1 1 arguments [3]=0: out of bounds: store to parameter 1 at (3)' one.kir zeros:3 --grid 1 --block 64

touch none_file
said=$("$krait" export none_file/site "$kernels"/saxpy.kir 2>&1)
case "$said" in *'the folder none_file/site cannot be made: Not a directory'*) ;; *) fail "a file as folder: $said" ;; esac
said=$("$krait" export --target vulkan none "$kernels"/saxpy.kir 2>&1)
case "$said" in *': a web page takes the target "webgpu" or "wgsl …", not "vulkan"'*) ;; *) fail "another target: $said" ;; esac
for text in 'is made where it is missing' 'kernels in text form with launches (.kir, ; run: …). One kernel without a launch, as krait dump --emit ir prints it, needs arguments after it: per parameter a number, a .npy file, or zeros:64,32' \
  'of one kernel, blocks: X, X,Y or X,Y,Z' 'threads, in blocks of 64 or as the kernel fixes them; default: the elements of the first array that is written' \
  'webgpu, or its limits and features: "wgsl buffers=10"'; do
  "$krait" export --help | tr -s ' \n' ' ' | grep -qF "$text" || fail "no help says: $text"
done
"$krait" --help | tr -s ' \n' ' ' | grep -qF 'write a web page that runs and checks kernels by WebGPU' || fail "--help lacks export"
exit $failed
