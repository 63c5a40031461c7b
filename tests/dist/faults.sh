#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# faults.sh PROGRAM LAUNCHER [MODE]…    a rank of three goes wrong in each way, or in these: every rank says why in time, and no process is left
set -uo pipefail
program=$1 launcher=$2 modes=" ${*:3} "
limit=2 failures=0
export KRAIT_DIST_TIMEOUT=$limit KRAIT_DEVICE=cpu OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
command -v "$launcher" >/dev/null || { echo "skipped: there is no $launcher (Debian: openmpi-bin or mpich)"; exit 77; }
options=()
[[ $launcher == *openmpi ]] && options=(--oversubscribe)
# A name of its own, so that processes left over are this run's.
name=krait_faults_$$
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$(realpath "$program")" "$folder/$name"

wrong() { echo "$mode: $1"; sed 's/^/    /' "$folder/said"; failures=$((failures + 1)); }

# expect MODE RANKS TEXT [MOST]: so many ranks print a sentence with the text, and the job fails. No rank but
# these prints a sentence, or MOST do.
expect() {
  mode=$1
  [[ $modes == "  " || $modes == *" $mode "* ]] || return
  local status=0 began=$EPOCHREALTIME left said
  timeout 60 "$launcher" "${options[@]}" -n 3 "$folder/$name" "$mode" >"$folder/said" 2>&1 || status=$?
  [ "$status" -ne 124 ] || wrong "it does not end"
  [ "$status" -ne 0 ] || wrong "its status is 0"
  said=$(grep -c "^krait: rank [0-2] of 3: " "$folder/said")
  [ "$said" -ge "$2" ] && [ "$said" -le "${4:-$2}" ] || wrong "$said ranks say why, not $2"
  [ "$(grep -cE "^krait: rank [0-2] of 3: .*$3" "$folder/said")" -eq "$2" ] || wrong "not each says \"$3\""
  grep -q "^done" "$folder/said" && wrong "the job goes on"
  left=$(ps -eo args | grep -c "^$folder/$name")
  [ "$left" -eq 0 ] || wrong "$left processes are left"
  echo "$mode: status $status, $(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $began }") s"
}

mode=none
"$launcher" "${options[@]}" -n 3 "$folder/$name" none >"$folder/said" 2>&1 && grep -q ^done "$folder/said" || wrong "a job without a fault fails"
expect error 3 "copy_from: the container holds 5 elements, but the array holds 3$"
expect exception 3 "no more of this$"
expect world 3 "an exception ended its kr::dist::world$"
# "it called exit() while its kr::dist::world lived", as a regular expression.
expect exit 3 "it called exit\(\) while its kr::dist::world lived$"
expect call 3 "the ranks make different calls: .*rank 1 calls kr::dist::world::barrier"
expect length 3 "the ranks make different calls: .*rank 1 calls kr::dist::array \(8, 31, 0, 0\)"
expect type 3 "the ranks make different calls: .*rank 1 calls kr::sum of float"
expect return 3 "rank 1 calls the end of kr::dist::world"
expect swallowed 3 "the ranks make different calls"
expect order 3 "no answer for $limit s \(KRAIT_DIST_TIMEOUT\): .*waits in kr::"
# The launcher wakes the stopped rank before it ends it: that one may say something too.
expect stopped 2 "rank 1 does not answer: it computes, is stopped or has ended" 3
# The launcher sees these, and ends the others before they see anything.
expect killed 0 ""
[[ $launcher == *mpich ]] || expect gone 0 ""  # MPICH's launcher calls this a success
exit $((failures > 0))
