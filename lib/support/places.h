// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the files are that the library loads. All places are absolute, and known when the library
// is loaded: a program that changes its folder later changes none of them.
#pragma once

#include <dlfcn.h>

#include <string>
#include <vector>

namespace krait::support {

/// Where a plug-in of ours may be: beside the library in a build folder, in a folder of its own
/// where installed, and in ../lib of a test program. Where the library's file is a link, also
/// beside what it leads to.
std::vector<std::string> places_of(const std::string& file);

/// dlopen of a library of others by its name alone, with the flags RTLD_NOW | RTLD_LOCAL. Relative
/// folders of LD_LIBRARY_PATH are taken from where the program was when this library was loaded.
/// Null: `why` tells it.
void* open_library(const char* name, std::string& why);

/// Functions of an open library by their names, of which `missing` is the first that it lacks.
struct Symbols {
  void* library;
  const char* missing = nullptr;
  template <class Function>
  void find(const char* name, Function*& into) {
    into = reinterpret_cast<Function*>(dlsym(library, name));
    if (!into && !missing) missing = name;
  }
};

}  // namespace krait::support
