#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The page takes sources from below the folders that may be, whatever files a kernel's text names: page.sh KRAIT
set -uo pipefail
krait=$1 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export KRAIT_CACHE=memory KRAIT_DEVICE=cpu
mkdir -p "$work/kernels/src" "$work/here/.hidden" "$work/elsewhere/src"
cat > "$work/kernels/k.kir" <<KIR
kir 1
kernel @named fp(native) (%0: f32, %1: view<f32, 1, const>, %2: view<f32, 1>) {
  %3: i64 = extent %2 {0} ; ../secret.txt:1
  grid_stride %3 { ; ../../../../../../../../etc/passwd:1
  ^(%4: i64):
    %5: f32 = load %1, %4 ; $work/secret2.txt:1
    store.f32 %2, %4, %5 ; .hidden/key.txt:1
    continue ; link.txt:1
  }
  %6: i64 = extent %1 {0} ; src/shown.cpp:1
  %7: i64 = extent %2 {0} ; /build/machine/elsewhere/src/else.cpp:1
  %8: i64 = extent %1 {0} ; src/long.cpp:2
  return ; constructor:3
}
KIR
echo "SECRET 1" > "$work/secret.txt"
echo "SECRET 2" > "$work/secret2.txt"
echo "SECRET 3" > "$work/here/.hidden/key.txt"
ln -s ../secret.txt "$work/here/link.txt"
echo "PLAIN 1" > "$work/kernels/src/shown.cpp"
echo "PLAIN 2" > "$work/elsewhere/src/else.cpp"
head -c 1100000 /dev/zero | tr '\0' x > "$work/kernels/src/long.cpp"
cd "$work/here" || exit 1
page() { "$krait" dump --html page.html "$@" ../kernels/k.kir --emit ir > said 2>&1 || { cat said; failed=1; }; }
has() { grep -q "$1" page.html || { echo "the page lacks $1"; failed=1; }; }
lacks() { if grep -q "$1" page.html; then echo "the page has $1"; failed=1; fi; }
said() { grep -Fxq "krait dump: source not shown: $1" said || { echo "it does not say: $1"; cat said; failed=1; }; }
outside="is outside the current folder and the kernel's, or is hidden there: --sources FOLDER adds another folder"

page
lacks SECRET
lacks root:
has 'PLAIN 1'
lacks 'PLAIN 2'
for file in ../secret.txt ../../../../../../../../etc/passwd "$work/secret2.txt" .hidden/key.txt link.txt; do said "$file $outside"; done
has "\"secret.txt\":\"../secret.txt $outside\""
said "src/long.cpp is longer than 1 MiB"
[ "$(wc -l < said)" = 6 ] || { echo "more is said:"; cat said; failed=1; }

page --sources "$work/elsewhere"
has 'PLAIN 2'
lacks SECRET
page --sources .hidden/.. --sources .hidden
has 'SECRET 3'
lacks 'SECRET 1'
"$krait" dump --html page.html --sources "$work/none" ../kernels/k.kir > said 2>&1 && failed=1
[ "$(cat said)" = "krait: --sources $work/none: there is no such folder" ] || { cat said; failed=1; }

# Below / is everything, which nobody means.
cd / || exit 1
"$krait" dump --html "$work/here/page.html" "$work/kernels/k.kir" --emit ir > "$work/here/said" 2>&1
cd "$work/here" || exit 1
lacks SECRET
lacks root:
"$krait" dump --help | tr -s '\n ' ' ' | grep -q "with --html: a folder of sources besides the current one and the kernel's or program's; may be repeated" || { echo "--help lacks --sources"; failed=1; }
exit $failed
