// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's inside: the state of one launch, and the threads of the block that runs now. A
// value is a column of bits, one a thread, in linear thread order (x fastest); a set of threads is
// a mask. Pure operations run over whole words of 64 lanes, active or not: they are total, and what
// an inactive lane computes is never read, because a value's uses run under a part of the mask that
// its definition ran under. Everything else goes active lane by active lane, in ascending order.
#pragma once

#include <array>
#include <bit>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "ir/interp/interp.h"
#include "ir/op_semantics.h"
#include "ir/shared_lengths.h"

namespace krait::ir::interpreter {

inline constexpr std::int64_t max_threads = 4096;

/// A set of threads of the block.
class Mask {
 public:
  explicit Mask(unsigned words) : words_(words) {
    for (unsigned i = 0; i < words_; ++i) bits_[i] = 0;
  }
  Mask(const Mask& other) : words_(other.words_) { assign(other); }
  Mask& operator=(const Mask& other) {
    assign(other);
    return *this;
  }

  unsigned words() const { return words_; }
  std::uint64_t& word(unsigned i) { return bits_[i]; }
  std::uint64_t word(unsigned i) const { return bits_[i]; }
  bool has(std::size_t lane) const { return bits_[lane / 64] >> (lane % 64) & 1; }
  void add(std::size_t lane) { bits_[lane / 64] |= std::uint64_t(1) << (lane % 64); }
  bool none() const {
    std::uint64_t any = 0;
    for (unsigned i = 0; i < words_; ++i) any |= bits_[i];
    return any == 0;
  }
  std::size_t count() const {
    std::size_t n = 0;
    for (unsigned i = 0; i < words_; ++i) n += std::size_t(std::popcount(bits_[i]));
    return n;
  }
  void operator|=(const Mask& other) {
    for (unsigned i = 0; i < words_; ++i) bits_[i] |= other.bits_[i];
  }
  void remove(const Mask& other) {
    for (unsigned i = 0; i < words_; ++i) bits_[i] &= ~other.bits_[i];
  }
  /// Calls `visit(lane)` for each member in ascending order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (unsigned i = 0; i < words_; ++i)
      for (std::uint64_t rest = bits_[i]; rest; rest &= rest - 1)
        visit(std::size_t(i) * 64 + std::size_t(std::countr_zero(rest)));
  }
  /// The members for which `test(lane)` holds.
  template <class Test>
  Mask where(Test test) const {
    Mask result(words_);
    for_each([&](std::size_t lane) {
      if (test(lane)) result.add(lane);
    });
    return result;
  }

 private:
  void assign(const Mask& other) {
    for (unsigned i = 0; i < words_; ++i) bits_[i] = other.bits_[i];
  }

  unsigned words_;
  std::uint64_t bits_[max_threads / 64];  // the first words_ are in use
};

/// A view, or a shared or local array.
struct Array {
  std::byte* data = nullptr;
  std::string label;  // for messages
  Space space = Space::Global;
  unsigned rank = 0;
  std::array<std::int64_t, max_rank> extents{};
  std::array<std::int64_t, max_rank> strides{};  // in elements
  std::int64_t first = 0, end = 0;               // the flat indices that belong to it
  std::int64_t elem_bytes = 0;
  std::uint32_t of = 0;            // cluster: which array of the block
  std::size_t thread_bytes = 0;    // local: distance from one thread's array to the next's
  std::vector<std::byte> storage;  // shared and local
  // shared, where reads of nothing are to be reported: one flag a byte
  std::vector<std::uint8_t> written;
};

/// The value of an integer of type `s`; u64 above 2^63 comes out negative.
std::int64_t signed_value(std::uint64_t bits, Scalar s);
std::uint64_t read_memory(const std::byte* p, Scalar s);
void write_memory(std::byte* p, Scalar s, std::uint64_t bits);

/// Ends the launch; the last line of the fault says why.
struct Stop {};

/// What a launch holds: the values of the threads of the block that runs now, the arrays, and what
/// went wrong so far.
class State;

/// The blocks that this one sees: those of its cluster, by rank. Null: not begun.
struct Neighbours {
  std::vector<State*> blocks;
};

class State {
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };

 public:
  State(const Module& module, const Launch& launch, std::span<const Argument> arguments,
        const InterpretOptions& options);
  State(const State&) = delete;

  /// The values of a function's threads. Nothing is recursive, so one a function will do.
  struct Frame {
    const Function* f = nullptr;
    std::unique_ptr<std::uint64_t[], Free> columns;
    std::vector<LaneFunction> functions;  // by InstId
    std::vector<std::uint32_t> array_of;  // by ValueId
    std::size_t stride = 0;               // lanes of a column: whole words
    std::uint64_t* column(ValueId v) const { return columns.get() + std::size_t(v) * stride; }
  };

  const Function& f() const { return *now->f; }
  std::uint64_t* column(ValueId v) const { return now->column(v); }
  Array& array(ValueId v) { return arrays_[now->array_of[v]]; }
  const Array& array(ValueId v) const { return arrays_[now->array_of[v]]; }
  /// Of the cluster's blocks in a lane's place: where `v` is the array of a block that each lane
  /// names, and the block can be seen.
  Array* array(ValueId v, std::size_t lane) {
    Array& a = array(v);
    if (a.space != Space::Cluster) return &a;
    const std::uint64_t rank = column(v)[lane];
    State* const of = rank < neighbours->blocks.size() ? neighbours->blocks[rank] : nullptr;
    return of && !of->ended ? &of->arrays_[a.of] : nullptr;
  }
  Frame& frame(std::size_t function) { return frames_[function]; }
  void copy(const std::uint64_t* from, std::uint64_t* to, const Mask& active) const;
  void fill(ValueId v, std::uint64_t bits, const Mask& active);
  std::int64_t thread_index(std::size_t lane, unsigned dimension) const;
  unsigned warp_of(std::size_t lane) const { return unsigned(lane / unsigned(launch.warp_size)); }
  /// Shared memory is zero again.
  void begin_block();

  /// Counts it; keeps the text() of the first one.
  template <class Text>
  void fault(const Inst& inst, Text text) {
    if (++outcome.faults > 1) return;
    outcome.fault = text();
    outcome.where = f().locations[inst.loc];
  }
  [[noreturn]] void stop(const std::string& text) {
    outcome.stopped = text;
    throw Stop{};
  }
  std::string where(const Inst& inst) const;  // ", file:line"
  std::string who(std::size_t lane) const;    // ", block …, thread …"

  const Launch& launch;
  const InterpretOptions& options;
  const std::size_t threads;
  const unsigned words;      // of a mask
  const std::size_t stride;  // lanes of a column: whole words
  Mask all;
  Frame* now = nullptr;  // of the function that runs
  std::array<std::int64_t, 3> block_index{};
  std::uint64_t block_number = 0;
  const Neighbours* neighbours = nullptr;  // in a cluster
  // in a cluster: the block is over, and its shared memory gone
  bool ended = false;
  Outcome outcome;

 private:
  void make_frame(const Function& f);
  void prepare(RegionId r);
  void make_arguments(std::span<const Argument> arguments);
  void make_view(ValueId v, std::string label, const Argument& argument);
  void make_block_array(const Inst& inst);
  void make_shared_of(const Inst& inst);

  std::vector<Frame> frames_;  // by function
  std::vector<Array> arrays_;
  SharedLengths::Sizes shared_sizes_;
  std::size_t next_sized_at_launch_ = 0;
};

}  // namespace krait::ir::interpreter
