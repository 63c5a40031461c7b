#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# shared_node.sh LAUNCHER PROGRAM    three ranks share the processors, and one of them says so
set -uo pipefail
launcher=$1 program=$2
export KRAIT_DEVICE=cpu OMPI_MCA_hwloc_base_binding_policy=none
here=$(dirname "$0")
[ "$(nproc)" -gt 1 ] || { echo "skipped: one processor is shared by nobody"; exit 77; }
command -v "$launcher" >/dev/null || { echo "skipped: there is no $launcher (Debian: openmpi-bin or mpich)"; exit 77; }
warnings() {  # with these variables
  env "$@" "$here/launched.sh" "$launcher" 3 "$program" none 2>&1 |
    grep -c "^krait: warning: 3 ranks share the [0-9]* processors of this node, and each computes with [0-9]* of them: "
}
one=$(warnings KRAIT_HINTS=) asked=$(warnings KRAIT_NUM_THREADS=1) silent=$(warnings KRAIT_HINTS=0)
echo "warnings: $one; with KRAIT_NUM_THREADS $asked, with KRAIT_HINTS=0 $silent"
[ "$one $asked $silent" = "1 0 0" ]
