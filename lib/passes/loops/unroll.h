// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that take several trips at once, for passes that say which:
//   for n { i: body }   becomes
//   for n / W { j: the body W times, for W j, W j + 1, … }, for n % W { the body }
// The copies stand one after another: the bits are those of the loop. Where there are at most M
// trips:
//   for n { i: body }   becomes
//   loop { if n <= 0 { break }, the body for 0, if n <= 1 { break }, the body for 1, …, break }
#pragma once

#include <functional>
#include <vector>

#include "passes/rewrite.h"

namespace krait::passes {

class Unroller {
 public:
  /// What to do with a loop. Rows: loads of the body's own region whose index grows by one a trip;
  /// those of all copies become one load_vec in the first copy.
  struct Choice {
    unsigned width = 1;  // copies: a power of two, or the number of trips; 1: the loop stays
    // there are no more trips than copies: each copy may be the last, and the loop goes
    bool most = false;
    // no compiler behind is to take more trips at once than that; the loop over what is left never
    // wants it
    bool rolled = false;
    std::vector<ir::InstId> rows;
  };
  using Choose = std::function<Choice(ir::InstId loop)>;

  explicit Unroller(ir::Function& f) : f_(f), b_(f), exits_(f) {}
  /// Asks for every `for` whose trips all end at its body's end, inner ones first. Whether any was
  /// unrolled.
  bool run(const Choose& choose);

 private:
  void walk(ir::RegionId r, const Choose& choose);
  bool has_one_end(ir::InstId loop) const;
  bool unroll(ir::InstId loop, const Choice& how);
  void unroll_to_most(ir::InstId loop, const Choice& how);
  std::vector<ir::ValueId> copies(ir::RegionId body, ir::ValueId first,
                                  std::vector<ir::ValueId> carried, const Choice& how,
                                  unsigned count);

  ir::Function& f_;
  ir::Builder b_;
  const LoopExits exits_;
  ir::Substitution results_;
  bool done_ = false;
};

}  // namespace krait::passes
