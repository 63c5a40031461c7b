// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plain functions through which the templates of the DSL reach the recorder (lib/trace). All
// types are erased here: a traced value is a `node`. The recorder knows its type, converts operands
// itself, and reads a mutable local where one is used as a value.
//
// A misuse does not throw where it happens: it is kept, the operation gives a zero, and
// finish_recording throws it. Two misuses throw at once: the use of a traced value while nothing is
// recorded, and a recording that grows without end.
#pragma once

#include <cstddef>
#include <cstdint>

#include <krait/detail/export.h>
#include <krait/detail/function_ref.h>
#include <krait/detail/location.h>

namespace krait::detail {

/// The operations, as the IR has them.
enum class op : std::uint8_t {
#define KRAIT_OP(Name, ...) Name,
#include <krait/ops.def>
};

/// The types of traced values, as the IR has them.
enum class scalar : std::uint8_t {
  none,
#define KRAIT_SCALAR(Name, dsl, ...) dsl,
#include <krait/types.def>
};

/// Dimensions that an array, or a view in a kernel, can have.
inline constexpr int max_rank = 6;

/// A recorded value, mutable local or array.
struct node {
  std::uint32_t id = 0;
  std::uint32_t recording = 0;  // 0: of none
};

/// A point of the recording: what was recorded after it can be moved below a condition. `condition`
/// is the left operand of && and
/// ||, or the if whose chain goes on.
struct mark {
  node condition;
  std::uint32_t region = 0;
  std::uint32_t position = 0;
};

// ---- a recording --------------------------------------------------------------------------------
struct recording_options {
  const char* name = "";
  location where{};
  std::uint8_t fp = 2;  // ir::FpMode
  bool checked = false;
  std::int64_t block[3] = {0, 0, 0}, cluster[3] = {0, 0, 0};
  std::uint32_t bounds[3] = {0, 0, 0};  // ir::Bounds
};

/// Starts recording on this thread. Throws error{usage} when this thread records already.
KRAIT_API void* begin_recording(const recording_options& options);
/// Parameters, in order, before the lambda runs.
KRAIT_API node parameter(scalar type);
KRAIT_API node parameter_array(scalar element, unsigned rank, bool writable, unsigned elem_bytes);
/// An aggregate by value: an array whose index counts bytes.
KRAIT_API node parameter_aggregate(unsigned bytes);
/// Ends the recording and gives what trace::take (lib/trace/trace.h) turns into a module. Throws
/// the first misuse that was kept.
KRAIT_API void* finish_recording(void* recording);
/// Ends the recording after an exception left the lambda.
KRAIT_API void abandon_recording(void* recording) noexcept;
KRAIT_API bool recording_active() noexcept;
/// Of two launches that follow one another, with few blocks in the second: the recorded kernel is
/// the first, or the second, whose blocks may wait on the device while the first still runs.
KRAIT_API void overlap_launches(bool second);
/// Keeps a misuse that a template found; without a file, at the place that is recorded now.
KRAIT_API void misuse(const char* text, location where);

/// A body whose return_(value) gives its result to `result` and leaves the body, not the kernel: an
/// element-wise function's. Brackets the code recorded between the two calls.
struct body_scope {
  mark start{};
  std::uint32_t index = 0;
};
KRAIT_API body_scope begin_body(void (*result)(void* context, node value), void* context);
KRAIT_API void end_body(const body_scope& scope);

// ---- functions that are called ------------------------------------------------------------------
/// A function object and how it is recorded for arguments of certain types.
struct called_function {
  std::uint64_t object;  // next_function()'s number of it
  const void* lambda;
  /// Calls the lambda on parameters. `results` receives the results, and then a node a parameter:
  /// the local of one that is taken by reference.
  void (*record)(const void* lambda, const node* parameters, node* results);
  const scalar* results;
  unsigned result_count;
  const char* name;  // or nullptr: file:line
  location where;
  bool rare;
};
struct function_argument {
  node x;
  bool by_reference;  // a var, which gets the value that the function leaves in it
};
KRAIT_API std::uint64_t next_function() noexcept;
/// Records the function unless that was done before in this recording, and a call of it.
KRAIT_API void call_function(const called_function& what, const function_argument* arguments,
                             unsigned count, node* results);

// ---- values -------------------------------------------------------------------------------------
KRAIT_API node literal(scalar type, std::uint64_t bits);
/// x as a value of that type (C++'s conversion; float to integer saturates).
KRAIT_API node convert(scalar type, node x);
KRAIT_API node bit_convert(scalar type, node x);
/// Numbers beyond a float type's largest finite number become that number.
KRAIT_API node convert_saturating(scalar type, node x);
/// The operation on operands converted to `type`; the result's type follows from the operation's
/// row. A shift's count and a select's condition keep their own type.
KRAIT_API node apply(op what, scalar type, node x);
KRAIT_API node apply(op what, scalar type, node x, node y);
KRAIT_API node apply(op what, scalar type, node x, node y, node z);
/// An operation without operands: position in the launch and the like.
KRAIT_API node position(op what, scalar type, unsigned dimension = 0);
/// An operation for its effect, on one operand.
KRAIT_API void perform(op what, scalar type, node x, location where);
KRAIT_API void set_location(location where);
/// Sets the location of the next records to the line that calls the current function, as the
/// program's debug information has it. It serves functions that cannot have a default argument,
/// such as operators. The current function must not be inlined.
KRAIT_API void set_caller(const void* return_address = __builtin_return_address(0));

/// Where the right operand of && or || begins, or an elif's condition.
KRAIT_API mark mark_here(node left);
/// left && right, or left || right, where the right operand is what was recorded since the mark.
KRAIT_API node logical(op what, const mark& left, node right);
/// The same with a plain left operand.
KRAIT_API node logical(op what, bool left, node right);

// ---- mutable locals -----------------------------------------------------------------------------
KRAIT_API node make_slot(scalar type, node first);
KRAIT_API void assign(node slot, node x);
/// slot = slot `what` x, computed in `type`.
KRAIT_API void update(op what, scalar type, node slot, node x);

// ---- memory -------------------------------------------------------------------------------------
/// An element's place: indices are values of type i64 once `load` or `locate` has run. In an array
/// of composite elements `type` and the offset in bytes name a scalar of the element.
struct place {
  node array;
  node indices[max_rank];
  std::uint32_t rank = 0;
  std::uint32_t offset = 0;
  scalar type = scalar::none;
};
KRAIT_API void locate(place& at);
KRAIT_API node load(place& at);
/// Gives what was stored, as the element's type.
KRAIT_API node store(const place& at, node x, bool streaming = false);
/// Makes the load that gave the node a streaming one.
KRAIT_API void make_streaming(node loaded);
/// With no value (AtomicLoad), one, or two (AtomicCas); order and scope as the IR numbers them.
KRAIT_API node atomic(op what, const place& at, const node* values, unsigned count, unsigned order,
                      unsigned scope);
KRAIT_API node extent(node array, unsigned dimension);
/// Shared or Local. scalar::none: composite elements.
KRAIT_API node make_array(op what, scalar element, std::size_t elem_bytes,
                          const std::int64_t* extents, unsigned rank);
/// A shared array of `length` elements, sized at launch unless that is a literal.
KRAIT_API node make_shared(scalar element, std::size_t elem_bytes, node length);
/// WarpReduce or WarpScan.
KRAIT_API node combine_lanes(op what, scalar type, node x, unsigned by);
/// A read-only array of `count` elements, copied from the host now. scalar::none: composite
/// elements.
KRAIT_API node constant_array(scalar element, std::size_t elem_bytes, const void* data,
                              std::size_t count, location where);
/// Barriers, fences and warp operations without or with an operand.
KRAIT_API void synchronise(op what, unsigned scope = 0);
/// Of the kernel's clusters.
KRAIT_API node cluster_rank();
KRAIT_API int cluster_size();
/// A shared array as the cluster's block of this rank has it.
KRAIT_API node shared_of(node array, node rank);

// ---- tiles (ir/tiles.h has their layout) --------------------------------------------------------
/// Threads of the block, which must be fixed; 32 after a misuse.
KRAIT_API unsigned threads_of_block();
/// A factor of a product: a tile in a shared array of one dimension, from an offset on.
struct factor {
  node array, offset;
  scalar type = scalar::none;
  bool transposed = false;  // the tile is stored as its transpose
};
struct product_form {
  int rows = 0, columns = 0, depth = 0;
  bool rounds = false;  // f32 may be rounded to tf32
  // both factors stay as they are until the block's next product has begun
  bool overlapped = false;
};
/// sums[e] += left * right, for each element of the thread; the results replace the sums.
/// `held`, if there are any, are the thread's elements of the left factor.
KRAIT_API void multiply(const product_form& form, const factor& left, const factor& right,
                        node* sums, unsigned count, const node* held = nullptr,
                        unsigned held_count = 0);
/// Copies a tile of a view to tiles that products take; `from` names the first row and column.
/// Zeros outside the view.
KRAIT_API void copy_tile(const factor& to, const place& from, int rows, int columns, bool inside,
                         bool pieces);
/// Elements of a row of a shared array to neighbours in a view.
KRAIT_API void copy_back(const place& to, node array, node at, unsigned elements);
/// CopyGroup, or CopyWait for all but the last `groups` groups.
KRAIT_API void end_copies();
KRAIT_API void wait_for_copies(unsigned groups);

// ---- what the host is told ----------------------------------------------------------------------
/// Print or Fault: the text has a place {} for each value.
KRAIT_API void report(op what, const char* text, const node* values, unsigned count,
                      location where);
/// Fault, where the condition does not hold.
KRAIT_API void report_unless(node condition, const char* text, const node* values, unsigned count,
                             location where);

// ---- control ------------------------------------------------------------------------------------
/// Which way a branch mostly goes.
enum class expected : std::uint8_t { nothing, likely, unlikely };
/// Gives the mark that elif and else continue from.
KRAIT_API mark record_if(node condition, function_ref<void()> body, location where,
                         expected mostly = expected::nothing);
KRAIT_API mark record_elif(const mark& chain, node condition, function_ref<void()> body,
                           location where, expected mostly);
KRAIT_API void record_else(const mark& chain, function_ref<void()> body, location where);
/// One of two values; each side is recorded in a branch of its own.
KRAIT_API node record_select(node condition, scalar type, function_ref<node()> yes,
                             function_ref<node()> no, location where);
KRAIT_API void record_while(function_ref<node()> condition, function_ref<void()> body,
                            location where);

/// Gives the loop; its index is of `type`.
KRAIT_API node begin_range(scalar type, node begin, node end, node step, location where);
KRAIT_API node begin_grid_stride(node bound, location where);
/// Closes the innermost loop, whose index is this.
KRAIT_API void end_loop(node index);
/// The same where C++ left the body in its middle, which is a misuse.
KRAIT_API void abandon_loop(node index, location where) noexcept;

KRAIT_API node begin_switch(node selector, location where);
KRAIT_API void record_case(node chain, const std::int64_t* values, unsigned count,
                           function_ref<void()> body, location where);
KRAIT_API void record_default(node chain, function_ref<void()> body, location where);

/// Break, Continue or Return.
KRAIT_API void leave(op what, location where);
KRAIT_API void leave_with(node result, location where);

}  // namespace krait::detail
