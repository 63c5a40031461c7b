#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# solvers.sh MPI RANKS PROGRAM    systems of equations by the ScaLAPACK of that MPI; skipped where there is none
# solvers.sh MPI refused PROGRAM    libraries that are missing, or of another MPI or kind
set -uo pipefail
mpi=$1 ranks=$2 program=$3
here=$(dirname "$0")
has() { [[ $(PATH=$PATH:/usr/sbin:/sbin ldconfig -p) == *"libscalapack-$1.so.2.2"* ]]; }
has "$mpi" || { echo "skipped: there is no libscalapack-$mpi.so.2.2 (Debian: libscalapack-${mpi}2.2)"; exit 77; }
[ "$ranks" = refused ] || exec "$here/launched.sh" "mpirun.$mpi" "$ranks" "$program"

failures=0
refused() {  # refused LIBRARY TEXT
  KRAIT_SCALAPACK=$1 "$here/launched.sh" "mpirun.$mpi" 2 "$program" refused "$2" || { echo "$1: status $?"; failures=$((failures + 1)); }
}
refused libnowhere.so "kr::solve: processes need ScaLAPACK for it: libnowhere.so: cannot open shared object file: No such file or directory; install it for this MPI, or name its library in KRAIT_SCALAPACK"
refused libz.so.1 "kr::solve: processes need ScaLAPACK for it: libz.so.1 has no function Cblacs_pinfo; install it for this MPI, or name its library in KRAIT_SCALAPACK"
other=mpich
[ "$mpi" = mpich ] && other=openmpi
has "$other" && refused "libscalapack-$other.so.2.2" "kr::solve: processes need ScaLAPACK for it: libscalapack-$other.so.2.2 belongs to another MPI than this process"
exit $((failures > 0))
