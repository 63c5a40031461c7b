// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/shared_lengths.h"

#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/core.h>

#include "ir/op_semantics.h"
#include "ir/walk.h"
#include "support/product.h"

namespace krait::ir {

std::vector<InstId> arrays_sized_at_launch(const Function& kernel) {
  std::vector<InstId> out;
  for_each_inst(kernel, [&](InstId i, RegionId) {
    if (kernel.insts[i].op == Op::Shared && kernel.insts[i].list[0] == 0) out.push_back(i);
  });
  return out;
}

std::int64_t row_bytes(const Function& kernel, const Inst& shared) {
  std::int64_t bytes = kernel.type_of(shared.results[0]).elem_bytes;
  for (std::size_t d = 1; d < shared.list.size(); ++d) bytes *= shared.list[d];
  return bytes;
}

/// Takes out of the kernel what lengths are computed by.
class SharedLengths::Builder {
 public:
  Builder(const Function& kernel, std::vector<Step>& steps) : f_(kernel), steps_(steps) {}

  /// The step that computes v; none where no launch knows it, and `unknown` says what v depends on.
  std::uint32_t step(ValueId v) {
    if (const auto known = done_.find(v); known != done_.end()) return known->second;
    const Inst* def = f_.def(v);
    Step s{Op::Const, f_.type_of(v).scalar, Scalar::Void, 0, {none, none, none}};
    bool knows = false;
    if (!def) {
      // A scalar argument: an extent without a dimension.
      knows = parameter(v, 0, s);
    } else {
      s.op = def->op, s.imm = def->imm;
      unknown = std::string(info(def->op).name);
      knows = from(*def, s);
    }
    if (!knows) return none;
    steps_.push_back(s);
    return done_[v] = std::uint32_t(steps_.size() - 1);
  }
  std::string unknown;

 private:
  bool parameter(ValueId v, std::uint64_t dimension, Step& s) {
    for (std::size_t p = 0; p < f_.params().size(); ++p) {
      if (f_.params()[p] != v) continue;
      const bool scalar = f_.type_of(v).is_value();
      if (s.op == Op::Const) s.op = Op::Extent;
      s.imm = (scalar ? scalar_argument : dimension) | std::uint64_t(p) << 8;
      return true;
    }
    return false;
  }

  bool from(const Inst& def, Step& s) {
    switch (def.op) {
      case Op::Const:
      case Op::BlockDim:
      case Op::GridDim:
      case Op::GlobalSize: return true;
      case Op::Extent:
      case Op::Stride: {
        if (f_.type_of(def.operands[0]).space == Space::Global)
          return parameter(def.operands[0], def.imm, s);
        const Inst& array = *f_.def(def.operands[0]);
        if (def.op == Op::Stride) return false;
        s.op = Op::Const, s.imm = std::uint64_t(array.list[def.imm]);
        if (s.imm != 0) return true;
        s.op = Op::Bitcast, s.operand = s.result, s.in[0] = step(array.operands[0]);
        return s.in[0] != none;
      }
      case Op::Load: {
        const ValueId array = def.operands[0], index = def.operands[1];
        if (f_.type_of(array).space != Space::Argument || !f_.is_const(index)) return false;
        const std::uint64_t offset = f_.const_bits(index) + def.imm;
        if (offset + size_of(s.result) > f_.type_of(array).elem_bytes) return false;
        parameter(array, 0, s);
        s.op = Op::Load, s.imm |= offset << 32;
        return true;
      }
      default: break;
    }
    if (def.operands.empty() || def.operands.size() > 3 || def.results.size() != 1 ||
        info(def.op).effect != Effect::Pure)
      return false;
    s.operand = f_.type_of(def.operands[0]).scalar;
    if (!lane_function(def.op, s.result, s.operand)) return false;
    for (std::size_t k = 0; k < def.operands.size(); ++k)
      if ((s.in[k] = step(def.operands[k])) == none) return false;
    return true;
  }

  const Function& f_;
  std::vector<Step>& steps_;
  std::map<ValueId, std::uint32_t> done_;
};

SharedLengths::SharedLengths(const Function& kernel, std::string& wrong) {
  Builder builder(kernel, steps_);
  for (const InstId i : arrays_sized_at_launch(kernel)) {
    const Inst& shared = kernel.insts[i];
    lengths_.push_back(builder.step(shared.operands[0]));
    rows_.push_back(row_bytes(kernel, shared));
    if (lengths_.back() != none) continue;
    const Location& at = kernel.locations[shared.loc];
    wrong = fmt::format(
        "the length of dynamic_shared{} depends on {}: it must be computed from arguments, "
        "extents, block_dim and grid_dim, which are known before the launch",
        shared.loc ? fmt::format(" ({}:{})", at.file, at.line) : "", builder.unknown);
    return;
  }
}

std::vector<std::uint64_t> SharedLengths::words() const {
  if (rows_.empty()) return {};
  std::vector<std::uint64_t> out{rows_.size()};
  for (std::size_t k = 0; k < rows_.size(); ++k)
    out.push_back(lengths_[k]), out.push_back(std::uint64_t(rows_[k]));
  for (const Step& s : steps_) {
    out.push_back(std::uint64_t(s.op) | std::uint64_t(s.result) << 8 |
                  std::uint64_t(s.operand) << 16 | std::uint64_t(s.in[2]) << 32);
    out.push_back(s.imm);
    out.push_back(s.in[0] | std::uint64_t(s.in[1]) << 32);
  }
  return out;
}

bool SharedLengths::is_sound(std::size_t step, const Function& kernel,
                             std::size_t parameters) const {
  const Step& s = steps_[step];
  const auto is_scalar = [](Scalar t) {
    return t == Scalar::Void || std::ranges::find(all_scalars, t) != std::end(all_scalars);
  };
  if (unsigned(s.op) >= op_count || !is_scalar(s.result) || !is_scalar(s.operand)) return false;
  const std::uint64_t d = s.imm & 255,
                      parameter = s.op == Op::Load ? s.imm >> 8 & 0xffff : s.imm >> 8;
  switch (s.op) {
    case Op::Const: return true;
    case Op::BlockDim:
    case Op::GridDim:
    case Op::GlobalSize: return d < 3;
    case Op::Extent:
    case Op::Stride:
      return parameter < parameters && (d < max_rank || d == scalar_argument) &&
             size_of(s.result) > 0;
    case Op::Load: {
      if (parameter >= kernel.given_params().size()) return false;
      const Type& type = kernel.type_of(kernel.given_params()[parameter]);
      return type.space == Space::Argument && (s.imm >> 32) + size_of(s.result) <= type.elem_bytes;
    }
    default: break;
  }
  const int arity = info(s.op).arity;
  if (arity < 1 || arity > 3 || !lane_function(s.op, s.result, s.operand)) return false;
  for (int k = 0; k < arity; ++k)
    if (s.in[k] >= step) return false;
  return true;
}

bool SharedLengths::read(std::span<const std::uint64_t> words, const Function& kernel,
                         std::size_t parameters) {
  *this = {};
  if (words.empty()) return true;
  SharedLengths out;
  const std::size_t rest = words.size() - 1;
  if (words[0] == 0 || words[0] > rest / 2 || (rest - 2 * words[0]) % 3 != 0) return false;
  std::size_t at = 1;
  for (; at < 1 + 2 * words[0]; at += 2)
    out.lengths_.push_back(std::uint32_t(words[at])),
        out.rows_.push_back(std::int64_t(words[at + 1]));
  for (; at < words.size(); at += 3) {
    const std::uint64_t head = words[at], in = words[at + 2];
    out.steps_.push_back({Op(head & 255),
                          Scalar(head >> 8 & 255),
                          Scalar(head >> 16 & 255),
                          words[at + 1],
                          {std::uint32_t(in), std::uint32_t(in >> 32), std::uint32_t(head >> 32)}});
    if (!out.is_sound(out.steps_.size() - 1, kernel, parameters)) return false;
  }
  for (const std::uint32_t step : out.lengths_)
    if (step >= out.steps_.size()) return false;
  for (const std::int64_t row : out.rows_)
    if (row <= 0) return false;
  const std::vector<std::uint64_t> kept = out.words();
  if (!std::ranges::equal(kept, words)) return false;  // bits that mean nothing
  *this = std::move(out);
  return true;
}

SharedLengths::Sizes SharedLengths::at(const Launch& launch,
                                       std::span<const Argument> arguments) const {
  std::vector<std::uint64_t> values(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& s = steps_[i];
    const auto d = std::size_t(s.imm & 255);
    switch (s.op) {
      case Op::Const: values[i] = s.imm; break;
      case Op::BlockDim: values[i] = std::uint64_t(launch.block[d]); break;
      case Op::GridDim: values[i] = std::uint64_t(launch.grid[d]); break;
      case Op::GlobalSize:
        values[i] = std::uint64_t(support::clipped_product(launch.grid[d], launch.block[d]));
        break;
      case Op::Extent:
      case Op::Stride: {
        const Argument& a = arguments[std::size_t(s.imm >> 8)];
        const std::uint64_t ones = ~std::uint64_t(0) >> (64 - size_of(s.result) * 8);
        if (d == scalar_argument)
          values[i] = s.result == Scalar::Bool ? (a.bits & 255) != 0 : a.bits & ones;
        else values[i] = std::uint64_t(s.op == Op::Extent ? a.extents[d] : a.strides[d]);
        break;
      }
      case Op::Load: {
        const std::byte* const from =
            arguments[std::size_t(s.imm >> 8 & 0xffff)].data + (s.imm >> 32);
        std::memcpy(&values[i], from, size_of(s.result));
        if (s.result == Scalar::Bool) values[i] = values[i] != 0;
        break;
      }
      default: {
        const std::uint64_t* operands[3] = {};
        for (unsigned k = 0; k < 3 && s.in[k] != none; ++k) operands[k] = &values[s.in[k]];
        lane_function(s.op, s.result, s.operand)(operands, &values[i], 1);
      }
    }
  }
  Sizes out;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const auto length = std::int64_t(values[lengths_[k]]);
    if (length < 0 || length > (std::int64_t(1) << 31) / rows_[k]) {
      out.wrong = fmt::format(
          "dynamic_shared of {} elements of {} bytes: the number is computed at each launch "
          "and must be from 0 to {}",
          length, rows_[k], (std::int64_t(1) << 31) / rows_[k]);
      return out;
    }
    out.lengths.push_back(length), out.bytes.push_back(length * rows_[k]);
    out.total += aligned_shared(out.bytes.back());
  }
  return out;
}

}  // namespace krait::ir
