#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# unequal.sh MPI PROGRAM OTHER    rank 1 runs another program than rank 0: one with a world, one without MPI, and one with MPI alone
set -uo pipefail
mpi=$1 program=$2 other=$3 failures=0
launcher=mpirun.$mpi
export KRAIT_DIST_TIMEOUT=2 KRAIT_DEVICE=cpu KRAIT_HINTS=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
command -v "$launcher" >/dev/null || { echo "skipped: there is no $launcher (Debian: openmpi-bin or mpich)"; exit 77; }
options=()
[ "$mpi" = openmpi ] && options=(--oversubscribe)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
name=$folder/krait_unequal_$$
ln -s "$(realpath "$program")" "$name"
expect() {  # expect RANKS TEXT COMMAND…
  local said status=0 count
  said=$(timeout 30 "$launcher" "${options[@]}" -n 1 "$name" none : -n 1 "${@:3}" 2>&1) || status=$?
  count=$(grep -F "$2" <<< "$said" | grep -c "^krait: rank [01] of 2: ")
  if [ "$status" -eq 0 ] || [ "$status" -eq 124 ] || [ "$count" -ne "$1" ]; then
    echo "$launcher, ${*:3}: status $status, $count ranks say \"$2\", not $1: $said"
    failures=$((failures + 1))
  fi
  if pgrep -f "^$name" >/dev/null; then echo "$launcher, ${*:3}: processes are left"; failures=$((failures + 1)); fi
}
expect 2 "the ranks make different calls: " "$other"
no_world="krait: rank 0 of 2: kr::dist::world: no answer for 2 s (KRAIT_DIST_TIMEOUT): MPI waits for a process without a world: start the same program on all ranks"
expect 1 "$no_world" true
if command -v "mpicxx.$mpi" >/dev/null; then
  echo '#include <mpi.h>
  int main(int count, char** words) { MPI_Init(&count, &words), MPI_Finalize(); }' > "$folder/plain.cpp"
  "mpicxx.$mpi" "$folder/plain.cpp" -o "$folder/plain" && expect 1 "$no_world" "$folder/plain"
fi
exit $((failures > 0))
