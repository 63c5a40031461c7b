#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# hdf5_library.sh MPI PROGRAM    HDF5 files by the HDF5 library that is made for this MPI, openmpi or mpich; the one of the other MPI, which would end the process, is refused
set -uo pipefail
mpi=$1 program=$2
here=$(dirname "$0")
export KRAIT_NUM_THREADS=1
for of in openmpi mpich; do
  ldconfig -p | grep -q "libhdf5_$of.so.103 " || { echo "skipped: there is no libhdf5_$of.so.103 (Debian: libhdf5-$of-103-1)"; exit 77; }
  said=$(KRAIT_HDF5=libhdf5_$of.so.103 timeout 60 "$here/launched.sh" "mpirun.$mpi" 2 "$program" 2>&1)
  status=$?
  echo "$said"
  if [[ $of == "$mpi" ]]; then
    ((status == 0)) || exit "$status"
  elif [[ $said != *"libhdf5_$of.so.103 belongs to another MPI than this process"* ]]; then
    echo "libhdf5_$of.so.103 was not refused"
    exit 1
  fi
done
