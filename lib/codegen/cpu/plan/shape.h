// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a kernel's threads lie on lanes, and what the machine has. A gang is parts × lanes threads
// with consecutive numbers; a varying value is `parts` vectors of `lanes`.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "codegen/reply.h"
#include "ir/ir.h"
#include "support/idioms.h"
#include "support/target.h"

namespace krait::codegen::cpu {

using support::Idiom;

/// Numbers from lane to lane, and places in a row, below which a gang of lanes is far from the ends
/// of 32 bits.
inline constexpr std::int64_t near_lanes = 1 << 20;

/// Which threads a gang holds.
enum class Layout : std::uint8_t {
  Grid,   // consecutive global x of one row, through as many blocks as there are
  Range,  // consecutive indices of the kernel's only grid_stride loop
  // a brick of a block's threads: consecutive x of one row, or of several where rows are short;
  // what lies at the end may be partial
  Rows,
  PartRows,  // consecutive threads of a block; each part lies within one row
  Linear     // consecutive threads of a block, whatever its shape
};
constexpr bool is_block(Layout l) { return l >= Layout::Rows; }

struct Machine {
  CpuLevel level = CpuLevel::Sse42;
  bool fma = false, f16c = false;
  // sums of products of bytes, among the instructions of AVX-512, or without those
  bool vnni = false, vex_vnni = false;
  bool dots_pairs = false;      // sums of products of bf16, of AVX-512
  bool tile_registers = false;  // AMX: products of matrices of bytes and of bf16
  bool quick = false;           // effort=quick: code that is soon compiled, not the fastest
  bool debug = false;           // debug=on: with what debuggers read
  // gathers and scatters take longer than an access for each lane
  bool slow_gathers = false;
  std::string cpu, tune, features;  // LLVM's words
  support::Idioms without;
  bool uses(support::Idiom idiom) const { return !without[std::size_t(idiom)]; }
  bool dots_bytes(unsigned lanes) const { return vnni || (vex_vnni && lanes <= 8); }
  /// Whether an instruction loads numbers of that size from any places, fast or slow.
  bool gathers(unsigned bits) const { return level >= CpuLevel::Avx2 && bits >= 32; }
  /// Whether whole gangs may access lanes anywhere by an instruction: with AVX-512, where that is
  /// not slow.
  bool scatters() const { return level == CpuLevel::Avx512 && !slow_gathers; }
};

struct Shape {
  unsigned lanes = 1, parts = 1;
  Layout layout = Layout::Grid;
  /// In Rows: threads of the gang along y and z, the others lie along x. Lanes are numbered x
  /// first.
  unsigned rows = 1, layers = 1;
  // a gang is one thread: scalar code, in which every value is one number and every branch a branch
  bool lone = false;
  bool whole = false;   // gangs of several rows: along y and z the block is made of whole ones
  unsigned filled = 0;  // of these gangs: lanes along x that have a thread
  Machine machine;
  unsigned gang() const { return lanes * parts; }
  unsigned width() const { return gang() / (rows * layers); }
  bool is_brick() const { return rows * layers > 1; }
  /// Where the lane lies in the gang, by dimension.
  std::array<unsigned, 3> place(unsigned lane) const {
    return {lane % width(), lane / width() % rows, lane / (width() * rows)};
  }
  bool has_thread(unsigned lane) const { return !is_brick() || lane % width() < filled; }
};

/// What the kernel does, as far as the choice of layout asks.
struct Traits {
  bool block_ids = false;  // thread_idx.x, block_idx.x: more than the global x
  bool row_ids = false;    // thread_idx and block_idx along y and z: equal in a row of the grid
  bool warps = false;      // lane_id and operations across the warp
  bool barriers = false;
  bool grid_barriers = false;
  bool polls = false;  // has a loop that waits for what others write
  bool shared = false;
  bool uses_y_or_z = false;
  bool shares_out = false;  // takes the whole launch's size: blocks share an array out in a loop
  bool loops = false;       // whose trips only a launch knows
  bool strides = false;     // has a grid_stride loop
  bool strides_within = false;  // one that is not the range
  bool atomics = false;
  // the kernel is a pure prelude and this loop, which carries nothing
  ir::InstId stride_loop = ir::none;
  unsigned cost = 0;  // instructions, loops counted several times
  // cycles of the longest chain of operations; more than any where there are loops
  unsigned chain = 0;
};
Traits find_traits(const ir::Module& module);

/// Vector registers that carried values take in a part, of the loop that carries most.
unsigned most_carried(const ir::Module& module);
/// Vectors of a gang (parts.cpp), where the target leaves them open.
unsigned choose_parts(const ir::Module& module, const Traits& traits, const Shape& shape,
                      bool in_blocks);

Shape read_shape(const support::CpuTarget& target);

}  // namespace krait::codegen::cpu
