# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Packages for Debian, by `cpack -G DEB` in the build folder: the library, which runs packed kernels alone; the code generator; the translator for
# OpenCL drivers without SPIR-V, where it was built; the tool; and what programs are built with. Configure with CMAKE_INSTALL_PREFIX=/usr.
set(CPACK_PACKAGE_VENDOR "Krait")
set(CPACK_PACKAGE_CONTACT "Krait maintainers <maintainers@krait.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL library codegen tool development)
if(TARGET krait_translator)
  list(APPEND CPACK_COMPONENTS_ALL opencl)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")  # code generator and library are of one build

# krait_package(COMPONENT NAME SECTION "what it is" [DEPENDS …] [RECOMMENDS …] [SUGGESTS …])
function(krait_package component name section description)
  cmake_parse_arguments(PARSE_ARGV 4 arg "" "DEPENDS;RECOMMENDS;SUGGESTS" "")
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${arg_DEPENDS}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${arg_RECOMMENDS}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SUGGESTS "${arg_SUGGESTS}" PARENT_SCOPE)
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
endfunction()
set(same "(= ${PROJECT_VERSION})")
krait_package(library libkrait${KRAIT_ABI} libs "Records, loads and launches kernels; runs packed kernels alone."
  RECOMMENDS "libkrait-codegen ${same}" SUGGESTS "libzip4, libhdf5-103-1, libpng16-16")  # docs/files.md
krait_package(codegen libkrait-codegen libs "Compiles kernels for CPUs, CUDA, Vulkan, OpenCL and WebGPU." DEPENDS "libkrait${KRAIT_ABI} ${same}")
krait_package(opencl libkrait-opencl libs "Kernels for OpenCL drivers that take no SPIR-V." DEPENDS "libkrait-codegen ${same}")
krait_package(tool krait devel "Shows, runs, packs and measures kernels." DEPENDS "libkrait${KRAIT_ABI} ${same}, libkrait-codegen ${same}")
krait_package(development libkrait-dev libdevel "Headers, and files for CMake and pkg-config."
  DEPENDS "libkrait${KRAIT_ABI} ${same}, libkrait-codegen ${same}, krait ${same}")
include(CPack)
