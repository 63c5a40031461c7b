#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# faults.sh PROGRAM LAUNCHER [MODE]…    a rank of RANKS (3) goes wrong in each way, or in these: every rank says why in time, and no process is left
# The whole table, which takes some minutes, by both launchers:
#   for n in 1 2 3 4; do for l in openmpi mpich; do RANKS=$n tests/dist/faults.sh build/bin/krait_dist_faults mpirun.$l; done; done
set -uo pipefail
program=$1 launcher=$2 modes=" ${*:3} "
ranks=${RANKS:-3} limit=2 failures=0
last=$((ranks - 1))
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
asked() { [[ $modes == "  " || $modes == *" $mode "* ]]; }
# The program in this mode; gives its status and seconds.
run() {
  local began=$EPOCHREALTIME
  status=0
  timeout 60 "$launcher" "${options[@]}" -n "$ranks" "$folder/$name" "$mode" >"$folder/said" 2>&1 || status=$?
  seconds=$(awk "BEGIN { printf \"%.1f\", $EPOCHREALTIME - $began }")
  [ "$status" -ne 124 ] || wrong "it does not end"
  local left
  left=$(ps -eo args | grep -c "^$folder/$name")
  [ "$left" -eq 0 ] || wrong "$left processes are left"
}

# expect MODE RANKS TEXT [MOST]: so many ranks print a sentence with the text, and the job fails. No rank but
# these prints a sentence, or MOST do.
expect() {
  mode=$1
  asked || return
  local said
  run
  [ "$status" -ne 0 ] || wrong "its status is 0"
  said=$(grep -c "^krait: rank [0-$last] of $ranks: " "$folder/said")
  [ "$said" -ge "$2" ] && [ "$said" -le "${4:-$2}" ] || wrong "$said ranks say why, not $2"
  [ "$(grep -cE "^krait: rank [0-$last] of $ranks: .*$3" "$folder/said")" -eq "$2" ] || wrong "not each says \"$3\""
  grep -q "^done" "$folder/said" && wrong "the job goes on"
  echo "$mode, $ranks ranks: status $status, $seconds s"
}
# passes MODE: it is no fault.
passes() {
  mode=$1
  asked || return
  run
  [ "$status" -eq 0 ] || wrong "its status is $status"
  echo "$mode, $ranks ranks: no fault, $seconds s"
}

mode=none
passes none
expect error "$ranks" "copy_from: the container holds 5 elements, but the array holds 3$"
expect exception "$ranks" "no more of this$"
expect world "$ranks" "an exception ended its kr::dist::world$"
# "it called exit() while its kr::dist::world lived", as a regular expression.
expect exit "$ranks" "it called exit\(\) while its kr::dist::world lived$"
if [ "$ranks" -gt 1 ]; then
  expect call "$ranks" "the ranks make different calls: .*rank 1 calls kr::dist::world::barrier"
  expect length "$ranks" "the ranks make different calls: .*rank 1 calls kr::dist::array \(8, 31, 0, 0\)"
  expect type "$ranks" "the ranks make different calls: .*rank 1 calls kr::sum of float"
  expect return "$ranks" "rank 1 calls the end of kr::dist::world"
  expect swallowed "$ranks" "the ranks make different calls"
  expect order "$ranks" "no answer for $limit s \(KRAIT_DIST_TIMEOUT\): .*waits in kr::"
  # The launcher wakes the stopped rank before it ends it: that one may say something too.
  expect stopped "$last" "rank 1 does not answer: it computes, is stopped or has ended" "$ranks"
else
  for mode in call length type return swallowed order; do passes "$mode"; done
fi
# The launcher sees these, and ends the others before they see anything.
expect killed 0 ""
expect gone_3 0 ""
[[ $launcher == *mpich || $ranks -eq 1 ]] || expect gone 0 ""  # MPICH's launcher calls this a success
exit $((failures > 0))
