// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores.
#pragma once

#include "codegen/cpu/kit/part.h"
#include "codegen/cpu/launch/row_gangs.h"

namespace llvm {
class LoadInst;
struct Align;
}  // namespace llvm

namespace krait::codegen::cpu {

class Addresses;
class EachLane;
class HintNotes;
class Positions;
class Rows;
struct Address;

/// Lanes that follow each other, for a shuffle.
std::vector<int> numbers_from(unsigned first, unsigned count);

class Memory : public Part {
 public:
  struct Needs {
    const Positions& positions;
    EachLane& each_lane;
    Addresses& addresses;
    Rows& rows;
    HintNotes& notes;
    const InRow& in_row;
  };
  Memory(const Common& common, const Needs& needs);
  void emit_load(const ir::Inst& inst);
  void emit_store(const ir::Inst& inst);
  /// Before others may see that this thread's stores are done: those past the cache keep no order
  /// by themselves.
  void finish_streams();

  // streaming stores go past the cache: of scalars, as those of vectors would have to be aligned
  bool streams = false;

 private:
  llvm::Type* memory_type(ir::Scalar s) const;
  llvm::LoadInst* load_one(llvm::Type* memory, V at, llvm::Align align, ir::ValueId array);
  void load_element(const ir::Inst& inst, std::size_t k);
  V load_part(const ir::Inst& inst, const Address& a, unsigned p);
  V gather_narrow(const Address& a, llvm::Type* memory, unsigned p, ir::ValueId array);
  V load_steps(const ir::Inst& inst, const Address& a, unsigned p);
  void fetch_ahead(const ir::Inst& inst, const Address& a);
  V load_pieces(const Address& a, llvm::Type* element, unsigned p, llvm::Align align,
                ir::ValueId array);
  Lowered load_row_or_one(const Address& a, llvm::Type* memory, ir::Scalar s, ir::ValueId array);
  Few<V> load_in_loop(const Address& a, llvm::Type* memory, ir::ValueId array, llvm::Align align);
  void store_element(const ir::Inst& inst, std::size_t k);
  void store_one(const ir::Inst& inst, ir::ValueId value, V at);
  void store_last(V at, ir::Scalar s, ir::ValueId value, ir::ValueId array, llvm::Align align);
  void store_part(const ir::Inst& inst, V x, const Address& a, unsigned p);
  void store_pieces(const Address& a, V x, unsigned p, llvm::Align align, ir::ValueId array);
  // access/packed.cpp
  struct Packed;
  bool is_packed(const ir::Inst& inst) const;
  void for_each_packed(const ir::Inst& inst, llvm::function_ref<void(const Packed&)> use);
  V lanes_of(V row, unsigned first, unsigned count);
  V table(const std::string& name, llvm::Constant* numbers);
  V word_places(unsigned lanes, bool apart);
  V move_lanes(V row, const Packed& lanes, bool apart);
  Lowered load_packed(const ir::Inst& inst);
  void store_packed(const ir::Inst& inst);
  void store_in_loop(const Address& a, ir::Scalar s, ir::ValueId value, ir::ValueId array,
                     llvm::Align align);

  const Positions& positions_;
  EachLane& each_lane_;
  Addresses& addresses_;
  Rows& rows_;
  HintNotes& hint_notes_;
  const InRow& in_row_;
};

}  // namespace krait::codegen::cpu
