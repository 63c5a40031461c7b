// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every pass is one function in one file of its name; pipeline.cpp is the list. A pass keeps what
// the interpreter computes, but for contract, which changes rounding where the fp mode allows it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ir.h"
#include "support/target.h"

namespace krait::passes {

/// Accesses of a checked function come under a test of their indices; one outside its array is a
/// fault, reads 0, writes nothing. Clears Function::checked.
void check_accesses(ir::Module& m);
/// print and fault become writes to a buffer (ir/report.h), which two hidden parameters bring: a
/// view of u32 and the kernel's number. A module that reports nothing stays as it is.
void lower_reports(ir::Module& m);
/// Takes out what the program promises, for targets that make nothing of it.
void drop_assumptions(ir::Module& m);
/// Equal pieces of a function that follow one another become a loop, as long as it has more than
/// `largest` operations and a loop saves at least `least`.
void roll_repeats(ir::Module& m, std::size_t largest, std::size_t least);
/// Slots become SSA values: results of ifs and switches, carried values of loops.
void promote_slots(ir::Module& m);
void promote_slots(ir::Module& m, std::optional<ir::Module>* written);
/// Calls of functions with barriers, warp operations, positions or arrays of the block become their
/// bodies (ir/calls.h).
void inline_calls(ir::Module& m);
/// Constants, identities that hold for every bit pattern, global ids written as block_idx *
/// block_dim + thread_idx, facts of the launch (strides of contiguous views), branches with
/// constant conditions.
void fold(ir::Module& m);
/// The same, but cheap branches that choose among many values stay branches.
void fold_for_ptx(ir::Module& m);
/// Equal pure operations become one, where the first dominates the second; loads too where nothing
/// writes between.
void cse(ir::Module& m);
/// Removes what nothing uses: pure operations, loads, slots only written, loops and ifs without
/// effect or used result.
void dce(ir::Module& m);
/// The same. Where it removes something that a check would have looked at, `written` gets the
/// module with that, as a checked one.
void dce(ir::Module& m, std::optional<ir::Module>* written);
/// a*b + c becomes fma in every mode but strict: the left product first. Without `singles` those of
/// f32 stay.
void contract(ir::Module& m, bool singles = true);
/// What becomes of a row of KRAIT_MATH: its body, exact or with approximate reciprocals and roots,
/// or it stays for the target's own instructions. math_targets.def is the table.
enum class Expansion : std::uint8_t { Exact, Approximate, Instructions };
using ChooseExpansion = Expansion (*)(const ir::Inst&, ir::FpMode);
inline Expansion expand_all(const ir::Inst&, ir::FpMode) { return Expansion::Exact; }
/// Replaces rows of KRAIT_MATH by their bodies, but for those that stay. With `flushing` the
/// bodies' fma of f32 may take subnormal numbers for zero (they are marked as fast), and results
/// that this would change are put right behind the bodies.
void expand_math(ir::Module& m, ChooseExpansion choose, bool flushing = false);
/// Saturating arithmetic, byte_permute, and what a warp does together but for ballots and shuffles,
/// become other operations where `keep` does not say that the target has them. `warp`: lanes of a
/// warp at most.
void expand_ops(ir::Module& m, bool (*keep)(const ir::Inst&), unsigned warp);
/// What a target has for tiles (ir/tiles.h). tile_support.cpp says it of each.
struct TileSupport {
  bool copies = false;  // asynchronous ones, and waits for them
  bool (*product)(const ir::Inst&, ir::FpMode) = [](const ir::Inst&, ir::FpMode) { return false; };
  bool (*copy)(const ir::Inst&, const ir::Function&) = [](const ir::Inst&, const ir::Function&) {
    return false;
  };
  bool (*tile)(const ir::Inst&, const ir::Function&) = [](const ir::Inst&, const ir::Function&) {
    return false;
  };
  // tiles in shared memory are made of their pieces, which are stored as a whole
  bool pieces = false;
  // copies of tiles take what the host says of a view (HiddenKind::TileMap)
  bool tile_maps = false;
  // products may have their left factor in registers (left_values)
  bool left_values = false;
  // products that take padded tiles (pad_tiles)
  bool (*padded)(const ir::Inst&, ir::FpMode) = nullptr;
  std::int64_t block_sums =
      // of a product that a thread keeps in registers where the block computes it (block_products);
      // 0: it does not
      0;
  // products that the block computes from words at once (Op::WordProduct)
  bool (*words)(const ir::Inst&, ir::FpMode) = [](const ir::Inst&, ir::FpMode) { return false; };
};
TileSupport tile_support(const support::Target& target);
/// What tile registers (AMX) have: whole ones of bytes, and of bf16 where sums may round freely.
bool takes_words(const ir::Inst& product, ir::FpMode fp);
/// Left factors of products stay in the registers that hold them, or are read of their arrays
/// alone.
void left_values(ir::Module& m, const TileSupport& has);
/// Tiles in shared memory that copies and products alone know, products that `has` says, get padded
/// rows (ir/tiles.h): for targets that read whole rows of them.
void pad_tiles(ir::Module& m, bool (*has)(const ir::Inst&, ir::FpMode));
/// Copies of tiles become copies of pieces of their rows, except those that a target has, where
/// these are tested for what they ask of the view.
void expand_tile_copies(ir::Module& m, const TileSupport& has);
/// Products of tiles are computed by the block, from shared memory to shared memory; a thread keeps
/// at most block_sums sums of 32 bits in registers, or the product is one of words: for the CPU.
void block_products(ir::Module& m, const TileSupport& has);
/// Products of tiles and asynchronous copies that a target does not have become loops, loads and
/// stores; lower_types comes behind.
void expand_tiles(ir::Module& m, const TileSupport& has);
/// Products whose sums only the next trip's product reads run on into that trip, and end behind
/// their loop.
void end_products(ir::Module& m);
/// What a target has of the types below f32.
struct SmallFloats {
  bool halves = true;   // f16 as itself
  bool float8 = false;  // instructions from f32 to floats of 8 bits, saturating, and back
};
/// Types that back ends know as integers (types.def, and f16 on targets without it) become those,
/// and their arithmetic that of f32; expand_ops first. With `float8` the conversions stay, between
/// f32 and the type, and a bitcast to or from u8 at once beside them.
void lower_types(ir::Module& m, SmallFloats has = {});
/// Accesses with one index a dimension become accesses with one flat element index (sets
/// Function::flat); check_accesses first.
void lower_access(ir::Module& m);
/// Address arithmetic that may run modulo 2^32 does (facts.small).
void narrow_addresses(ir::Module& m);
/// grid_stride loops without carried values and thread-dependent surroundings handle four elements
/// a trip with 16-byte accesses (facts contiguous, aligned, small, disjoint), with a scalar tail.
void widen(ir::Module& m);
/// Functions of more than `largest` operations are cut into called ones of at most `part`.
void outline(ir::Module& m, std::size_t largest, std::size_t part);

/// Loads and stores of neighbouring elements become one access of up to 16 bytes, for back ends
/// whose memory wants it: of views (facts.aligned), and of shared arrays where `shared`.
void combine_accesses(ir::Module& m, bool shared);
/// The same for the CPU: of views, where each thread has a piece of its own.
void combine_pieces(ir::Module& m);

/// Returns in branches of the kernel's body become guards around what follows: for the CPU.
void guard_returns(ir::Module& m);
/// grid_stride loops of kernels with barriers become loops of the block, whose threads make a trip
/// together: for the CPU, which runs a part of a block's threads from barrier to barrier.
void interchange_trips(ir::Module& m);
/// Loops over local arrays take all their trips at once where a function has no more than `largest`
/// instructions then, and innermost ones a few: for PTX and SPIR-V (flat accesses).
void unroll_loops(ir::Module& m, std::size_t largest);
/// Loops with barriers whose few trips follow from constants become their trips, one after another:
/// of `largest` instructions together at most.
void unroll_steps(ir::Module& m, std::size_t largest);
/// Local arrays that are accessed at known places become values: for PTX and SPIR-V (flat
/// accesses).
void promote_arrays(ir::Module& m);
/// Loads that are the same in every trip of a counted loop stand before it: for Vulkan (flat
/// accesses).
void hoist_loads(ir::Module& m);
/// Loops in which each thread walks along a row of its own load several elements of it a trip: for
/// the CPU (facts.small).
void unroll_rows(ir::Module& m);
/// Loads move up over square roots, divisions and conditions, of which ptxas makes branches: for
/// PTX.
void loads_first(ir::Module& m);
/// Stores to members of one element move next to each other, so that the driver's compiler writes
/// whole sectors: for PTX.
void stores_together(ir::Module& m);
/// Loads move down to the first use of their value: for WGSL, whose compilers for processors keep
/// the order.
void loads_at_uses(ir::Module& m);
/// Pure operations move up over barriers where fewer values then cross them: for the CPU, where
/// those lie in memory, and WGSL.
void settle_before_barriers(ir::Module& m);
/// Straight code of at least `shortest` operations in the order in which a processor could compute
/// it: for the CPU.
void schedule(ir::Module& m, std::size_t shortest);

/// Every loop has one way out, every kernel one return, at its end: jumps in branches become flags
/// and guards. For the CPU and WGSL, in kernels with barriers whose threads part.
void one_exit(ir::Module& m);

struct Uniformity;
/// Of the kernel, in every schedule.
Uniformity uniformity(const ir::Module& m);
/// Empty, or the barrier that not all threads of a block are guaranteed to reach: both source lines
/// and the cure.
std::string check_barriers(const ir::Module& m);

/// Functions for which the program gives instructions: those stay for PTX, the bodies elsewhere.
void take_native(ir::Module& m, bool ptx);
/// Barriers of the grid become barriers of the block and atomics on a counter that a hidden
/// parameter brings, for launches whose blocks all run at once.
void lower_grid_barriers(ir::Module& m);

/// Loops that wait for what others write tell how often they found nothing, by poll: for the CPU
/// and the interpreter.
void mark_polls(ir::Module& m);
/// Where those loops are, by the number that mark_polls gives them.
std::vector<ir::Location> polls(const ir::Module& m);

/// What makes recorded IR canonical, before its key is taken: promoted slots, an order that no host
/// compiler shows in.
void prepare(ir::Module& m);
/// The same; `written` as dce gives it.
void prepare(ir::Module& m, std::optional<ir::Module>* written);

/// What a compilation may cost. Quick: for the first launch, while the best code is made in the
/// background. The bits are the same.
enum class Effort : std::uint8_t { Quick, Best };
/// The whole pipeline, from what was recorded to what a back end lowers. Returns check_barriers'
/// message. With `checked` every pass's result is verified and gets unreachable entries
/// (ir/unreachable_entries.h), and krait::error of kind internal names the pass that broke it.
#ifdef NDEBUG
inline constexpr bool verify_by_default = false;
#else
inline constexpr bool verify_by_default = true;
#endif
std::string run_pipeline(ir::Module& m, const support::Target& target,
                         bool checked = verify_by_default, Effort effort = Effort::Best);

/// The pipeline's passes by name, in their order: docs/architecture.md has them all.
std::vector<std::string_view> pipeline_names();

/// The passes that change a module, by name, each as tests run it alone: with limits that small
/// kernels reach.
struct Pass {
  std::string_view name;
  void (*run)(ir::Module&);
  bool exact;  // keeps what the interpreter computes, bit by bit
};
std::span<const Pass> all_passes();
template <class Fn>
void for_each_pass(Fn&& fn) {
  for (const Pass& pass : all_passes()) fn(pass);
}

}  // namespace krait::passes
