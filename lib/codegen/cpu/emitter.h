// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers a kernel to LLVM IR as SPMD on SIMD. A value is one scalar where it is uniform in the gang, a scalar base and a constant
// step where it is linear in the lane, and `parts` vectors of `lanes` otherwise. Control flow that diverges becomes masks: a
// jump takes its lanes out of `active`, and what follows runs for the others if there are any.
//
// Invariants: wherever an instruction is lowered at least one lane is active (after a jump that may take the last one there is a
// branch), so uniform operations need no mask; no value is poison in any lane, so masks are plain `and`s.
// Loop-carried values, loop results and masks across loops live in allocas, which mem2reg removes.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "codegen/cpu/arith.h"
#include "codegen/cpu/divergence.h"
#include "codegen/cpu/record.h"
#include "codegen/cpu/shape.h"
#include "codegen/cpu/sweep.h"
#include "codegen/llvm/session.h"
#include "ir/abi.h"
#include "ir/calls.h"
#include "ir/ir.h"

namespace krait::codegen::cpu {

struct Fission;

template <class T>
using Few = llvm::SmallVector<T, 4>;

/// A lowered value.
struct Lowered {
  enum class Form : std::uint8_t { None, Uniform, Linear, Parts } form = Form::None;
  Few<llvm::Value*> v;           // Uniform: one; Linear: base of the gang (one) or of each part; Parts: one a part
  std::int64_t step = 0;         // Linear: from lane to lane along x
  llvm::Value* start = nullptr;  // Parts: where `flip` is not 0, the lanes are start + (lane ^ flip)
  unsigned flip = 0;
  llvm::Value* across[2] = {};  // Linear, in bricks of one base: from lane to lane along y and z; null: nothing
};

/// The active lanes; no vectors: all of them.
struct Mask {
  Few<llvm::Value*> parts;
  bool all() const { return parts.empty(); }
};

/// Memory for a value until mem2reg.
struct Cell {
  ir::Scalar type{};
  bool uniform = false;
  Few<llvm::Value*> at;
};

/// The numbers of the gang that is lowered: scalars that ids are made of.
struct Position {
  llvm::Value* x = nullptr;  // Grid, Range: first global x / index. Rows: first thread x
  llvm::Value* y = nullptr;  // Grid: global y; Rows: first thread y
  llvm::Value* z = nullptr;
  llvm::Value* linear = nullptr;  // block layouts: first linear thread number
  llvm::Value* gang = nullptr;    // number of the gang in its block
  llvm::Value* block[3] = {};     // block_idx
};

/// What the functions of a module share: those that are called, once for each way of passing their arguments.
struct Functions {
  const ir::Module& module;
  support::Envelope& envelope;
  Record* record = nullptr;  // where hints are asked for
  ir::Calls calls{module};
  /// A function and which of its parameters are scalars instead of vectors.
  struct Way {
    std::size_t function;
    std::vector<bool> uniform;
    bool alone = false;  // all of them, of a pure function: no mask
    bool lane = false;   // alone, for one lane
    friend auto operator<=>(const Way&, const Way&) = default;
  };
  struct Made {
    llvm::Function* code;
    std::vector<bool> uniform;  // by result: a scalar
  };
  std::map<Way, Made> made{};
};

/// An array whose elements the rest of a range takes from, and puts back through, a copy.
struct RestArray {
  ir::ValueId array = ir::none;
  ir::Scalar scalar{};
  bool read = false;  // or not written by every element
  bool written = false;
};

/// How a range's indices are places in rows (planes.cpp).
struct Plane {
  ir::ValueId index = ir::none, width = ir::none;
  std::vector<ir::ValueId> quotients, remainders;
  struct Scaled {
    ir::ValueId product, array;  // of a remainder and the array's stride along the dimension
    unsigned dimension;
    llvm::Value* dense = nullptr;  // whether that stride is 1
  };
  std::vector<Scaled> scaled;
};

/// A chain of sums with differences of bytes (differences.cpp).
struct ByteSums {
  std::vector<ir::ValueId> rest;                         // its other summands
  std::vector<std::pair<ir::InstId, ir::InstId>> loads;  // whose bytes differ
  std::vector<ir::InstId> inner;                         // what the sum at its end stands for, in order
};

class Emitter {
 public:
  /// `whole_block`: the gang is the block, whose size the kernel fixes. `lines`: with the user's source lines.
  Emitter(llvm::Module& module, Functions& functions, const ir::Function& f, const Shape& shape, const Traits& traits,
          bool whole_block, bool lines, CpuCode& own);

  /// Adds @entry and, for Range, @extent.
  void emit();

 private:
  using V = llvm::Value*;
  using Block = llvm::BasicBlock*;
  enum class Flow : std::uint8_t { Next, Dead };  // whether lanes may go on
  struct Exit {
    bool yields = false;
    std::vector<Lowered> values;
  };
  struct Loop {
    const ir::Inst* inst = nullptr;
    ir::InstId id = ir::none;
    Block head = nullptr, latch = nullptr, exit = nullptr;
    std::vector<Cell> params, results;  // results without uses have no cell
    Cell active, waiting, left, trip;
    bool masked = false, single_continue = false, latch_used = false;
    bool rest = false;                                     // all lanes have made some trips together before
    std::vector<std::pair<ir::ValueId, Lowered>> outside;  // values as they were before a rest computed them again
  };

  /// Of CpuLaunch, in 8 bytes.
  enum Field : unsigned { Grid = 0, BlockSize = 3, DynamicBytes = 6, Helpers = 7, Copied = 8 };

  // entry.cpp: the launch around the gangs
  void start_function(const char* name, bool extent);
  void set_machine(llvm::Function& function) const;
  void load_helpers();
  void load_arguments();
  void place_arrays();
  void emit_grid();
  void emit_extent();
  bool splits() const;
  void count_loop(V from, V to, V step, const llvm::Twine& name, llvm::function_ref<void(V)> body);
  void emit_gangs(V begin, V end, bool split, llvm::function_ref<void(V)> place);
  void emit_gangs(V begin, V end, bool split, llvm::function_ref<void(V)> place, llvm::function_ref<void(V)> whole);
  void emit_gang(const Mask& mask);

  // copies.cpp
  void find_copies();

  // planes.cpp
  std::optional<Plane> find_plane() const;
  V plain_rows(Plane& plane);
  void emit_in_plane(const Plane& plane, V plain, V first);

  // rest.cpp
  std::vector<RestArray> rest_arrays() const;
  void emit_gangs_and_copies(V begin, V end, const std::vector<RestArray>& arrays, llvm::function_ref<void(V)> place);

  V launch_field(unsigned index);
  V box_field(unsigned index);
  V lane_mask(unsigned part, V remaining);

  // blocks.cpp
  void emit_blocks();
  void emit_block(Layout layout);
  void emit_threads();
  void emit_bricks();
  V swept();
  void emit_before(ir::ValueId v);
  void emit_element(ir::InstId id);
  V first_active(ir::ValueId v);
  V last_active(ir::ValueId v);
  void emit_gang_barrier(const ir::Inst& inst);
  Lowered id_value(const ir::Inst& inst);
  Lowered thread_index(unsigned dim);

  // fission.cpp
  struct Segment;
  class Fissioned;
  void emit_fissioned();
  V local_in_scratch(ir::ValueId v);
  bool at_hand(ir::ValueId v) const;
  std::size_t region_end(ir::RegionId r) const;
  bool skipped(ir::RegionId r, ir::InstId id) const;
  void emit_segment_gang();

  // call.cpp
  void emit_call(const ir::Inst& inst);
  void call_by_lane(const ir::Inst& inst);
  void append_array(std::vector<V>& arguments, ir::ValueId array);
  Functions::Way way_of(const ir::Inst& inst);
  const Functions::Made& callee(const Functions::Way& way);
  Functions::Made emit_called(const Functions::Way& way);
  std::vector<llvm::Type*> passed_types(const Functions::Way& way, ir::ValueId param);
  void bind_parameters(const Functions::Way& way);
  std::vector<V> call_arguments(const ir::Inst& inst, const Functions::Way& way, unsigned part);
  V call_part(const ir::Inst& inst, const Functions::Way& way, const Functions::Made& made, unsigned part);
  V pack(V x);
  V unpack(V x, ir::Scalar s, bool uniform);
  llvm::Type* packed_type(ir::Scalar s, bool uniform);

  // control.cpp
  Exit emit_region(ir::RegionId r, std::size_t from = 0);
  Flow emit_inst(ir::InstId id);
  Exit emit_guarded(ir::RegionId r, std::size_t from);
  bool lone_jump(ir::RegionId r, std::size_t from) const;
  Flow emit_if(ir::InstId id);
  Flow emit_uniform_branch(ir::InstId id);
  ir::RegionId only_body(const ir::Inst& inst) const;
  void emit_one_sided(const ir::Inst& inst, ir::RegionId body, const Few<V>& chosen, const Mask& mask);
  Flow emit_varying_if(ir::InstId id);
  bool flattens(const ir::Inst& inst) const;
  bool gains_from_whole(const ir::Inst& inst) const;
  struct Guarded {
    bool stores = false, members = false;  // of aggregates
    std::size_t instructions = 0;
  };
  bool only_accesses(ir::RegionId r, Guarded& found) const;
  void emit_whole_or_masked(const ir::Inst& inst, const Mask& before, const Mask& mask);
  V surely(ir::ValueId v, unsigned depth);
  Exit emit_side(ir::RegionId r, const Mask& mask, bool last, Mask& out, bool& alive);
  void emit_loop(ir::InstId id);
  void emit_trip_test(Loop& loop);

  // trips.cpp
  struct Hull {
    V first, last, holds;
  };
  std::optional<Hull> hull(ir::ValueId v, unsigned depth);
  V at_most(ir::Scalar s, V a, V b);
  bool emit_close_quotients(const ir::Inst& inst);
  bool only_trips_differ(ir::InstId id) const;
  void emit_common_trips(Loop& loop);
  void compute_again(ir::ValueId v, unsigned depth, std::vector<std::pair<ir::ValueId, Lowered>>& outside);

  // control.cpp
  void jump(ir::InstId id);
  Lowered join(ir::ValueId v, llvm::ArrayRef<std::pair<Block, const Lowered*>> edges);
  Mask join_masks(llvm::ArrayRef<std::pair<Block, Mask>> edges);

  // values.cpp
  void set(ir::ValueId v, Lowered x);
  void set_uniform(ir::ValueId v, V x) { values_[v] = {Lowered::Form::Uniform, {x}, 0}; }
  const Lowered& get(ir::ValueId v) const { return values_[v]; }
  bool uniform(ir::ValueId v) const { return values_[v].form == Lowered::Form::Uniform; }
  ir::Scalar scalar_of(ir::ValueId v) const { return f_.type_of(v).scalar; }
  V scalar(ir::ValueId v);
  V part(ir::ValueId v, unsigned p) { return part(values_[v], scalar_of(v), p); }
  V part(const Lowered& x, ir::Scalar s, unsigned p);
  V base_of_part(const Lowered& x, unsigned p);
  V base_of_lane(const Lowered& x, unsigned lane);
  llvm::ConstantInt* integer(llvm::Type* type, std::int64_t n);
  llvm::Type* lane_type(ir::Scalar s) { return arith_.type(s, shape_.lanes); }
  V splat(V x) { return b_.CreateVectorSplat(shape_.lanes, x); }
  llvm::Constant* lane_numbers(llvm::Type* element, std::int64_t step, std::int64_t first = 0);
  llvm::Constant* lane_places(llvm::Type* element, unsigned dim, unsigned p, bool from_part = false);
  std::optional<std::vector<std::int64_t>> known_steps(const Lowered& x) const;
  void emit_pure(const ir::Inst& inst);
  V pure_part(const ir::Inst& inst, ir::Scalar operand, llvm::ArrayRef<V> x);
  bool emit_linear(const ir::Inst& inst);
  bool emit_row_part(const ir::Inst& inst);
  bool emit_linear_compare(const ir::Inst& inst);
  unsigned magnitude(ir::ValueId v, unsigned depth = 0) const;
  Cell make_cell(ir::Scalar s, bool uniform, const char* name);
  Cell make_mask_cell(const char* name);
  Lowered read(const Cell& c);
  void write(const Cell& c, const Lowered& x);
  void blend(const Cell& c, const Lowered& x, const Mask& mask);
  Mask read_mask(const Cell& c);
  void write_mask(const Cell& c, const Mask& m);
  V mask_part(const Mask& m, unsigned p);
  V no_lane();
  V every_lane();
  Mask both(const Mask& a, const Mask& b);
  Mask either(const Mask& a, const Mask& b);
  /// No lane with a thread is missing.
  bool everyone() const { return active_.all() || active_.parts == full_.parts; }
  V any(const Mask& m);
  V every(const Mask& m);
  V mask_bits(V part);
  Block new_block(const char* name);
  void branch_to(Block target);
  void start(Block block);

  // memory.cpp
  void emit_load(const ir::Inst& inst);
  void emit_store(const ir::Inst& inst);
  void store_last(V at, ir::Scalar s, ir::ValueId value, ir::ValueId array, llvm::Align align);
  void emit_atomic(const ir::Inst& inst);
  V update(const ir::Inst& inst, ir::Scalar s, V address, llvm::ArrayRef<V> operands);
  void finish_streams();
  V update_atomic(const ir::Inst& inst, ir::Scalar s, V address, llvm::ArrayRef<V> operands);
  V update_alone(const ir::Inst& inst, ir::Scalar s, V address, llvm::ArrayRef<V> operands);
  struct Address {
    enum class Kind : std::uint8_t { One, Row, Pieces, Steps, PerPart, Lanes } kind = Kind::Lanes;
    // One: a pointer; Row: pointer of each part's first lane; Pieces, Steps: of the first of each `run` of lanes, which lie side by side (Pieces)
    // or where `steps` says; PerPart: a pointer each part; Lanes: vector of pointers
    Few<V> v;
    unsigned run = 0;
    std::vector<std::int64_t> steps;  // bytes from its run's pointer to each lane
  };
  enum class Split : std::uint8_t { None, Pieces, Steps };  // what an access may be taken apart into, at most
  Address address(ir::ValueId array, ir::ValueId index, std::int64_t element_offset, std::uint64_t byte_offset, ir::Scalar s,
                  Split split = Split::None);
  void find_runs(Address& a, const Lowered& index, std::int64_t bytes, std::int64_t size, Split split,
                 llvm::function_ref<V(V)> at);
  Split split_of(ir::Scalar s) const;
  V step_to(const Address& a, unsigned lane);
  void update_lanes(const ir::Inst& inst, const Address& a);
  std::vector<std::pair<unsigned, unsigned>> chunks(unsigned first, unsigned end) const;
  bool is_alone(ir::ValueId array) const;
  V load_row(llvm::Type* row, V at, llvm::Align align, V mask, ir::ValueId array);
  Lowered load_row_or_one(const Address& a, llvm::Type* memory, ir::Scalar s, ir::ValueId array);  // planes.cpp
  V load_pieces(const Address& a, llvm::Type* element, unsigned p, llvm::Align align, ir::ValueId array);
  void store_pieces(const Address& a, V x, unsigned p, llvm::Align align, ir::ValueId array);
  V array_base(ir::ValueId array);
  V pointer_to(ir::ValueId array, ir::ValueId index, V first, std::int64_t element, std::int64_t offset);
  bool wraps(ir::ValueId index);

  // members.cpp
  Few<V> element_rows(ir::ValueId array, ir::ValueId index);
  bool load_member(const ir::Inst& inst);
  void find_member_loads(ir::RegionId region);
  bool load_record(const ir::Inst& inst);
  bool store_record(const std::vector<ir::InstId>& members);
  // local_updates.cpp
  void find_local_updates();
  static bool adds(ir::Op op);
  bool updates(const ir::Inst& load, const ir::Inst& store) const;
  bool emit_local_update(ir::InstId id);

  // flips.cpp
  bool emit_flip(const ir::Inst& inst);
  bool emit_flip_compare(const ir::Inst& inst);
  std::vector<unsigned> flipped_lanes(unsigned flip, unsigned p) const;
  bool takes_flipped(const ir::Inst& inst) const;
  V flipped_mask(unsigned flip, unsigned p);
  bool load_flipped(const ir::Inst& inst);
  bool store_flipped(const ir::Inst& inst);

  // differences.cpp
  void find_byte_sums();
  bool emit_byte_sum(ir::InstId id);
  V sum_differences(V a, V b);

  // rows.cpp
  static constexpr unsigned longest_piece = 16;  // bytes of a lane's piece of a row
  llvm::AllocaInst* zeros_ = nullptr;
  std::vector<V> pieces_of_lanes(const Address& a, unsigned p);
  std::optional<ir::Scalar> number_beside(ir::ValueId index, std::uint64_t element, unsigned bytes) const;
  bool load_rows(const ir::Inst& inst);
  void turn_blocks(std::vector<V>& rows);
  std::vector<V> load_blocks(unsigned block, llvm::function_ref<V(unsigned lane)> load);
  void find_member_stores(ir::RegionId region);
  bool store_member(ir::InstId id);
  V extent_of(ir::ValueId array, unsigned dim);
  V stride_of(ir::ValueId array, unsigned dim);
  Lowered load_lanes(const Address& a, ir::Scalar s, llvm::Align align);
  V wide_index(V index, ir::ValueId v);
  static std::int64_t take_constant(V& index, ir::Space space);
  void annotate(llvm::Instruction* access, ir::ValueId array);
  void declare_array(const ir::Inst& inst);

  // record.cpp: nothing, where no hints are asked for
  void note_access(const ir::Inst& inst, const Address* a);
  void note_pure(const ir::Inst& inst);
  void note_atomic(const ir::Inst& inst, const Address& a);
  void note_branch(const ir::Inst& inst);
  void note_loop(const ir::Inst& inst);
  void note_call_by_lane(const ir::Inst& inst);
  void note_barriers(const Fission& plan);
  bool chooses_one(ir::ValueId condition) const;

  // warp.cpp
  void emit_warp(const ir::Inst& inst);
  void emit_shuffle(const ir::Inst& inst);
  V take_lanes(llvm::ArrayRef<V> parts, llvm::ArrayRef<unsigned> lanes);
  void emit_sum(const ir::Inst& inst);
  void emit_reduce(const ir::Inst& inst);
  void emit_match(const ir::Inst& inst);
  void emit_scan(const ir::Inst& inst);
  std::vector<V> active_words();
  V active_bits();

  // lanes.cpp
  /// Room for the parts of a value side by side, one of few that are used again and again: what is in it is read before another
  /// operation is lowered.
  class Row {
   public:
    V at = nullptr;
    llvm::Type* part = nullptr;  // as it lies in memory
  };
  Row row_in_memory(llvm::Type* part, unsigned which);
  Row row_in_memory(llvm::ArrayRef<V> parts, unsigned which);
  V part_of_row(const Row& row, unsigned p);
  V element_of_row(const Row& row, V lane);
  V load_part(const Row& row, unsigned p);
  V load_lane(const Row& row, V lane);
  void loop_over_lanes(const char* name, llvm::function_ref<void(V)> body);
  void loop_over_active_lanes(const char* name, llvm::function_ref<void(V)> body);
  void loop_over_word(const char* name, V word, V first, llvm::function_ref<void(V)> body);
  bool is_large() const;
  bool lanes_in_loops() const;
  /// What a loop over the lanes finds addresses by.
  struct Places {
    V base;
    std::int64_t step = 0;          // bytes from lane to lane, where there is no index
    llvm::Type* element = nullptr;  // what indices count
    Row index;
    bool sign = true;
  };
  Places places_in_memory(const Address& a, unsigned which);
  V place_of_lane(const Places& places, V lane);
  Few<V> load_in_loop(const Address& a, llvm::Type* memory, ir::ValueId array, llvm::Align align);
  void store_in_loop(const Address& a, ir::Scalar s, ir::ValueId value, ir::ValueId array, llvm::Align align);
  void update_in_loop(const ir::Inst& inst, const Address& a);

  llvm::LLVMContext& c_;
  llvm::Module& m_;
  Functions& functions_;
  const ir::Function& f_;
  Shape shape_;
  const Traits& traits_;
  bool whole_block_, wants_lines_;
  CpuCode& own_;
  llvm::IRBuilder<> b_;
  Arithmetic arith_;
  Divergence d_;
  std::size_t operations_ = 0;       // of the function
  std::vector<std::uint32_t> uses_;  // by ValueId
  std::vector<Lowered> values_;      // by ValueId
  const ir::ArgumentLayout& layout_;
  struct View {
    Few<V> extents, strides;
  };
  std::map<ir::ValueId, View> views_;  // parameters of a function that is called
  llvm::Function* function_ = nullptr;
  std::optional<DebugLines> lines_;
  V args_ = nullptr, launch_ = nullptr, box_ = nullptr, scratch_ = nullptr;
  V launch_grid_[3] = {}, launch_block_[3] = {}, helpers_[unsigned(CpuHelper::Count)] = {};
  std::vector<V> shared_lengths_;  // by ValueId: first extent of a shared array that is sized at launch
  Block allocas_ = nullptr;        // the entry block, closed last
  Block gang_end_ = nullptr;       // where a uniform return goes
  Position at_;
  std::map<ir::InstId, std::vector<ir::InstId>> whole_stores_;  // by the last store of an element's members
  std::map<ir::InstId, std::vector<ir::InstId>> record_loads_;  // by the first load of an element's members
  std::map<ir::InstId, ByteSums> byte_sums_;                    // by the last sum of the chain
  std::set<ir::InstId> in_byte_sum_;
  std::map<ir::ValueId, Lowered> in_row_;  // what is known of a gang within one row
  std::map<ir::ValueId, V> dense_;         // by such an array that is only read: whether its rows are, or one element
  std::map<ir::InstId, std::pair<ir::InstId, ir::InstId>> local_updates_;  // by store: the load and the operation that it stores
  std::set<ir::InstId> in_local_update_;
  std::map<ir::InstId, Few<V>> numbers_of_loads_;  // by a load of 8 bytes a lane: these as one number, by part
  std::vector<bool> loaded_;                       // loads that the first one of their element has done
  std::vector<bool> later_;                        // stores that the last one of their element does
  Mask active_;
  Mask full_;                         // what has threads of a whole gang, whose lanes are known
  const ir::Inst* parted_ = nullptr;  // what took lanes out of active_; null: where threads end
  bool streams_ = false;      // streaming stores go past the cache: of scalars, as those of vectors would have to be aligned
  bool one_lane_ = false;     // active_ holds one lane at most, by an if around
  bool masked_copy_ = false;  // of an if that has another one for whole gangs
  bool some_ = true;          // active_ is known to hold a lane
  bool open_ = true;          // the builder's block has no terminator yet
  bool tail_ = false;         // nothing but the latch follows in the innermost loop
  std::vector<Loop> loops_;
  std::vector<llvm::MDNode*> scopes_;  // by parameter: alias scope of a view, where views are disjoint
  llvm::MDNode* scope_domain_ = nullptr;
  static constexpr std::uint32_t on_stack = ~std::uint32_t(0);
  std::vector<std::uint32_t> array_offset_;  // by ValueId: of a shared or large local array in scratch
  std::map<ir::ValueId, V> copied_;          // by parameter: whether this launch's workers update copies of their own
  bool in_copy_ = false;                     // what is lowered updates the worker's copy
  V spills_ = nullptr;                       // scratch behind the arrays
  std::vector<llvm::AllocaInst*> rows_;      // by number
  const Segment* segment_ = nullptr;         // what emit_gang lowers instead of the whole body
  Fissioned* fissioned_ = nullptr;
  std::optional<Sweep> sweep_;  // how the gangs of a block share a row out
};

}  // namespace krait::codegen::cpu
