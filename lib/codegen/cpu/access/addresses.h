// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the lanes' elements of an array lie. The form of the index decides: one address,
// consecutive lanes, one address a part, or lanes anywhere.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "codegen/cpu/lanes/each_lane.h"
#include "codegen/cpu/kit/part.h"

namespace llvm {
class Instruction;
struct Align;
}  // namespace llvm

namespace krait::codegen::cpu {

class Arguments;

struct Address {
  enum class Kind : std::uint8_t { One, Row, Pieces, Steps, PerPart, Lanes } kind = Kind::Lanes;
  // One: a pointer; Row: pointer of each part's first lane; Pieces, Steps: of the first of each
  // `run` of lanes, which lie side by side (Pieces) or where `steps` says; PerPart: a pointer each
  // part; Lanes: vector of pointers
  Few<V> v;
  unsigned run = 0;
  std::vector<std::int64_t> steps;  // bytes from its run's pointer to each lane
  // Steps: bytes from lane to lane, where that is one number for the gang
  V stride = nullptr;
};
/// What an access may be taken apart into, at most. Spaced: steps that rows give which are blended.
enum class Split : std::uint8_t { None, Pieces, Spaced, Steps };

/// Lanes anywhere: a base and an index each, in the 32 bits that it may come from.
struct Indices {
  V base = nullptr;
  llvm::Type* element = nullptr;  // what indices count
  std::vector<V> parts;
  bool sign = true;
};
/// What a loop over the lanes finds addresses by.
struct Places {
  V base = nullptr;
  V step = nullptr;               // bytes from lane to lane, where there is no index; null: none
  llvm::Type* element = nullptr;  // what indices count
  Row index;
  bool sign = true;
};

class Addresses : public Part {
 public:
  Addresses(const Common& common, const Arguments& arguments, EachLane& each_lane)
      : Part(common), arguments_(arguments), each_lane_(each_lane) {}

  Address address(ir::ValueId array, ir::ValueId index, std::int64_t element_offset,
                  std::uint64_t byte_offset, ir::Scalar s, Split split = Split::None);
  Split split_of(ir::Scalar s) const;
  /// Pointers to the elements of each part's first lane, where all lanes' elements lie side by
  /// side. Empty where they do not, or some lanes do not take part.
  Few<V> element_rows(ir::ValueId array, ir::ValueId index);
  V step_to(const Address& a, unsigned lane);
  /// Of an index that begins a run of lanes: element times its size, and an offset in bytes.
  V pointer_to(ir::ValueId array, ir::ValueId index, V first, std::int64_t element,
               std::int64_t offset);
  V wide_index(V index, ir::ValueId v);
  /// Whether each lane has an array of its own, element beside element.
  bool is_own(ir::ValueId array) const;
  /// Whether lanes' indices that follow one another may begin again at 0.
  bool wraps(ir::ValueId index) const;
  V array_base(ir::ValueId array) const { return values_.get(array).v[0]; }

  /// Windows of memory in which a register of a part's lanes lies (strided_loads.cpp); 0: they are
  /// too many, or it is not known.
  unsigned count_windows(const Address& a, unsigned p, unsigned size, bool stores) const;
  V load_windows(const Address& a, llvm::Type* element, unsigned p, llvm::Align align,
                 ir::ValueId array);
  void store_windows(const Address& a, V x, unsigned p, llvm::Align align, ir::ValueId array);

  static Indices indices_of(const Address& a);
  Places places_in_memory(const Address& a, unsigned which);
  V place_of_lane(const Places& places, V lane);
  /// Where each lane's piece begins; null for lanes without a thread. Lanes that do not take part
  /// read zeros of our own.
  std::vector<V> pieces_of_lanes(const Address& a, unsigned p);

  /// Says what else the access does not touch.
  void annotate(llvm::Instruction* access, ir::ValueId array);
  /// First lanes and numbers of lanes that have threads, in powers of two.
  std::vector<std::pair<unsigned, unsigned>> chunks(unsigned first, unsigned end) const;
  /// Neighbours under a mask, or all of them where there is none.
  V load_row(llvm::Type* row, V at, llvm::Align align, V mask, ir::ValueId array);
  /// Null where the mask is known to have no lane.
  llvm::Instruction* store_row(V row, V at, llvm::Align align, V mask);

  static constexpr unsigned longest_piece = 16;  // bytes of a lane's piece of a row

 private:
  /// Of a register's lanes.
  struct Windows {
    std::int64_t from = 0;  // bytes from the run's pointer
    unsigned width = 0;     // elements of each
    std::vector<unsigned> begin;
    std::vector<std::pair<unsigned, unsigned>> lanes;  // each lane's window, and place in it
    bool blend() const;
    bool apart() const;
  };
  unsigned lanes_of_register(unsigned size) const;
  std::optional<Windows> windows_of(const Address& a, unsigned first, unsigned size) const;
  V together(std::vector<V> registers, unsigned lanes);
  void step_through(Address& a, const Lowered& i, std::int64_t bytes);
  void find_runs(Address& a, const Lowered& index, std::int64_t bytes, std::int64_t size,
                 Split split, llvm::function_ref<V(V)> at);

  const Arguments& arguments_;
  EachLane& each_lane_;
  llvm::AllocaInst* zeros_ = nullptr;
};

}  // namespace krait::codegen::cpu
