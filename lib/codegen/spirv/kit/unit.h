// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions of a module share while they are lowered.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "codegen/spirv/kit/emitter.h"
#include "codegen/spirv/kit/revisits.h"
#include "ir/abi.h"
#include "ir/calls.h"
#include "ir/ir.h"
#include "support/blobs/envelope.h"
#include "support/blobs/opencl.h"
#include "support/blobs/spirv.h"

namespace krait::codegen::spirv {

struct Unit {
  const ir::Module& module;
  Emitter emitter;
  bool debug = false;
  support::Envelope& envelope;
  support::SpirvCode& own;
  bool vulkan_model = false;  // else GLSL450's or OpenCL's
  bool synchronised = false;  // there are barriers, fences or atomics
  std::vector<Id> functions = std::vector<Id>(module.functions.size());
  ir::Calls calls = ir::Calls(module);
  std::vector<support::OpenClParameter> parameters = {};  // of a kernel of OpenCL
  std::map<std::string, Id> sources = {};                 // files, for debuggers
  // where the driver has to be kept from reordering them
  Revisits revisits = {};
  // of loops that instructions without regions became
  std::map<const ir::Inst*, std::uint64_t> own_trips = {};
};

/// Tells the code's depth and trips, after all was lowered.
void measure(Unit& unit);

}  // namespace krait::codegen::spirv
