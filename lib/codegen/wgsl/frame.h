// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of the lowering have in common: the module that is made, a function, and what its
// values have become.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codegen/reply.h"
#include "codegen/wgsl/expr.h"
#include "codegen/wgsl/text.h"
#include "codegen/wgsl/uses.h"
#include "ir/ir.h"
#include "support/blobs/envelope.h"
#include "support/target.h"
#include "support/blobs/webgpu.h"

namespace krait::codegen::wgsl {

/// A variable that holds an array.
struct Array {
  ir::Space space{};
  Scalar element = Scalar::Void;
  std::string name;
  // made of words of 32 bits, in which an element's bytes lie; else of elements
  bool words = false;
  bool atomic = false;  // its cells are atomics
  bool writable = true;
  std::uint32_t element_bytes = 0;
  // of the kernel; number of a shared array that is sized at launch
  unsigned param = 0;
  std::vector<std::int64_t> extents;  // of a variable; the first is 0 where it is sized at launch
  unsigned rank = 0;

  std::string_view cell() const { return words ? std::string_view("u32") : cell_type(element); }
  unsigned cell_bytes() const {
    if (words) return 4;
    return is_wide(element) || element == Scalar::F64 ? 8 : element == Scalar::F16 ? 2 : 4;
  }
};

/// A called function for the arrays that it is given.
using Instance = std::pair<std::uint64_t, std::vector<const Array*>>;

struct Unit {
  const ir::Module& module;
  const support::WebGpuTarget& target;
  support::Envelope& envelope;
  support::WebGpuCode& own;
  Uses uses = Uses(module);
  std::deque<Array> arrays = {};
  Text globals = {};
  std::string functions = {};
  std::set<std::string> helpers = {};

  std::map<Instance, std::string> instances = {};
  std::vector<Instance> wanted = {};  // instances whose bodies are yet to be made
  unsigned variables = 0, shared_sized = 0;
  std::uint64_t shared_of_decisions = 0;  // bytes of the block's shared memory
};

struct Frame {
  Frame(Unit& all, std::size_t function);
  Frame(const Frame&) = delete;

  Unit& unit;
  const std::size_t number;  // of the function in the module
  const ir::Function& f;
  Text out;
  // of the kernel: what stands before its arguments get names
  std::string head;
  // of the kernel: names that its body uses, and what they are
  std::map<std::string, std::string> arguments;
  std::vector<Expr> values;           // by ValueId
  std::vector<const Array*> arrays;   // by ValueId
  std::vector<std::uint32_t> uses;    // by ValueId: how often it is an operand
  std::vector<ir::RegionId> used_in;  // by ValueId: the region of its last use
  ir::RegionId region = ir::none;     // that is lowered
  unsigned names = 0;
  std::string where;  // what messages name: "operation add (user.cpp:12)"
};

class Part {
 public:
  Part(const Part&) = delete;

 protected:
  explicit Part(Frame& frame) : frame_(frame), unit_(frame.unit), f_(frame.f), out_(frame.out) {}
  ~Part() = default;

  // ---- values
  Scalar scalar(ir::ValueId v) const { return f_.type_of(v).scalar; }
  /// As it is: 64 bits may be the i32 of which they are the extension.
  const Expr& value(ir::ValueId v) const { return frame_.values[v]; }
  /// 64 bits as a vec2u.
  Expr full(const Expr& e);
  Expr full(ir::ValueId v) { return full(value(v)); }
  /// An integer's low 32 bits as u32.
  Expr low(ir::ValueId v);
  const Array& array(ir::ValueId v) const { return *frame_.arrays[v]; }
  bool is_const(ir::ValueId v) const { return f_.is_const(v); }

  // ---- code
  std::string new_name(char letter = 'v');
  /// The expression gets a name.
  Expr named(const Expr& e);
  /// The result is the expression: a name of its own unless its one use stands nearby.
  void define(const ir::Inst& i, const Expr& e);
  /// The result of what may not move.
  void define_here(const ir::Inst& i, const Expr& e) { frame_.values[i.results[0]] = named(e); }
  /// A function of helpers.def.
  template <class... Args>
  Expr helper(const char* which, const Args&... args) {
    unit_.helpers.insert(which);
    std::string list;
    (list.append(list.empty() ? "" : ", ").append(args.text), ...);
    return call("{}({})", which, list);
  }
  bool exact() const { return f_.fp == ir::FpMode::Strict || f_.fp == ir::FpMode::Reproducible; }
  /// Counts a shared variable: of the kernel's arrays, or of what the block decides together.
  void take_shared(std::uint64_t array, std::uint64_t own);
  bool has(support::Feature feature) const { return unit_.target.features.has(feature); }

  Frame& frame_;
  Unit& unit_;
  const ir::Function& f_;
  Text& out_;
};

/// For messages: "operation add (user.cpp:12)".
std::string place_of(const ir::Function& f, const ir::Inst& i);
Expr literal(Scalar s, std::uint64_t bits);
inline Expr number(std::uint32_t x) { return {fmt::format("{}u", x), true, true}; }

}  // namespace krait::codegen::wgsl
