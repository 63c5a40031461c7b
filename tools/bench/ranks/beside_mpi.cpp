// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   beside_mpi WHAT SIZE [ROUNDS]    by mpirun; tools/bench/ranks/run builds and starts it
// Programs of kr::dist beside the same ones written with MPI's functions, as a user writes them.
// Both run in one process, in turn, so what disturbs the machine disturbs both; the least times
// count.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#ifdef WITH_FFTW
#include <fftw3-mpi.h>
#endif

#include <krait/dist.h>
#include <krait/dist/algorithms.h>
#include <krait/dist/linalg.h>
#include <krait/krait.h>
namespace kr = krait;
using kr::dist::block;
using kr::dist::whole;

namespace {

int rank = 0, ranks_there = 1;
const MPI_Comm all_ranks = MPI_COMM_WORLD;

struct Least {
  double seconds = 1e30;
  void take(double t) {
    double slowest = 0;
    MPI_Allreduce(&t, &slowest, 1, MPI_DOUBLE, MPI_MAX, all_ranks);
    seconds = std::min(seconds, slowest);
  }
};
double timed(int repeats, const std::function<void()>& work) {
  MPI_Barrier(all_ranks);
  const double began = MPI_Wtime();
  for (int i = 0; i < repeats; ++i) work();
  return (MPI_Wtime() - began) / repeats;
}
/// Both in turn; `repeats` calls make a sample.
void compare(const std::string& what, int rounds, int repeats, const std::function<void()>& plain,
             const std::function<void()>& krait) {
  plain(), krait(), krait();
  kr::wait_for_compilations();
  Least of_plain, of_krait;
  for (int round = 0; round < rounds; ++round) {
    of_plain.take(timed(repeats, plain));
    of_krait.take(timed(repeats, krait));
  }
  if (rank == 0)
    std::printf("%s, %d ranks: plain %.3f us, kr::dist %.3f us, ratio %.3f\n", what.c_str(),
                ranks_there, of_plain.seconds * 1e6, of_krait.seconds * 1e6,
                of_plain.seconds / of_krait.seconds);
}
[[noreturn]] void wrong(const std::string& what, double wanted, double got) {
  std::fprintf(stderr, "rank %d: %s: %.17g instead of %.17g\n", rank, what.c_str(), got, wanted);
  MPI_Abort(all_ranks, 1);
  std::abort();
}
void expect(const std::string& what, double wanted, double got, double within) {
  if (!(std::abs(wanted - got) <= within * (1 + std::abs(wanted)))) wrong(what, wanted, got);
}
std::int64_t first_of(std::int64_t n, int r) {
  return n / ranks_there * r + std::min<std::int64_t>(r, n % ranks_there);
}
int neighbour(int step) { return (rank + step + ranks_there) % ranks_there; }
int neighbour_or_none(int step) {
  const int r = rank + step;
  return r < 0 || r >= ranks_there ? MPI_PROC_NULL : r;
}

/// The halo of a periodic axis, of n elements: rows lie together, columns are packed by hand.
void halo(kr::dist::world& world, bool columns, std::int64_t n, int rounds) {
  const std::int64_t depth = 16;
  const kr::dist::along words[] = {columns ? whole : block, columns ? block : whole};
  const auto rim = columns ? kr::dist::halo(0, 1).periodic(1) : kr::dist::halo(1, 0).periodic(0);
  const std::int64_t rows = columns ? n : depth * ranks_there,
                     width = columns ? depth * ranks_there : n;
  kr::dist::array<double, 2> a(world, {rows, width}, words, rim);
  a = double(rank);
  const std::int64_t h = columns ? n : depth + 2, w = columns ? depth + 2 : n;
  std::vector<double> b(std::size_t(h * w), double(rank));
  std::vector<double> send[2], receive[2];
  for (int s = 0; s < 2; ++s) send[s].resize(std::size_t(n)), receive[s].resize(std::size_t(n));
  const int count = int(n), low = neighbour(-1), high = neighbour(1);
  const auto by_hand = [&] {
    MPI_Request under_way[4];
    double *to[2] = {receive[0].data(), receive[1].data()},
           *from[2] = {send[0].data(), send[1].data()};
    if (columns) {
      for (std::int64_t i = 0; i < h; ++i)
        send[0][std::size_t(i)] = b[std::size_t(i * w + 1)],
        send[1][std::size_t(i)] = b[std::size_t(i * w + depth)];
    } else {
      to[0] = b.data(), to[1] = b.data() + (depth + 1) * w;
      from[0] = b.data() + w, from[1] = b.data() + depth * w;
    }
    MPI_Irecv(to[0], count, MPI_DOUBLE, low, 1, all_ranks, &under_way[0]);
    MPI_Irecv(to[1], count, MPI_DOUBLE, high, 2, all_ranks, &under_way[1]);
    MPI_Isend(from[0], count, MPI_DOUBLE, low, 2, all_ranks, &under_way[2]);
    MPI_Isend(from[1], count, MPI_DOUBLE, high, 1, all_ranks, &under_way[3]);
    MPI_Waitall(4, under_way, MPI_STATUSES_IGNORE);
    if (columns)
      for (std::int64_t i = 0; i < h; ++i)
        b[std::size_t(i * w)] = receive[0][std::size_t(i)],
                          b[std::size_t(i * w + depth + 1)] = receive[1][std::size_t(i)];
  };
  compare(std::string("halo of ") + (columns ? "columns" : "rows") + " of " + std::to_string(n),
          rounds, std::clamp(int(100000 / (n + 500)), 10, 100), by_hand,
          [&] { kr::dist::exchange(a); });
  expect("halo", low, a.local().to_host()[0], 0);
  expect("halo by hand", low, b[0], 0);
}

/// The stencil of the parallel research kernels: a star of radius 2 whose result is added, and 1
/// added to what it reads.
void stencil(kr::dist::world& world, std::int64_t n, int rounds) {
  constexpr int radius = 2;
  kr::dist::array<double, 2> in(world, {n, n}, {block, whole}, kr::dist::halo(radius)),
      out(world, {n, n}, {block, whole});
  const auto init = [](auto i, auto j) { return kr::cast<double>(i + j); };
  kr::dist::fill(in, init);
  const std::int64_t first = first_of(n, rank), h = first_of(n, rank + 1) - first,
                     w = n + 2 * radius;
  std::vector<double> a(std::size_t((h + 2 * radius) * w)), b(std::size_t(h * n));
  for (std::int64_t i = 0; i < h; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      a[std::size_t((i + radius) * w + j + radius)] = double(first + i + j);
  const double w1 = 0.25, w2 = 0.125;
  const int low = neighbour_or_none(-1), high = neighbour_or_none(1), count = int(radius * w);
  const auto by_hand = [&] {
    MPI_Request under_way[4];
    double* const x = a.data();
    MPI_Irecv(x, count, MPI_DOUBLE, low, 1, all_ranks, &under_way[0]);
    MPI_Irecv(x + (h + radius) * w, count, MPI_DOUBLE, high, 2, all_ranks, &under_way[1]);
    MPI_Isend(x + radius * w, count, MPI_DOUBLE, low, 2, all_ranks, &under_way[2]);
    MPI_Isend(x + h * w, count, MPI_DOUBLE, high, 1, all_ranks, &under_way[3]);
    MPI_Waitall(4, under_way, MPI_STATUSES_IGNORE);
    for (std::int64_t i = 0; i < h; ++i) {
      const double* const c = x + (i + radius) * w + radius;
      double* const o = b.data() + i * n;
      for (std::int64_t j = 0; j < n; ++j)
        o[j] += w1 * (c[j + 1] - c[j - 1] + c[j + w] - c[j - w]) +
                w2 * (c[j + 2] - c[j - 2] + c[j + 2 * w] - c[j - 2 * w]);
    }
    for (std::int64_t i = 0; i < h; ++i)
      for (std::int64_t j = 0; j < n; ++j) x[(i + radius) * w + radius + j] += 1.0;
  };
  compare("PRK stencil of " + std::to_string(n), rounds, std::max(1, int(4000000 / (n * n))),
          by_hand, [&] {
            const auto at = [&](int i, int j) { return kr::dist::shifted(in, i, j); };
            kr::dist::exchange(in);
            out += 0.25 * (at(0, 1) - at(0, -1) + at(1, 0) - at(-1, 0)) +
                   0.125 * (at(0, 2) - at(0, -2) + at(2, 0) - at(-2, 0));
            in += 1.0;
          });
}

/// The transpose of the parallel research kernels: b += transposed a, a += 1.
void transpose(kr::dist::world& world, std::int64_t n, int rounds) {
  kr::dist::array<double, 2> a(world, {n, n}, {block, whole});
  const std::int64_t h = n / ranks_there;
  if (n % ranks_there != 0) return;
  std::vector<double> x(std::size_t(h * n), 1.0), y(std::size_t(h * n)), work(std::size_t(h * h)),
      got(work.size());
  const auto turned = [&](const double* from, std::int64_t stride, double* to,
                          std::int64_t to_stride, bool adds) {
    constexpr std::int64_t tile = 32;
    for (std::int64_t i0 = 0; i0 < h; i0 += tile)
      for (std::int64_t j0 = 0; j0 < h; j0 += tile)
        for (std::int64_t i = i0; i < std::min(h, i0 + tile); ++i)
          for (std::int64_t j = j0; j < std::min(h, j0 + tile); ++j) {
            double& t = to[j * to_stride + i];
            t = adds ? t + from[i * stride + j] : from[i * stride + j];
          }
  };
  const auto by_hand = [&] {  // rows of x on each rank; y has rows of the transposed matrix
    turned(x.data() + rank * h, n, y.data() + rank * h, n, true);
    for (int step = 1; step < ranks_there; ++step) {
      const int to = (rank + step) % ranks_there, from = (rank - step + ranks_there) % ranks_there;
      turned(x.data() + to * h, n, work.data(), h, false);
      MPI_Sendrecv(work.data(), int(h * h), MPI_DOUBLE, to, 1, got.data(), int(h * h), MPI_DOUBLE,
                   from, 1, all_ranks, MPI_STATUS_IGNORE);
      for (std::int64_t i = 0; i < h; ++i)
        for (std::int64_t j = 0; j < h; ++j)
          y[std::size_t(i * n + from * h + j)] += got[std::size_t(i * h + j)];
    }
    for (double& e : x) e += 1.0;
  };
  kr::dist::array<double, 2> c(world, {n, n}, {block, whole});
  compare("PRK transpose of " + std::to_string(n), rounds, std::max(1, int(4000000 / (n * n))),
          by_hand, [&] {
            c += kr::dist::transpose(a, {block, whole});
            a += 1.0;
          });
}

/// Point to point of the parallel research kernels: a wave front, `rows` rows a message, and the
/// last element back to the first.
void point_to_point(kr::dist::world& world, std::int64_t n, std::int64_t rows, int rounds) {
  const std::int64_t first = first_of(n, rank), w = first_of(n, rank + 1) - first, s = w + 1;
  std::vector<double> b(std::size_t(n * s)), edge(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < n; ++i) b[std::size_t(i * s + 1)] = rank == 0 ? double(i) : 0.0;
  for (std::int64_t j = 0; j <= w; ++j)
    b[std::size_t(j)] = j == 0 && rank == 0 ? 0.0 : double(first + j - 1);
  const std::int64_t begin = rank == 0 ? 2 : 1;
  int times = 0;
  const auto by_hand = [&] {
    double* const a = b.data();
    for (std::int64_t i0 = 0; i0 < n; i0 += rows) {
      const std::int64_t i1 = std::min(n, i0 + rows);
      if (rank > 0) {
        MPI_Recv(edge.data(), int(i1 - i0), MPI_DOUBLE, rank - 1, 1, all_ranks, MPI_STATUS_IGNORE);
        for (std::int64_t i = i0; i < i1; ++i) a[i * s] = edge[std::size_t(i - i0)];
      }
      for (std::int64_t i = std::max<std::int64_t>(i0, 1); i < i1; ++i)
        for (std::int64_t j = begin; j <= w; ++j)
          a[i * s + j] = a[(i - 1) * s + j] + a[i * s + j - 1] - a[(i - 1) * s + j - 1];
      if (rank + 1 < ranks_there) {
        for (std::int64_t i = i0; i < i1; ++i) edge[std::size_t(i - i0)] = a[i * s + w];
        MPI_Send(edge.data(), int(i1 - i0), MPI_DOUBLE, rank + 1, 1, all_ranks);
      }
    }
    double corner = -a[(n - 1) * s + w];
    if (ranks_there > 1) {
      if (rank + 1 == ranks_there) MPI_Send(&corner, 1, MPI_DOUBLE, 0, 2, all_ranks);
      if (rank == 0)
        MPI_Recv(&corner, 1, MPI_DOUBLE, ranks_there - 1, 2, all_ranks, MPI_STATUS_IGNORE);
    }
    if (rank == 0) a[1] = corner;
    ++times;
  };
  kr::dist::array<double, 2> a(world, {n, n}, {whole, block}, kr::dist::halo(0, 1));
  kr::dist::fill(a, [](auto i, auto j) {
    return kr::select(i == 0, kr::cast<double>(j), kr::select(j == 0, kr::cast<double>(i), 0.0));
  });
  auto wave = kr::kernel([](kr::view<double, 2> t, kr::value<std::int64_t> from,
                            kr::value<std::int64_t> to, kr::value<std::int64_t> start) {
    for (auto i : kr::range(kr::max(from, kr::value<std::int64_t>(1)), to)) {
      kr::var<double> left = t(i, start - 1), corner = t(i - 1, start - 1);
      for (auto j : kr::range(start, t.extent(1) - 1)) {
        const kr::value<double> above = t(i - 1, j);
        left = above + left - corner;
        corner = above;
        t(i, j) = left;
      }
    }
  });
  auto put = kr::kernel([](kr::view<double, 2> t, kr::value<double> x) { t(0, 1) = x; });
  compare("PRK p2p of " + std::to_string(n) + ", " + std::to_string(rows) + " rows a message",
          rounds, 1, by_hand, [&] {
            kr::dist::sweep(a, 1, rows, [&](std::int64_t from, std::int64_t to) {
              wave.launch({1, 1}, a.local(), from, to, begin);
            });
            const double corner = -kr::dist::at(a, n - 1, n - 1);
            if (rank == 0) put.launch({1, 1}, a.local(), corner);
          });
  const double wanted = double(rounds + 2) * double(2 * n - 2);
  expect("p2p", wanted, kr::dist::at(a, n - 1, n - 1), 1e-9);
  expect("p2p by hand", double(rounds + 1) * double(2 * n - 2),
         rank + 1 == ranks_there ? b[std::size_t((n - 1) * s + w)]
                                 : double(rounds + 1) * double(2 * n - 2),
         1e-9);
}

/// Conjugate gradients on the Laplacian of n x n, a step at a time, halos of rows.
void cg(kr::dist::world& world, std::int64_t n, int rounds, bool fused) {
  const std::int64_t first = first_of(n, rank), h = first_of(n, rank + 1) - first, s = n + 2;
  std::vector<double> x(std::size_t((h + 2) * s)), r(x), d(x), y(x);
  const auto sum_of = [](double mine) {
    double total = 0;
    MPI_Allreduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, all_ranks);
    return total;
  };
  double* const __restrict px = x.data(), * const __restrict pr = r.data(), * const __restrict pd = d.data(), * const __restrict py = y.data();
  // As users write them: the updates of x and r in one loop, sums by themselves; `fused`: sums in
  // the loops that make their elements.
  double rr = 0;
  {
    double mine = 0;
    for (std::int64_t i = 1; i <= h; ++i)
      for (std::int64_t j = 1; j <= n; ++j) {
        const std::int64_t k = i * s + j;
        pr[k] = pd[k] = double(((first + i - 1) * 7 + (j - 1) * 3) % 5 - 2);
        mine += pr[k] * pr[k];
      }
    rr = sum_of(mine);
  }
  const auto by_hand = [&] {
    MPI_Sendrecv(pd + s, int(s), MPI_DOUBLE, neighbour_or_none(-1), 1, pd + (h + 1) * s, int(s),
                 MPI_DOUBLE, neighbour_or_none(1), 1, all_ranks, MPI_STATUS_IGNORE);
    MPI_Sendrecv(pd + h * s, int(s), MPI_DOUBLE, neighbour_or_none(1), 2, pd, int(s), MPI_DOUBLE,
                 neighbour_or_none(-1), 2, all_ranks, MPI_STATUS_IGNORE);
    double mine = 0;
    for (std::int64_t i = 1; i <= h; ++i) {
      const double *const c = pd + i * s, *const up = c - s, *const down = c + s;
      double* const to = py + i * s;
      if (fused) {
#pragma GCC ivdep
        for (std::int64_t j = 1; j <= n; ++j) {
          const double e = 4 * c[j] - c[j - 1] - c[j + 1] - up[j] - down[j];
          to[j] = e;
          mine += c[j] * e;
        }
      } else {
#pragma GCC ivdep
        for (std::int64_t j = 1; j <= n; ++j)
          to[j] = 4 * c[j] - c[j - 1] - c[j + 1] - up[j] - down[j];
      }
    }
    if (!fused)
      for (std::int64_t i = 1; i <= h; ++i)
        for (std::int64_t k = i * s + 1; k <= i * s + n; ++k) mine += pd[k] * py[k];
    const double a = rr / sum_of(mine);
    double now = 0;
    for (std::int64_t i = 1; i <= h; ++i)
      for (std::int64_t k = i * s + 1; k <= i * s + n; ++k) {
        px[k] += a * pd[k];
        pr[k] -= a * py[k];
        if (fused) now += pr[k] * pr[k];
      }
    if (!fused)
      for (std::int64_t i = 1; i <= h; ++i)
        for (std::int64_t k = i * s + 1; k <= i * s + n; ++k) now += pr[k] * pr[k];
    now = sum_of(now);
    const double b = now / rr;
    for (std::int64_t i = 1; i <= h; ++i)
      for (std::int64_t k = i * s + 1; k <= i * s + n; ++k) pd[k] = pr[k] + b * pd[k];
    rr = now;
  };
  kr::dist::array<double, 2> X(world, {n, n}, {block, whole}), R(world, {n, n}, {block, whole}),
      D(world, {n, n}, {block, whole}, kr::dist::halo(1));
  kr::dist::fill(R, [](auto i, auto j) { return kr::cast<double>((i * 7 + j * 3) % 5 - 2); });
  D = R * 1.0;
  double RR = kr::sum(R * R);
  const auto by_krait = [&] {
    const auto at = [&](int i, int j) { return kr::dist::shifted(D, i, j); };
    kr::dist::exchange(D);
    const auto Y = 4.0 * D - at(-1, 0) - at(1, 0) - at(0, -1) - at(0, 1);
    const double a = RR / kr::sum(D * Y);
    X += a * D;
    R -= a * Y;
    const double now = kr::sum(R * R);
    D = R + (now / RR) * D;
    RR = now;
  };
  compare((fused ? "CG beside fused loops, " : "CG beside loops, ") + std::to_string(n), rounds, 1,
          by_hand, by_krait);
  by_hand();  // as often as the other
  expect("CG", rr, RR, 1e-6);
}

#ifdef WITH_FFTW
void fft(kr::dist::world& world, std::int64_t n, int rounds, bool turned) {
  using number = std::complex<double>;
  fftw_mpi_init();
  ptrdiff_t rows = 0, first = 0, columns = 0, first_column = 0;
  const ptrdiff_t total =
      fftw_mpi_local_size_2d_transposed(n, n, all_ranks, &rows, &first, &columns, &first_column);
  std::vector<number> in(static_cast<std::size_t>(total)), out(in.size());
  auto *from = reinterpret_cast<fftw_complex*>(in.data()),
       *to = reinterpret_cast<fftw_complex*>(out.data());
  const fftw_plan plan =
      fftw_mpi_plan_dft_2d(n, n, from, to, all_ranks, FFTW_FORWARD,
                           FFTW_MEASURE | (turned ? FFTW_MPI_TRANSPOSED_OUT : 0u));
  kr::dist::array<number, 2> a(world, {n, n}, {block, whole});
  std::vector<number> mine(std::size_t(rows * n));
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      mine[std::size_t(i * n + j)] =
          number(double(((first + i) * 7 + j * 13) % 101), double(((first + i) * 3 + j * 5) % 17));
  a.owned().copy_from(mine);
  std::copy(mine.begin(), mine.end(), in.begin());
  compare(
      "fft2 of " + std::to_string(n) + (turned ? ", FFTW's result transposed" : ""), rounds, 1,
      [&] { fftw_execute(plan); }, [&] { (void)kr::fft2(a); });
  if (!turned) {
    const auto got = kr::fft2(a).owned().to_host();
    for (std::size_t i = 0; i < got.size(); ++i) expect("fft2", 0, std::abs(got[i] - out[i]), 1e-6);
  }
}
#endif

/// All elements on rank 0, in memory that it has or in new memory.
void gather(kr::dist::world& world, std::int64_t n, int rounds, bool anew) {
  kr::dist::array<char, 1> a(world, {n});
  a = char(3);
  kr::array<char> all({rank == 0 ? n : 0});
  const std::int64_t mine = first_of(n, rank + 1) - first_of(n, rank);
  std::vector<char> from(std::size_t(mine), 3), to(rank == 0 ? std::size_t(n) : 0);
  compare(
      "gather of " + std::to_string(n) + " bytes", rounds, 1,
      [&] {
        constexpr std::int64_t most = 1 << 30;
        for (int r = 1; r < ranks_there; ++r)
          for (std::int64_t at = first_of(n, r), end = first_of(n, r + 1); at < end; at += most) {
            const int count = int(std::min(most, end - at));
            if (rank == 0)
              MPI_Recv(to.data() + at, count, MPI_BYTE, r, 1, all_ranks, MPI_STATUS_IGNORE);
            if (rank == r)
              MPI_Send(from.data() + (at - first_of(n, r)), count, MPI_BYTE, 0, 1, all_ranks);
          }
        if (rank == 0) std::copy(from.begin(), from.end(), to.begin());
      },
      [&] {
        if (anew) (void)kr::dist::gather(a);
        else kr::dist::gather(a, all);
      });
}

/// The sum over ranks of n numbers that each has.
void sum(kr::dist::world& world, std::int64_t n, int rounds) {
  kr::dist::array<double, 2> a(world, {ranks_there, n}, {block, whole});
  kr::dist::fill(a, [](auto i, auto j) { return kr::cast<double>(i + j); });
  std::vector<double> mine(static_cast<std::size_t>(n)), all(mine.size());
  for (std::int64_t j = 0; j < n; ++j) mine[std::size_t(j)] = double(rank + j);
  compare(
      "sums over ranks of " + std::to_string(n), rounds, std::clamp(int(1000000 / n), 1, 50),
      [&] { MPI_Allreduce(mine.data(), all.data(), int(n), MPI_DOUBLE, MPI_SUM, all_ranks); },
      [&] { (void)kr::sum(a, kr::axis(0)); });
  const auto got = kr::sum(a, kr::axis(0)).owned().to_host();
  for (std::int64_t j = 0; j < n; ++j) expect("sum", all[std::size_t(j)], got[std::size_t(j)], 0);
}

/// Beside ScaLAPACK's pdgemm, whose matrices are in its blocks already.
void product(kr::dist::world& world, std::int64_t size, int rounds) {
#ifdef OPEN_MPI
  const char* const file = "libscalapack-openmpi.so.2.2";
#else
  const char* const file = "libscalapack-mpich.so.2.2";
#endif
  void* const library = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
  if (!library) return void(std::fprintf(stderr, "%s\n", dlerror()));
  using Int = const int*;
  using Real = const double*;
  const auto get = reinterpret_cast<void (*)(int, int, int*)>(dlsym(library, "Cblacs_get"));
  const auto begin =
      reinterpret_cast<void (*)(int*, char*, int, int)>(dlsym(library, "Cblacs_gridinit"));
  const auto count = reinterpret_cast<int (*)(Int, Int, Int, Int, Int)>(dlsym(library, "numroc_"));
  const auto describe =
      reinterpret_cast<void (*)(int*, Int, Int, Int, Int, Int, Int, Int, Int, int*)>(
          dlsym(library, "descinit_"));
  const auto multiply =
      reinterpret_cast<void (*)(const char*, const char*, Int, Int, Int, Real, Real, Int, Int, Int,
                                Real, Int, Int, Int, Real, double*, Int, Int, Int)>(
          dlsym(library, "pdgemm_"));
  const char* const asked = std::getenv("BLOCK");
  const int n = int(size), nb = asked ? std::atoi(asked) : 128, zero = 0, one = 1;
  int rows = 1, context = 0, info = 0;
  for (int r = 1; r * r <= ranks_there; ++r)
    if (ranks_there % r == 0) rows = r;
  const int columns = ranks_there / rows, row = rank / columns, column = rank % columns;
  char order[] = "Row";
  get(-1, 0, &context), begin(&context, order, rows, columns);
  const int h = count(&n, &nb, &row, &zero, &rows), w = count(&n, &nb, &column, &zero, &columns);
  int of[9];
  const int stride = std::max(h, 1);
  describe(of, &n, &n, &nb, &nb, &zero, &zero, &context, &stride, &info);
  const auto left = [](auto i, auto j) { return (i * 7 + j * 3) % 11 - 5; };
  const auto right = [](auto i, auto j) { return (i * 5 + j * 2) % 13 - 6; };
  std::vector<double> x(std::size_t(h) * std::size_t(w)), y(x.size()), z(x.size());
  for (int j = 0; j < w; ++j)
    for (int i = 0; i < h; ++i) {
      const std::int64_t u = (i / nb * rows + row) * nb + i % nb,
                         v = (j / nb * columns + column) * nb + j % nb;
      x[std::size_t(j) * std::size_t(h) + std::size_t(i)] = double(left(u, v));
      y[std::size_t(j) * std::size_t(h) + std::size_t(i)] = double(right(u, v));
    }
  kr::dist::array<double, 2> a(world, {n, n}), b(world, {n, n});
  kr::dist::fill(a, [&](auto i, auto j) { return kr::cast<double>(left(i, j)); });
  kr::dist::fill(b, [&](auto i, auto j) { return kr::cast<double>(right(i, j)); });
  const double alpha = 1, beta = 0;
  compare(
      "product of " + std::to_string(n) + " beside pdgemm", rounds, 1,
      [&] {
        multiply("N", "N", &n, &n, &n, &alpha, x.data(), &one, &one, of, y.data(), &one, &one, of,
                 &beta, z.data(), &one, &one, of);
      },
      [&] { (void)kr::matmul(a, b); });
  double mine = 0;
  for (const double e : z) mine += e * e;
  double all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, all_ranks);
  const auto c = kr::matmul(a, b);
  expect("product", all, kr::sum(c * c), 1e-12);
}

/// By ScaLAPACK, with blocks of KRAIT_SCALAPACK_BLOCK.
void solve(kr::dist::world& world, std::int64_t n, int rounds) {
  kr::dist::array<double, 2> a(world, {n, n});
  kr::dist::array<double> b(world, {n});
  kr::dist::fill(a, [n](auto i, auto j) {
    return kr::cast<double>((i * 31 + j * 17 + i * j) % 29) +
           kr::select(i == j, double(29 * n), 0.0);
  });
  b = 1.0;
  compare(
      "solve " + std::to_string(n), rounds, 1, [] {}, [&] { (void)kr::solve(a, b); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs(
        "beside_mpi rows|columns|stencil|transpose|p2p|cg|cg_fused|fft|fft_transposed|gather|gather_new|sum|product|solve SIZE [ROUNDS [ROWS]]\n",
        stderr);
    return 2;
  }
  const std::string what = argv[1];
  const std::int64_t n = std::atoll(argv[2]);
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 15;
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(all_ranks, &rank), MPI_Comm_size(all_ranks, &ranks_there);
  const int status = kr::dist::run([&](kr::dist::world& world) {
    if (what == "rows" || what == "columns") halo(world, what == "columns", n, rounds);
    if (what == "stencil") stencil(world, n, rounds);
    if (what == "transpose") transpose(world, n, rounds);
    if (what == "p2p") point_to_point(world, n, argc > 4 ? std::atoll(argv[4]) : 1, rounds);
    if (what == "cg" || what == "cg_fused") cg(world, n, rounds, what == "cg_fused");
#ifdef WITH_FFTW
    if (what == "fft" || what == "fft_transposed") fft(world, n, rounds, what == "fft_transposed");
#endif
    if (what == "gather" || what == "gather_new") gather(world, n, rounds, what == "gather_new");
    if (what == "sum") sum(world, n, rounds);
    if (what == "product") product(world, n, rounds);
    if (what == "solve") solve(world, n, rounds);
  });
  MPI_Finalize();
  return status;
}
