// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   krait_dist_operations          the ranks of a launcher
//   krait_dist_operations RANKS    threads of this process
// Every operation of krait/dist.h against plain loops over the whole array, which each rank runs.
// Elements are small integers, so that results are exact in any order.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "dist/checks.h"
namespace kr = krait;

namespace {

using dist_test::error_of;

bool starts(const std::string& text, const char* with) {
  return text.compare(0, std::strlen(with), with) == 0;
}

using Extents = std::int64_t[3];

/// The whole array of a case: a value for each index, and how the ends are joined.
struct Whole {
  std::int64_t n[3], w[3];
  bool periodic[3];
  /// The element, of the halo too: of the other end, or 0.
  std::int64_t at(std::int64_t i, std::int64_t j, std::int64_t k) const {
    std::int64_t x[] = {i, j, k};
    for (int d = 0; d < 3; ++d) {
      if (x[d] >= 0 && x[d] < n[d]) continue;
      if (!periodic[d]) return 0;
      x[d] = (x[d] % n[d] + n[d]) % n[d];
    }
    return (x[0] * 31 + x[1] * 7 + x[2] * 3) % 23 - 11;
  }
};
auto value_at(auto i, auto j, auto k) { return (i * 31 + j * 7 + k * 3) % 23 - 11; }

template <class Elem, int Rank>
void fill(kr::dist::array<Elem, Rank>& a) {
  if constexpr (Rank == 1) kr::dist::fill(a, [](auto i) { return value_at(i, i * 0, i * 0); });
  else if constexpr (Rank == 2)
    kr::dist::fill(a, [](auto i, auto j) { return value_at(i, j, i * 0); });
  else kr::dist::fill(a, [](auto i, auto j, auto k) { return value_at(i, j, k); });
}

/// Calls f(index) in C order.
template <class Function>
void each(const std::int64_t* n, const Function& f) {
  for (std::int64_t i = 0; i < n[0]; ++i)
    for (std::int64_t j = 0; j < n[1]; ++j)
      for (std::int64_t k = 0; k < n[2]; ++k) f(i, j, k);
}

template <class Elem, int Rank>
void halos(const kr::dist::array<Elem, Rank>& a, const Whole& all, const std::string& where) {
  std::int64_t n[3] = {1, 1, 1}, from[3] = {};
  for (int d = 0; d < Rank; ++d) n[d] = a.local().extent(d), from[d] = a.first(d) - a.halo_width(d);
  const std::vector<Elem> got = a.local().to_host();
  bool right = true;
  std::size_t at = 0;
  each(n, [&](auto i, auto j, auto k) {
    right = right && got[at++] == Elem(all.at(from[0] + i, from[1] + j, from[2] + k));
  });
  EXPECT(right);
}

template <class Elem, int Rank>
void check(kr::dist::world& ranks, const Whole& all, const kr::dist::along (&words)[Rank],
           kr::dist::halo rim, const std::string& where) {
  kr::detail::any_extent extents[Rank];
  for (int d = 0; d < Rank; ++d) extents[d] = all.n[d];
  kr::dist::array<Elem, Rank> a(ranks, extents, words, rim);
  const std::int64_t size = all.n[0] * all.n[1] * all.n[2];
  EXPECT(a.size() == size);
  fill(a);
  kr::dist::exchange(a);
  halos(a, all, where);

  // Gathered, and scattered again.
  std::vector<Elem> wanted;
  std::int64_t sum = 0, least = 99, most = -99;
  each(all.n, [&](auto i, auto j, auto k) {
    const std::int64_t x = all.at(i, j, k);
    wanted.push_back(Elem(x)), sum += x, least = std::min(least, x), most = std::max(most, x);
  });
  const int root = ranks.size() - 1;
  const auto whole = kr::dist::gather(a, root);
  if (ranks.rank() == root) EXPECT(whole.to_host() == wanted);
  else EXPECT(whole.size() == 0);
  kr::array<Elem, Rank> again(whole.extents());
  kr::dist::gather(a, again, root);
  EXPECT(again.to_host() == whole.to_host());
  auto b = kr::dist::like(a);
  kr::dist::scatter(whole, b, root);
  EXPECT(b.owned().to_host() == a.owned().to_host());

  // Reductions and expressions.
  EXPECT(kr::sum(a) == Elem(sum));
  EXPECT(kr::sum(a, kr::dist::reproducible) == Elem(sum));
  if (size > 0) {
    EXPECT(kr::min(a) == Elem(least) && kr::max(a) == Elem(most));
    EXPECT(std::abs(double(kr::mean(a)) - double(sum) / double(size)) < 1e-5);
    const std::int64_t last[] = {all.n[0] - 1, all.n[1] / 2, all.n[2] - 1};
    Elem element{};
    if constexpr (Rank == 1) element = kr::dist::at(a, last[0]);
    else if constexpr (Rank == 2) element = kr::dist::at(a, last[0], last[1]);
    else element = kr::dist::at(a, last[0], last[1], last[2]);
    EXPECT(element == Elem(all.at(last[0], last[1], last[2])));
  } else {
    EXPECT(error_of([&] { (void)kr::max(a); }) ==
           "kr::max and kr::min of an array without elements have no value");
  }
  kr::dist::array<Elem, Rank> c = Elem(2) * a + kr::abs(b) - Elem(1);
  c += a;
  bool right = true;
  const std::vector<Elem> x = a.owned().to_host(), y = c.owned().to_host();
  for (std::size_t i = 0; i < x.size(); ++i)
    right = right && y[i] == Elem(3 * x[i] + std::abs(x[i]) - 1);
  EXPECT(right);
  if constexpr (Rank == 1) EXPECT(kr::dot(a, c) == kr::sum(a * c));

  // A stencil that reads all corners within the halo's width.
  if constexpr (Rank == 2) {
    if (rim.width(0) < 1 || rim.width(1) < 1) return;
    c = Elem(0);
    kr::dist::stencil(
        [](auto at) {
          return at(-1, -1) + at(1, 1) * 2 + at(-1, 1) * 3 + at(1, -1) * 4 + at(0, 0) * 5 +
                 at(0, 1);
        },
        b, c);
    right = true;
    std::size_t place = 0;
    const std::vector<Elem> got = c.owned().to_host();
    for (std::int64_t i = a.first(0); i < a.first(0) + a.owned().extent(0); ++i)
      for (std::int64_t j = a.first(1); j < a.first(1) + a.owned().extent(1); ++j)
        right = right &&
                got[place++] == Elem(all.at(i - 1, j - 1, 0) + 2 * all.at(i + 1, j + 1, 0) +
                                     3 * all.at(i - 1, j + 1, 0) + 4 * all.at(i + 1, j - 1, 0) +
                                     5 * all.at(i, j, 0) + all.at(i, j + 1, 0));
    EXPECT(right);
    // The same by an expression of shifted elements.
    auto shifted = kr::dist::like(c);
    const auto at = [&](int i, int j) { return kr::dist::shifted(b, i, j); };
    shifted = at(-1, -1) + at(1, 1) * Elem(2) + at(-1, 1) * Elem(3) + at(1, -1) * Elem(4) +
              b * Elem(5) + at(0, 1);
    EXPECT(shifted.owned().to_host() == got);
    auto moved = kr::dist::like(b);
    moved.copy_from(b);
    kr::dist::exchange(moved);
    moved = kr::dist::shifted(moved, 0, 1);  // elements are read before they are written
    c = at(0, 1);
    EXPECT(moved.owned().to_host() == c.owned().to_host());
    EXPECT(kr::sum(at(0, 1) * b) == kr::sum(b * at(0, 1)));
    // The same by a kernel of one's own, on the parts that need no halo and on the others.
    auto parts = kr::dist::like(b);
    auto sum_of_four = kr::kernel(
        [](kr::view<const Elem, 2> in, kr::view<Elem, 2> out, kr::value<int> h, kr::value<int> w) {
          auto [u, v] = kr::grid<2>();
          kr::if_(u < in.extent(1) - 2 * w && v < in.extent(0) - 2 * h, [&] {
            out(v + h, u + w) = in(v + h - 1, u + w) + in(v + h + 1, u + w) + in(v + h, u + w - 1) +
                                in(v + h, u + w + 1);
          });
        });
    const auto run = [&](kr::array<Elem, 2> in, kr::array<Elem, 2> out) {
      if (in.size() > 0)
        sum_of_four.launch({kr::dims((in.extent(1) + 31) / 32, in.extent(0)), kr::dims(32, 1)}, in,
                           out, int(rim.width(0)), int(rim.width(1)));
    };
    run(b.inner(), parts.inner());
    auto in = b.edges(), out = parts.edges();
    for (std::size_t i = 0; i < in.size(); ++i) run(std::move(in[i]), std::move(out[i]));
    right = true, place = 0;
    const std::vector<Elem> sums = parts.owned().to_host();
    for (std::int64_t i = a.first(0); i < a.first(0) + a.owned().extent(0); ++i)
      for (std::int64_t j = a.first(1); j < a.first(1) + a.owned().extent(1); ++j)
        right = right && sums[place++] == Elem(all.at(i - 1, j, 0) + all.at(i + 1, j, 0) +
                                               all.at(i, j - 1, 0) + all.at(i, j + 1, 0));
    EXPECT(right);
  }
}

constexpr auto block = kr::dist::block, whole = kr::dist::whole;

void sizes(kr::dist::world& ranks) {
  const std::string on = std::to_string(ranks.size()) + " ranks, ";
  for (const std::int64_t n : {0, 1, 2, 3, 5, 13, 64})
    for (const std::int64_t w : {0, 1, 3})
      for (const bool periodic : {false, true}) {
        const std::string where = on + "n " + std::to_string(n) + ", halo " + std::to_string(w) +
                                  (periodic ? ", periodic" : "");
        const kr::dist::halo rim = periodic ? kr::dist::halo(w).periodic() : kr::dist::halo(w);
        const Whole all{{n, 1, 1}, {w, 0, 0}, {periodic, false, false}};
        if ((ranks.size() > 1 || periodic) && n / ranks.size() < w) {
          const std::string said = error_of([&] { kr::dist::array<double>(ranks, {n}, rim); });
          const std::string wanted =
              "kr::dist::array: axis 0 has " + std::to_string(n) + " elements on " +
              std::to_string(ranks.size()) + " ranks, but a block needs at least the " +
              std::to_string(w) +
              " elements of the halo: use fewer ranks, a smaller halo, or kr::dist::whole";
          EXPECT(said == wanted);
          continue;
        }
        check<double, 1>(ranks, all, {block}, rim, where);
      }
  const std::int64_t shapes[][2] = {{8, 9}, {17, 4}, {5, 31}};
  for (const auto& n : shapes)
    for (const bool periodic : {false, true})
      for (const int layout : {0, 1, 2, 3}) {
        const kr::dist::along words[] = {layout & 1 ? whole : block, layout & 2 ? whole : block};
        const std::string where = on + std::to_string(n[0]) + " x " + std::to_string(n[1]) +
                                  ", layout " + std::to_string(layout) +
                                  (periodic ? ", periodic" : "");
        const kr::dist::halo rim = periodic ? kr::dist::halo(1).periodic() : kr::dist::halo(1);
        check<float, 2>(ranks, {{n[0], n[1], 1}, {1, 1, 0}, {periodic, periodic, false}}, words,
                        rim, where);
      }
  check<double, 2>(ranks, {{16, 18, 1}, {3, 2, 0}, {false, true, false}}, {block, block},
                   kr::dist::halo(3, 2).periodic(1), on + "two widths");
  check<int, 3>(ranks, {{8, 9, 10}, {1, 2, 1}, {true, false, true}}, {block, block, block},
                kr::dist::halo(1, 2, 1).periodic(0, 2), on + "three dimensions");
}

/// The same bits as a sum in long double of all, over 40 binades, for any number of ranks.
void same_bits(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks";
  constexpr std::int64_t n = 5000;
  std::vector<double> all;
  std::uint64_t s = 0x243F6A8885A308D3u;
  for (std::int64_t i = 0; i < n; ++i) {
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    all.push_back(std::ldexp(double(s >> 11) * 0x1p-53 - 0.5, int((s >> 1) % 40) - 20));
  }
  kr::array<double> source(n);
  source.copy_from(all);
  kr::dist::array<double> x(ranks, {n});
  kr::dist::scatter(source, x);
  // The bits that every number of ranks has given, so that one that differs fails.
  EXPECT(kr::sum(x, kr::dist::reproducible) == -0x1.5257e6ee25b3ep+21);
  x *= 0x1p-1060;
  const double tiny = kr::sum(x, kr::dist::reproducible);
  EXPECT(tiny == tiny && std::abs(tiny) < 0x1p-1020);
  x = 0.0;
  EXPECT(kr::sum(x, kr::dist::reproducible) == 0);
  kr::dist::fill(x, [](auto i) {
    return kr::select(i == 4321, std::numeric_limits<double>::infinity(), 1.0);
  });
  EXPECT(kr::sum(x, kr::dist::reproducible) == std::numeric_limits<double>::infinity());
  kr::dist::fill(
      x, [](auto i) { return kr::select(i == 17, std::numeric_limits<double>::quiet_NaN(), 1.0); });
  EXPECT(std::isnan(kr::sum(x, kr::dist::reproducible)) && std::isnan(kr::max(x)) &&
         std::isnan(kr::min(x)));
}

/// Wrong arguments are errors alike on all ranks, and the job goes on.
void refusals(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks";
  kr::dist::array<double, 2> rows(ranks, {12, 8}, {block, whole}, kr::dist::halo(1)),
      columns(ranks, {12, 8}, {whole, block});
  const std::string p = std::to_string(ranks.size());
  EXPECT(error_of([&] { kr::sum(rows + columns); }) ==
         "+: the operands are distributed differently, shape (12,8) as {block of " + p +
             ", whole} and shape (12,8) as {whole, block of " + p + "}");
  auto other = kr::dist::like(rows);
  EXPECT(error_of([&] { kr::dist::stencil([](auto at) { return at(0, -2); }, rows, other); }) ==
         "kr::dist::stencil: it reaches 2 elements along axis 1, but the array has a halo of 1");
  EXPECT(error_of([&] { other = kr::dist::shifted(rows, -2, 0); }) ==
         "kr::dist::shifted: it reaches 2 elements along axis 0, but the array has a halo of 1");
  EXPECT(error_of([&] { kr::dist::stencil([](auto at) { return at(0, 0); }, rows, rows); }) ==
         "kr::dist::stencil: the array that it reads cannot be the one that it writes");
  EXPECT(starts(error_of([&] { (void)kr::dist::at(rows, 12, 0); }),
                "index 12 is out of bounds for axis 0 with size 12"));
  EXPECT(error_of([&] { (void)kr::dist::gather(rows, ranks.size()); }) ==
         "kr::dist::gather: there is no rank " + p + " of " + p);
  EXPECT(error_of([&] { kr::dist::array<double>(ranks, {-1}); }) ==
         "kr::dist::array: axis 0 has -1 elements");
  EXPECT(error_of([&] { kr::dist::array<double>(ranks, {9}, kr::dist::halo(-1)); }) ==
         "kr::dist::array: axis 0 has a halo of -1");
  EXPECT(starts(error_of([&] {
                  kr::dist::array<double, 2>(ranks, {std::int64_t(1) << 40, std::int64_t(1) << 40});
                }),
                "an array exceeds the limit"));
  ranks.barrier();
}

/// Errors of a job: each breaks it, so each has a job of its own.
void broken_jobs() {
  const std::string where = "threads";
  const auto in = [](int n, auto body) { return error_of([&] { kr::dist::run(n, body); }); };
  EXPECT(in(3, [](kr::dist::world& ranks) {
           if (ranks.rank() == 1) throw kr::error(kr::error::kind_type::usage, "made up");
           ranks.barrier();
         }) == "kr::dist::run: rank 0: kr::dist::world::barrier (call 2): rank 1 failed: made up");
  EXPECT(
      in(2, [](kr::dist::world& ranks) { kr::dist::array<float> x(ranks, {10 + ranks.rank()}); })
          .find(
              "the ranks make different calls: rank 0 calls kr::dist::array (4, 10, 0, 0), call 2; rank 1 calls kr::dist::array (4, 11, 0, 0), "
              "call 2: every function of kr::dist is called by all ranks in the same order, with the same arguments") !=
      std::string::npos);
  EXPECT(in(2, [](kr::dist::world& ranks) {
           if (ranks.rank() == 0) ranks.barrier();
         }).find("rank 1 calls the end of kr::dist::world") != std::string::npos);
  EXPECT(in(7, [](kr::dist::world& ranks) {
           if (ranks.rank() == 0) ranks.barrier();
           else kr::dist::array<float> x(ranks, {10 + ranks.rank()});
         }).find("; and 3 more ranks differ: every function") != std::string::npos);
  EXPECT(in(0, [](kr::dist::world&) {}) ==
         "kr::dist::run: 0 ranks, but a process can have 1 to 1024");
  kr::dist::run(1, [&](kr::dist::world& first) {
    kr::dist::array<float> x(first, {8});
    kr::dist::run(1, [&](kr::dist::world& second) {
      kr::dist::array<float> y(second, {8});
      EXPECT(error_of([&] { kr::sum(x + y); }) == "+: the operands belong to two kr::dist::world");
    });
  });
  setenv("KRAIT_DIST_TIMEOUT", "0.2", 1);
  const std::string late = in(2, [](kr::dist::world& ranks) {
    kr::dist::array<float> x(ranks, {10}, kr::dist::halo(1));
    kr::dist::exchange(x);
    if (ranks.rank() == 0) kr::dist::exchange(x);
    else ranks.barrier();
  });
  EXPECT(late.find(": no answer for 0.2 s (KRAIT_DIST_TIMEOUT): rank ") != std::string::npos);
  EXPECT(late.find("waits in kr::dist::world::barrier (call 4)") != std::string::npos ||
         late.find("waits in kr::dist::exchange (call 4)") != std::string::npos);
  setenv("KRAIT_DIST_TIMEOUT", "soon", 1);
  EXPECT(in(1, [](kr::dist::world&) {})
             .find("KRAIT_DIST_TIMEOUT is \"soon\", but must be a number of seconds above 0") !=
         std::string::npos);
  unsetenv("KRAIT_DIST_TIMEOUT");
  setenv("KRAIT_CHECK", "1", 1);
  EXPECT(
      in(2,
         [](kr::dist::world& ranks) {
           kr::dist::array<float> x(ranks, {10}, kr::dist::halo(1));
           if (ranks.rank() == 0) kr::dist::exchange(x);
           else ranks.barrier();
         })
          .find(
              "rank 0 calls kr::dist::exchange (1), call 3; rank 1 calls kr::dist::world::barrier, call 3") !=
      std::string::npos);
  unsetenv("KRAIT_CHECK");
}

/// A recurrence along an axis in blocks, in order from rank to rank, against loops.
void sweeps(kr::dist::world& ranks) {
  const auto rows_of = kr::kernel([](kr::view<std::uint32_t, 2> t, kr::value<std::int64_t> from,
                                     kr::value<std::int64_t> to, kr::value<std::int64_t> begin,
                                     kr::value<std::int64_t> end, kr::value<bool> turned) {
    for (auto i : kr::range(from, to))
      for (auto j : kr::range(begin, end)) {
        kr::if_(turned, [&] { t(j, i) = t(j, i) + 3u * t(j - 1, i); }).else_([&] {
          t(i, j) = t(i, j) + 3u * t(i, j - 1);
        });
      }
  });
  for (const std::int64_t n : {1, 7, 40})
    for (const std::int64_t m : {1, 5, 3000})
      for (const int axis : {0, 1})
        for (const std::int64_t rows : {1, 2, 1000, 5000})
          for (const int rim : {0, 1}) {
            const std::string where =
                std::to_string(ranks.size()) + " ranks, a sweep of " + std::to_string(n) +
                " across " + std::to_string(m) + " along axis " + std::to_string(axis) + ", " +
                std::to_string(rows) + " rows, halo across " + std::to_string(rim);
            if (n < ranks.size() || (m == 3000 && rows < 1000)) continue;
            const kr::dist::along words[] = {axis == 0 ? block : whole, axis == 0 ? whole : block};
            const auto halo = axis == 0 ? kr::dist::halo(1, rim) : kr::dist::halo(rim, 1);
            kr::dist::array<std::uint32_t, 2> a(ranks, {axis == 0 ? n : m, axis == 0 ? m : n},
                                                words, halo);
            kr::dist::fill(
                a, [](auto i, auto j) { return kr::cast<std::uint32_t>(i * 7 + j * 13 + 1); });
            const std::int64_t count = a.local().extent(axis) - 2;
            kr::dist::sweep(a, axis, rows, [&](std::int64_t first, std::int64_t last) {
              EXPECT(last - first <= rows && first >= rim);
              rows_of.launch({1, 1}, a.local(), first, last, std::int64_t(1), count + 1, axis == 0);
            });
            const auto got = dist_test::everywhere(a).to_host();
            bool right = true;
            std::vector<std::uint32_t> before(static_cast<std::size_t>(m));
            for (std::int64_t k = 0; k < n; ++k)
              for (std::int64_t l = 0; l < m; ++l) {
                const std::int64_t i = axis == 0 ? k : l, j = axis == 0 ? l : k;
                auto& last = before[std::size_t(l)];
                last = std::uint32_t(i * 7 + j * 13 + 1) + 3 * last;
                right = right && got[std::size_t(i * (axis == 0 ? m : n) + j)] == last;
              }
            EXPECT(right);
          }
  const std::string where = std::to_string(ranks.size()) + " ranks, sweeps that are refused";
  kr::dist::array<float, 2> none(ranks, {40, 40}, {block, whole}),
      lines(ranks, {40, 40}, kr::dist::halo(1));
  const auto nothing = [](std::int64_t, std::int64_t) {};
  EXPECT(error_of([&] { kr::dist::sweep(none, 0, 4, nothing); }) ==
         "kr::dist::sweep: axis 0 has no halo for the edges of the rank before");
  EXPECT(error_of([&] { kr::dist::sweep(none, 0, 0, nothing); }) ==
         "kr::dist::sweep: 0 rows a message: use 1 or more");
  const int other = lines.parts(0) > 1 ? 1 : 0;
  if (ranks.size() > 1)
    EXPECT(error_of([&] { kr::dist::sweep(lines, other, 4, nothing); }) ==
           "kr::dist::sweep along axis " + std::to_string(other) + ": axis " +
               std::to_string(1 - other) + " is in blocks, too: make it kr::dist::whole");
}

void all(kr::dist::world& ranks) {
  sizes(ranks);
  sweeps(ranks);
  same_bits(ranks);
  refusals(ranks);
}

}  // namespace

int main(int argc, char** argv) { return dist_test::run(argc, argv, all, broken_jobs); }
