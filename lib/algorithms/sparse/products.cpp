// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of sparse matrices and vectors. A block's threads multiply the elements of a part as
// they lie in memory, leave the products in shared memory, and add them up by rows from there; or
// they add up one row together. So neither short nor long rows leave threads without work, and
// sums have one order.
#include <algorithm>
#include <vector>

#include "algorithms/sparse/parts.h"

#include "algorithms/sparse/tuning.h"
#include "devices/devices.h"
#include "krait/algorithm/detail/form.h"
#include "krait/math.h"

namespace krait::host {
namespace {

/// A product with a vector in a kernel.
class VectorProduct {
 public:
  VectorProduct(const Parameters& p, const ElementType* word, const BlockShape& block,
                const SparseForm& form)
      : parts_(p.array(0)),
        begins_(p.array(1)),
        indices_(p.array(2)),
        data_(p.array(3)),
        x_(p.array(4)),
        to_(p.array(5)),
        partials_(p.array(6)),
        medium_rows_(p.array(7)),
        word_(word),
        block_(block),
        form_(form),
        // Of shared memory of a GPU; neighbouring threads read products of neighbouring rows.
        bank_bits_(form.has_banks ? word->bytes == 8 ? 4 : 5 : 0),
        part_(parts_, block_idx().x),
        thread_(thread_idx().x) {}

  void record() const {
    const ElementView sums = shared_elements(word_, form_.threads);
    if_(part_.how >= 0, [&] { add_rows(sums); }).else_([&] { add_one_row(sums); });
  }

 private:
  /// Of an element of the part, by its place among them.
  Element product(const Index& place) const {
    if (block_.size() == 1) {
      const Index at = part_.entry + place;
      return times(word_, data_(at), x_(index_in(indices_, at)));
    }
    const value<int> near = cast<int>(place);  // which is quicker to divide
    const Index column = index_in(indices_, part_.entry + near / int(block_.size()));
    return times(word_, data_(part_.entry * block_.size() + place),
                 x_(column * block_.columns + near % int(block_.columns)));
  }
  Index padded(const Index& place) const {
    return bank_bits_ > 0 ? Index(place + (place >> bank_bits_)) : place;
  }

  void add_rows(const ElementView& sums) const {
    const ElementView products = shared_elements(
        word_, bank_bits_ > 0 ? form_.tile + (form_.tile >> bank_bits_) : form_.tile);
    const Index elements = part_.entries * block_.size();
    const Index rows = part_.rows * block_.rows, first_row = thread_ >> part_.how;
    // Read before the products, so that nobody waits for it.
    const RowOfPart own_row(*this, min(first_row, rows - 1));
    // All loads are under way before the first product. Those after the end read the last element
    // again.
    for (auto begin : range(Index(std::int64_t(0)), elements, form_.threads * form_.loads)) {
      std::vector<Index> places;
      std::vector<Element> made;
      for (int i = 0; i < form_.loads; ++i) places.push_back(begin + i * form_.threads + thread_);
      for (const Index& place : places) made.push_back(product(min(place, elements - 1)));
      for (std::size_t i = 0; i < places.size(); ++i) products(padded(places[i])) = made[i];
    }
    syncthreads();
    // The sum of every step-th entry of a row.
    const auto sum_of = [&](const RowOfPart& row, const Index& lane, const Index& step) {
      Variable sum(zero_of(word_));
      for (auto k : range(row.begin + lane, row.end, step * form_.added)) {
        std::vector<Element> made;
        for (int i = 0; i < form_.added; ++i) {
          const Index entry = min(k + i * step, row.end - 1) * block_.size() + row.lead;
          Element all = products(padded(entry));
          for (int c = 1; c < block_.columns; ++c) all = all + products(padded(entry + c)).get();
          made.push_back(all);
        }
        for (int i = 0; i < form_.added; ++i)
          sum.add(i == 0 ? made[0]
                         : choose(k + i * step < row.end, made[std::size_t(i)], zero_of(word_)));
      }
      return sum.get();
    };
    const Index lead = part_.row * block_.rows;
    if_(part_.how == 0, [&] {
      const auto add_up = [&](const RowOfPart& of, const Index& row) {
        const auto write = [&] {
          to_(lead + row) =
              total_as(to_.type(), sum_of(of, Index(std::int64_t(0)), Index(std::int64_t(1))));
        };
        if (form_.medium > 0) if_(of.end - of.begin <= form_.medium, write);
        else write();
      };
      if_(thread_ < rows, [&] { add_up(own_row, thread_); });
      for (auto row : range(thread_ + form_.threads, rows, form_.threads))
        add_up(RowOfPart(*this, row), row);
    }).else_([&] {
      const auto is_short = [&](const RowOfPart& of) {
        return form_.medium > 0 ? value<bool>(of.end - of.begin <= form_.medium)
                                : value<bool>(true);
      };
      // 2^how neighbouring threads have a row; their sums are apart by as many as there are rows
      const Index lanes = Index(std::int64_t(1)) << part_.how, lane = thread_ & (lanes - 1),
                  apart = Index(form_.threads) >> part_.how;
      if_(first_row < rows && is_short(own_row),
          [&] { sums(lane * apart + first_row) = sum_of(own_row, lane, lanes); });
      syncthreads();
      if_(thread_ < rows, [&] {
        if_(is_short(RowOfPart(*this, thread_)), [&] {
          Variable sum(sums(thread_).get());
          for (auto i : range(Index(std::int64_t(1)), lanes)) sum.add(sums(i * apart + thread_));
          to_(lead + thread_) = total_as(to_.type(), sum);
        });
      });
    });
    if (form_.medium > 0) add_medium_rows(sum_of);
  }
  /// A warp has each.
  template <class Sum>
  void add_medium_rows(const Sum& sum_of) const {
    constexpr std::int64_t lanes = 32;
    for (auto i : range(part_.medium + thread_ / lanes, part_.medium_end, form_.threads / lanes)) {
      const Index row = index_in(medium_rows_, i);
      Element all = sum_of(RowOfPart(*this, row - part_.row), thread_ % lanes, Index(lanes));
      for (std::int64_t d = lanes / 2; d > 0; d /= 2) all = all + shfl_down(all, int(d));
      if_(thread_ % lanes == 0, [&] { to_(row) = total_as(to_.type(), all); });
    }
  }
  /// Where the entries of a row of the part are in it, and where the row's products are in a block.
  struct RowOfPart {
    Index begin, end, lead;
    RowOfPart(const VectorProduct& of, const Index& row)
        : begin(index_in(of.begins_, above(of, row)) - of.part_.entry),
          end(index_in(of.begins_, above(of, row) + 1) - of.part_.entry),
          lead(row % of.block_.rows * of.block_.columns) {}
    static Index above(const VectorProduct& of, const Index& row) {
      return of.part_.row + row / of.block_.rows;
    }
  };

  /// The rows of one row of blocks: as many neighbouring threads have each.
  void add_one_row(const ElementView& sums) const {
    const Index length = part_.entries * block_.columns;
    for (std::int64_t begin = 0; begin < block_.rows; begin += form_.threads) {
      const std::int64_t rows = std::min<std::int64_t>(block_.rows - begin, form_.threads),
                         lanes = form_.threads / rows;
      const Index own = thread_ / lanes, lane = thread_ % lanes,
                  row = min(own, Index(rows - 1)) + begin;
      const auto product_at = [&](const Index& k) {
        if (block_.size() == 1) return product(k);
        const value<int> near = cast<int>(k), entry = near / int(block_.columns);
        return product((Index(cast<std::int64_t>(entry)) * block_.rows + row) * block_.columns +
                       near % int(block_.columns));
      };
      Variable sum(zero_of(word_));
      const Index step(lanes * form_.loads), trips = length / step;
      for (auto trip : range(trips)) {
        std::vector<Element> made;
        for (int i = 0; i < form_.loads; ++i)
          made.push_back(product_at(trip * step + i * lanes + lane));
        for (const Element& x : made) sum.add(x);
      }
      for (auto k : range(trips * step + lane, length, lanes)) sum.add(product_at(k));
      if (begin > 0) syncthreads();
      sums(thread_) = sum;
      syncthreads();
      for (std::int64_t width = lanes; width > 1;) {
        const std::int64_t next = detail::divided_up(width, sparse_joined);
        if_(lane < next && own < rows, [&] {
          Variable all(sums(thread_).get());
          for (std::int64_t i = next; i < width; i += next)
            if_(lane + i < width, [&] { all.add(sums(thread_ + i)); });
          sums(thread_) = all;
        });
        syncthreads();
        width = next;
      }
      if_(thread_ < rows, [&] {
        const Element all = sums(thread_ * lanes);
        if_(part_.how == whole_row, [&] {
          to_(part_.row * block_.rows + begin + thread_) = total_as(to_.type(), all);
        }).else_([&] {
          partials_(first_partial - part_.how, begin + thread_, std::int64_t(0)) = all;
        });
      });
    }
  }

  const ElementView parts_, begins_, indices_, data_, x_, to_, partials_, medium_rows_;
  const ElementType* word_;
  const BlockShape& block_;
  const SparseForm& form_;
  const int bank_bits_;
  const RecordedPart part_;
  const Index thread_;
};

any_array as_column(any_array x) {
  x.at.rank = 2, x.at.extents[1] = 1, x.at.strides[1] = 1;
  return x;
}

/// PoCL 3.1 writes past its memory in the kernels with barriers: each thread of an OpenCL device
/// has an element of the result.
bool wants_no_barriers(void* on) {
  return static_cast<const DeviceHandle*>(on)->target.kind == support::TargetKind::OpenCl;
}
void multiply_apart(const erased_sparse& a, const any_array& x, const ElementType* word,
                    const any_array& to) {
  const BlockShape block(a);
  kernel_of("sparse_apart",
            {a.indptr.type, a.data.type, x.type, to.type, word, block.rows, block.columns},
            {in(a.indptr.type), in(a.indptr.type), in(a.data.type), in(x.type, 2), out(to.type, 2)},
            [word, block](const Parameters& p) {
              const ElementView begins = p.array(0), indices = p.array(1), data = p.array(2),
                                from = p.array(3), result = p.array(4);
              for (auto i : grid_stride(result.size())) {
                const Index row = i / result.extent(1), column = i % result.extent(1),
                            above = row / block.rows, own = row % block.rows;
                Variable sum(zero_of(word));
                for (auto k : range(index_in(begins, above), index_in(begins, above + 1)))
                  for (auto c : range(block.columns))
                    sum.add(times(word, data((k * block.rows + own) * block.columns + c),
                                  from(index_in(indices, k) * block.columns + c, column)));
                result(row, column) = total_as(result.type(), sum);
              }
            })
      .forall(to.size(), a.indptr, a.indices, a.data, x, to);
}

void multiply_rows(const erased_sparse& a, const any_array& x, const ElementType* word,
                   const any_array& to) {
  const BlockShape block(a);
  const SparseForm form = sparse_form_of(a);
  const any_array partials = new_partials(a, word, 1);
  kernel_of(
      "sparse_vector",
      {a.indptr.type, a.data.type, x.type, to.type, word, block.rows, block.columns, form.tile,
       form.medium},
      {in(a.indptr.type, 2), in(a.indptr.type), in(a.indptr.type), in(a.data.type), in(x.type),
       out(to.type), out(word, 3), in(a.indptr.type)},
      [word, block, form](const Parameters& p) { VectorProduct(p, word, block, form).record(); })
      .launch({a.parts.extent(0) - 1, form.threads}, a.parts, a.indptr, a.indices, a.data, x, to,
              partials, a.medium_rows);
  add_partials(a, partials, to);
}

/// Each thread has a row; slots of neighbouring rows are neighbours.
void multiply_slots(const erased_sparse& a, const any_array& x, const ElementType* word,
                    const any_array& to) {
  kernel_of(
      "sparse_slots", {a.indices.type, a.data.type, x.type, to.type, word},
      {in(a.indices.type, 2), in(a.data.type), in(x.type), out(to.type)},
      [word](const Parameters& p) {
        const ElementView indices = p.array(0), data = p.array(1), from = p.array(2),
                          result = p.array(3);
        const Index slots = indices.extent(0), rows = indices.extent(1);
        for (auto row : grid_stride(rows)) {
          Variable sum(zero_of(word));
          const auto add = [&](const Index& first, int count) {
            std::vector<Index> columns;
            std::vector<Element> made;
            for (int i = 0; i < count; ++i)
              columns.push_back(indices(first + i, row).get().as<std::int64_t>());
            for (int i = 0; i < count; ++i)
              made.push_back(times(word, data((first + i) * rows + row),
                                   from(max(columns[std::size_t(i)], Index(std::int64_t(0))))));
            for (int i = 0; i < count; ++i)
              sum.add(choose(columns[std::size_t(i)] >= 0, made[std::size_t(i)], zero_of(word)));
          };
          const Index trips = slots / sparse_slot_loads;
          for (auto trip : range(trips)) add(trip * sparse_slot_loads, sparse_slot_loads);
          // the rest, in powers of two
          for (int count = sparse_slot_loads / 2; count > 0; count /= 2)
            if_((slots & count) != 0, [&] { add(slots & -2 * count, count); });
          result(row) = total_as(result.type(), sum);
        }
      })
      .forall(to.size(), a.indices, a.data, x, to);
}

}  // namespace

any_array new_partials(const erased_sparse& a, const ElementType* word, std::int64_t columns) {
  if (a.long_rows.size() == 0) return no_elements(word, 3, a.data.on);
  return new_array(word, {a.partials, a.block[0], columns}, a.data.on);
}

void add_partials(const erased_sparse& a, const any_array& partials, const any_array& to) {
  if (a.long_rows.size() == 0) return;
  const any_array matrix = to.at.rank == 2 ? to : as_column(to);
  kernel_of("sparse_partials", {a.long_rows.type, partials.type, to.type},
            {in(a.long_rows.type, 2), in(partials.type, 3), out(to.type, 2)},
            [](const Parameters& p) {
              const ElementView rows = p.array(0), sums = p.array(1), result = p.array(2);
              const Index height = sums.extent(1), columns = sums.extent(2),
                          all = (rows.extent(0) - 1) * height * columns;
              for (auto i : grid_stride(all)) {
                const Index column = i % columns, own = i / columns % height,
                            row = i / columns / height;
                const auto number = [&](const Index& at, int which) {
                  return rows(at, which).get().as<std::int64_t>();
                };
                Variable sum(zero_of(sums.type()));
                for (auto k : range(number(row, 1), number(row + 1, 1)))
                  sum.add(sums(k, own, column));
                result(number(row, 0) * height + own, column) = total_as(result.type(), sum);
              }
            })
      .forall((a.long_rows.extent(0) - 1) * a.block[0] * partials.extent(2), a.long_rows, partials,
              matrix);
}

}  // namespace krait::host

namespace krait::detail {

using namespace krait::host;

void sparse_product(const erased_sparse& a, const any_array& x, const element_type* word,
                    const any_array& to) {
  if (a.format != sparse_format::ell && wants_no_barriers(x.on)) {
    const bool is_vector = to.at.rank == 1;
    multiply_apart(a, is_vector ? as_column(x) : x, word, is_vector ? as_column(to) : to);
  } else if (to.at.rank == 2) multiply_matrix(a, x, word, to);
  else if (a.format == sparse_format::ell) multiply_slots(a, x, word, to);
  else multiply_rows(a, x, word, to);
}

}  // namespace krait::detail
