// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms/record/arrays.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "ir/types.h"
#include "krait/algorithm/detail/form.h"

namespace krait::host {

any_array new_array(const ElementType* type, const detail::layout& at, void* on) {
  detail::check_shape(at.extents, at.rank, type->bytes);
  any_array made{type, at, {}, on};
  if (const std::int64_t size = size_of(at); size > 0)
    made.memory = detail::memory_share(detail::allocate(on, std::size_t(size) * type->bytes));
  return made;
}
any_array new_array(const ElementType* type, std::initializer_list<std::int64_t> extents,
                    void* on) {
  return new_array(type, detail::dense(extents.begin(), int(extents.size()), false), on);
}
any_array no_elements(const ElementType* type, int rank, void* on) {
  any_array none{type, {}, {}, on};
  none.at.rank = rank, none.at.strides[rank - 1] = 1;
  return none;
}
any_array copied(const any_array& x) {
  any_array made = new_array(x.type, detail::dense(x.at.extents, x.at.rank, false), x.on);
  detail::copy_elements(elements_of(made), elements_of(x));
  return made;
}
any_array reshaped(any_array x, const std::int64_t* extents, int rank) {
  detail::layout to;
  if (!detail::reshape(x.at, extents, rank, to)) {
    x = copied(x);
    detail::reshape(x.at, extents, rank, to);
  }
  x.at = to;
  return x;
}
any_array memory_as(any_array x, std::int64_t rows, std::int64_t length) {
  const std::int64_t extents[] = {rows, length}, offset = x.at.offset;
  x.at = detail::dense(extents, 2, false), x.at.offset = offset;
  return x;
}
any_array one_row(any_array x) {
  detail::layout& at = x.at;
  at.rank = 2;
  at.extents[1] = at.extents[0], at.strides[1] = at.strides[0];
  at.extents[0] = 1, at.strides[0] = 0;
  return x;
}
any_array rows_along(any_array x, std::int64_t axis) {
  x.at = detail::axis_last(x.at, axis);
  const int rank = x.at.rank;
  if (rank == 2) return x;
  const std::int64_t length = x.at.extents[rank - 1], rows = length > 0 ? x.size() / length : 0;
  return reshaped(std::move(x), {rows, length});
}
any_array transposed(any_array x) {
  const int rank = x.at.rank;
  std::swap(x.at.extents[rank - 2], x.at.extents[rank - 1]);
  std::swap(x.at.strides[rank - 2], x.at.strides[rank - 1]);
  return x;
}
std::uint64_t address_of(const any_array& x) {
  if (!x.memory.get() || x.size() == 0) return 0;
  return detail::address_of(x.memory.get()) + std::uint64_t(x.at.offset) * x.type->bytes;
}

detail::argument argument_of(const any_array& x) {
  detail::argument a;
  a.kind = detail::argument::device_array, a.memory = x.memory.get();
  a.rank = static_cast<unsigned char>(x.at.rank);
  a.offset = std::uint64_t(x.at.offset) * x.type->bytes;
  std::copy_n(x.at.extents, x.at.rank, a.extents), std::copy_n(x.at.strides, x.at.rank, a.strides);
  return a;
}

}  // namespace krait::host

namespace krait::detail {
namespace {

constexpr std::size_t scalars = std::size(ir::scalar_table);
constexpr auto leaves = [] {
  std::array<leaf, scalars> made{};
  for (std::size_t s = 0; s < scalars; ++s) made[s] = {scalar(s), 0};
  return made;
}();
/// The types of numbers, by their scalars.
constexpr auto numbers = [] {
  std::array<element_type, scalars> made{};
  for (std::size_t s = 0; s < scalars; ++s)
    made[s] = {&leaves[s], 1, ir::size_of(ir::Scalar(s)), scalar(s), false};
  return made;
}();

constexpr std::size_t pack_bytes = 16;
constexpr auto pack_leaves = [] {
  std::array<std::array<leaf, pack_bytes>, scalars> made{};
  for (std::size_t s = 0; s < scalars; ++s)
    for (std::uint32_t i = 0; i < pack_bytes; ++i)
      made[s][i] = {scalar(s), i * ir::size_of(ir::Scalar(s))};
  return made;
}();
constexpr auto packs = [] {
  std::array<element_type, scalars> made{};
  for (std::size_t s = 0; s < scalars; ++s)
    if (const unsigned bytes = ir::size_of(ir::Scalar(s)))
      made[s] = {pack_leaves[s].data(), unsigned(pack_bytes) / bytes, pack_bytes, scalar::none,
                 false};
  return made;
}();

}  // namespace

const element_type* number_type(scalar whole) noexcept { return &numbers[unsigned(whole)]; }

const element_type* struct_type(const leaf* scalars, unsigned count, std::uint32_t bytes,
                                bool as_bytes) {
  struct Struct {
    std::vector<leaf> scalars;
    element_type type;
  };
  using Key = std::tuple<std::vector<std::pair<scalar, std::uint32_t>>, std::uint32_t, bool>;
  static auto& mutex = *new std::mutex;
  static auto& made = *new std::map<Key, Struct>;
  Key key{{}, bytes, as_bytes};
  for (unsigned i = 0; i < count; ++i)
    std::get<0>(key).emplace_back(scalars[i].type, scalars[i].offset);
  const std::lock_guard lock(mutex);
  Struct& of = made[std::move(key)];
  if (of.scalars.empty()) {
    of.scalars.assign(scalars, scalars + count);
    of.type = {of.scalars.data(), count, bytes, scalar::none, as_bytes};
  }
  return &of.type;
}

}  // namespace krait::detail

namespace krait::host {

const ElementType* pack_of(scalar number) noexcept { return &detail::packs[unsigned(number)]; }

}  // namespace krait::host
