#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# No file that Krait makes is written through a link that was there, and what is nobody else's concern has mode 0600:
# links.sh KRAIT PROGRAM KERNEL.kir WEB_KERNEL.kir
set -uo pipefail
krait=$1 program=$2 kernel=$3 web=$4 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset KRAIT_LOG KRAIT_DUMP KRAIT_PERF
export KRAIT_CACHE=memory KRAIT_DEVICE=cpu
echo precious > precious
umask 022

planted() { ln -sf "$work/precious" "$1"; }
made() {  # FILE MODE: it is a file of its own with something in it; nothing went through the link
  [ "$(cat precious)" = precious ] || { echo "$1: written through a link"; echo precious > precious; failed=1; }
  [ ! -L "$1" ] && [ -s "$1" ] || { echo "$1: a link still, or empty"; failed=1; }
  [ "$(stat -c %a "$1")" = "$2" ] || { echo "$1: mode $(stat -c %a "$1"), not $2"; failed=1; }
}
run() { "$@" > said 2>&1 || { echo "$*:"; cat said; failed=1; }; }

mkdir d
planted d/0001-scale.ir
run env KRAIT_DUMP=d:ir "$program" run
made d/0001-scale.ir 600

# perf looks for both by the process's number; the map is appended to, as by other compilers, but to no link.
cat > with_perf.sh <<'S'
ln -s "$PWD/precious" jit-$$.dump
[ "$1" = link ] && ln -s "$PWD/precious" /tmp/perf-$$.map
[ "$1" = pipe ] && mkfifo /tmp/perf-$$.map
[ "$1" = name ] && ln "$PWD/precious" /tmp/perf-$$.map 2> /dev/null
[ "$1" = file ] && echo before > /tmp/perf-$$.map
echo $$ > process
exec "$2" run
S
for there in link pipe name file none; do
  run env KRAIT_DEBUG=1 KRAIT_PERF=. timeout 60 sh with_perf.sh "$there" "$program"
  process=$(cat process) map=/tmp/perf-$(cat process).map
  made "jit-$process.dump" 600
  case $there in
    none) made "$map" 600 ;;
    file) { grep -q before "$map" && grep -q scale "$map"; } || { echo "perf's map is not appended to"; failed=1; } ;;
    *) [ "$(cat precious)" = precious ] || { echo "perf's map: written through a $there"; echo precious > precious; failed=1; } ;;
  esac
  rm -f "$map" "jit-$process.dump"
done

# A log is appended to, so a link is refused.
planted log
run env KRAIT_LOG=info:log "$program" run
[ "$(cat precious)" = precious ] || { echo "log: written through a link"; failed=1; }
[ "$(cat said)" = "krait: warning: KRAIT_LOG=info:log: the file cannot be written: it is a link: nothing is logged" ] || { cat said; failed=1; }
rm log
run env KRAIT_LOG=info:log "$program" run
made log 600
run env KRAIT_LOG=info:/dev/stdout "$program" run
grep -q "recorded scale" said || { echo "KRAIT_LOG=info:/dev/stdout writes nothing there"; failed=1; }

planted scale.kpack
run "$krait" pack scale.kpack "$kernel" --targets ''
made scale.kpack 644
planted page.html
run "$krait" dump "$kernel" --html page.html --emit ir
made page.html 644
planted y.npy
run "$krait" run "$kernel" 2 zeros:8 zeros:8 --out 3=y.npy
made y.npy 644
mkdir site
planted site/index.html
run "$krait" export site "$web"
made site/index.html 644

# What the system has stays what it is.
run "$krait" dump "$kernel" --html /dev/stdout --emit ir
grep -q '"name":"ir"' said || { echo "--html /dev/stdout prints no page"; failed=1; }
"$krait" dump "$kernel" --html /dev/null --emit ir
[ -c /dev/null ] || { echo "/dev/null is no device any more"; failed=1; }
[ -z "$(find . -name '.krait-new-*')" ] || { echo "left behind: $(find . -name '.krait-new-*')"; failed=1; }
exit $failed
