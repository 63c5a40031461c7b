// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that go by arrays of indices.
#include "krait/algorithm/detail/indexing.h"

#include "algorithms/record/kernels.h"
#include "algorithms/tuning.h"
#include "krait/algorithm/detail/form.h"
#include "krait/atomic.h"
#include "krait/math.h"

namespace krait::host {
namespace {

/// Whether an index is none of an array's.
struct Outside {
  template <class Integer>
  auto operator()(const Integer& i, const Index& least, const Index& size) const {
    const Index wide(cast<std::int64_t>(i));
    return value<bool>(((wide < least) | (wide >= size)) != 0);
  }
};
struct FromBegin {
  template <class Integer>
  auto operator()(const Integer& i, const Index& size) const {
    const Index wide(cast<std::int64_t>(i));
    return Index(select(wide < 0, wide + size, wide));
  }
};
template <class Integer>
detail::index_check check_typed(const array<const Integer, 1>& indices, std::int64_t least,
                                std::int64_t size) {
  const auto outside = detail::make_expression<Outside>(
      indices, std::is_signed_v<Integer> ? least : std::int64_t(0), size);
  if (krait::any(outside))
    return {{}, false, static_cast<std::int64_t>(indices(krait::argmax(outside)))};
  return {detail::make_expression<FromBegin>(indices, size)};
}

/// Of the kernels' names: the indices are those of all elements.
constexpr unsigned flat = 16;

/// The dimension `axis` first.
any_array with_first(const any_array& x, int axis) {
  std::int64_t order[detail::max_rank];
  for (int d = 0; d < x.at.rank; ++d) order[d] = d == 0 ? axis : d <= axis ? d - 1 : d;
  return {x.type, detail::permute(x.at, order, x.at.rank), x.memory, x.on};
}

/// For each element its last place among the indices.
array<int> last_places(const array<std::int64_t>& indices, std::int64_t size) {
  detail::check_index_count(indices.size());
  array<int> last(shape<1>(size), indices.device());
  last.fill(-1);
  if (indices.size() > 0)
    kernel_of("put_places", {}, {in<std::int64_t>(), out<int>()}, [](const Parameters& p) {
      const auto which = p.array<const std::int64_t>(0);
      const auto to = p.array<int>(1);
      for (auto i : grid_stride(which.size())) atomic(to[which[i]]).max(cast<int>(i));
    }).forall(indices.size(), indices, last);
  return last;
}

}  // namespace
}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

index_check check_indices(const any_array& indices, std::int64_t least, std::int64_t size) {
  if (indices.size() == 0) return {array<std::int64_t>(shape<1>(0), device_from(indices.on))};
  const auto check = [&]<class Integer>(Integer) {
    return check_typed(typed<const Integer, 1>(indices), least, size);
  };
  switch (indices.type->whole) {
    case scalar::i8: return check(std::int8_t());
    case scalar::i16: return check(std::int16_t());
    case scalar::i32: return check(std::int32_t());
    case scalar::u8: return check(std::uint8_t());
    case scalar::u16: return check(std::uint16_t());
    case scalar::u32: return check(std::uint32_t());
    case scalar::u64: return check(std::uint64_t());
    default: return check(std::int64_t());
  }
}

void take_rows(const any_array& from, const array<std::int64_t>& indices, int axis,
               const any_array& to) {
  const any_array x = with_first(from, axis), result = with_first(to, axis);
  if (result.size() == 0) return;
  const int rank = x.at.rank;
  kernel_of("take", {x.type, unsigned(rank)},
            {in(x.type, rank), in<std::int64_t>(), out(x.type, rank)},
            [rank](const Parameters& p) {
              const ElementView source = p.array(0), out = p.array(2);
              const auto which = p.array<const std::int64_t>(1);
              for (auto i : grid_stride(out.size())) {
                const auto at = unflatten(i, out);
                auto read = at;
                read[0] = node_of(which[Index(at[0])]);
                out.at(at.data(), rank) = source.at(read.data(), rank);
              }
            })
      .forall(result.size(), x, indices, result);
}

void take_flat(const any_array& x, const array<std::int64_t>& indices, const any_array& to) {
  if (indices.size() == 0) return;
  const int rank = x.at.rank;
  kernel_of("take", {x.type, flat | unsigned(rank)},
            {in(x.type, rank), in<std::int64_t>(), out(x.type)},
            [rank](const Parameters& p) {
              const ElementView source = p.array(0), out = p.array(2);
              const auto which = p.array<const std::int64_t>(1);
              for (auto i : grid_stride(out.size()))
                out(i) = source.at(unflatten(which[i], source).data(), rank);
            })
      .forall(indices.size(), x, indices, to);
}

void put_rows(const any_array& x, const array<std::int64_t>& indices, const any_array& given) {
  if (given.size() == 0) return;
  check_apart(x.at, "an assignment by indices");
  const array<int> last = last_places(indices, x.extent(0));
  const int rank = x.at.rank;
  kernel_of("put", {x.type, unsigned(rank)},
            {out(x.type, rank), in<std::int64_t>(), in(x.type, rank), in<int>()},
            [rank](const Parameters& p) {
              const ElementView written = p.array(0), from = p.array(2);
              const auto which = p.array<const std::int64_t>(1);
              const auto keeps = p.array<const int>(3);
              for (auto i : grid_stride(from.size())) {
                auto at = unflatten(i, from);
                const Element now = from.at(at.data(), rank);
                const Index row(at[0]), target = which[row];
                at[0] = node_of(target);
                if_(keeps[target] == cast<int>(row), [&] { written.at(at.data(), rank) = now; });
              }
            })
      .forall(given.size(), x, indices, given, last);
}

void put_flat(const any_array& x, const array<std::int64_t>& indices, const any_array& given) {
  if (given.size() == 0) return;
  check_apart(x.at, "an assignment by indices");
  const array<int> last = last_places(indices, x.size());
  const int rank = x.at.rank;
  kernel_of("put", {x.type, flat | unsigned(rank)},
            {out(x.type, rank), in<std::int64_t>(), in(x.type), in<int>()},
            [rank](const Parameters& p) {
              const ElementView written = p.array(0), from = p.array(2);
              const auto which = p.array<const std::int64_t>(1);
              const auto keeps = p.array<const int>(3);
              for (auto i : grid_stride(from.size())) {
                const auto at = unflatten(which[i], written);
                if_(keeps[which[i]] == cast<int>(i),
                    [&] { written.at(at.data(), rank) = from(i); });
              }
            })
      .forall(given.size(), x, indices, given, last);
}

}  // namespace krait::detail
