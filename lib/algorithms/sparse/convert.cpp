// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of sparse matrices: each format to compressed rows, and from there to each.
#include <limits>

#include "algorithms/sparse/parts.h"
#include "krait/algorithm/indexing.h"
#include "krait/algorithm/scan.h"
#include "krait/algorithm/search.h"
#include "krait/algorithm/select.h"
#include "krait/math.h"
#include "support/error.h"

namespace krait::host {
namespace {

const ElementType* const long_type = type_of<std::int64_t>();

/// The type in which elements of one place are added up.
const ElementType* added_type(const ElementType* of) {
  return type_of(of->whole == scalar::boolean ? scalar::i32 : arithmetic_type(of->whole));
}
any_array zeros(const ElementType* type, std::initializer_list<std::int64_t> extents, void* on) {
  const any_array made = new_array(type, extents, on);
  if (made.size() > 0)
    kernel_of("sparse_zeros", {type}, {out(type)}, [](const Parameters& p) {
      const ElementView to = p.array(0);
      for (auto k : grid_stride(to.size())) to(k) = zero_of(to.type());
    }).forall(made.size(), reshaped(made, {made.size()}));
  return made;
}
Element from_index(const Index& x, const ElementType* to) { return Element(x).as(to); }

erased_sparse make_csr(const any_array& indptr, const any_array& indices, const any_array& data,
                       const erased_sparse& like) {
  return detail::make_sparse(sparse_format::csr, indptr, indices, data, like.extents,
                             like.indices.type);
}

/// The row of each element of a CSR matrix.
any_array rows_of(const erased_sparse& a) {
  const any_array rows = new_array(a.indices.type, {a.indices.size()}, a.data.on);
  if (rows.size() > 0)
    kernel_of("csr_rows", {a.indices.type}, {in<std::int64_t>(), out(a.indices.type)},
              [](const Parameters& p) {
                const auto begins = p.array<const std::int64_t>(0);
                const ElementView to = p.array(1);
                for (auto k : grid_stride(to.size()))
                  to(k) = from_index(place_above(begins, k) - 1, to.type());
              })
        .forall(rows.size(), as_long(a.indptr), rows);
  return rows;
}

/// Where rows of these lengths begin.
any_array begins_of(const array<std::int64_t>& lengths) {
  const any_array begins = zeros(long_type, {lengths.size() + 1}, detail::erased(lengths).on);
  if (lengths.size() > 0) {
    any_array ends = begins;
    ends.at.offset += 1, ends.at.extents[0] -= 1;
    detail::copy_elements(elements_of(ends), elements_of(detail::erased(cumsum(lengths))));
  }
  return begins;
}

erased_sparse csr_of_slots(const erased_sparse& a) {
  const std::int64_t rows = a.extents[0];
  const array<std::int64_t> lengths(shape<1>(rows), detail::device_from(a.data.on));
  if (rows > 0)
    kernel_of("ell_count", {a.indices.type}, {in(a.indices.type, 2), out<std::int64_t>()},
              [](const Parameters& p) {
                const ElementView indices = p.array(0);
                const auto length_of = p.array<std::int64_t>(1);
                for (auto row : grid_stride(length_of.size())) {
                  var<std::int64_t> count = std::int64_t(0);
                  for (auto slot : range(indices.extent(0)))
                    if_(indices(slot, row).get().as<std::int64_t>() >= 0, [&] { count += 1; });
                  length_of[row] = count;
                }
              })
        .forall(rows, a.indices, lengths);
  const any_array begins = begins_of(lengths),
                  indices = new_array(a.indices.type, {a.elements}, a.data.on),
                  data = new_array(a.data.type, {a.elements}, a.data.on);
  if (a.elements > 0)
    kernel_of("ell_compress", {a.indices.type, a.data.type},
              {in(a.indices.type, 2), in(a.data.type), in<std::int64_t>(), out(a.indices.type),
               out(a.data.type)},
              [](const Parameters& p) {
                const ElementView from = p.array(0), elements = p.array(1), to = p.array(3),
                                  values = p.array(4);
                const auto begin_of = p.array<const std::int64_t>(2);
                for (auto row : grid_stride(from.extent(1))) {
                  var<std::int64_t> at = begin_of[row];
                  for (auto slot : range(from.extent(0)))
                    if_(from(slot, row).get().as<std::int64_t>() >= 0, [&] {
                      to(at) = from(slot, row);
                      values(at) = elements(slot * from.extent(1) + row);
                      at += 1;
                    });
                }
              })
        .forall(rows, a.indices, a.data, begins, indices, data);
  return make_csr(begins, indices, data, a);
}

erased_sparse slots_of(const erased_sparse& a) {
  const std::int64_t rows = a.extents[0];
  const any_array indices = new_array(a.indices.type, {a.longest, rows}, a.data.on),
                  data = new_array(a.data.type, {a.longest, rows}, a.data.on);
  if (indices.size() > 0)
    kernel_of("csr_slots", {a.indices.type, a.data.type},
              {in(a.indices.type), in(a.indices.type), in(a.data.type), out(a.indices.type, 2),
               out(a.data.type, 2)},
              [](const Parameters& p) {
                const ElementView begins = p.array(0), from = p.array(1), elements = p.array(2),
                                  to = p.array(3), values = p.array(4);
                for (auto row : grid_stride(to.extent(1))) {
                  const Index begin = index_in(begins, row),
                              count = index_in(begins, row + 1) - begin;
                  for (auto slot : range(to.extent(0)))
                    if_(slot < count, [&] {
                      to(slot, row) = from(begin + slot);
                      values(slot, row) = elements(begin + slot);
                    }).else_([&] {
                      to(slot, row) = from_index(Index(std::int64_t(-1)), to.type());
                      values(slot, row) = zero_of(values.type());
                    });
                }
              })
        .forall(rows, a.indptr, a.indices, a.data, indices, data);
  return detail::make_sparse(sparse_format::ell, {}, indices, data, a.extents, a.indices.type);
}

erased_sparse csr_of_blocks(const erased_sparse& a) {
  const BlockShape block(a);
  const std::int64_t rows = a.extents[0];
  const any_array begins = new_array(long_type, {rows + 1}, a.data.on),
                  indices = new_array(a.indices.type, {a.data.size()}, a.data.on),
                  data = new_array(a.data.type, {a.data.size()}, a.data.on);
  kernel_of("bsr_expand", {a.indices.type, a.data.type, block.rows, block.columns},
            {in(a.indices.type), in(a.indices.type), in(a.data.type), out<std::int64_t>(),
             out(a.indices.type), out(a.data.type)},
            [block](const Parameters& p) {
              const ElementView of_blocks = p.array(0), from = p.array(1), elements = p.array(2),
                                to = p.array(4), values = p.array(5);
              const auto begin_of = p.array<std::int64_t>(3);
              for (auto row : grid_stride(begin_of.size())) {
                if_(row == begin_of.size() - 1, [&] { begin_of[row] = to.size(); }).else_([&] {
                  const Index above = row / block.rows, own = row % block.rows,
                              first = index_in(of_blocks, above),
                              count = index_in(of_blocks, above + 1) - first,
                              begin = first * block.size() + own * count * block.columns;
                  begin_of[row] = begin;
                  for (auto k : range(count))
                    for (auto c : range(block.columns)) {
                      const Index at = begin + k * block.columns + c;
                      to(at) = from_index(index_in(from, first + k) * block.columns + c, to.type());
                      values(at) = elements(((first + k) * block.rows + own) * block.columns + c);
                    }
                });
              }
            })
      .forall(rows + 1, a.indptr, a.indices, a.data, begins, indices, data);
  return make_csr(begins, indices, data, a);
}

/// Ascending places, row * columns + column, as compressed rows.
struct RowsOfPlaces {
  any_array indptr, indices;
};
RowsOfPlaces rows_of_places(const any_array& places, const shape<2>& extents) {
  const any_array indptr = new_array(long_type, {extents[0] + 1}, places.on),
                  indices = new_array(long_type, {places.size()}, places.on);
  if (places.size() > 0)
    kernel_of("csr_columns", {}, {in<std::int64_t>(), number(), out<std::int64_t>()},
              [](const Parameters& p) {
                const auto at = p.array<const std::int64_t>(0);
                const auto column_of = p.array<std::int64_t>(2);
                for (auto k : grid_stride(at.size())) column_of[k] = at[k] % p.number(1);
              })
        .forall(places.size(), places, extents[1], indices);
  kernel_of("csr_begin", {}, {in<std::int64_t>(), number(), out<std::int64_t>()},
            [](const Parameters& p) {
              const auto at = p.array<const std::int64_t>(0);
              const auto begin_of = p.array<std::int64_t>(2);
              for (auto row : grid_stride(begin_of.size()))
                begin_of[row] = place_above(at, row * p.number(1) - 1);
            })
      .forall(extents[0] + 1, places, extents[1], indptr);
  return {indptr, indices};
}

erased_sparse blocks_of(const erased_sparse& a, const shape<2>& shape_of) {
  for (int d = 0; d < 2; ++d)
    if (shape_of[d] < 1 || a.extents[d] % shape_of[d] != 0)
      support::fail_usage(
          "to_bsr: blocks of {} x {} do not fill a matrix of {} x {}: its extents must be "
          "multiples of theirs",
          shape_of[0], shape_of[1], a.extents[0], a.extents[1]);
  erased_sparse like = a;
  like.block = shape_of;
  const BlockShape block(like);
  const std::int64_t row_count = a.extents[0] / block.rows, columns = a.extents[1] / block.columns;
  const device on = detail::device_from(a.data.on);
  // The places of blocks in which elements are.
  const array<std::int64_t> keys(shape<1>(a.indices.size()), on);
  if (keys.size() > 0)
    kernel_of("bsr_places", {a.indices.type, block.rows, block.columns},
              {in(a.indices.type), in(a.indices.type), number(), out<std::int64_t>()},
              [block](const Parameters& p) {
                const ElementView rows = p.array(0), from = p.array(1);
                const auto to = p.array<std::int64_t>(3);
                for (auto k : grid_stride(to.size()))
                  to[k] = index_in(rows, k) / block.rows * p.number(2) +
                          index_in(from, k) / block.columns;
              })
        .forall(keys.size(), rows_of(a), a.indices, columns, keys);
  const array<std::int64_t> places = krait::unique(keys), which = krait::searchsorted(places, keys);
  const any_array data = zeros(a.data.type, {places.size() * block.size()}, a.data.on);
  if (places.size() > 0)
    kernel_of(
        "bsr_fill", {a.indices.type, a.data.type, block.rows, block.columns},
        {in(a.indices.type), in(a.indices.type), in(a.data.type), in<std::int64_t>(),
         out(a.data.type)},
        [block](const Parameters& p) {
          const ElementView begins = p.array(0), from = p.array(1), elements = p.array(2),
                            to = p.array(4);
          const auto block_of = p.array<const std::int64_t>(3);
          const ElementType* const sums = added_type(to.type());
          for (auto row : grid_stride(begins.size() - 1))
            for (auto k : range(index_in(begins, row), index_in(begins, row + 1))) {
              const Index own = (block_of[k] * block.rows + row % block.rows) * block.columns +
                                index_in(from, k) % block.columns;
              to(own) = total_as(to.type(), to(own).get().as(sums) + elements(k).get().as(sums));
            }
        })
        .forall(a.extents[0], a.indptr, a.indices, a.data, which, data);
  const RowsOfPlaces at = rows_of_places(detail::erased(places), {row_count, columns});
  return detail::make_sparse(sparse_format::bsr, at.indptr, at.indices,
                             reshaped(data, {places.size(), block.rows, block.columns}), a.extents,
                             a.indices.type);
}

}  // namespace

any_array as_long(const any_array& indices) {
  if (indices.type == long_type) return indices;
  return detail::erased(
      array<std::int64_t>(cast<std::int64_t>(detail::typed<const std::int32_t, 1>(indices))));
}
Index place_above(const view<const std::int64_t>& numbers, const Index& x) {
  return place_in({long_type, node_of(numbers)}, x, true);
}

erased_sparse csr_of_places(const any_array& places, const any_array& data, const shape<2>& extents,
                            const ElementType* index) {
  const RowsOfPlaces at = rows_of_places(places, extents);
  return detail::make_sparse(sparse_format::csr, at.indptr, at.indices, data, extents, index);
}

}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

erased_sparse sparse_of_dense(const any_array& dense, const element_type* index) {
  const any_array flat = reshaped(dense, {dense.size()});
  const array<bool> mask(shape<1>(flat.size()), device_from(dense.on));
  if (flat.size() > 0)
    kernel_of("sparse_mask", {flat.type}, {in(flat.type), host::out<bool>()},
              [](const Parameters& p) {
                const ElementView from = p.array(0);
                const auto to = p.array<bool>(1);
                for (auto k : grid_stride(from.size()))
                  to[k] = compare(op::Ne, from(k), zero_of(from.type()));
              })
        .forall(flat.size(), flat, mask);
  const array<std::int64_t> places = detail::places_of(erased(mask));
  return csr_of_places(erased(places), elements_at(flat, erased(places)),
                       {dense.extent(0), dense.extent(1)}, index);
}

erased_sparse converted_sparse(const erased_sparse& from, sparse_format to, const shape<2>& block) {
  const bool same = from.format == to && (to != sparse_format::bsr || from.block == block);
  if (same) return from;
  switch (from.format) {
    case sparse_format::csr: break;
    case sparse_format::coo: {
      erased_sparse csr = from;
      csr.format = sparse_format::csr, csr.rows = {};
      return converted_sparse(csr, to, block);
    }
    case sparse_format::ell: return converted_sparse(csr_of_slots(from), to, block);
    case sparse_format::bsr: return converted_sparse(csr_of_blocks(from), to, block);
  }
  switch (to) {
    case sparse_format::csr: return from;
    case sparse_format::coo: {
      erased_sparse coo = from;
      coo.format = sparse_format::coo, coo.rows = rows_of(from);
      return coo;
    }
    case sparse_format::ell: return slots_of(from);
    case sparse_format::bsr: return blocks_of(from, block);
  }
  return from;
}

void sparse_to_dense(const erased_sparse& from, const any_array& to) {
  const erased_sparse a = converted_sparse(from, sparse_format::csr);
  if (to.size() > 0)
    kernel_of("sparse_to_dense", {a.indices.type, a.data.type},
              {in(a.indices.type), in(a.indices.type), in(a.data.type), host::out(a.data.type, 2)},
              [](const Parameters& p) {
                const ElementView begins = p.array(0), indices = p.array(1), elements = p.array(2),
                                  dense = p.array(3);
                const ElementType* const sums = added_type(dense.type());
                for (auto row : grid_stride(dense.extent(0))) {
                  for (auto column : range(dense.extent(1)))
                    dense(row, column) = zero_of(dense.type());
                  for (auto k : range(index_in(begins, row), index_in(begins, row + 1))) {
                    const Index column = index_in(indices, k);
                    dense(row, column) = total_as(dense.type(), dense(row, column).get().as(sums) +
                                                                    elements(k).get().as(sums));
                  }
                }
              })
        .forall(a.extents[0], a.indptr, a.indices, a.data, to);
}

}  // namespace krait::detail
