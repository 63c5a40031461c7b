#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# packaging/source_archive.sh [FOLDER]    writes krait-VERSION.tar.gz of the last commit, which recipes and FetchContent build from
set -euo pipefail
folder=$(realpath "${1:-.}")
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(krait VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
git archive --prefix="krait-$version/" -o "$folder/krait-$version.tar.gz" HEAD
echo "$folder/krait-$version.tar.gz"
sha512sum "$folder/krait-$version.tar.gz" | cut -d' ' -f1
