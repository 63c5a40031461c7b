#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The manual page has each command and option that the tool has, no other, and no mistake of its own: man_page.sh KRAIT krait.1
set -uo pipefail
krait=$1 failed=0
plain=$(sed 's/\\-/-/g; s/\\f[A-Z]//g' "$2")
known=" --help --version "
commands=$("$krait" --help | sed -n '/^Subcommands:/,$s/^  \([a-z]\+\) .*/\1/p')
[ -n "$commands" ] || { echo "krait --help lists no command" >&2; exit 1; }
commands=$(for c in $commands; do
  sub=$("$krait" "$c" --help | sed -n '/^Subcommands:/,$s/^  \([a-z]\+\) .*/\1/p')
  if [ -n "$sub" ]; then for s in $sub; do echo "$c $s"; done; else echo "$c"; fi
done)
while read -r command; do
  grep -q "^\.B $command\b" <<< "$plain" || { echo "the manual page lacks the command $command" >&2; failed=1; }
  # shellcheck disable=SC2086
  for option in $("$krait" $command --help | grep -o '^  --[a-z-]*'); do
    known+="$option "
    grep -qE "^\.BI? $option\b" <<< "$plain" || { echo "the manual page lacks $option of $command" >&2; failed=1; }
  done
done <<< "$commands"
for option in $(grep -E '^\.BI? --' <<< "$plain" | grep -o -- '--[a-z-]*'); do
  case "$known" in *" $option "*) ;; *) echo "the manual page has $option, which the tool lacks" >&2; failed=1 ;; esac
done
if command -v man > /dev/null; then
  said=$(man --warnings -E UTF-8 -l "$2" 2>&1 > /dev/null)
  [ -z "$said" ] || { echo "$said" >&2; failed=1; }
fi
exit $failed
