// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the examples of neighbours share: libraries that are looked for when the program runs, so that nothing of CUDA is needed to build it.
#pragma once

#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>
#include <krait/krait.h>

namespace kr = krait;

/// What the example needs is not on this machine.
struct missing : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The first of several shared libraries that is installed. Throws `missing` with the loader's reasons where none is.
class library {
 public:
  library(const char* name, std::initializer_list<const char*> files) : name_(name) {
    std::string why;
    for (const char* file : files) {
      if ((handle_ = dlopen(file, RTLD_NOW | RTLD_LOCAL))) return;
      why += std::string("\n  ") + dlerror();
    }
    throw missing(name_ + " is not installed, or not where the loader looks (LD_LIBRARY_PATH):" + why);
  }

  /// A function of C; `Function` is its type. Throws `missing` where the installed version does not have it.
  template <class Function>
  Function* function(const char* symbol) const {
    if (void* const address = dlsym(handle_, symbol)) return reinterpret_cast<Function*>(address);
    throw missing("the installed " + name_ + " has no function " + symbol + ": install a version of the last five years");
  }

 private:
  std::string name_;
  void* handle_ = nullptr;
};

/// For functions that return 0 where all is well.
inline void check(int status, const char* call) {
  if (status != 0) throw std::runtime_error(std::string(call) + " failed with status " + std::to_string(status));
}

/// All NVIDIA GPUs. Throws `missing` where there are fewer than `wanted`.
inline std::vector<kr::device> gpus(std::size_t wanted = 1) {
  std::vector<kr::device> found;
  for (const kr::device device : kr::devices())
    if (std::string_view(device.id()).starts_with("cuda")) found.push_back(device);
  if (found.size() < wanted)
    throw missing("found " + std::to_string(found.size()) + " NVIDIA GPUs, needed " + std::to_string(wanted));
  return found;
}

inline void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }  // NOLINT: of a device

/// The largest difference of an array's elements from what the host computed, relative to the largest of those.
template <class Type>
double distance(const kr::array<Type, 1>& from, const std::vector<double>& expected) {
  const std::vector<Type> values = from.to_host();
  double largest = 0, apart = values.size() == expected.size() ? 0 : HUGE_VAL;
  for (const double x : expected) largest = std::fmax(largest, std::fabs(x));
  for (std::size_t i = 0; i < expected.size() && i < values.size(); ++i) {
    const double difference = std::fabs(double(values[i]) - expected[i]);
    apart = std::isnan(difference) ? HUGE_VAL : std::fmax(apart, difference);
  }
  return apart / largest;
}

/// The program: prints how far the results are from the host's. Ends with 0 where that is at most `allowed`, with 77 where something is missing.
template <class Example>
int run(const char* name, double allowed, Example example) {
  try {
    const double apart = example();
    std::printf("%s: relative distance from the host's result %.1e, %s\n", name, apart, apart <= allowed ? "PASS" : "WRONG");
    return apart <= allowed ? 0 : 1;
  } catch (const missing& e) {
    std::printf("%s: skipped: %s\n", name, e.what());
    return 77;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", name, e.what());
    return 1;
  }
}
