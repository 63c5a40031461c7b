// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The IR in memory: a module of functions; a function is a tree of regions that hold instructions
// in order; an instruction owns its operands, its results and the regions it controls. Values are
// SSA; mutable locals are slots until promote_slots. Everything is an index into a table of the
// function, so a function copies and moves like a value.
//
// Invariants (verify.cpp checks them): a value is defined before its uses and in an enclosing
// region; every region ends in one of yield, continue, break, return, unreachable and holds no
// other; results of an if or switch are its regions' yields, results of a loop are the operands of
// its breaks — and, for `for` and `grid_stride`, the carried values when the trips end. `loop`
// takes [init…], its region's parameters are the carried values. `for` and `grid_stride` take
// [bound, init…], their region's parameters are [index, carried…]. `continue` and `break` carry one
// operand a carried value. The first function of a module is its kernel; the others are called. The
// body of a called function ends in `yield` with its results and holds no `return`; it has the
// kernel's modes; functions call only functions behind them, so nothing is recursive. Entries of
// the tables that no region reaches (what passes took out) mean nothing: nobody looks at them
// (walk.h has the walks; litter.h holds everybody to it).
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/types.h"
#include "support/hidden.h"

namespace krait::ir {

enum class Op : std::uint8_t {
#define KRAIT_OP(Name, ...) Name,
#include "krait/ops.def"
};

enum class Rule : std::uint8_t {
  Same,
  Compare,
  Test,
  Shift,
  Select,
  Convert,
  Bits,
  Count,
  Id,
  Custom
};
enum class Effect : std::uint8_t {
  Pure,
  Read,
  Write,
  Atomic,
  Sync,
  Cross,
  Slot,
  Report,
  Call,
  Control
};
enum class Level : std::uint8_t { Operands, Launch, Block, Warp, Varying, Custom };
enum class Family : std::uint8_t {
  Value,
  Math,
  Position,
  Atomic,
  Barrier,
  Warp,
  Tile,
  Report,
  Loop,
  End,
  Other
};
enum class Commuting : std::uint8_t { Ordered, Commutes };
enum class Cost : std::uint8_t { Quick, Divides, Pieces };
enum class Number : std::uint8_t { None, Bits, Dimension, Scope, Callee, Combination, Offset };

/// A row of ops.def.
struct OpInfo {
  std::string_view name;
  int arity;
  Rule rule;
  bool bools, ints, floats;  // the classes of TYPES
  Effect effect;
  Level level;
  Family family;
  Commuting order;
  Cost cost;
  Op by;  // an atomic: what it writes; others: the operation itself
  Number number;
  std::string_view doc;
};

namespace table {
enum Classes : unsigned { B = 1, I = 2, F = 4, BI = B | I, IF = I | F, BIF = B | I | F };
inline constexpr OpInfo rows[] = {
#define KRAIT_OP(Name, text, arity, rule, types, effect, level, family, order, cost, by, number, \
                 doc)                                                                            \
  {text,                                                                                         \
   arity,                                                                                        \
   Rule::rule,                                                                                   \
   ((types)&B) != 0,                                                                             \
   ((types)&I) != 0,                                                                             \
   ((types)&F) != 0,                                                                             \
   Effect::effect,                                                                               \
   Level::level,                                                                                 \
   Family::family,                                                                               \
   Commuting::order,                                                                             \
   Cost::cost,                                                                                   \
   Op::by,                                                                                       \
   Number::number,                                                                               \
   doc},
#include "krait/ops.def"
};
}  // namespace table

inline constexpr unsigned op_count = std::size(table::rows);
constexpr const OpInfo& info(Op op) { return table::rows[unsigned(op)]; }
/// Whether s is of the row's TYPES.
constexpr bool takes(const OpInfo& row, Scalar s) {
  return s == Scalar::Bool ? row.bools : is_int(s) ? row.ints : is_float(s) && row.floats;
}
/// The operation of that text name, or false.
bool find_op(std::string_view name, Op& op);
constexpr bool is_terminator(Op op) { return info(op).family == Family::End; }
constexpr bool is_loop(Op op) { return info(op).family == Family::Loop; }
/// A function of KRAIT_MATH, which has a body in the DSL.
constexpr bool is_math(Op op) { return info(op).family == Family::Math; }
/// What a block does with tiles.
constexpr bool is_tile_operation(Op op) { return info(op).family == Family::Tile; }
/// All threads of the block come to it together.
constexpr bool is_barrier(Op op) {
  return info(op).family == Family::Barrier || is_tile_operation(op);
}
/// What the lanes of a warp do together.
constexpr bool is_warp_operation(Op op) { return info(op).family == Family::Warp; }
/// The first two operands may change places.
constexpr bool is_commutative(Op op) { return info(op).order == Commuting::Commutes; }
/// Waits for the processor's divider.
constexpr bool divides(Op op) { return info(op).cost == Cost::Divides; }
/// Knows the thread's or the block's place, or the launch.
constexpr bool knows_place(Op op) {
  return info(op).family == Family::Position || op == Op::LaneId || op == Op::WarpSize ||
         op == Op::GridStride;
}

using ValueId = std::uint32_t;
using InstId = std::uint32_t;
using RegionId = std::uint32_t;
inline constexpr std::uint32_t none = ~std::uint32_t(0);

/// How floating-point operations may be computed (docs/numbers.md).
enum class FpMode : std::uint8_t { Strict, Reproducible, Native, Fast };
std::string_view name_of(FpMode mode);

/// How 32 lanes lie side by side in blocks with rows of at most 16 threads: along x the smallest
/// power of two that holds a row, along y the smallest that holds a column, as far as 32 goes, and
/// the rest along z.
struct Brick {
  static constexpr unsigned threads = 32;
  std::uint8_t x = 0;  // threads of a row; 0: more than 16, or not known
  std::uint8_t y = 0;  // lanes along y
  bool whole = false;  // along y and z the block is made of whole bricks
  unsigned width() const;
  unsigned z() const { return threads / (width() * y); }
  friend bool operator==(const Brick&, const Brick&) = default;
};

/// What the launcher found to hold for the arguments of a specialised variant.
struct Facts {
  bool contiguous = false;  // all views are C-contiguous: strides follow from extents
  bool aligned = false;     // all view addresses are multiples of 16 bytes
  bool small =
      // views have fewer than 2^31 - room elements and as long extents, the launch fewer than
      // 2^31 - room threads a dimension
      false;
  static constexpr std::int64_t room = 1 << 16;
  bool disjoint = false;    // memory of written views overlaps no other view
  bool whole_rows = false;  // the blocks' rows are whole warps: multiples of 32 threads
  bool one_row = false;     // blocks have one row of threads
  Brick brick{};
  unsigned warp = 0;  // threads of a warp on the device; 0: the kernel asks there
  // the last extents of views of several dimensions are multiples of 16 bytes
  bool aligned_rows = false;
  // all threads of the launch have room on the device at once, each with half the registers that
  // it may take
  bool resident = false;
  // vectors of neighbouring elements begin anywhere: what passes of the CPU make
  bool pieces = false;
  // not contiguous, but along the last dimension elements lie beside each other
  bool dense_rows = false;
  /// Sets what follows from the shape of blocks: whole_rows, one_row and brick.
  void set_block(std::int64_t x, std::int64_t y, std::int64_t z);
  /// Of these, what set_block sets.
  Facts of_block() const;
  /// Whether `of_block` of the others says the same of blocks.
  bool is_of_block(const Facts& others) const {
    return whole_rows == others.whole_rows && one_row == others.one_row && brick == others.brick;
  }
  friend bool operator==(const Facts&, const Facts&) = default;
};

/// Those that hold or not, by their names.
struct FactName {
  std::string_view name;
  bool Facts::*fact;
};
inline constexpr FactName fact_names[] = {{"contiguous", &Facts::contiguous},
                                          {"aligned", &Facts::aligned},
                                          {"small", &Facts::small},
                                          {"disjoint", &Facts::disjoint},
                                          {"whole_rows", &Facts::whole_rows},
                                          {"one_row", &Facts::one_row},
                                          {"aligned_rows", &Facts::aligned_rows},
                                          {"resident", &Facts::resident},
                                          {"pieces", &Facts::pieces},
                                          {"dense_rows", &Facts::dense_rows}};

/// Of two launches that follow one another: whether the kernel lets the next one begin before it
/// has ended, or may begin early itself, and then waits before it does anything. CUDA calls it
/// programmatic dependent launch; other devices run one after the other.
enum class Overlap : std::uint8_t { None, First, Second };

/// What an atomic orders beside itself, and how far its order is seen (shared memory: the block at
/// most).
enum class Order : std::uint8_t { Relaxed, Acquire, Release, AcquireRelease, Sequential };
enum class Scope : std::uint8_t { Block, Device, System };
std::string_view name_of(Order order);
std::string_view name_of(Scope scope);

/// What warp_reduce and warp_scan combine lanes by: their attribute.
inline constexpr Op combining[] = {Op::Add, Op::Min, Op::Max, Op::And, Op::Or, Op::Xor};

/// Which way a branch mostly goes.
enum class Expected : std::uint8_t { Nothing, Likely, Unlikely };
constexpr Expected opposite(Expected e) {
  return e == Expected::Nothing ? e : e == Expected::Likely ? Expected::Unlikely : Expected::Likely;
}

/// Operands of an atomic, load or store behind array and indices.
constexpr unsigned values_of_access(Op op) {
  return op == Op::Load || op == Op::AtomicLoad ? 0 : op == Op::AtomicCas ? 2 : 1;
}

/// What an instruction says of itself beside its operation, types and values. Copies of an
/// instruction take it as a whole.
struct Attributes {
  // computed as in FpMode::Fast, whatever the function's mode (kr::fast::…)
  bool fast = false;
  // a load or store of memory that is not used again soon: a hint to the cache, no more
  bool streaming = false;
  Expected expected = Expected::Nothing;  // of an if's condition: a hint
  // a `for` that compilers behind are to leave as it is, one trip at a time
  bool rolled = false;
  // a load that a loop repeats: fetch what it reads so many trips of the launch later, that many
  // times global_size(0) elements behind it: a hint to the cache, too; 0: nothing
  std::uint16_t ahead = 0;
  Order order = Order::Relaxed;  // atomics
  Scope scope = Scope::Device;   // atomics
  // Const: bits; Id, Extent, Stride: dimension; Load/Store: byte offset; Fence: scope; Call:
  // function; WarpReduce/WarpScan: index into `combining`
  std::uint64_t imm = 0;
  std::vector<std::int64_t>
      // Shared/Local: extents; Switch: case values, one a region but the last; tile operations:
      // tiles.h
      list;
  std::string text;  // Print, Fault: with {} for each operand (ir/report.h)
  friend bool operator==(const Attributes&, const Attributes&) = default;
};

struct Inst : Attributes {
  Op op{};
  Type type{};  // of the first result, or of the access for store; Void when there is none
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<RegionId> regions;
  std::uint32_t loc = 0;  // index into Function::locations; 0: unknown
  Attributes& attributes() { return *this; }
};

struct Value {
  Type type{};
  InstId def = none;  // the instruction, or none for a parameter
  // the region whose parameter it is (the body's for a function parameter), or none
  RegionId region = none;
};

struct Region {
  std::vector<ValueId> params;
  std::vector<InstId> insts;
  InstId parent = none;  // none: the function's body
};

/// A place in the user's source. Not part of the kernel's identity.
struct Location {
  std::string file;
  std::uint32_t line = 0;
};

struct Param {
  ValueId value = none;
  std::string name;  // for messages; not part of the identity
};

/// What the program says of a kernel's blocks, and what of the device's registers a thread may
/// take; 0: nothing.
struct Bounds {
  std::uint32_t threads = 0;    // that a block has at most
  std::uint32_t blocks = 0;     // that a multiprocessor is to hold at once
  std::uint32_t registers = 0;  // of a thread at most
  friend bool operator==(const Bounds&, const Bounds&) = default;
};

/// Instructions of PTX that stand for calls of a function: $0 is the result, $1 and on are the
/// arguments. Other targets take the function's body, and so does who asks what the function does.
struct Native {
  std::string instructions;  // empty: there are none
  std::string functions;     // a text of PTX with device functions that they call
  // what they do counts beside the result: the target's pipeline has replaced a body of which that
  // is true
  bool effects = false;
  friend bool operator==(const Native&, const Native&) = default;
};

/// What holds for a function as a whole. A pass that builds a function anew takes it over as a
/// whole.
struct Header {
  // for messages and symbols; not part of the identity. Of called functions: unique in the module
  std::string name;
  bool called = false;  // not a kernel
  // called: seldom reached, so what leads to it may cost more, and it may not
  bool rare = false;
  Native native{};              // called
  std::vector<Scalar> results;  // called: what it yields
  FpMode fp = FpMode::Native;
  Facts facts{};
  // accesses are to be checked against extents: check_accesses writes it out and clears this
  bool checked = false;
  // lower_access has run: every access has one flat element index, in elements of the array
  bool flat = false;
  std::array<std::int64_t, 3> block{};    // fixed block size, or 0 where it is chosen at launch
  std::array<std::int64_t, 3> cluster{};  // blocks of a cluster, or 0 where a kernel knows of none
  bool in_clusters() const { return cluster[0] != 0; }
  Bounds bounds{};
  Overlap overlap = Overlap::None;
  // that a thread handles at once (widen): so many threads fewer cover an array
  unsigned elements = 1;
  // a kernel: what its last parameters are, which the library binds (hidden.h)
  std::vector<support::Hidden> hidden;
};

/// Blocks of a cluster at most: what every device that has clusters takes.
inline constexpr std::int64_t max_cluster = 8;
constexpr std::int64_t blocks_of_cluster(const std::array<std::int64_t, 3>& c) {
  return c[0] * c[1] * c[2];
}
constexpr bool fits_cluster(const std::array<std::int64_t, 3>& c) {
  if (c[0] == 0 && c[1] == 0 && c[2] == 0) return true;
  for (const std::int64_t n : c)
    if (n < 1 || n > max_cluster) return false;
  return blocks_of_cluster(c) <= max_cluster;
}

struct Function : Header {
  std::vector<Inst> insts;
  std::vector<Value> values;
  std::vector<Region> regions;
  RegionId body = none;
  std::vector<Location> locations{{}};

  Header& header() { return *this; }
  /// The function's parameters are the parameters of its body.
  std::span<const ValueId> params() const { return regions[body].params; }
  /// Those that a call gives: all but the hidden ones.
  std::span<const ValueId> given_params() const {
    return params().first(params().size() - hidden.size());
  }
  const Type& type_of(ValueId v) const { return values[v].type; }
  /// Takes over the modes of the kernel that calls it: everything but what is the function's own.
  void inherit(const Function& kernel) {
    fp = kernel.fp, facts = kernel.facts, checked = kernel.checked, flat = kernel.flat,
    block = kernel.block, cluster = kernel.cluster;
  }
  const Inst* def(ValueId v) const {
    return values[v].def == none ? nullptr : &insts[values[v].def];
  }
  bool is_const(ValueId v) const {
    const Inst* i = def(v);
    return i && i->op == Op::Const;
  }
  std::uint64_t const_bits(ValueId v) const { return def(v)->imm; }
};

/// The first function is the kernel; the others are called by it, or by one another. (A body of
/// lib/math has no kernel.)
struct Module {
  std::vector<Function> functions;
  std::span<Function> called() { return std::span(functions).subspan(1); }
  const Function& callee(const Inst& call) const { return functions[call.imm]; }
  Function& kernel() { return functions.front(); }
  const Function& kernel() const { return functions.front(); }
};

}  // namespace krait::ir
