// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices on a CPU. Operands are packed into panels, so that a core reads them in
// order. A thread has some rows of a column.
#include <algorithm>

#include "algorithms/products.h"
#include "algorithms/tuning.h"

namespace krait::host {
namespace {

using detail::op;
using Packed = value<std::uint32_t>;

/// Elements as panels have them: words of some elements along the depth.
///
/// For bytes, by kr::dot4, and for bf16, by kr::dot2_bf16. Processors multiply unsigned bytes by
/// signed ones. If both have the same signedness, the upper bit of the left ones is flipped, which
/// adds or subtracts 128. The sums begin with 128 times the right ones, with the other sign.
struct PanelTypes {
  scalar left, right, out, word;
  bool dots;
  int rows;

  bool bytes() const { return dots && bytes_of(left) == 1; }
  int per_word() const { return !dots ? 1 : bytes() ? 4 : 2; }
  scalar packed() const { return dots ? scalar::u32 : word; }
  bool right_signed() const { return right == scalar::i8; }
  bool turns() const { return bytes() && (left == scalar::i8) == right_signed(); }
  std::array<int, 10> key() const {
    return {int(left), int(right), int(out), int(word), dots, rows};
  }

  /// at(i): element i of the word, or 0.
  template <class At>
  Number pack(const At& at) const {
    if (!dots) return convert(word, at(0));
    const scalar bits = bytes() ? scalar::u8 : scalar::u16;
    const auto part = [&](int i) {
      return Packed(detail::convert(scalar::u32, detail::bit_convert(bits, node_of(at(i)))));
    };
    var<std::uint32_t> all = part(0);
    for (int i = 1; i < per_word(); ++i) all |= part(i) << (i * (32 / per_word()));
    return {scalar::u32, node_of(Packed(all))};
  }
  /// A word of left elements as it is in memory.
  Number turned(const Number& x) const {
    if (!turns()) return x;
    return {x.type, node_of(Packed(x.at) ^ std::uint32_t(0x80808080))};
  }
  Number add(const Number& x, const Number& y, const Number& sum) const {
    if (!dots) return sum + x * y;
    const Packed a(x.at), b(y.at);
    if (!bytes()) return {word, node_of(dot2_bf16(a, b, value<float>(sum.at)))};
    const value<int> start(detail::convert(scalar::i32, sum.at));
    const auto dot = right_signed() ? dot4(a, cast<int>(b), start) : dot4(b, cast<int>(a), start);
    return {word, detail::convert(word, node_of(dot))};
  }
  /// The start of sums; `sum` is the start for the words before.
  value<int> begin(const Packed& y, const value<int>& sum) const {
    constexpr int ones = 0x01010101;
    return right_signed()
               ? value<int>(sum - dot4(unsigned(ones), cast<int>(y), value<int>(0)) * 128)
               : value<int>(sum + dot4(y, ones, value<int>(0)) * 128);
  }
};

constexpr int panel_columns = panel_width;

/// Words of a panel of rows: whole chunks.
template <class Words>
auto words_of_rows(const Words& words, int rows) {
  return (words + (panel_chunk - 1)) / panel_chunk * (panel_chunk * rows);
}

/// out[(batch, panel), k / chunk, row, k % chunk]: words of rows of x; words after the last row are
/// 0. One block per panel. `whole`: they are words in memory.
void record_rows(const PanelTypes& t, bool whole, const node* parameters) {
  const Elements x{whole ? t.packed() : t.left, parameters[0]}, out{t.packed(), parameters[1]};
  const Index panels(parameters[2]);
  const int per_word = whole ? 1 : t.per_word();
  const Index block = block_idx().x, batch = block / panels, first = block % panels * t.rows,
              depth = x.extent(2), words = (depth + (per_word - 1)) / per_word,
              own = cast<std::int64_t>(thread_idx().x),
              to = block * words_of_rows(words, t.rows) + own;
  for (auto chunk : range(std::int64_t(0), words, panel_chunk))
    for (int r = 0; r < t.rows; ++r) {
      const Index k = chunk + own;
      const auto element = [&](int i) { return x.at(batch, first + r, k * per_word + i); };
      const auto complete = [&] {
        return whole && t.dots ? t.turned(element(0)) : t.turned(t.pack(element));
      };
      const auto some = [&] {
        if (per_word == 1) return zero_of(t.packed());
        return t.turned(t.pack([&](int i) {
          return choose(
              first + r < x.extent(1) && k * per_word + i < depth, x.type,
              [&] { return element(i); }, zero_of(x.type));
        }));
      };
      const Number word = choose(first + r < x.extent(1) && k * per_word + (per_word - 1) < depth,
                                 t.packed(), complete, some);
      out.store(word, to + chunk * t.rows + r * panel_chunk);
    }
}

/// out[((batch, panel), k), column]: words of columns of y. A panel begins with a row of the sums'
/// start values, unless they are 0.
void record_columns(const PanelTypes& t, const node* parameters) {
  const Elements y{t.right, parameters[0]}, out{t.packed(), parameters[1]};
  const Index panels(parameters[2]);
  const int per_word = t.per_word();
  const Index own = cast<std::int64_t>(thread_idx().x), block = block_idx().x,
              batch = block / panels, depth = y.extent(1),
              words = (depth + (per_word - 1)) / per_word,
              column = block % panels * panel_columns + own,
              to = block * (words + t.turns()) * panel_columns + own;
  var<int> start = 0;
  for (auto k : range(std::int64_t(0), words)) {
    const Number word = t.pack([&](int i) {
      const auto inside = [&] { return y.at(batch, k * per_word + i, column); };
      const Number none = zero_of(t.right);
      if (per_word == 1) return choose(column < y.extent(2), t.right, inside, none);
      return choose(column < y.extent(2) && k * per_word + i < depth, t.right, inside, none);
    });
    out.store(word, to + (k + t.turns()) * panel_columns);
    if (t.turns()) start = t.begin(Packed(word.at), start);
  }
  if (t.turns()) out.store({scalar::u32, node_of(cast<std::uint32_t>(value<int>(start)))}, to);
}

/// A block has some panels of rows times one of columns, for words of a row from `begin` to before
/// `end`. Sums go on where begin is not 0, and end where `end` is the depth. A batch of one panel
/// repeats.
void record_product(const PanelTypes& t, const RecordedEnding& ending, const node* parameters) {
  const Elements rows{t.packed(), parameters[0]}, columns{t.packed(), parameters[1]},
      out{t.out, parameters[2]};
  const Index depth(parameters[3]), begin(parameters[4]), end(parameters[5]), groups(parameters[6]),
      row_batch(parameters[7]), column_batch(parameters[8]);
  const node* const operands = parameters + 9;
  const Index m = out.extent(1), n = out.extent(2);
  const Index row_panels = (m + (t.rows - 1)) / t.rows,
              column_panels = (n + (panel_columns - 1)) / panel_columns;
  const Index block = block_idx().x, column_panel = block % column_panels,
              rest = block / column_panels, group = rest % groups, batch = rest / groups;
  const Index own = cast<std::int64_t>(thread_idx().x), column = column_panel * panel_columns + own;
  const Index right =
      (batch * column_batch + column_panel) * (depth + t.turns()) * panel_columns + own;
  for (auto row_panel : range(group * row_panels / groups, (group + 1) * row_panels / groups)) {
    const Index left = (batch * row_batch + row_panel) * words_of_rows(depth, t.rows);
    const std::vector<Local> sums = locals(t.word, t.rows);
    if (t.turns()) {
      const Number start = choose(
          begin == 0, t.word, [&] { return convert(t.word, columns.at(right)); }, zero_of(t.word));
      for (const Local& sum : sums) sum.set(start);
    }
    for (auto k : range(begin, end)) {
      const Number y = columns.at(right + (k + t.turns()) * panel_columns);
      const Index in_chunk = k & (panel_chunk - 1), x = left + (k - in_chunk) * t.rows + in_chunk;
      for (int r = 0; r < t.rows; ++r) {
        const Local& sum = sums[std::size_t(r)];
        sum.set(t.add(rows.at(x + r * panel_chunk), y, sum.get()));
      }
    }
    for (int r = 0; r < t.rows; ++r) {
      const Local& own_sum = sums[std::size_t(r)];
      const Index row = row_panel * t.rows + r;
      if_(row < m && column < n, [&] {
        const auto ended = [&](const Number& sum) {
          return ending.of(sum, batch, row, column, operands);
        };
        if (t.word != t.out) {  // one step
          out.store(ended(own_sum.get()), batch, row, column);
        } else {
          const Number sum = choose(
              begin == 0, t.word, [&] { return own_sum.get(); },
              [&] { return out.at(batch, row, column) + own_sum.get(); });
          if_(end == depth, [&] { out.store(ended(sum), batch, row, column); }).else_([&] {
            out.store(sum, batch, row, column);
          });
        }
      });
    }
  }
}

/// Whether rows of x are words of per_word elements, as which they can be read.
bool has_words(const any_array& x, int per_word) {
  const detail::layout& at = x.at;
  return at.extents[2] % per_word == 0 && at.strides[2] == 1 && at.strides[1] % per_word == 0 &&
         at.strides[0] % per_word == 0 && at.offset % per_word == 0 &&
         address_of(x) % (std::uint64_t(x.bytes) * std::uint64_t(per_word)) == 0;
}

void pack_rows(const PanelTypes& t, const any_array& x, const any_array& rows, std::int64_t batch,
               std::int64_t panels) {
  static const char maker = 0;
  const bool whole = t.per_word() > 1 && has_words(x, t.per_word());
  KernelKey key{&maker, t.key()};
  key.numbers[6] = whole;
  const LibraryKernel& pack = KernelStore::of_library().of(key, [&] {
    return LibraryKernel::make(
        options{.name = "matmul_rows"},
        std::vector{view_parameter(whole ? t.packed() : t.left, 3),
                    view_parameter(t.packed(), 1, true), index_parameter()},
        [t, whole](const node* parameters) { record_rows(t, whole, parameters); });
  });
  detail::argument from = array_argument(x);
  if (whole) {
    const int per_word = t.per_word();
    from.extents[2] /= per_word, from.strides[0] /= per_word, from.strides[1] /= per_word;
  }
  pack.launch(batch * panels, panel_columns, {from, array_argument(rows), number_argument(panels)});
}
void pack_columns(const PanelTypes& t, const any_array& y, const any_array& columns,
                  std::int64_t batch, std::int64_t panels) {
  static const char maker = 0;
  const LibraryKernel& pack = KernelStore::of_library().of({&maker, t.key()}, [&] {
    return LibraryKernel::make(options{.name = "matmul_columns"},
                               std::vector{view_parameter(t.right, 3),
                                           view_parameter(t.packed(), 1, true), index_parameter()},
                               [t](const node* parameters) { record_columns(t, parameters); });
  });
  pack.launch(batch * panels, panel_columns,
              {array_argument(y), array_argument(columns), number_argument(panels)});
}
const LibraryKernel& product_kernel(const PanelTypes& t, const product_ending& ending) {
  static const char maker = 0;
  return kernel_of(ending, {&maker, t.key()}, [&] {
    std::vector parameters{view_parameter(t.packed(), 1), view_parameter(t.packed(), 1),
                           view_parameter(t.out, 3, true)};
    for (int i = 0; i < 6; ++i) parameters.push_back(index_parameter());
    const RecordedEnding ended(ending, t.out);
    ended.add_parameters(parameters);
    return LibraryKernel::make(options{.name = "matmul_panels"}, parameters,
                               [t, ended](const node* nodes) { record_product(t, ended, nodes); });
  });
}

}  // namespace

void multiply_panels(const Product& p, bool dots, int own_rows) {
  const PanelTypes t{p.x.type, p.y.type, p.out.type, p.word, dots, own_rows};
  const std::int64_t depth = divided_up(p.x.at.extents[2], t.per_word()), m = p.out.at.extents[1],
                     n = p.out.at.extents[2], batch = p.out.at.extents[0];
  const std::int64_t row_panels = divided_up(m, own_rows),
                     column_panels = divided_up(n, panel_columns);
  // A matrix that repeats is packed once.
  const std::int64_t lefts = p.x.at.strides[0] == 0 ? 1 : batch,
                     rights = p.y.at.strides[0] == 0 ? 1 : batch;
  const any_array rows =
      new_array(t.packed(), {lefts * row_panels * words_of_rows(depth, own_rows)}, p.x.on);
  const any_array columns =
      new_array(t.packed(), {rights * column_panels * (depth + t.turns()) * panel_columns}, p.x.on);
  pack_rows(t, p.x, rows, lefts, row_panels);
  pack_columns(t, p.y, columns, rights, column_panels);
  const std::int64_t workers = detail::algorithm_device_of(detail::device_from(p.x.on)).workers,
                     tiles = batch * column_panels,
                     group = panel_group_bytes * panel_columns / (panel_bytes * own_rows);
  const std::int64_t groups =
      std::min(row_panels, std::max(divided_up(row_panels, group), workers / tiles));
  const std::int64_t step =
      t.word == t.out ? panel_bytes / (panel_columns * bytes_of(t.packed())) : depth;
  const LibraryKernel& multiply = product_kernel(t, p.ending);
  std::int64_t begin = 0;
  do {  // once where there is nothing to add
    const std::int64_t end = std::min(begin + step, depth);
    launch_ended(multiply, tiles * groups, panel_columns,
                 {array_argument(rows), array_argument(columns), array_argument(p.out),
                  number_argument(depth), number_argument(begin), number_argument(end),
                  number_argument(groups), number_argument(lefts > 1 ? row_panels : 0),
                  number_argument(rights > 1 ? column_panels : 0)},
                 p.ending);
    begin += step;
  } while (begin < depth);
}

}  // namespace krait::host
