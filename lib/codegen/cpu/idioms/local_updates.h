// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bins[i] += x in an array of the thread's own, at places that data choose.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "codegen/cpu/emit/part.h"

namespace krait::codegen::cpu {

class Addresses;
class Memory;
class Pure;

class LocalUpdates : public Part {
 public:
  LocalUpdates(const Common& common, Addresses& addresses, Memory& memory, Pure& pure);
  /// False where the instruction is no part of such an update.
  bool emit_local_update(ir::InstId id);

 private:
  void find_local_updates();
  static bool adds(ir::Op op);
  bool updates(const ir::Inst& load, const ir::Inst& store) const;

  Addresses& addresses_;
  Memory& memory_;
  Pure& pure_;
  // by store: the load and the operation that it stores
  std::map<ir::InstId, std::pair<ir::InstId, ir::InstId>> updates_;
  std::set<ir::InstId> within_;
};

}  // namespace krait::codegen::cpu
