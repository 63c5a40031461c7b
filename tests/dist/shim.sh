#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# shim.sh MPI KRAIT PROGRAM…    the programs on two ranks, by a library that krait mpi build makes with that MPI's compiler
set -uo pipefail
mpi=$1 krait=$2
here=$(dirname "$0")
command -v "mpirun.$mpi" >/dev/null && echo "#include <mpi.h>" | "mpicxx.$mpi" -fsyntax-only -x c++ - 2>/dev/null || { echo "skipped: mpicxx.$mpi finds no mpi.h (Debian: libopenmpi-dev or libmpich-dev)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
wrong() { echo "$1"; sed 's/^/    /' "$folder/said"; failures=$((failures + 1)); }

"$krait" mpi build "$folder/libkrait_mpi.so" --compiler "mpicxx.$mpi" >"$folder/said" 2>&1 || wrong "krait mpi build fails"
grep -qx "KRAIT_MPI=$folder/libkrait_mpi.so" "$folder/said" || wrong "it does not say how to use the library"
for program in "${@:3}"; do
  KRAIT_MPI=$folder/libkrait_mpi.so "$here/launched.sh" "mpirun.$mpi" 2 "$program" >"$folder/said" 2>&1 || wrong "$(basename "$program") fails"
  grep -c " 0 failures" "$folder/said" | grep -qx 2 || wrong "$(basename "$program"): not both ranks are right"
done
# The library for one MPI, by the launcher of the other, and without a launcher.
other=mpich
[ "$mpi" = mpich ] && other=openmpi
command -v "mpirun.$other" >/dev/null &&
  KRAIT_MPI=$folder/libkrait_mpi.so "$here/launched.sh" "mpirun.$other" 2 "$3" >"$folder/said" 2>&1 && wrong "the launcher of $other takes it"
grep -q "(krait mpi build) sees 1 rank: the launcher and the MPI library are of different kinds" "$folder/said" || wrong "no sentence about the launcher"
"$krait" mpi build "$folder/none.so" --compiler false >"$folder/said" 2>&1 && wrong "a compiler that fails is taken"
grep -qx "krait: mpi build: false fails with status 1: name the C++ compiler of the MPI by --compiler" "$folder/said" || wrong "no sentence about the compiler"
TMPDIR=$folder/missing "$krait" mpi build "$folder/none.so" >"$folder/said" 2>&1 && wrong "a missing folder is taken"
exit $((failures > 0))
