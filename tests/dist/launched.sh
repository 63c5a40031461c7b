#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# launched.sh LAUNCHER RANKS PROGRAM    the program by a launcher; skipped where there is none
set -euo pipefail
launcher=$1 ranks=$2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
command -v "$launcher" >/dev/null || { echo "skipped: there is no $launcher (Debian: openmpi-bin or mpich)"; exit 77; }
options=()
[[ $launcher == *openmpi ]] && options=(--oversubscribe)
exec "$launcher" "${options[@]}" -n "$ranks" "${@:3}"
