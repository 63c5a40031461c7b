// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a recording gives. include/krait/detail/emit.h is its other side: the functions that the DSL
// calls.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"
#include "krait/detail/emit.h"
#include "trace/spots.h"

namespace krait::trace {

/// Something that is allowed but probably not meant.
struct Warning {
  std::string text;
  std::string file;  // empty: unknown
  unsigned line = 0;
};

/// Host data that kr::constant captured. The kernel reads it through a hidden parameter, Table
/// (support/hidden.def), whose index is its place among them: kernels that differ in their tables
/// alone share their code.
struct Table {
  std::vector<std::byte> bytes;
  std::uint32_t elem_bytes = 0;
  std::int64_t count() const { return std::int64_t(bytes.size() / elem_bytes); }
};
/// A larger table is better an array that the program passes.
inline constexpr std::size_t max_table_bytes = std::size_t(64) << 20;

struct Recorded {
  ir::Module module;
  std::vector<Table> tables;
  std::shared_ptr<Spots> spots;
  std::vector<Warning> warnings;
  std::optional<Warning> hint;  // what makes it long to compile, for whoever compiles it
};

/// Takes over what detail::finish_recording gave. Operations have the nearest places that are
/// known; or, to be settled when the module is prepared, their spots.
enum class Places { Nearest, Spots };
std::unique_ptr<Recorded> take(void* finished, Places places = Places::Nearest);

/// `krait/language/vec.h`, `krait/detail/elementwise.h`: not where the user is. What they record
/// has the place of what came before.
bool in_own_header(std::string_view file);

/// The operation that gave this value may be approximate (ir::Inst::fast).
void allow_approximation(detail::node result);

/// A recording longer than this ends with an error: a C++ loop that waits for a traced value never
/// ends by itself.
inline constexpr std::size_t max_instructions = 2'000'000;
/// A line that was recorded as so many operations is taken for one in a C++ loop, which runs while
/// recording; who writes one by hand writes fewer. Where all such lines have so many, the kernel
/// gets a hint: 2,000 operations take 50 to 100 ms to compile for a CPU (bench_compile --large
/// 2000).
inline constexpr std::size_t unrolled_line = 100, unrolled_kernel = 2'000;

}  // namespace krait::trace
