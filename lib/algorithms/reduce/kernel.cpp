// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One kernel for all reductions. A block's threads are lanes that share the elements of a result,
// times groups that have a result each; blocks along y have a chunk of the elements each, whose
// states a second launch combines. A lane takes eight elements at a time, joined in pairs; a tree
// in shared memory combines the lanes, on devices with and without warps alike: eight states at a
// time where barriers count.
#include "algorithms/reduce/kernel.h"

#include "ir/types.h"
#include "krait/index.h"
#include "krait/math.h"
#include "krait/warp.h"

namespace krait::host {
namespace {

using detail::node;
using detail::reduction_recipe;
using detail::words;
using Index = value<std::int64_t>;

/// Mutable locals, a word each.
class State {
 public:
  State(const reduction_recipe& r, const words& first) : recipe_(r) {
    for (int w = 0; w < r.state_words; ++w)
      slots_.at[w] = detail::make_slot(r.types[w], first.at[w]);
  }
  void set(const words& x) const {
    for (int w = 0; w < recipe_.state_words; ++w) detail::assign(slots_.at[w], x.at[w]);
  }
  /// The values now.
  words get() const {
    words x;
    for (int w = 0; w < recipe_.state_words; ++w)
      x.at[w] = detail::convert(recipe_.types[w], slots_.at[w]);
    return x;
  }

 private:
  const reduction_recipe& recipe_;
  words slots_;
};

class Body {
 public:
  Body(const ReduceKernel& kernel, const node* nodes)
      : recipe_(*kernel.recipe),
        form_(kernel.form),
        inputs_(nodes),
        outputs_(nodes + kernel.inputs()),
        numbers_(outputs_ + kernel.outputs()),
        start_(numbers_ + ReduceNumbers::dims + (form_.general() ? 2 * form_.rank : 0)) {}

  void run() const {
    if (form_.to_states) detail::overlap_launches(false);
    else if (form_.from_states) detail::overlap_launches(true);
    const State state(recipe_, identity());
    if_(in_group() + block_idx().x * groups() < results(), [&] { take_elements(state); });
    if (form_.tree) combine_lanes(state);
    if_((in_lane() == 0) & (result() < results()), [&] { store(state.get()); });
  }

 private:
  // Along x neighbours: lanes, or groups.
  Index in_lane() const { return form_.columns ? thread_idx().y : thread_idx().x; }
  Index in_group() const { return form_.columns ? thread_idx().x : thread_idx().y; }
  Index lanes() const { return form_.columns ? block_dim().y : block_dim().x; }
  Index groups() const { return form_.columns ? block_dim().x : block_dim().y; }
  Index result() const { return in_group() + block_idx().x * groups(); }
  Index results() const { return Index(numbers_[ReduceNumbers::results]); }
  Index elements() const { return Index(numbers_[ReduceNumbers::elements]); }

  words identity() const {
    words x;
    for (int w = 0; w < recipe_.state_words; ++w)
      x.at[w] = detail::literal(recipe_.types[w], recipe_.identity[w]);
    return x;
  }
  words start() const {
    words x;
    for (int w = 0; w < recipe_.state_words; ++w) x.at[w] = start_[w];
    return x;
  }

  /// The position of the i-th of so many, the last dimension fastest.
  void unflatten(const Index& i, const node* extents, node* out) const {
    node rest = node_of(i);
    for (int d = form_.rank - 1; d > 0; --d) {
      out[d] = node_of(Index(rest) % Index(extents[d]));
      rest = node_of(Index(rest) / Index(extents[d]));
    }
    out[0] = rest;
  }

  words enter(const node* kept, const Index& number) const {
    node at[detail::max_rank] = {kept[0], node_of(number)};
    if (form_.row) {
      for (int d = 0; d + 1 < form_.rank; ++d) at[d] = kept[d];
      at[form_.rank - 1] = node_of(number);
    } else if (form_.general()) {
      unflatten(number, numbers_ + ReduceNumbers::dims + form_.rank, at);
      for (int d = 0; d < form_.rank; ++d) at[d] = node_of(Index(at[d]) + Index(kept[d]));
    }
    if (!form_.from_states) return recipe_.enter(inputs_, {at, form_.rank, node_of(number)});
    words x;
    for (int w = 0; w < recipe_.state_words; ++w) {
      detail::place p{inputs_[w], {at[0], at[1]}, 2};
      x.at[w] = detail::load(p);
    }
    return x;
  }
  words absorb(const words& state, const words& x) const {
    return form_.from_states ? recipe_.combine(state, x) : recipe_.absorb(state, x);
  }

  words join(const words& x, const words& y) const {
    return form_.from_states ? recipe_.combine(x, y) : recipe_.join(x, y);
  }
  template <class Join>
  static words in_pairs(words* x, int count, const Join& join) {
    for (int half = count / 2; half > 0; half /= 2)
      for (int k = 0; k < half; ++k) x[k] = join(x[k], x[k + half]);
    return x[0];
  }

  /// Elements of a chunk: as many at once as all lanes take in a trip, and the rest one by one, at
  /// the distance of the lanes.
  void take_elements(const State& state) const {
    node kept[detail::max_rank] = {form_.wide ? node_of(Index(0)) : node_of(result())};
    if (form_.general()) unflatten(result(), numbers_ + ReduceNumbers::dims, kept);
    const Index chunk(numbers_[ReduceNumbers::chunk]),
        begin = block_idx().y * chunk, end = min(begin + chunk, elements()),
        bits(numbers_[ReduceNumbers::lane_bits]),
        in_trips = max(end - begin, Index(0)) >> (bits + reduce_unroll_bits);
    for (auto trip : range(in_trips)) {
      words x[reduce_unroll];
      for (int k = 0; k < reduce_unroll; ++k) x[k] = enter(kept, place_in_trip(trip, k, begin));
      state.set(absorb(state.get(),
                       in_pairs(x, reduce_unroll, [&](auto& a, auto& b) { return join(a, b); })));
    }
    const Index first = begin + in_trips * (lanes() * reduce_unroll) + in_lane();
    for (auto k : range(max(end - first + lanes() - 1, Index(0)) >> bits))
      state.set(absorb(state.get(), enter(kept, first + k * lanes())));
  }
  Index place_in_trip(const Index& trip, int k, const Index& begin) const {
    if (!form_.wide) return begin + trip * (lanes() * reduce_unroll) + lanes() * k + in_lane();
    const int vectors = reduce_unroll / reduce_vector;
    const Index vector =
        block_idx().y * (Index(numbers_[ReduceNumbers::chunk]) >> reduce_vector_bits) +
        trip * (lanes() * vectors) + lanes() * (k / reduce_vector) + in_lane();
    return vector * reduce_vector + k % reduce_vector;
  }

  /// A tree in shared memory, of as many states at a time as the form says.
  void combine_lanes(const State& state) const {
    node arrays[detail::max_words];
    const std::int64_t extent[] = {reduce_block};
    for (int w = 0; w < recipe_.state_words; ++w)
      arrays[w] =
          detail::make_array(detail::op::Shared, recipe_.types[w], word_bytes(w), extent, 1);
    const auto place_of = [&](int w, const Index& lane) {
      const Index at = form_.columns ? lane * groups() + in_group() : in_group() * lanes() + lane;
      return detail::place{arrays[w], {node_of(at)}, 1};
    };
    const auto keep = [&](const words& x) {
      for (int w = 0; w < recipe_.state_words; ++w) detail::store(place_of(w, in_lane()), x.at[w]);
    };
    const words none = identity();
    keep(state.get());
    syncthreads();
    var width(lanes());
    while_([&] { return width > 1; },
           [&] {
             const Index next = max(width / form_.joined, Index(1));
             if_(in_lane() < next, [&] {
               words x[reduce_unroll] = {state.get()};
               for (int k = 1; k < form_.joined; ++k) {
                 const auto there = next * k < width;
                 const Index lane = in_lane() + min(next * k, width - next);
                 for (int w = 0; w < recipe_.state_words; ++w) {
                   detail::place p = place_of(w, lane);
                   x[k].at[w] = detail::load(p);
                   if (k > 1)
                     x[k].at[w] = detail::apply(detail::op::Select, recipe_.types[w],
                                                node_of(there), x[k].at[w], none.at[w]);
                 }
               }
               state.set(in_pairs(x, form_.joined, recipe_.combine));
               keep(state.get());
             });
             syncthreads();
             width = next;
           });
  }

  void store(const words& x) const {
    if (form_.to_states) {
      for (int w = 0; w < recipe_.state_words; ++w)
        detail::store({outputs_[w], {node_of(result()), node_of(block_idx().y)}, 2}, x.at[w]);
      return;
    }
    const words all = recipe_.finish(recipe_.combine(start(), x), numbers_[ReduceNumbers::count]);
    const std::int64_t each = recipe_.results;
    for (int w = 0; w < recipe_.results; ++w) {
      const Index at = each == 1 ? result() : result() * each + std::int64_t(w);
      detail::store({outputs_[0], {node_of(at)}, 1}, all.at[w]);
    }
  }
  std::size_t word_bytes(int w) const { return ir::size_of(ir::Scalar(recipe_.types[w])); }

  const reduction_recipe& recipe_;
  const ReduceForm& form_;
  const node *inputs_, *outputs_, *numbers_, *start_;
};

void record(const void* lambda, const node* nodes) {
  Body(*static_cast<const ReduceKernel*>(lambda), nodes).run();
}

}  // namespace

ReduceKernel::ReduceKernel(const reduction_recipe& of, const ReduceForm& how)
    : recipe(&of), form(how) {
  using detail::parameter_type;
  using detail::scalar;
  const auto size = [](scalar s) { return std::uint32_t(ir::size_of(ir::Scalar(s))); };
  for (unsigned i = 0; i < inputs(); ++i) {
    if (how.from_states) {
      parameters.push_back({of.types[i], 2, false, false, size(of.types[i])});
      continue;
    }
    parameters.push_back(of.inputs[i]);
    if (parameters.back().rank > 0) parameters.back().rank = static_cast<unsigned char>(how.rank);
  }
  for (unsigned o = 0; o < outputs(); ++o) {
    if (how.to_states) parameters.push_back({of.types[o], 2, true, true, size(of.types[o])});
    else parameters.push_back({of.result, 1, true, true, of.result_bytes});
  }
  const int numbers = ReduceNumbers::dims + (how.general() ? 2 * how.rank : 0);
  for (int n = 0; n < numbers; ++n) parameters.push_back({scalar::i64, 0, false, false, 0});
  for (int w = 0; w < of.state_words; ++w) parameters.push_back({of.types[w], 0, false, false, 0});
  as = {parameters.data(), unsigned(parameters.size()), &record};
  state = detail::make_kernel_state({.name = of.name}, {0, 0, 0}, detail::location::here());
}

}  // namespace krait::host
