// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What krait/dist.h asks the library: how arrays are distributed, and the messages.
#pragma once

#include <cstddef>
#include <cstdint>

#include <krait/detail/access.h>
#include <krait/detail/function_ref.h>
#include <krait/detail/layout.h>
#include <krait/device.h>

namespace krait::dist {

class world;

/// How an axis is distributed: in blocks, one for each rank along it, or whole on each rank.
enum class along : unsigned char { block, whole };

namespace detail {

using krait::detail::elements;
using krait::detail::function_ref;
using krait::detail::layout;
using krait::detail::layout_of;
using krait::detail::max_rank;
using krait::detail::memory_of;
using krait::detail::view_at;

struct job;

/// A call that all ranks make, with the arguments that must be equal on all of them.
struct call {
  const char* name;
  const char* type = "";
  std::int64_t numbers[3 * max_rank]{};
  int count = 0;
  void add(std::int64_t number) { numbers[count++] = number; }
};

/// How an array is distributed: its own numbers and this rank's.
struct decomposition {
  job* of = nullptr;
  int rank = 0;              // the number of dimensions
  std::uint32_t serial = 0;  // in the order of creation, the same on all ranks
  along words[max_rank]{};
  bool periodic[max_rank]{};
  std::int64_t extents[max_rank]{}, halo[max_rank]{};
  int parts[max_rank]{}, place[max_rank]{};  // the grid of ranks, and this rank in it
  std::int64_t first[max_rank]{}, owned[max_rank]{};
  bool replicated = false;  // whole on every axis

  std::int64_t size() const {
    std::int64_t n = 1;
    for (int d = 0; d < rank; ++d) n *= extents[d];
    return n;
  }
};

/// A box of elements.
struct box {
  std::int64_t first[max_rank]{}, count[max_rank]{};
};
/// The parts of a whole array that ranks have: of(r) is rank r's box, and `mine` are the elements
/// of this rank's. Where `same`, each rank has what all others have, too; where `from_others`, it
/// takes nothing from itself.
struct side {
  function_ref<box(int)> of;
  elements mine;
  bool same = false, from_others = false;
};

KRAIT_API job* open_job();
KRAIT_API void close_job(job* of, int uncaught) noexcept;
KRAIT_API int uncaught() noexcept;
KRAIT_API int rank_of(const job* of) noexcept;
KRAIT_API int size_of(const job* of) noexcept;
KRAIT_API krait::device device_of(const job* of);
/// Runs `each` with a job of each rank, as threads. Throws the error of the first rank that failed.
KRAIT_API void run_ranks(int ranks, function_ref<void(job*)> each);
/// Runs `body` and gives a program's exit status; tells the others of its exception.
KRAIT_API int run_launched(function_ref<void(job*)> body);

/// Fills in the parts that follow from extents, words, halo and periodic.
KRAIT_API void decompose(job* of, decomposition& how, std::size_t element_bytes);
/// The same for a result, whose numbers are not compared: the call that makes it is.
KRAIT_API void arrange(decomposition& how);
/// A rank's block in the whole array.
KRAIT_API box block_of(const decomposition& how, int rank);
/// One element along an axis for each rank that has some there: what each made of its own.
KRAIT_API decomposition parts_along(const decomposition& how, int axis);
/// An array of one dimension more, whole along it.
KRAIT_API decomposition lifted(const decomposition& how, int axis, std::int64_t extent);
/// The same numbers for one more array.
KRAIT_API void number(decomposition& how);
/// Throws error{usage}, alike on all ranks, for operands of different extents.
KRAIT_API void check_extents(const char* function, const decomposition& x, const decomposition& y);
/// Throws error{usage}, alike on all ranks, for operands of different distributions.
KRAIT_API void check_alike(const char* function, const decomposition& x, const decomposition& y);
[[noreturn]] KRAIT_API void refuse_reach(const char* function, int axis, std::int64_t reach,
                                         std::int64_t halo);
/// Of axes with one letter that differ.
[[noreturn]] KRAIT_API void refuse_letter(char letter, std::int64_t extent, std::int64_t other);
/// Throws error{usage} for operands of two worlds.
KRAIT_API void check_worlds(const char* function, const decomposition& x, const decomposition& y);
/// Throws error{usage} for an index outside; the rank that owns the element.
KRAIT_API int owner(const decomposition& how, const std::int64_t* index);

/// Every rank's `bytes`, at most 40, in the order of ranks. Throws on all ranks where they differ
/// in the call.
KRAIT_API void all_gather(job* of, const call& what, const void* mine, void* all,
                          std::size_t bytes);
/// Before a part of a call that waits for this rank's device: waits for messages, within the time
/// limit.
KRAIT_API void settle(job* of, const char* name);
/// Runs `work` on the first rank of each machine, and when its compilations have ended, on the
/// others.
KRAIT_API void compile_once(job* of, function_ref<void()> work);
/// Runs what only this rank may fail at: the others are told.
KRAIT_API void guard(job* of, function_ref<void()> work);

/// Runs what any rank may fail at, and gives the sum of the ranks' numbers. The error of the first
/// rank that failed is thrown on all, and the job goes on.
KRAIT_API std::uint64_t together(job* of, const char* name, function_ref<std::uint64_t()> work);

/// Copies from parts of a whole array to others. Ranks compare `what` first, if `compares`.
KRAIT_API void transfer(job* of, const call& what, int rank, const side& from, const side& to,
                        bool compares = true);
/// How many elements each rank has for this one, and these elements: the pieces of one dimension
/// that begin at `cuts`, one for each rank, from all ranks in their order.
KRAIT_API void deal_counts(job* of, const call& what, const std::int64_t* cuts,
                           std::int64_t* counts);
KRAIT_API void deal(job* of, const call& what, const elements& from, const std::int64_t* cuts,
                    const elements& to, const std::int64_t* counts);
/// Numbers that sum_over_ranks adds.
enum class sum_type : unsigned char { none, int32, uint32, int64, uint64, float32, float64 };
/// Adds every rank's elements, on every rank, where something adds faster than each rank by itself.
/// False, alike on all ranks: there is no such thing, and nothing was done.
KRAIT_API bool sum_over_ranks(job* of, const call& what, sum_type type, const elements& from,
                              const elements& to);
[[noreturn]] KRAIT_API void refuse_empty(const char* function);
KRAIT_API void check_product(const decomposition& x, const decomposition& y);

/// The halos of `all`, the local array; the axes one after another, so that corners come along.
/// `between` runs while the first axis is under way.
KRAIT_API void exchange(const decomposition& how, const elements& all,
                        function_ref<void()> between);
/// The same in two calls. drop_exchange is for those that are not waited for.
struct pending;
KRAIT_API pending* begin_exchange(const decomposition& how, const elements& all);
KRAIT_API void end_exchange(pending* of);
KRAIT_API void drop_exchange(pending* of) noexcept;
/// Computes rows from rank to rank along an axis, so many a message: compute(first, last) of the
/// local array's.
KRAIT_API void sweep(const decomposition& how, const elements& all, int axis, std::int64_t rows,
                     function_ref<void(std::int64_t, std::int64_t)> compute);
/// The whole array on one rank, from every rank's owned part, and the opposite.
KRAIT_API void gather(const decomposition& how, const elements& owned, int root,
                      const elements* whole);
KRAIT_API void scatter(const decomposition& how, const elements& owned, int root,
                       const elements* whole);
/// An integer sum of three slices (krait/dist.h, reproducible) as the nearest double.
KRAIT_API double join_slices(const std::int64_t (&sums)[3], int exponent);
/// The exponent of the grid of a largest absolute value.
KRAIT_API int grid_exponent(double largest);
KRAIT_API double power_of_two(int exponent);

}  // namespace detail
}  // namespace krait::dist
