// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch starts from, a column for every value and arrays from arguments and declarations;
// threads and columns.
#include <algorithm>
#include <new>

#include <fmt/core.h>

#include "ir/interp/state.h"
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

State::State(const Module& module, const Launch& for_launch, std::span<const Argument> arguments,
             const InterpretOptions& with)
    : launch(for_launch),
      options(with),
      threads(std::size_t(launch.block[0] * launch.block[1] * launch.block[2])),
      words(unsigned((threads + 63) / 64)),
      stride(std::size_t(words) * 64),
      all(words) {
  for (std::size_t lane = 0; lane < threads; ++lane) all.add(lane);
  const SharedLengths lengths(module.kernel(), outcome.stopped);
  if (outcome.stopped.empty()) {
    shared_sizes_ = lengths.at(launch, arguments);
    outcome.stopped = shared_sizes_.wrong;
  }
  if (!outcome.stopped.empty()) return;
  frames_.reserve(module.functions.size());
  for (const Function& f : module.functions) make_frame(f);
  now = &frames_.front();
  make_arguments(arguments);
}

/// Constants, arrays and the choice of loops over lanes, for the instructions that the region
/// reaches: others mean nothing.
void State::prepare(RegionId r) {
  for (const InstId id : f().regions[r].insts) {
    const Inst& inst = f().insts[id];
    if (inst.op == Op::Const) fill(inst.results[0], inst.imm, all);
    if (inst.op == Op::Shared || inst.op == Op::Local) make_block_array(inst);
    if (inst.op == Op::SharedOf) make_shared_of(inst);
    const bool value = !inst.operands.empty() && f().type_of(inst.operands[0]).is_value();
    if (value && inst.results.size() == 1)
      now->functions[id] =
          lane_function(inst.op, inst.type.scalar, f().type_of(inst.operands[0]).scalar);
    for (const RegionId inner : inst.regions) prepare(inner);
  }
}

/// One zeroed column a value; the system gives memory only to those that are written.
void State::make_frame(const Function& f) {
  Frame& frame = frames_.emplace_back();
  const std::size_t columns = std::max<std::size_t>(f.values.size(), 1);
  frame.f = &f, frame.stride = stride;
  frame.columns.reset(
      static_cast<std::uint64_t*>(std::calloc(columns * stride, sizeof(std::uint64_t))));
  if (!frame.columns) throw std::bad_alloc();
  frame.functions.resize(f.insts.size());
  frame.array_of.assign(f.values.size(), none);
  now = &frame;
  prepare(f.body);
}

void State::make_arguments(std::span<const Argument> arguments) {
  const auto params = f().params();
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Type& type = f().type_of(params[i]);
    if (type.is_array()) {
      make_view(params[i], array_label(f(), params[i]), arguments[i]);
    } else {
      const unsigned bits = size_of(type.scalar) * 8;
      const std::uint64_t mask = bits < 64 ? (std::uint64_t(1) << bits) - 1 : ~std::uint64_t(0);
      const std::uint64_t value = arguments[i].bits & mask;
      fill(params[i], type.scalar == Scalar::Bool ? value != 0 : value, all);
    }
  }
}

void State::make_view(ValueId v, std::string label, const Argument& argument) {
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
  now->array_of[v] = std::uint32_t(arrays_.size());
  arrays_.push_back(std::move(a));
}

void State::make_block_array(const Inst& inst) {
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
  // At least one byte, so that the address is one. The allocator aligns it for 16-byte accesses, a
  // thread's part of it too.
  if (local) a.thread_bytes = (bytes + 15) / 16 * 16;
  a.storage.resize(std::max<std::size_t>(local ? a.thread_bytes * threads : bytes, 1));
  if (!local && options.uninitialised) a.written.resize(bytes);
  a.data = a.storage.data();
  now->array_of[inst.results[0]] = std::uint32_t(arrays_.size());
  arrays_.push_back(std::move(a));
}

/// The shape of the array; whose memory it is each lane says.
void State::make_shared_of(const Inst& inst) {
  const Array& shared = array(inst.operands[0]);
  Array a;
  a.space = Space::Cluster, a.label = shared.label, a.rank = shared.rank,
  a.elem_bytes = shared.elem_bytes;
  a.extents = shared.extents, a.strides = shared.strides, a.first = shared.first,
  a.end = shared.end;
  a.of = now->array_of[inst.operands[0]];
  now->array_of[inst.results[0]] = std::uint32_t(arrays_.size());
  arrays_.push_back(std::move(a));
}

// ---- threads ------------------------------------------------------------------------------------

std::int64_t State::thread_index(std::size_t lane, unsigned dimension) const {
  const auto linear = std::int64_t(lane);
  if (dimension == 0) return linear % launch.block[0];
  if (dimension == 1) return linear / launch.block[0] % launch.block[1];
  return linear / launch.block[0] / launch.block[1];
}

std::string State::where(const Inst& inst) const {
  const Location& at = f().locations[inst.loc];
  return inst.loc ? fmt::format(", {}:{}", at.file, at.line) : std::string();
}

std::string State::who(std::size_t lane) const {
  return fmt::format(", block ({}, {}, {}), thread ({}, {}, {})", block_index[0], block_index[1],
                     block_index[2], thread_index(lane, 0), thread_index(lane, 1),
                     thread_index(lane, 2));
}

// ---- columns ------------------------------------------------------------------------------------

void State::copy(const std::uint64_t* from, std::uint64_t* to, const Mask& active) const {
  for (unsigned w = 0; w < words; ++w) {
    const std::uint64_t word = active.word(w);
    const std::size_t base = std::size_t(w) * 64;
    if (word == ~std::uint64_t(0)) {
      std::copy_n(from + base, 64, to + base);
      continue;
    }
    for (std::uint64_t rest = word; rest; rest &= rest - 1) {
      const std::size_t lane = base + std::size_t(std::countr_zero(rest));
      to[lane] = from[lane];
    }
  }
}

void State::fill(ValueId v, std::uint64_t bits, const Mask& active) {
  std::uint64_t* out = column(v);
  active.for_each([&](std::size_t lane) { out[lane] = bits; });
}

void State::begin_block() {
  for (Array& a : arrays_) {
    if (a.space != Space::Shared) continue;
    std::fill(a.storage.begin(), a.storage.end(), std::byte{});
    std::fill(a.written.begin(), a.written.end(), std::uint8_t(0));
  }
}

}  // namespace krait::ir::interpreter
