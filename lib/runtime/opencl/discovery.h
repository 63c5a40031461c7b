// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices of this machine's OpenCL drivers. A process of its own asks them
// (krait_opencl_probe), as a driver may end the process, or never answer, and what it has said is
// kept: another program loads no driver before it uses a device.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/opencl/instance.h"

namespace krait::runtime::opencl {

struct Answer {
  std::vector<Gpu> gpus;
  std::vector<std::string> skipped;  // "name: what is missing"
  std::string asking;                // the platform that was asked last
  bool complete = false;
};

/// A driver that the loader is told of: the file that says so (or the variable), and the library.
struct Listed {
  std::string list, library;
};
std::vector<Listed> listed_drivers();

/// Loads the drivers into this process. `tell` is called with a line of text for all that is found,
/// and before each platform is asked.
Answer ask_here(void (*tell)(const std::string& line) = nullptr);
/// Loads them into another process, or takes what was kept of such a one. A process that takes
/// longer is ended.
Answer ask_apart(support::Store* store,
                 std::chrono::milliseconds patience = std::chrono::seconds(60));

/// A device as lines, with what its kernels show (probe.cpp), and back. Lines that are none are
/// left out.
std::string write(const Gpu& gpu);
Answer read(std::string_view text);

/// Loads the drivers into this process, and finds the device among theirs. Throws krait::error
/// where they are others now.
void find_handles(Gpu& gpu);

}  // namespace krait::runtime::opencl
