// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What takes bytes from outside, each as a function of bytes. Any bytes give a result or a
// krait::error; a target aborts where that does not hold, or where what it knows of the result does
// not.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace krait::test::fuzz {

struct Target {
  const char* name;
  bool (*run)(std::string_view input);  // whether the input was taken: further ones are made of it
  std::vector<std::string> (*seeds)();  // beside the files that are given
};

bool kir(std::string_view);          // ir::parse, ir::verify, ir::print
bool passes(std::string_view);       // all passes, on what verify lets through
bool pack(std::string_view);         // host::Pack::parse, of entries whose checksums are right
bool envelope(std::string_view);     // support::open, ir::SharedLengths
bool npy(std::string_view);          // files::read_npy_header, and the elements
bool npz(std::string_view);          // files::Archive, and each array of it
bool png(std::string_view);          // files::read_png
bool environment(std::string_view);  // a process with these variables, a line each
std::vector<std::string> no_seeds();
std::vector<std::string> pack_seeds();
std::vector<std::string> envelope_seeds();
std::vector<std::string> npy_seeds();
std::vector<std::string> npz_seeds();
std::vector<std::string> png_seeds();
std::vector<std::string> environment_seeds();

inline constexpr Target targets[] = {
    {"kir", kir, no_seeds},     {"passes", passes, no_seeds},
    {"pack", pack, pack_seeds}, {"envelope", envelope, envelope_seeds},
    {"npy", npy, npy_seeds},    {"npz", npz, npz_seeds},
    {"png", png, png_seeds},    {"environment", environment, environment_seeds}};

[[noreturn]] inline void broken(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

}  // namespace krait::test::fuzz
