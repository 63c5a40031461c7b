# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# conan create packaging/conan, with the archive of packaging/source_archive.sh beside this file. LLVM 22 comes from the machine (Debian:
# llvm-22-dev), found in its usual place or by the option llvm_dir, because Conan's own LLVM is of another version.
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, unzip


class Krait(ConanFile):
    name = "krait"
    version = "0.2.0"
    description = "JIT kernel compiler with an embedded C++20 DSL"
    license = "Apache-2.0 WITH LLVM-exception"
    settings = "os", "arch", "compiler", "build_type"
    options = {"llvm_dir": ["ANY"]}
    default_options = {"llvm_dir": ""}
    package_type = "shared-library"
    exports = "krait-*.tar.gz"

    def requirements(self):
        for one in ("cli11/2.4.2", "fmt/10.2.1", "opencl-headers/2023.12.14", "spirv-headers/1.3.290.0", "spirv-tools/1.3.290.0",
                    "volk/1.3.268.0", "vulkan-headers/1.3.290.0", "xxhash/0.8.2", "zlib/1.3.1", "zstd/1.5.6"):
            self.requires(one, visible=False)

    def layout(self):
        cmake_layout(self)

    def source(self):
        unzip(self, os.path.join(self.recipe_folder, f"krait-{self.version}.tar.gz"), strip_root=True)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for option in ("BUILD_TESTING", "KRAIT_EXAMPLES", "KRAIT_BENCH"):
            toolchain.cache_variables[option] = False
        if self.options.llvm_dir:
            toolchain.cache_variables["LLVM_DIR"] = str(self.options.llvm_dir)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["krait"]
        self.cpp_info.set_property("cmake_find_mode", "none")  # its own files have krait_pack and the tool
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "krait")]
        self.buildenv_info.append_path("PATH", os.path.join(self.package_folder, "bin"))
