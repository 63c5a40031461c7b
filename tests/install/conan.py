#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recipe of Conan, run with a made-up Conan: it is of Krait's version, sets options that Krait has, and packages a file that there is:
conan.py SOURCE"""
import importlib.util
import pathlib
import re
import sys
import types

source = pathlib.Path(sys.argv[1])
lists = (source / "CMakeLists.txt").read_text()
version = re.search(r"^project\(krait VERSION ([\d.]+)", lists, re.M).group(1)
known = {"BUILD_TESTING", "LLVM_DIR", *re.findall(r"^option\((\w+)", lists, re.M)}
done = []


class Toolchain:
    def __init__(self, recipe):
        self.cache_variables = {}

    def generate(self):
        done.append(("variables", set(self.cache_variables)))


class Tool:
    def __init__(self, recipe):
        pass

    def __getattr__(self, name):
        return lambda: done.append((name, None))


def copy(recipe, name, folder, to):
    done.append(("copy", (pathlib.Path(folder) / name).exists()))


def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(members)


module("conan", ConanFile=object)
module("conan.tools")
module("conan.tools.cmake", CMake=Tool, CMakeDeps=Tool, CMakeToolchain=Toolchain, cmake_layout=lambda recipe: None)
module("conan.tools.files", copy=copy, unzip=lambda recipe, file, strip_root: done.append(("unzip", pathlib.Path(file).name)))
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("conanfile", source / "packaging/conan/conanfile.py")
made = importlib.util.module_from_spec(spec)
spec.loader.exec_module(made)
recipe = made.Krait()
recipe.recipe_folder, recipe.source_folder, recipe.package_folder = str(source / "packaging/conan"), str(source), "package"
recipe.options = types.SimpleNamespace(llvm_dir="/usr/lib/llvm-22/lib/cmake/llvm")
required = []
recipe.requires = lambda name, visible: required.append(name)
for step in ("requirements", "layout", "source", "generate", "build", "package"):
    getattr(recipe, step)()
found = dict(done)
assert recipe.version == version, f"the recipe is of version {recipe.version}, Krait of {version}"
assert found["unzip"] == f"krait-{version}.tar.gz", f"the recipe takes {found['unzip']}"
assert found["variables"] and found["variables"] <= known, f"Krait has no option {found['variables'] - known}"
assert found["copy"], "LICENSE is missing"
assert {"configure", "build", "install"} <= set(found), "the recipe builds or installs nothing"
assert len(required) == len(set(required)) > 5, "the recipe requires nothing"
