// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices on a CPU. Operands are packed into panels, so that a core reads them in
// order. A thread has some rows of a column.
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "algorithms/matmul/products.h"
#include "algorithms/tuning.h"
#include "trace/tiles.h"

namespace krait::host {
namespace {

using detail::op;
using Packed = value<std::uint32_t>;

/// Elements as panels have them: words of some elements along the depth.
///
/// For bytes, by kr::dot4, and for bf16, by kr::dot2_bf16. Processors multiply unsigned bytes by
/// signed ones. If both have the same signedness, the upper bit of the left ones is flipped, which
/// adds or subtracts 128. The sums begin with 128 times the right ones, with the other sign.
/// `tiles`: by products of words (ir/tiles.h), which multiply bytes of any sign; words of a row are
/// whole steps of them.
struct PanelTypes {
  scalar left, right, out, word;
  bool dots, tiles;
  int rows;

  bool bytes() const { return dots && bytes_of(left) == 1; }
  int per_word() const { return !dots ? 1 : bytes() ? 4 : 2; }
  scalar packed() const { return dots ? scalar::u32 : word; }
  bool right_signed() const { return right == scalar::i8; }
  bool turns() const { return !tiles && bytes() && (left == scalar::i8) == right_signed(); }
  Facts facts() const { return {left, right, out, word, dots, tiles, rows}; }
  /// Words of a row of so many elements.
  template <class Depth>
  Depth words_of(const Depth& depth) const {
    const int step = tiles ? tile_words : 1;
    return (depth + (step * per_word() - 1)) / (step * per_word()) * step;
  }

  /// at(i): element i of the word, or 0.
  template <class At>
  Element pack(const At& at) const {
    if (!dots) return at(0).as(word);
    const scalar bits = bytes() ? scalar::u8 : scalar::u16;
    const auto part = [&](int i) {
      return Packed(detail::convert(scalar::u32, detail::bit_convert(bits, at(i).only())));
    };
    var<std::uint32_t> all = part(0);
    for (int i = 1; i < per_word(); ++i) all |= part(i) << (i * (32 / per_word()));
    return {scalar::u32, node_of(Packed(all))};
  }
  /// A word of left elements as it is in memory.
  Element turned(const Element& x) const {
    if (!turns()) return x;
    return {scalar::u32, node_of(Packed(x.only()) ^ std::uint32_t(0x80808080))};
  }
  Element add(const Element& x, const Element& y, const Element& sum) const {
    if (!dots) return sum + x * y;
    const Packed a(x.only()), b(y.only());
    if (!bytes()) return {word, node_of(dot2_bf16(a, b, value<float>(sum.only())))};
    const value<int> start = sum.as<int>();
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
void record_rows(const PanelTypes& t, bool whole, const Parameters& p) {
  const ElementView x = p.array(0), out = p.array(1);
  const Index panels = p.number(2);
  const int per_word = whole ? 1 : t.per_word();
  const Index block = block_idx().x, batch = block / panels, first = block % panels * t.rows,
              depth = x.extent(2), words = (depth + (per_word - 1)) / per_word,
              own = cast<std::int64_t>(thread_idx().x),
              to = block * words_of_rows(words, t.rows) + own;
  for (auto chunk : range(std::int64_t(0), words, panel_chunk))
    for (int r = 0; r < t.rows; ++r) {
      const Index k = chunk + own;
      const auto element = [&](int i) { return x(batch, first + r, k * per_word + i).get(); };
      const auto complete = [&] {
        return whole && t.dots ? t.turned(element(0)) : t.turned(t.pack(element));
      };
      const auto some = [&] {
        if (per_word == 1) return zero_of(t.packed());
        return t.turned(t.pack([&](int i) {
          return choose(
              first + r < x.extent(1) && k * per_word + i < depth, t.left,
              [&] { return element(i); }, zero_of(t.left));
        }));
      };
      const Element word = choose(first + r < x.extent(1) && k * per_word + (per_word - 1) < depth,
                                  t.packed(), complete, some);
      out(to + chunk * t.rows + r * panel_chunk) = word;
    }
}

/// Parts of a panel of columns that blocks pack: neighbours read neighbouring columns of the same
/// rows, from the same lines. The sums of a whole panel's columns take one.
template <class Words>
Words column_parts(const PanelTypes& t, const Words& words) {
  return t.turns() ? Words(std::int64_t(1)) : Words((words + (panel_chunk - 1)) / panel_chunk);
}

/// out[((batch, panel), k), column]: words of columns of y. A panel begins with a row of the sums'
/// start values, unless they are 0.
void record_columns(const PanelTypes& t, const Parameters& p) {
  const ElementView y = p.array(0), out = p.array(1);
  const Index panels = p.number(2);
  const int per_word = t.per_word();
  const Index depth = y.extent(1), words = t.words_of(depth), parts = column_parts(t, words);
  const Index own = cast<std::int64_t>(thread_idx().x), block = block_idx().x,
              part = block / panels % parts, batch = block / panels / parts, panel = block % panels,
              column = panel * panel_columns + own,
              to = (batch * panels + panel) * (words + t.turns()) * panel_columns + own;
  const Index begin = part * panel_chunk,
              end = t.turns() ? words : krait::min(begin + panel_chunk, words);
  var<int> start = 0;
  for (auto k : range(begin, end)) {
    const auto element = [&](int i) { return y(batch, k * per_word + i, column).get(); };
    const auto complete = [&] { return t.pack(element); };
    const auto some = [&] {
      if (per_word == 1) return zero_of(t.packed());
      return t.pack([&](int i) {
        return choose(
            column < y.extent(2) && k * per_word + i < depth, t.right, [&] { return element(i); },
            zero_of(t.right));
      });
    };
    const Element word = choose(column < y.extent(2) && k * per_word + (per_word - 1) < depth,
                                t.packed(), complete, some);
    out(to + (k + t.turns()) * panel_columns) = word;
    if (t.turns()) start = t.begin(Packed(word.only()), start);
  }
  if (t.turns()) out(to) = Element(cast<std::uint32_t>(value<int>(start)));
}

/// What the products of panels have in common: a block has some panels of rows times one of
/// columns, for words of a row from `begin` to before `end`. Sums go on where begin is not 0, and
/// end where `end` is the depth. A batch of one panel repeats.
class PanelProduct {
 public:
  PanelProduct(const PanelTypes& t, const RecordedEnding& ending, const Parameters& p)
      : rows(p.array(0)),
        columns(p.array(1)),
        depth(p.number(3)),
        begin(p.number(4)),
        end(p.number(5)),
        own(cast<std::int64_t>(thread_idx().x)),
        t_(t),
        ending_(ending),
        p_(p),
        out_(p.array(2)),
        row_panels_((out_.extent(1) + (t.rows - 1)) / t.rows),
        column_panels_((out_.extent(2) + (panel_columns - 1)) / panel_columns),
        column_panel_(block_idx().x % column_panels_),
        group_(block_idx().x / column_panels_ % p.number(6)),
        batch_(block_idx().x / column_panels_ / p.number(6)) {}

  /// Calls visit(row panel, the first word of its rows).
  template <class Visit>
  void each_row_panel(const Visit& visit) const {
    const Index groups = p_.number(6), row_batch = p_.number(7);
    for (auto panel : range(group_ * row_panels_ / groups, (group_ + 1) * row_panels_ / groups))
      visit(Index(panel), Index((batch_ * row_batch + panel) * words_of_rows(depth, t_.rows)));
  }
  /// The first word of the panel of columns, of `words` words each.
  Index right(const Index& words) const {
    return (batch_ * p_.number(8) + column_panel_) * words * std::int64_t(panel_columns);
  }
  /// The thread's sum of row `r` of a panel.
  template <class Sum>
  void store(const Index& row_panel, const Index& r, const Sum& own_sum) const {
    const Index row = row_panel * t_.rows + r, column = column_panel_ * panel_columns + own;
    const auto ended = [&](const Element& sum) {
      return ending_.of(sum, batch_, row, column, p_.others());
    };
    if_(row < out_.extent(1) && column < out_.extent(2), [&] {
      const Element made = own_sum();
      if (t_.word != t_.out) {  // one step
        out_(batch_, row, column) = ended(made);
        return;
      }
      const Element sum = choose(
          begin == 0, t_.word, [&] { return made; },
          [&] { return out_(batch_, row, column) + made; });
      if_(end == depth, [&] { out_(batch_, row, column) = ended(sum); }).else_([&] {
        out_(batch_, row, column) = sum;
      });
    });
  }

  const ElementView rows, columns;
  const Index depth, begin, end;
  const Index own;  // the thread's column of the panel

 private:
  const PanelTypes& t_;
  const RecordedEnding& ending_;
  const Parameters& p_;
  const ElementView out_;
  const Index row_panels_, column_panels_, column_panel_, group_, batch_;
};

void record_product(const PanelTypes& t, const RecordedEnding& ending, const Parameters& p) {
  const PanelProduct at(t, ending, p);
  const Index right = at.right(at.depth + t.turns()) + at.own;
  at.each_row_panel([&](const Index& row_panel, const Index& left) {
    std::vector<Variable> sums = variables(t.word, t.rows);
    if (t.turns()) {
      const Element start = choose(
          at.begin == 0, t.word, [&] { return at.columns(right).get().as(t.word); },
          zero_of(t.word));
      for (Variable& sum : sums) sum = start;
    }
    for (auto k : range(at.begin, at.end)) {
      const Element y = at.columns(right + (k + t.turns()) * panel_columns);
      const Index in_chunk = k & (panel_chunk - 1), x = left + (k - in_chunk) * t.rows + in_chunk;
      for (int r = 0; r < t.rows; ++r) {
        Variable& sum = sums[std::size_t(r)];
        sum = t.add(at.rows(x + r * panel_chunk), y, sum);
      }
    }
    for (int r = 0; r < t.rows; ++r)
      at.store(row_panel, Index(std::int64_t(r)), [&] { return sums[std::size_t(r)].get(); });
  });
}

/// The same by products of words: the block computes the sums of a panel at once, in shared memory.
void record_word_product(const PanelTypes& t, const RecordedEnding& ending, const Parameters& p) {
  const PanelProduct at(t, ending, p);
  const Index right = at.right(at.depth) + at.begin * std::int64_t(panel_columns);
  ir::WordProduct form;
  form.rows = t.rows, form.columns = panel_columns, form.step = tile_words;
  form.left = ir::Scalar(t.left), form.right = ir::Scalar(t.right);
  constexpr std::int64_t word_bytes = 4;
  form.left_pitch = panel_chunk * word_bytes, form.left_strip = form.left_pitch * t.rows;
  form.right_pitch = panel_columns * word_bytes, form.fresh = true;
  const ElementView sums = shared_elements(t.word, {std::int64_t(t.rows) * panel_columns});
  const auto array = [](const ElementView& x) { return node_of(x.as<const std::uint32_t>()); };
  at.each_row_panel([&](const Index& row_panel, const Index& first) {
    const Index left = first + at.begin * t.rows;
    trace::multiply_words(
        form, {array(sums), node_of(Index(std::int64_t(0))), array(at.rows), node_of(left),
               array(at.columns), node_of(right), node_of(Index(at.end - at.begin))});
    syncthreads();
    for (auto r : range(std::int64_t(0), std::int64_t(t.rows)))
      at.store(row_panel, Index(r), [&] { return sums(r * panel_columns + at.own).get(); });
    syncthreads();
  });
}

/// Small matrices as they lie: a block has some rows times `columns` columns. Sums are those of
/// panels, bit by bit.
void record_direct(const PanelTypes& t, int columns, const RecordedEnding& ending,
                   const Parameters& p) {
  const ElementView x = p.array(0), y = p.array(1), out = p.array(2);
  const Index m = out.extent(1), n = out.extent(2), depth = x.extent(2);
  const Index row_panels = (m + (t.rows - 1)) / t.rows,
              column_panels = (n + (columns - 1)) / columns;
  const Index block = block_idx().x, rest = block / column_panels, batch = rest / row_panels,
              first = rest % row_panels * t.rows,
              column = block % column_panels * columns + cast<std::int64_t>(thread_idx().x);
  if_(column < n, [&] {
    std::vector<Variable> sums = variables(t.word, t.rows);
    std::vector<Index> rows;  // the last one again, behind it
    for (int r = 0; r < t.rows; ++r) rows.push_back(krait::min(first + r, m - 1));
    for (auto k : range(std::int64_t(0), depth)) {
      const Element right = y(batch, k, column);
      for (int r = 0; r < t.rows; ++r) {
        Variable& sum = sums[std::size_t(r)];
        sum = t.add(x(batch, rows[std::size_t(r)], k), right, sum);
      }
    }
    for (int r = 0; r < t.rows; ++r)
      if_(first + r < m, [&] {
        out(batch, first + r, column) =
            ending.of(sums[std::size_t(r)], batch, Index(first + r), column, p.others());
      });
  });
}

/// Whether rows of x are words of per_word elements, as which they can be read.
bool has_words(const any_array& x, int per_word) {
  const detail::layout& at = x.at;
  return at.extents[2] % per_word == 0 && at.strides[2] == 1 && at.strides[1] % per_word == 0 &&
         at.strides[0] % per_word == 0 && at.offset % per_word == 0 &&
         address_of(x) % (std::uint64_t(x.type->bytes) * std::uint64_t(per_word)) == 0;
}

/// Rows of words of per_word elements, as which they can be read.
any_array as_words(any_array x, scalar word, int per_word) {
  detail::layout& at = x.at;
  x.type = type_of(word), at.offset /= per_word;
  at.extents[2] /= per_word, at.strides[0] /= per_word, at.strides[1] /= per_word;
  return x;
}

void pack_rows(const PanelTypes& t, const any_array& x, const any_array& rows, std::int64_t batch,
               std::int64_t panels) {
  const bool whole = t.per_word() > 1 && has_words(x, t.per_word());
  const Kernel& pack =
      kernel_of("matmul_rows", {t.left, t.right, t.out, t.word, t.dots, t.tiles, t.rows, whole},
                {in(whole ? t.packed() : t.left, 3), out(t.packed(), 1), number()},
                [t, whole](const Parameters& p) { record_rows(t, whole, p); });
  const launch_config blocks{batch * panels, panel_columns};
  if (whole) pack.launch(blocks, as_words(x, t.packed(), t.per_word()), rows, panels);
  else pack.launch(blocks, x, rows, panels);
}
void pack_columns(const PanelTypes& t, const any_array& y, const any_array& columns,
                  std::int64_t batch, std::int64_t panels) {
  const std::int64_t parts =
      std::max<std::int64_t>(column_parts(t, t.words_of(y.at.extents[1])), 1);
  kernel_of("matmul_columns", t.facts(), {in(t.right, 3), out(t.packed(), 1), number()},
            [t](const Parameters& p) { record_columns(t, p); })
      .launch({batch * panels * parts, panel_columns}, y, columns, panels);
}
const Kernel& product_kernel(const PanelTypes& t, const product_ending& ending) {
  return kernel_of(ending, t.out, t.tiles ? "matmul_words" : "matmul_panels", t.facts(),
                   {in(t.packed(), 1), in(t.packed(), 1), out(t.out, 3), number(), number(),
                    number(), number(), number(), number()},
                   [t](const Parameters& p, const RecordedEnding& ended) {
                     t.tiles ? record_word_product(t, ended, p) : record_product(t, ended, p);
                   });
}

/// Steps of the depth whose sums stay in registers.
std::int64_t words_at_once(const PanelTypes& t) {
  return t.word == t.out ? panel_bytes / (panel_columns * bytes_of(t.packed()))
                         : std::numeric_limits<std::int64_t>::max();
}
bool is_direct(const PanelTypes& t, const Product& p) {
  const detail::layout& right = p.y.at;
  return !t.dots && t.left == t.word && t.right == t.word && right.strides[2] == 1 &&
         right.extents[1] <= words_at_once(t) &&
         right.extents[1] * std::abs(right.strides[1]) * bytes_of(t.word) <= direct_bytes;
}
void multiply_directly(const PanelTypes& t, const Product& p) {
  const std::int64_t m = p.out.at.extents[1], n = p.out.at.extents[2];
  const int columns = panel_columns;
  kernel_of(p.ending, t.out, "matmul_direct", {t.left, t.right, t.out, t.word, t.rows, columns},
            {in(t.left, 3), in(t.right, 3), out(t.out, 3)},
            [t](const Parameters& of, const RecordedEnding& ended) {
              record_direct(t, columns, ended, of);
            })
      .launch({p.out.at.extents[0] * divided_up(m, t.rows) * divided_up(n, columns), columns}, p.x,
              p.y, p.out, operands_of(p.ending));
}

}  // namespace

void multiply_panels(const Product& p, PanelForm form) {
  const int own_rows = form.rows;
  const PanelTypes t{p.x.type->whole, p.y.type->whole, p.out.type->whole, p.word,
                     form.dots,       form.tiles,      own_rows};
  if (is_direct(t, p)) return multiply_directly(t, p);
  const std::int64_t depth = t.words_of(p.x.at.extents[2]), m = p.out.at.extents[1],
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
  const std::int64_t step = std::min(words_at_once(t), depth);
  const Kernel& multiply = product_kernel(t, p.ending);
  std::int64_t begin = 0;
  do {  // once where there is nothing to add
    const std::int64_t end = std::min(begin + step, depth);
    multiply.launch({tiles * groups, panel_columns}, rows, columns, p.out, depth, begin, end,
                    groups, lefts > 1 ? row_panels : 0, rights > 1 ? column_panels : 0,
                    operands_of(p.ending));
    begin += step;
  } while (begin < depth);
}

}  // namespace krait::host
