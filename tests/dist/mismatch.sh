#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# mismatch.sh PROGRAM    MPI libraries that are missing, or of another kind than the launcher
set -uo pipefail
program=$1 failures=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for launcher in mpirun.openmpi mpirun.mpich; do
  command -v "$launcher" >/dev/null || { echo "skipped: there is no $launcher (Debian: openmpi-bin and mpich)"; exit 77; }
done
expect() {  # expect TEXT COMMAND…
  local said status=0
  said=$("${@:2}" 2>&1) || status=$?
  if [ "$status" -eq 0 ] || ! grep -qF "$1" <<< "$said"; then
    echo "${*:2}: status $status, not \"$1\" but: $said"
    failures=$((failures + 1))
  fi
}
expect "kr::dist: PMI_SIZE=2, but libmpi.so.40 (Open MPI) sees 1 rank: the launcher and the MPI library are of different kinds" \
  env KRAIT_MPI=libmpi.so.40 mpirun.mpich -n 2 "$program" none
expect "kr::dist: OMPI_COMM_WORLD_SIZE=2, but libmpich.so.12 (MPICH) sees 1 rank: the launcher and the MPI library are of different kinds" \
  env KRAIT_MPI=libmpich.so.12 mpirun.openmpi --oversubscribe -n 2 "$program" none
expect "kr::dist: no MPI for the launcher that started this process (it sets PMI_SIZE): libnowhere.so: cannot open shared object file: No such file or directory; name its library in KRAIT_MPI" \
  env KRAIT_MPI=libnowhere.so PMI_SIZE=2 "$program" none
expect "kr::dist: libz.so.1 has neither the ABI of Open MPI, nor MPICH's, nor MPI-5's: name another library in KRAIT_MPI, or make one by krait mpi build" \
  env KRAIT_MPI=libz.so.1 "$program" none
expect "kr::dist: this process has loaded Open MPI and MPICH: link libraries of one kind of MPI" \
  env LD_PRELOAD="libmpi.so.40 libmpich.so.12" "$program" none
exit $((failures > 0))
