// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accesses of a launch that the interpreter runs.
#pragma once

#include <string>

#include "ir/interp/cooperation.h"
#include "ir/interp/races.h"
#include "ir/interp/state.h"

namespace krait::ir::interpreter {

class Memory {
 public:
  Memory(State& state, const Cooperation& cooperation, RaceDetector& races)
      : s_(state), cooperation_(cooperation), races_(races) {}

  void load(const Inst& inst, const Mask& active);
  void store(const Inst& inst, const Mask& active);
  void load_vector(const Inst& inst, const Mask& active);
  void store_vector(const Inst& inst, const Mask& active);
  void atomic(const Inst& inst, Op update, const Mask& active);
  void product(const Inst& inst, const Mask& active);
  void word_product(const Inst& inst, const Mask& active);
  void copy_row(const Inst& inst, const Mask& active);
  void copy_tile(const Inst& inst, const Mask& active);

 private:
  std::byte* begin_of(const Inst& inst, std::size_t lane);
  std::byte* locate(const Inst& inst, unsigned indices, std::size_t lane);
  std::byte* locate_vector(const Inst& inst, unsigned count, std::size_t lane);
  void observe(const Inst& inst, const std::byte* p, unsigned bytes, AccessKind kind,
               std::size_t lane);
  void observe(const Inst& inst, Array& a, const std::byte* p, unsigned bytes, AccessKind kind,
               std::size_t lane);
  const std::byte* factor(const Inst& inst, std::size_t operand, std::int64_t elements,
                          std::size_t lane);
  std::byte* words_of(const Inst& inst, std::size_t operand, std::int64_t bytes, std::size_t lane);
  std::string indices_text(const Inst& inst, unsigned indices, std::size_t lane) const;

  State& s_;
  const Cooperation& cooperation_;
  RaceDetector& races_;
};

}  // namespace krait::ir::interpreter
