// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a reduction: brings the inputs into a form of few dimensions, those that stay before those
// that go, chooses how threads share the elements, and launches once, or twice where blocks share
// the elements of one result.
#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "algorithms/record/kept.h"
#include "algorithms/reduce/kernel.h"
#include "devices/layout.h"
#include "devices/memory.h"
#include "host/graph.h"
#include "ir/types.h"
#include "support/error.h"

namespace krait::detail {

struct reduction_kernels {
  const reduction_recipe* recipe;
  host::Kept<host::ReduceKernel> made;

  const host::ReduceKernel& of(const host::ReduceForm& f) {
    return made.of<reduction_kernels>(
        {f.rank, f.columns, f.tree, f.from_states, f.to_states, f.wide, f.row, f.joined},
        [&] { return std::make_unique<host::ReduceKernel>(*recipe, f); });
  }
};

}  // namespace krait::detail

namespace krait::host {
namespace {

using detail::argument;
using detail::max_rank;
using detail::memory_share;
using detail::reduction_kernels;
using detail::reduction_recipe;

/// Arguments of a call, which mostly fit on the stack: a sum of a few elements takes as long as two
/// allocations.
using Arguments = std::pmr::vector<argument>;
constexpr std::size_t usual_bytes = 16 << 10;

/// The inputs with those dimensions that stay, then those that go.
class Dimensions {
 public:
  Dimensions(Arguments& inputs, int rank, const std::int64_t* extents, unsigned axes, bool numbered)
      : inputs_(inputs), stride_(inputs.size(), inputs.get_allocator()) {
    int kept[max_rank], reduced[max_rank], kept_count = 0, reduced_count = 0;
    for (int d = 0; d < rank; ++d) {
      if (axes >> d & 1) reduced[reduced_count++] = d;
      else kept[kept_count++] = d;
    }
    // Where elements need no numbers, they go in memory's order.
    if (!numbered) sort_by_distance(reduced, reduced_count);
    kept_ = merge(kept, kept_count, extents), kept_runs_ = runs_;
    reduced_ = merge(reduced, reduced_count, extents), reduced_runs_ = runs_ - kept_runs_;
  }

  std::int64_t results() const { return kept_; }
  std::int64_t elements() const { return reduced_; }
  /// Makes the outer ones of several runs of elements stay, so that no position of an element is
  /// divided by extents. Gives the number of rows that each result then has, whose states a second
  /// launch combines; 1 where rows are too short for that.
  std::int64_t split_rows() {
    if (reduced_runs_ < 2 || extent_[runs_ - 1] < few_reduce_elements) return 1;
    const std::int64_t elements = extent_[runs_ - 1], rows = reduced_ / elements;
    kept_runs_ = runs_ - 1, reduced_runs_ = 1;
    kept_ *= rows, reduced_ = elements;
    return rows;
  }
  bool is_row() const { return reduced_runs_ == 1; }
  /// Of the arrays: 2 where one dimension stays and one goes. Few ranks, as each has a kernel of
  /// its own.
  int rank() const {
    if (kept_runs_ <= 1 && reduced_runs_ <= 1) return 2;
    return runs_ <= 4 ? 4 : max_rank;
  }
  /// Distance of neighbouring results and elements in the first array, in elements.
  std::int64_t result_step() const {
    return kept_runs_ ? std::abs(stride_[first_array()][std::size_t(kept_runs_ - 1)]) : 0;
  }
  std::int64_t element_step() const {
    return reduced_runs_ ? std::abs(stride_[first_array()][std::size_t(runs_ - 1)]) : 0;
  }

  /// Whether there is one result, and elements lie beside each other from multiples of 16 bytes on
  /// in all arrays that have several.
  bool is_one_piece() const {
    // arrays of nothing have no memory
    if (kept_ != 1 || reduced_ == 0 || reduced_runs_ != 1) return false;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const argument& a = inputs_[i];
      if (a.rank == 0) continue;
      if (a.kind != argument::device_array || stride_[i][0] < 0 || stride_[i][0] > 1) return false;
      if (stride_[i][0] == 1 && (a.memory->address + a.offset) % 16 != 0) return false;
    }
    return true;
  }
  /// Gives the arrays these dimensions; `numbers` are the extents that the general form has.
  void apply(std::int64_t* numbers) {
    const int rank = this->rank();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      argument& a = inputs_[i];
      if (a.rank == 0) continue;
      a.rank = static_cast<unsigned char>(rank);
      for (int d = 0; d < rank; ++d) a.extents[d] = 1, a.strides[d] = 0;
      for (int r = 0; r < runs_; ++r) {
        const int d = r >= kept_runs_ && is_row() ? rank - 1 : rank > 2 ? r : 0;
        a.extents[d] = extent_[r], a.strides[d] = stride_[i][std::size_t(r)];
      }
      // What an array of the same elements has that is contiguous.
      for (int d = rank - 1; d >= 0; --d)
        if (a.extents[d] == 1)
          a.strides[d] = d + 1 < rank ? a.extents[d + 1] * a.strides[d + 1] : 1;
    }
    for (int d = 0; d < 2 * rank; ++d) numbers[d] = 1;
    for (int r = 0; r < runs_; ++r) numbers[r < kept_runs_ ? r : rank + r] = extent_[r];
  }

 private:
  std::size_t first_array() const {
    std::size_t i = 0;
    while (inputs_[i].rank == 0) ++i;
    return i;
  }
  /// The farthest first. By insertion: a stable sort of the library's would allocate at each call.
  void sort_by_distance(int* dims, int count) const {
    for (int k = 1; k < count; ++k) {
      const int d = dims[k];
      int at = k;
      for (; at > 0 && nearest(dims[at - 1]) < nearest(d); --at) dims[at] = dims[at - 1];
      dims[at] = d;
    }
  }
  std::int64_t nearest(int d) const { return std::abs(inputs_[first_array()].strides[d]); }

  /// Adds runs of these dimensions, and gives the product of their extents.
  std::int64_t merge(const int* dims, int count, const std::int64_t* extents) {
    std::int64_t all = 1;
    const int first = runs_;
    for (int k = 0; k < count; ++k) {
      const int d = dims[k];
      all *= extents[d];
      if (extents[d] == 1) continue;
      bool one = runs_ > first;
      for (std::size_t i = 0; i < inputs_.size() && one; ++i)
        one = inputs_[i].rank == 0 ||
              stride_[i][std::size_t(runs_ - 1)] == extents[d] * inputs_[i].strides[d];
      if (!one) extent_[runs_++] = 1;
      extent_[runs_ - 1] *= extents[d];
      for (std::size_t i = 0; i < inputs_.size(); ++i)
        if (inputs_[i].rank > 0) stride_[i][std::size_t(runs_ - 1)] = inputs_[i].strides[d];
    }
    return all;
  }

  Arguments& inputs_;
  int runs_ = 0, kept_runs_ = 0, reduced_runs_ = 0;
  std::int64_t kept_ = 1, reduced_ = 1, extent_[max_rank]{};
  std::pmr::vector<std::array<std::int64_t, max_rank>> stride_;  // by input and run
};

std::int64_t power_of_2(std::int64_t at_least, std::int64_t most) {
  std::int64_t p = 1;
  while (p < at_least && p < most) p *= 2;
  return p;
}
std::int64_t up(std::int64_t n, std::int64_t d) { return n > 0 ? (n - 1) / d + 1 : 0; }

/// How threads share the work.
struct Shape {
  bool columns = false;
  std::int64_t lanes = 1, groups = 1, chunks = 1, chunk = 0;
};

Shape shape_of(std::int64_t results, std::int64_t elements, bool columns,
               const DeviceHandle& device) {
  const bool cpu = device.device->host_memory();
  const std::int64_t enough = cpu ? reduce_blocks_of_processor * processors() : reduce_blocks;
  const std::int64_t threads = cpu ? reduce_gang : reduce_block,
                     least = cpu ? least_reduce_elements : least_reduce_loads * reduce_unroll;
  Shape s;
  s.chunk = std::max<std::int64_t>(elements, 1);
  s.columns = columns || (cpu && elements < few_reduce_elements);
  if (s.columns) s.lanes = cpu ? 1 : power_of_2(up(elements, least), most_column_lanes);
  else s.lanes = power_of_2(up(elements, cpu ? 1 : reduce_unroll), threads);
  s.groups = threads / s.lanes;
  const std::int64_t blocks = up(results, s.groups);
  if (blocks < enough && elements > 2 * s.lanes * least) {
    const std::int64_t most = up(elements, s.lanes * least);
    s.chunks = std::min(up(enough, std::max<std::int64_t>(blocks, 1)), most);
    s.chunk = up(up(elements, s.chunks), s.lanes * reduce_unroll) * s.lanes * reduce_unroll;
    s.chunks = up(elements, s.chunk);
  }
  return s;
}

argument number(std::int64_t x) {
  argument a;
  a.bits = std::uint64_t(x);
  return a;
}
argument states_of(detail::storage* memory, std::int64_t results, std::int64_t chunks) {
  argument a;
  a.kind = argument::device_array, a.memory = memory, a.offset = 0, a.rank = 2;
  a.extents[0] = results, a.extents[1] = chunks, a.strides[0] = chunks, a.strides[1] = 1;
  return a;
}

/// What a launch adds to the inputs: outputs and numbers.
std::size_t more_arguments(std::size_t outputs) {
  return outputs + 5 + 2 * max_rank + detail::max_words;
}

/// One launch. `all` holds the inputs, with room for what is added; `extents` are the numbers of
/// the general form or null.
void launch(const ReduceKernel& k, const Shape& s, Arguments& all,
            std::span<const argument> outputs, std::int64_t results, std::int64_t elements,
            std::int64_t count, const std::int64_t* extents, const std::uint64_t* start) {
  all.insert(all.end(), outputs.begin(), outputs.end());
  for (const std::int64_t n :
       {results, elements, s.chunk, count, std::int64_t(std::countr_zero(std::uint64_t(s.lanes)))})
    all.push_back(number(n));
  if (extents)
    for (int d = 0; d < 2 * k.form.rank; ++d) all.push_back(number(extents[d]));
  for (int w = 0; w < k.recipe->state_words; ++w) all.push_back(number(std::int64_t(start[w])));
  detail::call_config config;
  config.grid = dims(up(results, s.groups), s.chunks);
  config.block = s.columns ? dims(s.groups, s.lanes) : dims(s.lanes, s.groups);
  detail::call(k.state, &k, k.as, all.data(), config);
}

void check_elements(const reduction_recipe& r, std::int64_t elements, bool initial) {
  if (elements > 0 || initial || !r.needs_elements) return;
  if (r.numbered) support::fail_usage("attempt to get {} of an empty sequence", r.name);
  support::fail_usage("zero-size array to reduction operation {} which has no identity", r.name);
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

reduction_kernels* make_reduction(const reduction_recipe& recipe) {
  auto* const made = new reduction_kernels;
  made->recipe = &recipe;
  return made;
}

void free_reduction(reduction_kernels* kernels) noexcept { delete kernels; }

unsigned axes_mask(const std::int64_t* axes, int count, int rank) {
  unsigned mask = 0;
  for (int i = 0; i < count; ++i) {
    const unsigned bit = 1u << axis_of(axes[i], rank);
    if (mask & bit) support::fail_usage("duplicate value in 'axis': {}", axes[i]);
    mask |= bit;
  }
  return mask;
}

namespace {

void run(reduction_kernels* kernels, const argument* given, int rank, const std::int64_t* extents,
         unsigned axes, const std::uint64_t* initial, const argument& into, DeviceHandle* on) {
  const reduction_recipe& recipe = *kernels->recipe;
  std::byte room[usual_bytes];
  std::pmr::monotonic_buffer_resource memory(room, sizeof room);
  Arguments inputs(&memory);
  inputs.reserve(recipe.input_nodes + more_arguments(detail::max_words));
  inputs.assign(given, given + recipe.input_nodes);
  broadcast_inputs(inputs.data(), unsigned(inputs.size()), rank, extents);
  Dimensions dims(inputs, rank, extents, axes, recipe.numbered);
  const std::int64_t results = dims.results(), elements = dims.elements();
  if (results > 0 || recipe.numbered) check_elements(recipe, elements, initial != nullptr);
  if (results == 0) return;
  argument out = into;
  out.rank = 1, out.extents[0] = results * recipe.results, out.strides[0] = 1;
  const bool one_piece = dims.is_one_piece();
  const std::int64_t rows = recipe.numbered ? 1 : dims.split_rows();
  const bool columns = dims.results() >= least_reduce_columns && dims.result_step() > 0 &&
                       dims.result_step() < dims.element_step();
  std::int64_t numbers[2 * max_rank];
  dims.apply(numbers);
  DeviceHandle& device = *on;
  const Shape shape = shape_of(dims.results(), dims.elements(), columns, device);
  const std::uint64_t* const start = initial ? initial : recipe.identity;

  const bool cpu = device.device->host_memory();
  ReduceForm form{dims.rank(),
                  shape.columns,
                  shape.lanes > 1,
                  false,
                  shape.chunks > 1 || rows > 1,
                  !cpu && one_piece,
                  dims.rank() > 2 && dims.is_row(),
                  cpu ? 2 : reduce_unroll};
  if (!form.to_states)
    return launch(kernels->of(form), shape, inputs, {&out, 1}, results, elements, elements,
                  form.general() ? numbers : nullptr, start);
  std::vector<memory_share> owners;
  Arguments states(&memory);
  states.reserve(std::size_t(recipe.state_words) + more_arguments(1));
  const std::int64_t each = rows * shape.chunks;  // states of a result
  for (int w = 0; w < recipe.state_words; ++w) {
    const std::size_t bytes = ir::size_of(ir::Scalar(recipe.types[w]));
    owners.emplace_back(allocate(&device, std::size_t(results * each) * bytes));
    states.push_back(states_of(owners.back().get(), dims.results(), shape.chunks));
  }
  launch(kernels->of(form), shape, inputs, states, dims.results(), dims.elements(), elements,
         form.general() ? numbers : nullptr, start);
  for (argument& a : states)
    a.extents[0] = results, a.extents[1] = each, a.strides[0] = each, a.strides[1] = 1;
  Shape last = shape_of(results, each, false, device);
  last.chunks = 1, last.chunk = each;
  form = {2, last.columns, last.lanes > 1, true, false, !cpu && results == 1, false, form.joined};
  launch(kernels->of(form), last, states, {&out, 1}, results, each, elements, nullptr, start);
}

}  // namespace

void reduce(reduction_kernels* kernels, const argument* given, int rank,
            const std::int64_t* extents, unsigned axes, const std::uint64_t* initial,
            const argument& into) {
  // An array without elements has no memory.
  run(kernels, given, rank, extents, axes, initial, into,
      into.memory ? into.memory->device : nullptr);
}

void reduce_to_number(reduction_kernels* kernels, const argument* given, int rank,
                      const std::int64_t* extents, const std::uint64_t* initial, void* result) {
  const reduction_recipe& recipe = *kernels->recipe;
  auto& device = *static_cast<DeviceHandle*>(choose_device(given, recipe.input_nodes));
  const unsigned axes = (1u << rank) - 1;
  argument out;
  // A processor writes the number where it is wanted. Not in a graph, which refuses the copy below.
  if (device.device->host_memory() && !open_graph()) {
    out.kind = argument::host, out.data = result;
    return run(kernels, given, rank, extents, axes, initial, out, &device);
  }
  const memory_share owner(allocate(&device, recipe.result_bytes * std::size_t(recipe.results)));
  out.kind = argument::device_array, out.memory = owner.get(), out.offset = 0;
  run(kernels, given, rank, extents, axes, initial, out, &device);
  const std::int64_t each = recipe.results;
  const layout at = dense(&each, 1, false);
  copy_to_host({owner.get(), &at, recipe.result_bytes}, result);
}

}  // namespace krait::detail
