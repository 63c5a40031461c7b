// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms beside sums of their definition in double: lengths of all kinds, types, axes,
// norms. Against NumPy: numpy_cases.
#include <krait/algorithm/fft.h>
#include <krait/creation.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "algorithms/fft/rows.h"
#include "arrays/algorithm_cases.h"

using krait::test::expect_usage;
using krait::test::Random;

namespace {

using Complex = std::complex<long double>;

std::vector<Complex> defined(const std::vector<Complex>& x, bool inverse) {
  const std::int64_t n = std::int64_t(x.size());
  std::vector<Complex> roots, out;
  for (std::int64_t k = 0; k < n; ++k)
    roots.push_back(std::polar(
        1.0L, (inverse ? 2 : -2) * std::acos(-1.0L) * (long double)(k) / (long double)(n)));
  for (std::int64_t k = 0; k < n; ++k) {
    Complex sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum += x[std::size_t(j)] * roots[std::size_t(j * k % n)];
    out.push_back(inverse ? sum / (long double)(n) : sum);
  }
  return out;
}

template <class Real>
void expect_transform(std::int64_t rows, std::int64_t n, bool inverse) {
  Random random{unsigned(n)};
  std::vector<std::complex<Real>> h;
  for (std::int64_t i = 0; i < rows * n; ++i)
    h.emplace_back(Real(random.below(2001) - 1000) / 512, Real(random.below(2001) - 1000) / 512);
  kr::array<std::complex<Real>, 2> x(rows, n);
  x.copy_from(h);
  const std::vector<std::complex<Real>> got = (inverse ? kr::ifft(x) : kr::fft(x)).to_host();
  const std::vector<std::complex<Real>> back =
      (inverse ? kr::fft(kr::ifft(x)) : kr::ifft(kr::fft(x))).to_host();
  const double epsilon = std::numeric_limits<Real>::epsilon();
  for (std::int64_t row : {std::int64_t(0), rows - 1}) {
    const auto from = h.begin() + row * n;
    const std::vector<Complex> wanted = defined({from, from + n}, inverse);
    long double error = 0, size = 0, lost = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      const std::size_t at = std::size_t(row * n + k);
      error += std::norm(Complex(got[at]) - wanted[std::size_t(k)]),
          size += std::norm(wanted[std::size_t(k)]);
      lost = std::max(lost, std::abs(Complex(back[at]) - Complex(h[at])));
    }
    EXPECT_LE(std::sqrt(error / size), 4 * epsilon)
        << rows << " of " << n << (inverse ? ", inverse" : "");
    EXPECT_LE(lost, 64 * epsilon) << rows << " of " << n;
  }
}

TEST(Fft, LengthsOfAllKinds) {
  const bool cpu = std::string(kr::device().id()) == "cpu";
  std::vector<std::int64_t> lengths = {1, 12, 35, 251};
  if (cpu) lengths.insert(lengths.end(), {2, 7, 360, 1024});
  for (const std::int64_t n : lengths) {
    expect_transform<float>(1, n, n % 3 == 0);
    if (cpu) expect_transform<double>(n % 2 ? 1 : 3, n, n % 3 != 0);
  }
  expect_transform<float>(37, 12, false);
  if (cpu) expect_transform<float>(20, 23, true), expect_transform<double>(17, 100, false);
}

/// Rows that do not fill a block's last tile, in three steps. The interpreter tells of steps that
/// read what no step before them wrote.
TEST(Fft, RowsThatFillNoTile) {
  const auto x = kr::zeros<double>({31, 34}, kr::device::find("interpreter"));
  EXPECT_EQ(kr::fft(x).to_host(), std::vector<std::complex<double>>(31 * 34));
}

// More than a block keeps: several passes, whose columns end in the midst of a block's.
TEST(Fft, SeveralPasses) {
  if (std::string(kr::device().id()) == "cpu") {
    Random random(1);
    // the last is a prime
    for (const std::int64_t n :
         {std::int64_t(1) << 15, std::int64_t(3) << 14, std::int64_t(10007)}) {
      std::vector<std::complex<float>> h(std::size_t(n), 0);
      const std::int64_t at = random.below(n);
      h[std::size_t(at)] = 1;
      const std::vector<std::complex<float>> got = kr::fft(kr::to_device(h)).to_host();
      for (std::int64_t k = 0; k < n; ++k) {
        const Complex wanted =
            std::polar(1.0L, -2 * std::acos(-1.0L) * (long double)(at * k % n) / (long double)(n));
        ASSERT_LE(std::abs(Complex(got[std::size_t(k)]) - wanted), 1e-6)
            << n << ": " << at << ", " << k;
      }
    }
  } else {
    expect_transform<float>(2, 4375, false);
  }
}

TEST(Fft, RealNumbers) {
  const kr::array<float> x = kr::to_device(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  // Pairs of neighbours are complex numbers where they lie so; not from the second element on, nor
  // backwards.
  const auto expect_halves = [](const auto& of) {
    const auto half = kr::rfft(of).to_host();
    const auto all = kr::fft(of).to_host();
    ASSERT_EQ(half.size(), all.size() / 2 + 1);
    for (std::size_t k = 0; k < half.size(); ++k)
      EXPECT_NEAR(std::abs(half.data()[k] - all.data()[k]), 0, 4e-6) << k;
    const auto back = kr::irfft(kr::rfft(of), kr::points(of.size())).to_host();
    const auto given = of.copy().to_host();
    for (std::size_t k = 0; k < back.size(); ++k)
      EXPECT_NEAR(back.data()[k], given.data()[k], 4e-6) << k;
  };
  expect_halves(x);
  expect_halves(x(kr::range(1, 7)));
  expect_halves(x(kr::range(1, 8)));
  expect_halves(x.flip());
  const auto image = x.reshape(2, 4);
  const auto volume = x.reshape(2, 1, 4);
  EXPECT_EQ(kr::rfft2(image).extents(), kr::shape<2>(2, 3));
  EXPECT_LE(kr::max(kr::abs(kr::irfft2(kr::rfft2(image)) - image)), 4e-6f);
  EXPECT_EQ(kr::irfftn(kr::rfftn(volume), kr::points(3)).extents(), kr::shape<3>(2, 1, 3));
  EXPECT_LE(
      kr::max(kr::abs(kr::irfftn(kr::rfftn(volume, kr::axis(2, 0)), kr::axis(2, 0), kr::points(2)) -
                      volume)),
      4e-6f);
  const kr::array<std::complex<double>> of_integers =
      kr::fft(kr::to_device(std::vector<int>{1, 2}));
  EXPECT_EQ(of_integers.to_host().data()[1], std::complex<double>(-1));
}

TEST(Fft, ThreeAxes) {
  const auto x = kr::to_device(std::vector<float>{1, 2, 4, 8, 3, 5, 7, 9}).reshape(2, 2, 2);
  const auto one_by_one = kr::fft(kr::fft(kr::fft(x, kr::axis(2)), kr::axis(1)), kr::axis(0));
  const auto near = [](const auto& got, const auto& wanted) {
    ASSERT_EQ(got.extents(), wanted.extents());
    const auto a = got.copy().to_host();
    const auto b = wanted.copy().to_host();
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_NEAR(std::abs(a.data()[i] - b.data()[i]), 0, 1e-5) << i;
  };
  near(kr::fftn(x), one_by_one);
  near(kr::rfftn(x), one_by_one);  // both elements of two are kept
  near(kr::ifftn(one_by_one), x);
  near(kr::irfftn(kr::rfftn(x)), x);
}

template <class Real>
void columns_like_rows(std::int64_t batch, std::int64_t n, std::int64_t width, std::int64_t cut) {
  using number = std::complex<Real>;
  kr::array<number, 3> all({batch, n, width + cut});
  std::vector<number> values;
  for (std::int64_t i = 0; i < all.size(); ++i)
    values.emplace_back(Real((i * 31 + i / 7) % 23 - 11), Real((i * 13) % 17 - 8));
  all.copy_from(values);
  const auto x = all(kr::all, kr::all, kr::range(cut, width + cut));
  const kr::array<number, 3> rows = x.permute(0, 2, 1).copy();
  const auto near = [&](const char* what, const auto& got, const auto& wanted) {
    const std::vector<number> a = got.copy().to_host(), b = wanted.copy().to_host();
    ASSERT_EQ(a.size(), b.size());
    double most = 0, largest = 1;
    for (std::size_t i = 0; i < a.size(); ++i) {
      most = std::max(most, double(std::abs(a[i] - b[i])));
      largest = std::max(largest, double(std::abs(b[i])));
    }
    EXPECT_LE(most, largest * (sizeof(Real) == 4 ? 2e-6 : 4e-15))
        << what << ": " << batch << " x " << n << " x " << width << ", cut " << cut;
  };
  const auto wanted = kr::fft(rows).permute(0, 2, 1),
             back = kr::ifft(rows, "ortho").permute(0, 2, 1);
  near("fft", kr::fft(x, kr::axis(1)), wanted);
  near("ifft", kr::ifft(x, kr::axis(-2), "ortho"), back);
  kr::array<number, 3> out({batch, n, width});
  kr::fft(x, kr::axis(1), kr::into(out));
  near("into", out, wanted);
  out.copy_from(x);
  kr::fft(out, kr::axis(1), kr::into(out));
  near("into itself", out, wanted);
  near("two axes", kr::fftn(x, kr::axis(1, 2)), kr::fft(kr::fft(x, kr::axis(1)), kr::axis(2)));
  near("three axes", kr::ifftn(kr::fftn(x)), x);
  near("turned", kr::fft(rows.permute(0, 2, 1), kr::axis(1)), wanted);
}
/// Along an axis that is not the last one, whatever lies beside it.
TEST(Fft, Columns) {
  columns_like_rows<float>(3, 15, 13, 3);
  if (krait::test::cases() == 1) return;  // each size is kernels of its own
  for (const std::int64_t n : {1, 15, 16, 100, 1024})
    for (const std::int64_t width : {1, 13, 32})
      for (const std::int64_t cut : {0, 3}) {
        const std::int64_t batch = n < 200 ? 3 : 1;
        columns_like_rows<float>(batch, n, width, cut);
        columns_like_rows<double>(batch, n, width, cut);
      }
  columns_like_rows<float>(1, 4096, 16, 0);
  columns_like_rows<double>(1, 2048, 16, 0);
}

/// In a block's shared memory: 48 KiB on every GPU, and 99 KiB from sm_80 on, where there are
/// tensor cores.
TEST(Fft, PlansFitEveryGpu) {
  for (const std::int64_t shared : {0, 99 << 10})
    for (const std::size_t number : {sizeof(float), sizeof(double)})
      for (const std::int64_t rows : {1, 100})
        for (std::int64_t total = 1; total <= std::int64_t(1) << 26; total *= 2) {
          const krait::detail::fft_plan plan = krait::detail::plan_fft(
              total, rows, number, {krait::detail::algorithm_form::warps, 512, shared});
          for (int i = 0; i < plan.count; ++i) {
            const krait::detail::fft_pass& pass = plan.passes[i];
            EXPECT_LE(pass.columns * pass.pitch * std::int64_t((pass.in_place ? 2 : 4) * number),
                      shared ? shared : 48 << 10)
                << total;
            EXPECT_LE(pass.threads, 1024) << total;
          }
        }
}

TEST(Fft, TablesOfTheLastLengthsStay) {
  const std::int64_t before = kr::device().memory_use().used;
  int made = 0;
  const auto table = [&](int length) {
    return krait::detail::recent_for(length, [&] { return ++made, kr::array<char>(1000); });
  };
  for (int length = 0; length < 40; ++length) table(length), table(0);
  EXPECT_EQ(made, 40);  // 0 was never the oldest
  EXPECT_EQ(kr::device().memory_use().used, before + 16 * 1000);
  table(25);  // 24 went for 39
  EXPECT_EQ(made, 40);
  table(24);
  EXPECT_EQ(made, 41);
}

TEST(Fft, BadInput) {
  const kr::array<float, 2> x = kr::zeros<float>({2, 4});
  expect_usage({"Invalid number of FFT data points (0) specified."},
               [&] { kr::fft(x, kr::points(0)); });
  expect_usage({"Invalid number of FFT data points (0) specified."},
               [&] { kr::irfft(x, kr::points(1), kr::axis(1)), kr::irfft(x(0, kr::range(0, 1))); });
  expect_usage({"axis 2 is out of bounds for array of dimension 2"},
               [&] { kr::rfft(x, kr::axis(2)); });
  expect_usage({"axis -3 is out of bounds for array of dimension 2"},
               [&] { kr::fftn(x, kr::axis(0, -3)); });
  expect_usage({"duplicate value in 'axis': -2"}, [&] { kr::rfftn(x, kr::axis(0, -2)); });
  expect_usage({"Invalid number of FFT data points (0) specified."},
               [&] { kr::irfft2(x(kr::all, kr::range(0, 1))); });
  expect_usage({"Invalid norm value orthogonal; should be \"backward\", \"ortho\" or \"forward\"."},
               [&] { kr::ifft(x, "orthogonal"); });
  EXPECT_EQ(kr::fft(x(kr::range(0, 0))).extent(1), 4);
  EXPECT_EQ(kr::fft(x(kr::all, kr::range(0, 0)), kr::points(2)).to_host().size(), 4u);
}

}  // namespace
