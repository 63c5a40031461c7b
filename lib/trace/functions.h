// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a recording: the kernel and those that it calls. A function object gets a
// function of the module at its first call with arguments of certain types; later calls find it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/ir.h"
#include "krait/detail/emit.h"

namespace krait::trace {

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

class Functions {
 public:
  explicit Functions(const char* kernel);

  ir::Function& kernel() { return *functions_.front(); }
  const ir::Function& kernel() const { return *functions_.front(); }
  ir::Function& at(std::size_t index) { return *functions_[index]; }
  /// The function of that key, or null.
  CalledFunction* find(const FunctionKey& key);
  const std::vector<std::unique_ptr<CalledFunction>>& called() const { return called_; }
  CalledFunction& add(FunctionKey key, const detail::called_function& what);
  /// The kernel first. Nothing is left here.
  std::vector<ir::Function> take();

 private:
  std::string unique_name(std::string name) const;

  std::vector<std::unique_ptr<ir::Function>> functions_;  // the kernel first
  std::vector<std::unique_ptr<CalledFunction>> called_;
};

}  // namespace krait::trace
