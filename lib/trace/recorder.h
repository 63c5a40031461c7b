// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function being recorded: its open regions, where values live, and the misuse found so far. A function that is called
// (function.cpp) is recorded at its first call, while the caller's state waits.
//
// Open regions form a stack of frames. A value may be used while the region that holds it is open. After a terminator a frame
// goes on in a detached region, which nothing refers to in the end: C++ code after break_() records into the void. A mark (a
// region and a position in it) lets a later call move what was recorded since below a condition.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/ir.h"
#include "krait/detail/emit.h"
#include "trace/trace.h"

namespace krait::trace {

struct Misuse {
  std::string text;
  detail::location where;
};

/// A region being recorded.
struct Frame {
  ir::RegionId region = ir::none;  // what belongs to the function
  bool loop = false;
  bool terminated = false;       // the builder stands in a detached region
  bool left_by_result = false;   // loops: a return_(value) inside leaves through this one
  ir::ValueId index = ir::none;  // loops over a range: the value of the index
  std::size_t opened = 0;        // size of Recorder's list of open regions when it was entered
};

/// An element-wise body: return_(value) leaves it.
struct Body {
  void (*result)(void*, detail::node) = nullptr;
  void* context = nullptr;
  std::size_t depth = 0;                 // frames below it
  bool terminated = false;               // of the frame around it, at the start
  bool left = false, left_loop = false;  // by return_(value); from within a loop
  ir::ValueId done = ir::none;           // slot<bool>, set when it was left from within a loop
};

/// What is recorded of one function, the kernel or one that it calls.
struct Scope {
  Scope(ir::Function* f, std::uint32_t serial_number) : function(f), builder(*f), serial(serial_number) {}
  ir::Function* function;
  ir::Builder builder;
  std::uint32_t serial;
  std::vector<Frame> frames;
  std::vector<ir::RegionId> open_regions;
  std::vector<bool> is_open;       // by RegionId
  std::vector<ir::RegionId> home;  // by InstId: the region that holds it
  std::vector<Body> bodies;
  std::set<std::pair<ir::InstId, std::int64_t>> cases;
  std::map<std::pair<const char*, unsigned>, std::uint32_t> location_ids;
};

/// One function object called with arguments of these types.
struct FunctionKey {
  std::uint64_t object;
  void (*record)(const void*, const detail::node*, detail::node*);
  std::vector<ir::Type> types;
  std::vector<bool> by_reference;
  friend bool operator==(const FunctionKey&, const FunctionKey&) = default;
};
struct CalledFunction {
  FunctionKey key;
  std::size_t index;           // in the module
  bool complete = false;       // else it is being recorded
  std::vector<bool> assigned;  // by parameter: taken by reference, and assigned to
};

class Recorder {
 public:
  explicit Recorder(const detail::recording_options& options);

  ir::Builder& at() { return now_->builder; }
  ir::Function& function() { return *now_->function; }
  const ir::Function& function() const { return *now_->function; }
  const ir::Function& kernel() const { return *functions_.front(); }
  std::vector<Table>& tables() { return recorded_->tables; }
  std::uint32_t serial() const { return now_->serial; }
  detail::node node_of(ir::ValueId v) const { return {v, now_->serial}; }

  // ---- misuse and warnings
  void location(detail::location where);
  detail::location where() const { return where_; }
  void misuse(std::string text) { misuse(std::move(text), where_); }
  void misuse(std::string text, detail::location where);
  void warn(std::string text);
  /// x * 2.0 with a float x: a warning unless the kernel has doubles of its own.
  void double_arithmetic() { doubles_.emplace_back(where_); }

  // ---- instructions
  /// Appends; throws when the recording is too long.
  ir::InstId append(ir::Op op, ir::Type type, std::initializer_list<ir::ValueId> operands, std::uint64_t imm = 0);
  ir::InstId append(ir::Op op, ir::Type type, std::span<const ir::ValueId> operands, std::uint64_t imm = 0);
  ir::ValueId emit(ir::Op op, ir::Scalar type, std::initializer_list<ir::ValueId> operands, std::uint64_t imm = 0);
  ir::ValueId constant(ir::Scalar type, std::uint64_t bits) { return emit(ir::Op::Const, type, {}, bits); }
  ir::ValueId cast(ir::Scalar type, ir::ValueId x);
  /// The id of what the node names, or none after a misuse was kept.
  ir::ValueId resolve(detail::node n);
  /// As a plain value: slots are read.
  ir::ValueId use(detail::node n);
  /// As a value of that type; a zero after a misuse.
  ir::ValueId use_as(ir::Scalar type, detail::node n);
  ir::ValueId condition(detail::node n) { return use_as(ir::Scalar::Bool, n); }

  // ---- regions
  Frame& top() { return now_->frames.back(); }
  const Frame& frame(std::size_t depth) const { return now_->frames[depth]; }
  std::size_t depth() const { return now_->frames.size(); }
  void enter(ir::RegionId region, bool loop = false);
  /// Closes the frame; `terminator` ends its region where it goes on to its end.
  void exit(ir::Op terminator);
  /// Appends a terminator and goes on in a detached region.
  void terminate(ir::Op op);
  /// Back to a depth, after an exception.
  void unwind(std::size_t depth);
  /// The innermost loop of the current body.
  Frame* innermost_loop();

  detail::mark mark(detail::node condition) const;
  /// True when what was recorded since the mark stands in the current region.
  bool reaches(const detail::mark& m) const;
  /// Moves what was recorded since the mark to the end of `to`.
  void move_tail(const detail::mark& m, ir::RegionId to);
  ir::ValueId logical(ir::Op op, const detail::mark& left, detail::node right);
  /// False when the switch has a case of that value already.
  bool note_case(ir::InstId inst, std::int64_t value) { return now_->cases.emplace(inst, value).second; }
  /// True when one of the last instructions, as far as the value is computed from them, does more than compute.
  bool has_effects(detail::node n) const;
  /// Inserts what was just recorded (the last `count` instructions of the current region) before `before`.
  void insert_before(ir::InstId before, std::size_t count);

  // ---- element-wise bodies
  detail::body_scope begin_body(void (*result)(void*, detail::node), void* context);
  void end_body(const detail::body_scope& scope);
  void leave_body(detail::node result);
  /// Of a function without result.
  void leave_body();
  /// After a loop that return_(value) may have left.
  void leave_after_loop();
  bool in_body() const { return !now_->bodies.empty(); }
  bool in_void_body() const { return in_body() && !now_->bodies.back().result; }

  // ---- functions that are called
  bool in_function() const { return scopes_.size() > 1; }
  /// The function of that key, or null.
  CalledFunction* find_function(const FunctionKey& key);
  CalledFunction& add_function(FunctionKey key, const detail::called_function& what);
  /// Begins to record the function.
  void enter_function(const CalledFunction& f);
  /// Back in the caller; the body must be complete, but after an exception.
  void leave_function();
  ir::Function& function(std::size_t index) { return *functions_[index]; }
  void hoist_shared();

  /// Ends the function. Throws the first misuse.
  std::unique_ptr<Recorded> finish();

 private:
  ir::InstId append_unchecked(ir::Op op, ir::Type type, std::span<const ir::ValueId> operands, std::uint64_t imm);
  void open(ir::RegionId region);
  bool only_computes(ir::InstId inst) const;
  bool is_cheap(ir::RegionId region, std::size_t from) const;
  void warn_of_doubles();
  void hint_at_unrolled_loops();

  static std::uint32_t next_serial();
  void leave_body_by_break();
  std::string unique_name(std::string name) const;

  std::unique_ptr<Recorded> recorded_;
  std::vector<std::unique_ptr<ir::Function>> functions_;  // the kernel first
  std::vector<std::unique_ptr<CalledFunction>> called_;
  std::vector<std::unique_ptr<Scope>> scopes_;  // the kernel's, and of functions inside each other
  Scope* now_ = nullptr;
  std::optional<Misuse> misuse_;
  std::vector<detail::location> doubles_;
  detail::location where_;
};

/// This thread's recorder. Throws error{usage} when nothing is being recorded.
Recorder& recorder();
/// The same, or null.
Recorder* find_recorder() noexcept;
void set_recorder(Recorder* r) noexcept;

}  // namespace krait::trace
