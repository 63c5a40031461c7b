// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of elements: one element-wise kernel for each pair of types.
#include "algorithms/linalg/convert.h"

#include "algorithms/record/kernels.h"

namespace krait::host {
namespace {

/// Each thread has elements; their positions follow from their numbers, the last dimension fastest.
template <int Rank>
void record(const void*, const node* parameters) {
  const ElementView to(scalar::none, parameters[1], Rank);
  for (auto i : grid_stride(to.size())) {
    detail::place at{parameters[0], {}, Rank};
    node rest = node_of(i);
    for (int d = Rank - 1; d > 0; --d) {
      const Index before(rest), extent = to.extent(d);
      at.indices[d] = node_of(before % extent);
      rest = node_of(before / extent);
    }
    at.indices[0] = rest;
    detail::place stored = at;
    stored.array = parameters[1];
    const node x = detail::load(at);
    detail::locate(stored);
    detail::store(stored, x);
  }
}

struct Conversion {
  std::array<std::array<detail::parameter_type, 2>, detail::max_rank> parameters;
  std::array<detail::signature, detail::max_rank> as;
  detail::elementwise_signatures by_rank{};
  detail::kernel_state* state =
      detail::make_kernel_state({.name = "convert"}, {0, 0, 0}, detail::location::here());

  Conversion(scalar from, scalar to) {
    set(from, to, std::make_index_sequence<detail::max_rank>());
  }

 private:
  template <std::size_t... Before>
  void set(scalar from, scalar to, std::index_sequence<Before...>) {
    (set_rank<int(Before) + 1>(from, to), ...);
  }
  template <int Rank>
  void set_rank(scalar from, scalar to) {
    auto& own = parameters[Rank - 1];
    own = {described(in(from, Rank)), described(out(to, Rank))};
    own[1].output = true;
    as[Rank - 1] = {own.data(), 2, &record<Rank>};
    by_rank.at[Rank - 1] = &as[Rank - 1];
  }
};

}  // namespace

void convert_elements(const any_array& from, const any_array& to) {
  const scalar read = from.type->whole, written = to.type->whole;
  const Conversion& convert = kept_for({read, written}, [&] { return Conversion(read, written); });
  detail::argument arguments[] = {argument_of(from), argument_of(to)};
  detail::call_config config;
  config.form = detail::call_config::elements, config.count = 1;
  for (int d = 0; d < to.at.rank; ++d) config.count *= to.at.extents[d];
  detail::call_elementwise(convert.state, &convert, convert.by_rank, arguments, to.at.rank,
                           to.at.extents, 1, config);
}

}  // namespace krait::host
