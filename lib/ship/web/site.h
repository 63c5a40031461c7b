// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders for the web: kernels as WGSL, each with a JavaScript module that calls it, and a page
// that runs examples and checks them (docs/webgpu.md). Everything is made in memory first, so that
// a kernel that WebGPU cannot run leaves no folder behind.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "host/jit.h"
#include "ir/text/kernel_file.h"
#include "ir/report.h"
#include "support/blobs/envelope.h"
#include "support/blobs/webgpu.h"

namespace krait::host::web {

/// A call, and what it leaves in the arrays.
struct Example {
  ir::Launch launch;
  std::vector<ir::HostArgument> given, expected;
};

struct Kernel {
  std::string name;                // of the function in JavaScript, and of its files
  std::vector<std::string> names;  // of the parameters; those that are left out are p0, p1, …
  Recorded recorded;
  ir::Facts facts{true, true, true, true};
  std::vector<Example> examples;
  // of an element-wise function: the last parameters, which JavaScript gets and does not pass
  unsigned results = 0;
  int covered = -1;  // the parameter whose elements are the threads of a launch
  // width and height of what is written, where it is a picture
  std::array<std::int64_t, 2> image{};
  // the relative and absolute errors that the page allows, and the share of elements beyond
  std::array<double, 3> within{};
  std::string target = "webgpu";
};

/// A kernel as WGSL, and what its launcher must know.
struct Module {
  const Kernel& kernel;
  ir::Module lowered;
  support::Envelope envelope;
  support::WebGpuCode own;
  std::string code;
  std::vector<std::string> features;  // of WebGPU that it needs
  std::uint64_t shared = 0;           // bytes of a block's arrays
  std::vector<ir::ReportSite> sites;  // where it prints or checks

  std::string name_of(unsigned parameter) const;
  const ir::Type& type_of(unsigned parameter) const;
  /// Of a parameter that krait.mjs passes by itself; else null.
  const support::Hidden* hidden(unsigned parameter) const {
    const support::ArgumentLayout& layout = envelope.arguments;
    return parameter < layout.given ? nullptr : &layout.hidden[parameter - layout.given];
  }
  /// Whether JavaScript gets the parameter and does not pass it.
  bool is_result(unsigned parameter) const {
    return parameter < envelope.arguments.given &&
           parameter + kernel.results >= envelope.arguments.given;
  }
  bool is_written(unsigned parameter) const { return own.bindings[parameter].written != 0; }
};

/// Throws error{compile} for what WebGPU lacks, error{usage} for launches beyond its limits.
Module compile(const Kernel& kernel);
/// `NAME.mjs`, `NAME.d.mts`, and `examples.mjs` of all.
std::string script_of(const Module& module);
std::string types_of(const Module& module);
std::string examples_of(const std::vector<Module>& modules);
std::string base64(std::span<const std::byte> bytes);
/// As krait.mjs names types of elements and numbers; bytes: aggregates.
std::string type_name(const ir::Type& type);
/// A text between quotes, as JavaScript and JSON have it.
std::string quoted(std::string_view text);

/// Writes the folder. Throws error{usage} where that fails.
void write_site(const std::string& folder, const std::vector<Kernel>& kernels);

/// The kernel of a file's text with its launches (ir/text/kernel_file.h); words stand for the first
/// of what they may be. The interpreter computes what is expected.
Kernel read_kernel(const std::string& path, std::string text);

}  // namespace krait::host::web
