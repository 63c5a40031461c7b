// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the gang that is lowered lies in the launch, and its threads' numbers.
#pragma once

#include "codegen/cpu/kit/part.h"

namespace krait::codegen::cpu {

/// The numbers of the gang that is lowered: scalars that ids are made of.
struct Position {
  V x = nullptr;  // Grid, Range: first global x / index. Rows: first thread x
  V y = nullptr;  // Grid: global y; Rows: first thread y
  V z = nullptr;
  V linear = nullptr;  // block layouts: first linear thread number
  V gang = nullptr;    // number of the gang in its block
  V block[3] = {};     // block_idx
};

class Positions : public Part {
 public:
  explicit Positions(const Common& common) : Part(common) {}
  Lowered id_value(const ir::Inst& inst);

  Position at;
  V grid[3] = {}, block[3] = {};  // the launch's

 private:
  struct RowOfBlocks {
    Lowered thread, block;
  };
  RowOfBlocks row_of_blocks();
  Lowered thread_index(unsigned dim);
};

}  // namespace krait::codegen::cpu
