#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# krait run, doctor, bench and devices --json: what they do, and what they say to arguments and files that are wrong: tool_commands.sh KRAIT
set -uo pipefail
krait=$1 failed=0
KRAIT_CACHE_DIR=$(mktemp -d)
export KRAIT_CACHE_DIR
unset KRAIT_CACHE KRAIT_DEVICE

says() {  # STATUS COMMAND...: the lines of standard input are among what the command prints, and it exits so
  local status=$1 line out
  shift
  out=$("$krait" "$@" 2>&1)
  if [ $? -ne "$status" ]; then echo "krait $*: exit status is not $status" >&2; failed=1; fi
  while IFS= read -r line; do
    case "$out" in *"$line"*) ;; *) printf 'krait %s: prints no "%s" but\n%s\n' "$*" "$line" "$out" >&2; failed=1 ;; esac
  done
}

# ---- krait run --------------------------------------------------------------------------------------------------------------------
work=$(mktemp -d)
trap 'rm -rf "$KRAIT_CACHE_DIR" "$work"' EXIT
cat > "$work/axpy.kir" <<'KIR'
kir 1
kernel @axpy fp(native) (%0: f32, %1: view<f32, 1, const>, %2: view<f32, 1>) {
  %3: i64 = extent %2 {0}
  grid_stride %3 {
  ^(%4: i64):
    %5: f32 = load %1, %4
    %6: f32 = mul %0, %5
    %7: f32 = load %2, %4
    %8: f32 = add %6, %7
    store.f32 %2, %4, %8
    continue
  }
  return
}
KIR
cd "$work"
npy() {  # FILE TYPE ORDER SHAPE: numpy.save's file without its data
  printf '\x93NUMPY\x01\x00\x76\x00' > "$1"
  printf "%-117s\n" "{'descr': '$2', 'fortran_order': $3, 'shape': ($4), }" >> "$1"
}
four='\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40'  # 1, 2, 3, 4
npy x.npy '<f4' False '4,' && printf "$four" >> x.npy
npy f64.npy '<f8' False '2,' && printf "$four" >> f64.npy
npy fortran.npy '<f4' True '2, 2' && printf "$four" >> fortran.npy
npy big_endian.npy '>f4' False '4,' && printf '\x3f\x80\x00\x00\x40\x00\x00\x00\x40\x40\x00\x00\x40\x80\x00\x00' >> big_endian.npy
npy text.npy '<U4' False '1,' && printf "$four" >> text.npy
npy short.npy '<f4' False '5,' && printf "$four" >> short.npy
npy huge.npy '<f4' False '4611686018427387904, 8'
npy no_shape.npy '<f4' False '-1'
printf '\x93NUMPY\x09\x00\x76\x00' > version.npy
printf '\x93NUMPY\x01\x00\x76\x00{' > header.npy
says 0 run axpy.kir 2 x.npy zeros:4 --device cpu <<'TEXT'
parameter 3 [4]: 2, 4, 6, 8
TEXT
says 0 run axpy.kir 2 big_endian.npy zeros:4 --device cpu <<< 'parameter 3 [4]: 2, 4, 6, 8'
cat > rows.kir <<'KIR'
kir 1
kernel @rows fp(native) (%0: view<f32, 2, const>, %1: view<f32, 1>) {
  %2: i64 = const 0
  %3: i64 = extent %1 {0}
  grid_stride %3 {
  ^(%4: i64):
    %5: f32 = load %0, %2, %4
    store.f32 %1, %4, %5
    continue
  }
  return
}
KIR
says 0 run rows.kir fortran.npy zeros:2 --device cpu <<< 'parameter 2 [2]: 1, 3'  # the first row
says 0 run axpy.kir -0.5 x.npy x.npy --device cpu <<'TEXT'
parameter 3 [4]: 0.5, 1, 1.5, 2
TEXT
says 0 run axpy.kir 2 x.npy x.npy --out 3=y.npy --device cpu --grid 2 --block 2 </dev/null
says 0 run axpy.kir 1 y.npy zeros:4 --device cpu <<'TEXT'
parameter 3 [4]: 3, 6, 9, 12
TEXT
says 0 run axpy.kir 2 x.npy zeros:4 --device interpreter --count 1 <<'TEXT'
parameter 3 [4]: 2, 4, 6, 8
TEXT
refuses() {  # MESSAGE ARGUMENTS...
  local message=$1
  shift
  says 1 run axpy.kir "$@" <<< "krait: $message"
}
refuses 'krait run axpy.kir: 1 argument is given, the kernel takes 3:' 2
refuses '"two" is given for parameter 1, a f32: expected a number' two x.npy x.npy
refuses 'f64.npy has 1 dimension of type <f8, but is given for parameter 2, an array of 1 dimension of type <f4' 2 f64.npy x.npy
refuses "text.npy: elements of type <U4: expected numbers, such as numpy.save(file, x.astype('f4')) writes" 2 text.npy x.npy
refuses 'short.npy: the file ends within its 20 bytes of data: write it again' 2 short.npy x.npy
refuses 'huge.npy: the array is larger than any memory' 2 huge.npy x.npy
refuses 'no_shape.npy: a header without a shape: expected a file that numpy.save wrote' 2 no_shape.npy x.npy
refuses 'version.npy: an unknown version of the format: expected a file that numpy.save wrote' 2 version.npy x.npy
refuses 'header.npy: the file ends in its header: expected a file that numpy.save wrote' 2 header.npy x.npy
refuses 'axpy.kir: not a .npy file: expected a file that numpy.save wrote' 2 axpy.kir x.npy
refuses 'none.npy: No such' 2 none.npy x.npy
refuses 'zeros:3,x: "3,x" is not a list of whole numbers from 0, such as 64,32' 2 x.npy zeros:3,x
refuses '--out 2=y.npy: the kernel writes no parameter 2' 2 x.npy zeros:4 --out 2=y.npy
refuses '--out y.npy: expected the number of a parameter and a file, such as 3=result.npy' 2 x.npy zeros:4 --out y.npy
refuses '/nowhere/y.npy: cannot be written: No such file or directory' 2 x.npy zeros:4 --out 3=/nowhere/y.npy --device cpu
refuses 'krait run: --grid and --count are two ways to say how many threads run: give one of them' 2 x.npy zeros:4 --grid 1 --count 3
refuses "krait run: --grid needs --block: the kernel's text does not fix one" 2 x.npy zeros:4 --grid 1
refuses 'krait run: --block needs --grid' 2 x.npy zeros:4 --block 1
refuses 'krait run: --count -3: expected a number of threads from 0' 2 x.npy zeros:4 --count -3
refuses 'kernel axpy: the block 4096 x 1 x 1 exceeds the limit of cpu: 1024 x 1024 x 1024' 2 x.npy zeros:4 --device cpu --grid 1 --block 4096
cat > fixed.kir <<'KIR'
kir 1
kernel @fixed fp(native) block(4, 1, 1) (%0: u8, %1: i8, %2: view<f32, 1, const>) {
  return
}
KIR
says 1 run fixed.kir 300 0 x.npy <<< 'krait: "300" is given for parameter 1, a u8: expected a whole number from 0 to 255'
says 1 run fixed.kir 1 -129 x.npy <<< 'krait: "-129" is given for parameter 2, a i8: expected a whole number from -128 to 127'
says 1 run fixed.kir 1 1 x.npy <<< 'krait: krait run: the kernel writes no array that says how many threads to run: give --count or --grid and --block'
says 1 run fixed.kir 1 1 x.npy --grid 1,2,3,4 <<< 'krait: --grid 1,2,3,4: expected one to three numbers'
says 1 run fixed.kir 1 1 x.npy --grid 1 --block 8 <<< "krait: krait run: --block 8: the kernel's text fixes blocks of 4 x 1 x 1"
says 0 run fixed.kir 1 1 x.npy --count 5 --device cpu < /dev/null
cat > struct.kir <<'KIR'
kir 1
kernel @struct fp(native) (%0: argument<bytes(8), 1, const>) {
  return
}
KIR
says 1 run struct.kir 1 --count 1 <<< 'krait: parameter 1, a struct: structs by value cannot be given here: pass them as an array'
cat > table.kir <<'KIR'
kir 1
kernel @lookup fp(native) (%0: view<f32, 1, const> = table(0)) {
  return
}
KIR
says 1 run table.kir <<< 'krait: table.kir: kernel lookup reads data of kr::constant, or was taken after the passes: pass such data as an array, and take the text as recorded (kernel.ir(), krait dump --emit ir)'
(ulimit -v 4000000; says 1 run axpy.kir 2 x.npy zeros:4000000000000 <<< 'krait: zeros:4000000000000: there is no memory for the array'; exit $failed) || failed=1
says 1 run "$work" <<< "krait: $work: Is a directory"
says 1 run /dev/zero <<< "krait: /dev/zero: a kernel's text is shorter than 256 MiB"
head -c 100 x.npy > binary.kir
says 1 run binary.kir <<< "krait: binary.kir: 1:1: expected 'kir 1'"

refuses '--out 3=b.npy: parameter 3 is written to a.npy: give one file for it' 2 x.npy zeros:4 --out 3=a.npy --out 3=b.npy
refuses "$work: Is a directory" 2 "$work" zeros:4

# ---- words and files that no command takes -----------------------------------------------------------------------------------------
while IFS='|' read -r message command words; do
  eval "set -- $words"
  # shellcheck disable=SC2086
  says 2 $command "$@" <<< "krait${command:+ $command}: $message; krait${command:+ $command} --help shows its options"
done <<'WORDS'
a command is missing||
unknown command, option or argument "frobnicate"||frobnicate
unknown command, option or argument "--frobnicate"||--frobnicate
a command is missing|cache|
unknown command, option or argument "lits"|cache|lits
HASH is required|cache show|
HASH is given an empty text|cache show|''
unknown command, option or argument "b"|cache show|a b
--size is given an empty text|cache prune|--size ''
--size: 1 required TEXT missing|cache prune|--size
unknown command, option or argument "x"|cache list|x
unknown command, option or argument "x"|cache verify|x
unknown command, option or argument "x"|cache clear|x
unknown command, option or argument "x"|devices|x
unknown command, option or argument "--run"|devices|--run x
unknown command, option or argument "x"|doctor|x
FILE is required|run|
FILE is given an empty text|run|''
ARG is given an empty text|run|axpy.kir ''
--device is given an empty text|run|axpy.kir 2 --device ''
--count: 1 required INT missing|run|axpy.kir --count
Could not convert: --count = many|run|axpy.kir --count many
--grid: At Most 1 required but received 2|run|axpy.kir --grid 1 --grid 2
unknown command, option or argument "x"|bench|x
--seconds: "nan" is not a number of seconds from 0 to 60|bench|--seconds nan
--seconds: "many" is not a number of seconds from 0 to 60|bench|--seconds many
--seconds: "61" is not a number of seconds from 0 to 60|bench|--seconds 61
FOLDER is required|export|
FILE is required|export|folder
PACK is required|pack|
FILE is given an empty text|dump|''
unknown command, option or argument "b"|dump|a b
--target is given an empty text|dump|axpy.kir --target ''
--html is given an empty text|dump|axpy.kir --html ''
--hash is given an empty text|dump|--hash ''
--run is given an empty text|dump|--run ''
--run: 1 required PROGRAM [ARGS] missing|dump|--run
--emit: nix not in {ir,passes,diff,final,hints,stats,llvm,asm,ptx,sass,spirv,spirv-cl,spirv-cl-llvm,wgsl,spv}|dump|axpy.kir --emit ir,nix
WORDS
: > empty.kir
head -c 3000000 /dev/urandom > noise.kir
for file in empty noise; do
  says 1 dump "$file.kir" <<< "krait: $file.kir: 1:1: expected 'kir 1'"
  says 1 run "$file.kir" <<< "krait: $file.kir: 1:1: expected 'kir 1'"
  says 1 pack kernels.kpack "$file.kir" <<< "krait: $file.kir: 1:1: expected 'kir 1'"
  says 1 export site "$file.kir" <<< "krait: $file.kir: 1:1: expected 'kir 1'"
  says 1 pack "$file.kir" <<< "krait: $file.kir is not a pack of kernels: it does not begin with KRAITCH"
  says 1 run axpy.kir 2 "$file.kir" zeros:4 <<< "krait: $file.kir: not a .npy file: expected a file that numpy.save wrote"
done
for command in dump run 'pack kernels.kpack' 'export site'; do
  # shellcheck disable=SC2086
  says 1 $command "$work" <<< "krait: $work: Is a directory"
  # shellcheck disable=SC2086
  says 1 $command none.kir <<< 'krait: none.kir: No such file or directory'
done
says 1 export site /dev/zero <<< "krait: /dev/zero: a kernel's text is shorter than 256 MiB"
says 1 pack /dev/zero <<< 'krait: /dev/zero is not a pack of kernels: it does not begin with KRAITCH'
says 1 pack "$work" <<< "krait: the pack $work cannot be read: Is a directory"
[ ! -e site ] && [ ! -e kernels.kpack ] || { echo "refused files leave a folder or a pack" >&2; failed=1; }
said=$("$krait" dump - 2>&1 < empty.kir)
[ "$said" = "krait: standard input: 1:1: expected 'kir 1'" ] || { echo "krait dump - prints $said" >&2; failed=1; }
for target in 'axpy.kir --target nix' 'axpy.kir --html page.html --target nix' '--target nix --run true'; do
  # shellcheck disable=SC2086
  says 1 dump $target <<'TEXT'
krait: unknown target "nix": expected sm_75 … sm_121, cpu, x86-64-v2 … x86-64-v4, vulkan, opencl, webgpu, or a full target string as printed by `krait devices`
TEXT
done
for command in 'dump axpy.kir' devices 'run axpy.kir 2 x.npy zeros:4 --device cpu' 'cache list'; do
  # shellcheck disable=SC2086
  said=$("$krait" $command 2>&1 > /dev/full)
  [ "$said" = 'krait: standard output: No space left on device' ] || { echo "krait $command > /dev/full prints $said" >&2; failed=1; }
done

# ---- devices, doctor, bench ----------------------------------------------------------------------------------------------------------
says 0 devices --json <<'TEXT'
{"id": "cpu", "name": 
TEXT
says 0 run --help <<'TEXT'
run a kernel in text form
per parameter a number, a .npy file, or zeros:64,32 for an array of that shape
N=FILE: write parameter N to a .npy file; other arrays that the kernel writes are printed
blocks: X, X,Y or X,Y,Z
threads of a block, likewise
threads, in blocks that Krait chooses; default: the elements of the first array that is written
TEXT
says 0 bench --help <<'TEXT'
measure rows of the benchmark suite on this machine
device name, as in KRAIT_DEVICE; default: all devices
only rows with this text in their names
least time to measure each row
TEXT
says 0 doctor --help <<'TEXT'
report what this machine has and run a kernel on each device; exit with status 1 if something is wrong
TEXT
if linker=$(command -v ld); then ln -s "$linker" "$work/ld"; fi  # PoCL's
PATH=$work says 0 doctor <<'TEXT'
ptxas        not found (NVIDIA's CUDA toolkit); it is for registers and spills in krait dump
nvdisasm     not found (NVIDIA's CUDA toolkit); it is for krait dump --emit sass
gdb          not found (Debian: gdb); it is for lines of CPU kernels with KRAIT_DEBUG=1
perf         not found (Debian: linux-perf); it is for names of CPU kernels with KRAIT_DEBUG=1
TEXT
KRAIT_CACHE=off says 0 doctor <<'TEXT'
cache        in memory only (KRAIT_CACHE)
TEXT
(unset KRAIT_CACHE_DIR HOME XDG_CACHE_HOME; says 1 doctor <<< 'cache        WRONG: no folder is known: set HOME or KRAIT_CACHE_DIR'; exit $failed) || failed=1
KRAIT_CACHE_DIR=$work/kept says 0 doctor <<TEXT
cache        $work/kept: mode 0700, 0 kernels, 0.0 of 1024 MiB
TEXT
says 0 doctor <<TEXT
cache        $KRAIT_CACHE_DIR: mode 0700, 
the self-test passes
Kernels run on all devices.
TEXT
chmod 0777 "$KRAIT_CACHE_DIR"
says 1 doctor <<TEXT
cache        WRONG: $KRAIT_CACHE_DIR: 
Something is wrong: see the lines above.
TEXT
chmod 0700 "$KRAIT_CACHE_DIR"
# Root may write everywhere; it may not without this capability.
unprivileged=()
[ "$(id -u)" != 0 ] || unprivileged=(setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search)
mkdir "$work/read_only" && chmod 0500 "$work/read_only"
said=$(KRAIT_CACHE_DIR=$work/read_only "${unprivileged[@]}" "$krait" doctor 2>&1)
case "$said" in *"$work/read_only: mode 0500, 0 kernels, 0.0 of 1024 MiB; WRONG: you may not write to it"*) ;; *)
  printf 'krait doctor with a cache that cannot be written prints\n%s\n' "$said" >&2; failed=1 ;;
esac
KRAIT_DEVICE=none says 1 doctor <<'TEXT'
devices      WRONG: no device matches KRAIT_DEVICE=none
TEXT
says 0 bench --device cpu --only saxpy --seconds 0 <<'TEXT'
speed-up  bars of one unit have one scale
saxpy                  plain loop
saxpy                  cpu
TEXT
said=$("$krait" bench --device cpu --only sum --seconds 0 2>&1)
[[ $said == *"plain loop: the same in C++, by "*" -O3 -march=x86-64"*", on one thread. The speed-up is its time divided by the device's." ]] || { echo "krait bench prints $said" >&2; failed=1; }
says 0 bench --device cpu --only M --seconds 0 <<'TEXT'
Mandelbrot, 100 steps
TEXT
says 0 bench --device cpu --only exp --seconds 0 <<'TEXT'
exp, sin, log
TEXT
says 1 bench --device cpu --only none --seconds 0 <<'TEXT'
krait: krait bench --only none: no row has this in its name: krait bench lists them
TEXT
# ---- dump ----------------------------------------------------------------------------------------------------------------------------
says 0 dump axpy.kir --emit stats --target cpu <<'TEXT'
kernel axpy for cpu x86-64
  of an element       8 bytes read, 4 written, 2 flops, 0 functions
  besides             0 of integers, 0 of shared memory, 0 atomics, 0 barriers, 0 branches
  roofline            0.167 flops per byte: bound by memory (a CPU turns at about 10)
TEXT
# Which instructions a compiler chooses is its own affair, except for what only they can do.
sed 's/ fp(native) / fp(native) facts(small, disjoint) /' axpy.kir >small_axpy.kir
says 0 dump small_axpy.kir --emit stats --target 'cpu x86-64 lanes=16 cpu=x86-64-v4' <<< ' vgatherdps, '
says 0 dump axpy.kir --emit stats --target sm_90 <<'TEXT'
: 6 ld.param, 
, 2 ld.global, 
, 1 fma, 
 1 others
TEXT
says 0 dump axpy.kir --emit stats --target vulkan <<'TEXT'
bound by memory (a GPU turns at about 20)
 OpLoad, 
TEXT
cat > heavy.kir <<'KIR'
kir 1
kernel @heavy fp(native) block(64, 1, 1) (%0: view<f64, 1>, %1: u64) {
  %2: i64 = global_id {0}
  %4: u64 = const 100
  %6: f64 = load %0, %2
  %7: f64 = for %4, %6 {
  ^(%8: u64, %9: f64):
    %10: f64 = mul %9, %9
    continue %10
  }
  %11: f64 = for %1, %7 {
  ^(%12: u64, %13: f64):
    %14: f64 = sin %13
    continue %14
  }
  store.f64 %0, %2, %11
  return
}
KIR
says 0 dump heavy.kir --emit stats --target cpu <<'TEXT'
  of an element       8 bytes read, 8 written, 100 flops (100 of them f64), 1 function; a loop counts once where only the launch knows its iterations
TEXT
cat > nothing.kir <<'KIR'
kir 1
kernel @nothing fp(native) () {
  return
}
KIR
says 0 dump nothing.kir --emit stats --target cpu <<'TEXT'
  roofline            bound by arithmetic: it moves no bytes of arrays
TEXT
if command -v ptxas > /dev/null; then
  says 0 dump axpy.kir --emit stats --target sm_90 <<'TEXT'
(H100 turns at about 20)
  registers           14 per thread
  shared memory       0 bytes per block
  spills              0 bytes per thread, of a stack of 0
  occupancy           100 % with blocks of 256 threads
TEXT
fi
[ -e /usr/local/cuda/bin ] || PATH=$work says 0 dump axpy.kir --emit stats --target sm_90 <<'TEXT'
  registers           unknown: NVIDIA's ptxas is not on the PATH (CUDA toolkit); kernel.attributes() asks the driver
TEXT
run=(run axpy.kir 2 x.npy zeros:4 --device cpu --no-check)
KRAIT_DUMP=$work/dumped:ir,stats says 0 "${run[@]}" <<< 'parameter 3 [4]: 2, 4, 6, 8'
grep -q 'mul %0' dumped/0001-axpy.ir && grep -q roofline dumped/0001-axpy.stats || { echo "KRAIT_DUMP wrote $(ls dumped)" >&2; failed=1; }
KRAIT_DUMP=$work/others:ir KRAIT_DUMP_KERNEL=other says 0 "${run[@]}" <<< 'parameter 3 [4]'
[ -z "$(ls others 2> /dev/null)" ] || { echo "KRAIT_DUMP_KERNEL=other wrote $(ls others)" >&2; failed=1; }
KRAIT_DUMP=$work/x:ir,nix says 1 "${run[@]}" <<TEXT
krait: KRAIT_DUMP=$work/x:ir,nix: expected FOLDER:STAGE,… with stages of ir passes diff final hints stats llvm asm ptx sass spirv spirv-cl spirv-cl-llvm wgsl, not "nix"
TEXT
KRAIT_DUMP=nix says 1 "${run[@]}" <<'TEXT'
krait: KRAIT_DUMP=nix: expected FOLDER:STAGE,… with stages of ir passes diff final hints stats llvm asm ptx sass spirv spirv-cl spirv-cl-llvm wgsl
TEXT
KRAIT_DUMP=/proc/none:ir says 1 "${run[@]}" <<'TEXT'
krait: KRAIT_DUMP=/proc/none:ir: /proc/none is not a writable folder
TEXT
says 0 dump --kernel axp --emit ir --run "$krait" "${run[@]}" <<< 'kernel @axpy'
[ -z "$("$krait" dump --kernel other --emit ir --run "$krait" "${run[@]}" 2> /dev/null)" ] || { echo "--kernel other shows a kernel" >&2; failed=1; }
# What was dumped before the program crashed is kept.
says 139 dump --emit ir --run sh -c "\"$krait\" ${run[*]}; kill -SEGV \$\$" <<< 'kernel @axpy'
says 139 dump --html crashed.html --run sh -c "\"$krait\" ${run[*]}; kill -SEGV \$\$" < /dev/null
grep -q 'kernel @axpy' crashed.html || { echo "the page of a program that crashed lacks its kernel" >&2; failed=1; }
export KRAIT_CACHE_DIR=$work/entries
says 0 "${run[@]}" <<< 'parameter 3 [4]'
hash=$("$krait" cache list | sed -n '1s/ .*//p')
says 0 dump --hash "${hash:0:12}" --emit final <<'TEXT'
facts(contiguous, small, disjoint, 
fma %0
TEXT
says 1 dump --hash zz <<TEXT
krait: 0 of the entries in $work/entries start with zz: give enough of one hash, as krait cache list prints it
TEXT
printf 'damaged' > "entries/$(printf '%032d' 7).krait"
chmod 600 entries/*.krait
says 1 dump --hash 00000000 <<< 'krait: 00000000000000000000000000000007.krait: '
says 2 dump axpy.kir --hash "$hash" <<< 'krait dump: give a .kir file, or --run PROGRAM [ARGS], or --hash HASH'
says 2 dump axpy.kir --kernel axpy <<< 'krait dump: --kernel is for --run: a file has one kernel'
says 2 dump axpy.kir --all <<< 'krait dump: --all is for --run: a file has one kernel'
# ---- accesses are checked, on every device ------------------------------------------------------------------------------------------
devices=(cpu interpreter)
for device in vulkan:0 opencl:0; do
  if "$krait" devices | grep -q "^$device "; then devices+=("$device"); else echo "krait run on $device skipped: it is not there" >&2; fi
done
for device in "${devices[@]}"; do
  says 1 run axpy.kir 2 x.npy zeros:5 --device "$device" <<< 'krait: kernel axpy: out of bounds: load from parameter 2 at (4), extents (4), block (0, 0, 0), thread (4, 0, 0)'
  says 0 run axpy.kir 2 x.npy zeros:4 --device "$device" <<< 'parameter 3 [4]: 2, 4, 6, 8'
done
KRAIT_CHECK=1 says 1 run axpy.kir 2 x.npy zeros:5 --device cpu <<< 'krait: kernel axpy: out of bounds: load from parameter 2 at (4), extents (4), block (0, 0, 0), thread (4, 0, 0)'
says 0 run axpy.kir 2 x.npy zeros:3 --device cpu --no-check <<< 'parameter 3 [3]: 2, 4, 6'
sed 's/fp(native)/& facts(contiguous, small, disjoint)/' axpy.kir | "$krait" dump - --emit final --target cpu > final.kir
says 1 run final.kir 2 x.npy zeros:4 --device cpu <<< 'krait: final.kir: kernel axpy was taken after the passes, where accesses can no longer be checked: take the text as recorded (kernel.ir(), krait dump --emit ir), or run it with --no-check'
says 0 run final.kir 2 x.npy zeros:4 --device cpu --no-check <<< 'parameter 3 [4]: 2, 4, 6, 8'

# ---- products of what the command line and texts say --------------------------------------------------------------------------------
for block in '4294967296, 4294967296, 1' '9223372036854775807, 9223372036854775807, 9223372036854775807' '2097152, 1, 1'; do
  sed "s/block(4, 1, 1)/block($block)/" fixed.kir > wide.kir
  for command in run dump 'pack kernels.kpack'; do
    # shellcheck disable=SC2086
    says 1 $command wide.kir <<< "krait: wide.kir: function 'fixed': a fixed block has at most 1048576 threads"
  done
done
most=9223372036854775807
says 1 run axpy.kir 2 x.npy zeros:4 --device cpu --grid 1 --block "$most,$most,$most" <<< "krait: kernel axpy: the block $most x $most x $most exceeds the limit of cpu: 1024 x 1024 x 1024"
says 1 run axpy.kir 2 x.npy zeros:4 --device cpu --grid 1 --block 1024,1024,1024 <<< 'krait: kernel axpy: a block of 1024 x 1024 x 1024 threads exceeds the limit of 1024 threads per block on cpu'
says 1 run axpy.kir 2 x.npy "zeros:$most" <<< "krait: zeros:$most: the array is larger than any memory"
says 0 run axpy.kir 2 x.npy zeros:4 --count 0 --device cpu <<< 'parameter 3 [4]: 0, 0, 0, 0'
for device in "${devices[@]}"; do
  says 1 run axpy.kir 2 x.npy zeros:4 --device "$device" --grid 1 --block 0 <<< 'krait: kernel axpy: the block 0 x 1 x 1 has no threads: it needs at least 1 in each dimension'
  says 0 run axpy.kir 2 x.npy zeros:4 --device "$device" --grid 0 --block 4 <<< 'parameter 3 [4]: 0, 0, 0, 0'
done

# ---- a list ends where a file or an argument follows --------------------------------------------------------------------------------
says 0 dump --emit ir axpy.kir <<< 'kernel @axpy'
says 0 dump --emit ir,final --target cpu axpy.kir <<< 'kernel @axpy'
says 0 dump --emit ir --emit final axpy.kir --target cpu <<< 'kernel @axpy'
says 2 dump --emit ir final axpy.kir <<< 'krait dump: unknown command, option or argument "axpy.kir"; krait dump --help shows its options'
says 0 run --out 3=z.npy axpy.kir 2 x.npy zeros:4 --device cpu < /dev/null
says 0 run --device cpu axpy.kir 1 z.npy zeros:4 <<< 'parameter 3 [4]: 2, 4, 6, 8'
says 0 pack --targets '' listed.kpack axpy.kir <<< 'axpy (f32'

says 0 run --help <<'TEXT'
do not check accesses: by default an access out of bounds is an error with its place
TEXT
says 0 dump --help <<'TEXT'
with --run: only kernels with this text in their names
with --run: also the kernels of Krait's own algorithms
the kernel of the cache entry with a hash that starts with this text (krait cache list)
TEXT
exit $failed
