#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Neither the libraries nor the tool, nor a pack or a page that the tool writes, names the folders that Krait was built from:
# no_folders.sh SOURCE BUILD LIBRARY PLUGIN TOOL
set -uo pipefail
source=$1 build=$2 tool=$5 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/k.kir" <<'TEXT'
kir 1
kernel @twice fp(native) (%0: view<f32, 1>) {
  %1: i64 = global_id {0} ; k.cpp:1
  %2: f32 = load %0, %1 ; k.cpp:1
  %3: f32 = add %2, %2 ; k.cpp:1
  store.f32 %0, %1, %3 ; k.cpp:1
  return ; k.cpp:1
}
TEXT
cd "$work" || exit 1
"$tool" pack k.kpack k.kir --targets 'x86-64-v3; sm_90' > /dev/null || failed=1
"$tool" dump --html page.html k.kir > /dev/null || failed=1
"$tool" export site k.kir > /dev/null || true
for file in "$3" "$4" "$5" k.kpack page.html site/*; do
  [ -e "$file" ] || continue
  cp -rL "$file" one
  objcopy --decompress-debug-sections one 2> /dev/null || true
  # A build's own libraries are found by their run path, which installing rewrites.
  command -v patchelf > /dev/null && patchelf --remove-rpath one 2> /dev/null
  found=$(strings -n 4 one | grep -F -e "$source/" -e "$build/" | grep -vxF -e "$build/lib" -e "$build/lib:" | sort | uniq -c | head -5)
  rm -rf one
  [ -z "$found" ] || { echo "$file names the folder it was built from:" >&2; echo "$found" >&2; failed=1; }
done
exit $failed
