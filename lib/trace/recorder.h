// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording: its functions (functions.h), the regions of the one that is recorded now (scope.h),
// what is wrong (findings.h), and here instructions and their operands. A function that is called
// (call.cpp) is recorded at its first call, while the caller's scope waits.
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "trace/findings.h"
#include "trace/functions.h"
#include "trace/scope.h"
#include "trace/trace.h"

namespace krait::trace {

class Recorder {
 public:
  explicit Recorder(const detail::recording_options& options);
  Recorder(const Recorder&) = delete;

  Findings found;
  Spots spots;
  Functions functions;
  std::vector<Table> tables;

  /// Of the function that is recorded now.
  Scope& now() { return *scopes_.back(); }
  ir::Builder& at() { return now().builder; }
  ir::Function& function() { return now().function; }
  detail::node node_of(ir::ValueId v) { return {v, now().serial}; }

  // ---- functions that are called
  bool in_function() const { return scopes_.size() > 1; }
  /// Begins to record the function.
  void enter_function(const CalledFunction& f);
  /// Back in the caller; the body must be complete, but after an exception.
  void leave_function() {
    spots.again(callers_.back());
    scopes_.pop_back(), callers_.pop_back();
  }

  // ---- instructions
  /// Appends; throws when the recording is too long.
  ir::InstId append(ir::Op op, ir::Type type, std::initializer_list<ir::ValueId> operands,
                    std::uint64_t imm = 0);
  ir::InstId append(ir::Op op, ir::Type type, std::span<const ir::ValueId> operands,
                    std::uint64_t imm = 0);
  ir::ValueId emit(ir::Op op, ir::Scalar type, std::initializer_list<ir::ValueId> operands,
                   std::uint64_t imm = 0);
  ir::ValueId constant(ir::Scalar type, std::uint64_t bits) {
    return emit(ir::Op::Const, type, {}, bits);
  }
  ir::ValueId cast(ir::Scalar type, ir::ValueId x);
  ir::ValueId logical(ir::Op op, const detail::mark& left, detail::node right);

  // ---- operands
  /// The id of what the node names, or none after a misuse was kept.
  ir::ValueId resolve(detail::node n);
  /// As a plain value: slots are read.
  ir::ValueId use(detail::node n);
  /// As a value of that type; a zero after a misuse.
  ir::ValueId use_as(ir::Scalar type, detail::node n);
  ir::ValueId condition(detail::node n) { return use_as(ir::Scalar::Bool, n); }

  /// In a handler of the exception: what could not be recorded where none may leave, in a
  /// destructor. The recording ends with it at its next word, or at its end.
  void keep_exception() noexcept { exception_ = std::current_exception(); }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

  /// Ends the function. Throws the first misuse.
  std::unique_ptr<Recorded> finish();

 private:
  std::exception_ptr exception_;
  std::vector<std::unique_ptr<Scope>> scopes_;  // the kernel's, and of functions inside each other
  std::vector<std::uint32_t> callers_;          // spots of the calls
};

/// This thread's recorder, for a function of emit.h, which notes where its caller is: what a header
/// of Krait's own has inlined into the user's code has a line there. Throws error{usage} when
/// nothing is being recorded, and the exception that the recording keeps.
Recorder& recorder(const void* caller = __builtin_return_address(0));
/// The same, or null.
Recorder* find_recorder() noexcept;
void set_recorder(Recorder* r) noexcept;

}  // namespace krait::trace
