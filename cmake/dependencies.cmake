# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# All of them come as Debian packages (./bootstrap installs them). None shows in the public headers.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)

find_package(LLVM CONFIG QUIET HINTS /usr/lib/llvm-22/lib/cmake/llvm)
if(NOT LLVM_FOUND OR NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "Krait needs LLVM 22 (Debian: llvm-22-dev), found: ${LLVM_VERSION}. Run ./bootstrap, or set LLVM_DIR.")
endif()

find_path(KRAIT_XXHASH_INCLUDE xxhash.h REQUIRED)            # libxxhash-dev, used header-only
find_path(KRAIT_SPIRV_HEADERS spirv/unified1/spirv.hpp11 REQUIRED)  # spirv-headers
find_path(KRAIT_SPIRV_TOOLS_INCLUDE spirv-tools/libspirv.hpp REQUIRED)  # spirv-tools
find_library(KRAIT_SPIRV_TOOLS SPIRV-Tools REQUIRED)
find_path(KRAIT_VULKAN_HEADERS vulkan/vulkan_core.h REQUIRED)  # libvulkan-dev
find_path(KRAIT_OPENCL_HEADERS CL/cl.h REQUIRED)              # opencl-c-headers
find_path(KRAIT_VOLK_INCLUDE volk.h REQUIRED)                 # libvulkan-volk-dev, compiled in
