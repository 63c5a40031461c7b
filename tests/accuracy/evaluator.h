// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Something that computes the mathematical functions on arrays of a device: Krait's kernels in one
// mode, or another library beside them (math_peer.h), which gets the same addresses.
#pragma once

#include <krait/krait.h>

#include <functional>
#include <map>
#include <string>

#include "math_peer.h"
#include "reference.h"

namespace krait::accuracy {

class Evaluator {
 public:
  Evaluator(krait::device on, krait::fp mode);
  /// The peer is a library with the symbol krait_math_peer. Throws std::runtime_error when it
  /// cannot be opened.
  Evaluator(krait::device on, const char* peer);

  const std::string& name() const { return name_; }
  const krait::device& device() const { return on_; }
  /// Krait in fast mode.
  bool is_fast() const { return fast_; }
  /// out[i] = f(x[i], y[i]); y is not looked at for one argument. False when a peer has no such
  /// function.
  bool run(const Reference& f, const array<float>& x, const array<float>& y,
           array<float>& out) const;
  bool run(const Reference& f, const array<double>& x, const array<double>& y,
           array<double>& out) const;

 private:
  template <class Float>
  using Launch = std::function<void(const array<Float>&, const array<Float>&, array<Float>&)>;
  krait::device on_;
  std::string name_;
  bool fast_ = false;
  const MathPeer* peer_ = nullptr;
  std::map<std::string, Launch<float>, std::less<>> single_;
  std::map<std::string, Launch<double>, std::less<>> double_;
};

}  // namespace krait::accuracy
