// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The random kernels' maker, in parts: generator.cpp has values and statements,
// generator_accesses.cpp what passes look for in indices and accesses, generator_meet.cpp what
// threads do together, generator_tiles.cpp kernels of tiles.
#pragma once

#include <memory>
#include <vector>

#include "krait/detail/emit.h"
#include "property/generator.h"

namespace krait::test::generating {

using detail::node;
using detail::op;
using detail::scalar;
using ir::Scalar;

inline constexpr detail::location nowhere{"generated", 1};

/// splitmix64 (Steele, Lea, Flood 2014): small, and the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9, z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  unsigned below(unsigned n) { return unsigned(bits() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

inline bool is_float(scalar s) { return ir::is_float(Scalar(s)); }
inline bool is_int(scalar s) { return ir::is_int(Scalar(s)); }
inline unsigned bits_of(scalar s) { return ir::bits_of(Scalar(s)); }

/// A kernel of tiles.
Kernel tile_kernel(std::uint64_t seed, const GeneratorOptions& options);

/// Interesting bits of a type: edges half of the time.
std::uint64_t random_bits(Random& r, scalar s);

// Elements of arrays. A thread owns one element of an output, whose number is below output_size;
// some places behind them allow for indices that are shifted. An aggregate by value has arrays of
// its own.
inline constexpr std::int64_t input_size = 64, output_size = 256, largest_shift = 16,
                              output_extent = output_size + largest_shift;
inline constexpr std::int64_t by_value_size = 16;

class Generator {
 public:
  Generator(std::uint64_t seed, const GeneratorOptions& o);
  Kernel make();

 private:
  Kernel finish(Kernel& k, void* recording, bool strides);
  struct Array {
    node array;
    scalar type;
    std::uint32_t offset = 0;  // of a member of aggregates
    bool by_value = false;     // one aggregate: all indices are a byte's
    unsigned owned = 0;        // of outputs: which element a thread has, and a number for that
    std::uint64_t constant = 0;
    unsigned width = 1;  // of outputs: elements of a thread, neighbours
    detail::place at(node index) const { return {array, {index}, 1, offset, type}; }
  };
  struct Local {
    node slot;
    scalar type;
  };

  /// A function that is called: all arrays, the thread's number, then values; the last of them are
  /// variables of the caller.
  struct Function {
    Generator* generator;
    std::uint64_t object;
    std::vector<scalar> types;
    unsigned references;
    scalar result;  // none: no result
  };
  /// What a function has of its own.
  struct Surroundings {
    std::vector<Array> inputs, outputs, rows;
    std::vector<Local> locals, values;
    node thread;
    int loops = 0, budget = 0;
    bool straight = false;  // no loops, no calls, and nothing that leaves
    const Function* function = nullptr;
  };

  node literal(scalar s, std::uint64_t bits) { return detail::literal(s, bits); }
  scalar any_type() { return types_[r_.below(unsigned(types_.size()))]; }
  node value(scalar s, int depth);
  op any_row(ir::Rule rule, scalar s);
  node same_value(scalar s, int depth);
  node int_value(scalar s, int depth);
  node condition(int depth);
  node one_thread();
  node leaf(scalar s);
  node load(const Array& from, int depth);
  void block(int depth, int statements);
  void statement(int depth);
  void assign(int depth);
  void store();
  void report();
  void make_array(Kernel& k, bool out, unsigned width = 1);
  void make_aggregates(Kernel& k, bool out);
  void loop(int depth);
  void show_locals(std::size_t first);
  void call();
  const Function& new_function();
  static void record_function(const void* function, const node* parameters, node* results);
  void function_body(const Function& f, const node* parameters, node* results);
  void return_early();
  node guard();

  /// Every third access has a hint. That takes no random number, so that seeds keep their kernels.
  bool hinted() { return ++accesses_ % 3 == 0; }

  // What passes look for in indices and accesses.
  node index_below(std::int64_t size, int depth);
  node disguised(node index);
  node periodic(std::int64_t size);
  node wide_value(scalar s, int depth);
  node own_element(const Array& a);
  void local_array();
  node load_own(const Array& a);
  void choose_owned(Array& a);
  void absorb(node x, scalar s);
  void load_neighbours();
  void store_row();
  void stride_loop(int depth);
  bool has_thread() const { return here_.thread.recording != 0; }

  Random r_;
  unsigned accesses_ = 0;
  bool element_wise_ = false;  // the kernel is one grid_stride loop
  GeneratorOptions options_;
  std::vector<scalar> types_;
  std::vector<std::unique_ptr<Function>> functions_;
  // Here: `values` are parameters and immutable values of the outermost region, `thread` is an i64
  // within the outputs, `budget` the number of statements left.
  Surroundings here_;

  // Threads that meet.
  struct Accumulator {
    Array array;
    op what;
    bool shared;
  };
  void make_accumulators(Kernel& k);
  void empty_shared_accumulators();
  void write_shared_accumulators();
  void accumulate();
  void exchange();
  void pack_lanes();
  void exchange_rows(scalar s);
  node of_warp(scalar s, int depth);
  bool warp_may_meet() const {
    return options_.warps && cooperative_ && !here_.function &&
           (options_.any_flow || here_.loops == 0);
  }
  bool cooperative_ = false;
  node thread_in_block();
  void shape(ir::Launch& launch);
  std::int64_t block_ = 32;
  bool shaped_ = false;     // the block has columns, perhaps
  Random shapes_, guards_;  // of their own, so that seeds keep their kernels
  node in_block_;           // i64: the thread in its block
  std::vector<Accumulator> accumulators_;
};

}  // namespace krait::test::generating
