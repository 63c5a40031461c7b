// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch starts from: a column for every value, arrays from arguments and declarations, the order of blocks.
#include <algorithm>
#include <new>

#include <fmt/core.h>

#include "ir/interp_state.h"
#include "ir/report.h"

namespace krait::ir::interpreter {
namespace {

/// Strides of C order and the flat range, from extents.
void set_contiguous(Array& a) {
  std::int64_t stride = 1;
  for (unsigned d = a.rank; d-- > 0;) {
    a.strides[d] = stride;
    stride *= a.extents[d];
  }
}

void set_range(Array& a) {
  for (unsigned d = 0; d < a.rank; ++d)
    if (a.extents[d] <= 0) return;  // no element: first == end
  a.end = 1;
  for (unsigned d = 0; d < a.rank; ++d) {
    const std::int64_t last = (a.extents[d] - 1) * a.strides[d];
    (last < 0 ? a.first : a.end) += last;
  }
}

}  // namespace

Interpreter::Interpreter(const Module& module, const Launch& launch, std::span<const Argument> arguments,
                         const InterpretOptions& options)
    : launch_(launch),
      options_(options),
      threads_(std::size_t(launch.block[0] * launch.block[1] * launch.block[2])),
      words_(unsigned((threads_ + 63) / 64)),
      stride_(std::size_t(words_) * 64),
      all_(words_),
      returned_(words_) {
  for (std::size_t lane = 0; lane < threads_; ++lane) all_.add(lane);
  warp_epochs_.resize(warp_of(threads_ - 1) + 1);
  const SharedLengths lengths(module.kernel(), outcome_.stopped);
  if (outcome_.stopped.empty()) {
    shared_sizes_ = lengths.at(launch, arguments);
    outcome_.stopped = shared_sizes_.wrong;
  }
  if (!outcome_.stopped.empty()) return;
  frames_.reserve(module.functions.size());
  for (const Function& f : module.functions) make_frame(f);
  now_ = &frames_.front();
  make_arguments(arguments);
}

/// Constants, arrays and the choice of loops over lanes, for the instructions that the region reaches: others mean nothing.
void Interpreter::prepare(RegionId r) {
  for (const InstId id : f().regions[r].insts) {
    const Inst& inst = f().insts[id];
    if (inst.op == Op::Const) fill(inst.results[0], inst.imm, all_);
    if (inst.op == Op::Shared || inst.op == Op::Local) make_block_array(inst);
    const bool value = !inst.operands.empty() && f().type_of(inst.operands[0]).is_value();
    if (value && inst.results.size() == 1)
      now_->functions[id] = lane_function(inst.op, inst.type.scalar, f().type_of(inst.operands[0]).scalar);
    for (const RegionId inner : inst.regions) prepare(inner);
  }
}

/// One zeroed column a value; the system gives memory only to those that are written.
void Interpreter::make_frame(const Function& f) {
  Frame& frame = frames_.emplace_back();
  const std::size_t columns = std::max<std::size_t>(f.values.size(), 1);
  frame.f = &f;
  frame.columns.reset(static_cast<std::uint64_t*>(std::calloc(columns * stride_, sizeof(std::uint64_t))));
  if (!frame.columns) throw std::bad_alloc();
  frame.functions.resize(f.insts.size());
  frame.array_of.assign(f.values.size(), none);
  now_ = &frame;
  prepare(f.body);
}

void Interpreter::make_arguments(std::span<const Argument> arguments) {
  const auto params = f().params();
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Type& type = f().type_of(params[i]);
    if (type.is_array()) {
      make_view(params[i], array_label(f(), params[i]), arguments[i]);
    } else {
      const unsigned bits = size_of(type.scalar) * 8;
      const std::uint64_t mask = bits < 64 ? (std::uint64_t(1) << bits) - 1 : ~std::uint64_t(0);
      const std::uint64_t value = arguments[i].bits & mask;
      fill(params[i], type.scalar == Scalar::Bool ? value != 0 : value, all_);
    }
  }
}

void Interpreter::make_view(ValueId v, std::string label, const Argument& argument) {
  const Type& type = f().type_of(v);
  Array a;
  a.space = type.space;
  a.data = argument.data;
  a.label = std::move(label);
  a.rank = type.rank;
  a.extents = argument.extents;
  a.strides = argument.strides;
  a.elem_bytes = type.index_bytes();
  if (type.space == Space::Argument) a.extents[0] = type.elem_bytes;
  if (f().facts.contiguous || type.space == Space::Argument) set_contiguous(a);
  set_range(a);
  now_->array_of[v] = std::uint32_t(arrays_.size());
  arrays_.push_back(std::move(a));
}

void Interpreter::make_block_array(const Inst& inst) {
  const Type& type = f().type_of(inst.results[0]);
  Array a;
  a.space = type.space;
  a.label = array_label(f(), inst.results[0]);
  a.rank = type.rank;
  a.elem_bytes = type.elem_bytes;
  std::int64_t row = type.elem_bytes;
  for (unsigned d = 1; d < a.rank; ++d) row *= a.extents[d] = inst.list[d];
  const bool dynamic = inst.op == Op::Shared && inst.list[0] == 0;
  a.extents[0] = dynamic ? shared_sizes_.lengths[next_sized_at_launch_++] : inst.list[0];
  set_contiguous(a);
  set_range(a);
  const std::size_t bytes = std::size_t(a.extents[0] * row);
  const bool local = inst.op == Op::Local;
  // At least one byte, so that the address is one. The allocator aligns it for 16-byte accesses, a thread's part of it too.
  if (local) a.thread_bytes = (bytes + 15) / 16 * 16;
  a.storage.resize(std::max<std::size_t>(local ? a.thread_bytes * threads_ : bytes, 1));
  if (!local && options_.uninitialised) a.written.resize(bytes);
  a.data = a.storage.data();
  now_->array_of[inst.results[0]] = std::uint32_t(arrays_.size());
  arrays_.push_back(std::move(a));
}

void Interpreter::run_block() {
  for (Array& a : arrays_) {
    if (a.space != Space::Shared) continue;
    std::fill(a.storage.begin(), a.storage.end(), std::byte{});
    std::fill(a.written.begin(), a.written.end(), std::uint8_t(0));
  }
  races_.begin_block();
  returned_ = Mask(words_);
  epoch_ = 0;
  std::fill(warp_epochs_.begin(), warp_epochs_.end(), 0);
  run_region(f().body, all_);
}

Outcome Interpreter::run() {
  if (!outcome_.stopped.empty()) return outcome_;
  try {
    for (std::int64_t z = 0; z < launch_.grid[2]; ++z)
      for (std::int64_t y = 0; y < launch_.grid[1]; ++y)
        for (std::int64_t x = 0; x < launch_.grid[0]; ++x) {
          block_index_ = {x, y, z};
          run_block();
          ++block_number_;
        }
  } catch (const Stop&) {
  }
  return outcome_;
}

}  // namespace krait::ir::interpreter
