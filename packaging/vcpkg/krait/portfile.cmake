# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# vcpkg install krait --overlay-ports=packaging/vcpkg, with the archive of packaging/source_archive.sh beside this file. LLVM 22 comes from the machine
# (Debian: llvm-22-dev), found in its usual place or by the variable LLVM_DIR, because vcpkg's own LLVM is of another version.
set(VCPKG_LIBRARY_LINKAGE dynamic)  # the library stays in the process, and loads its code generator from beside it
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${CMAKE_CURRENT_LIST_DIR}/krait-${VERSION}.tar.gz")
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DBUILD_TESTING=OFF -DKRAIT_EXAMPLES=OFF -DKRAIT_BENCH=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/krait)
vcpkg_copy_tools(TOOL_NAMES krait AUTO_CLEAN)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/packaging/copyright")
