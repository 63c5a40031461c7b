// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of aggregates whose elements lie side by side, or are loaded and stored whole.
#pragma once

#include <map>
#include <vector>

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

class Addresses;
class Memory;
class HintNotes;
class Rows;

class Members : public Part {
 public:
  Members(const Common& common, Addresses& addresses, Rows& rows, Memory& memory, HintNotes& notes);
  /// False where the load is one of its own.
  bool load(const ir::Inst& inst);
  /// False where the store is one of its own.
  bool store_member(ir::InstId id);

 private:
  using Group = std::vector<ir::InstId>;
  bool load_member(const ir::Inst& inst);
  unsigned number_of(unsigned bytes) const;
  V spread(V words, unsigned bytes, unsigned number);
  V pack(V numbers, unsigned bytes, unsigned number);
  void find_member_loads(ir::RegionId region);
  bool load_record(const ir::Inst& inst);
  bool store_record(const Group& members);
  void find_member_stores(ir::RegionId region);

  Addresses& addresses_;
  Rows& rows_;
  Memory& memory_;
  HintNotes& hint_notes_;
  std::map<ir::InstId, Group> whole_stores_;  // by the last store of an element's members
  std::map<ir::InstId, Group> record_loads_;  // by the first load of an element's members
  std::vector<bool> loaded_;                  // loads that the first one of their element has done
  std::vector<bool> later_;                   // stores that the last one of their element does
};

}  // namespace krait::codegen::cpu
