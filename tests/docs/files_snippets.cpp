// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of docs/files.md: what stands between `// [name]` and `// [/name]` is quoted there, and here it is run, in a folder of
// its own.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <krait/algorithm.h>
#include <krait/algorithm/compare.h>
#include <krait/files.h>
#include <krait/krait.h>
#include <krait/span.h>
namespace kr = krait;

namespace {

int failures = 0;
void expect(bool holds, int line) {
  if (!holds) std::printf("files_snippets.cpp:%d does not hold\n", line), ++failures;
}

void npy(kr::array<float, 2>& x) {
  // [npy]
  kr::save_npy("x.npy", x);                                // numpy.load("x.npy") in Python
  kr::save_npy("twice.npy", 2.0f * x);                     // an expression is computed first
  auto a = kr::load_npy<float, 2>("x.npy");                // on the default device
  auto b = kr::load_npy<float, 2>("twice.npy", kr::device::cpu());
  // [/npy]
  expect(kr::array_equal(a, x), __LINE__);
  expect(kr::allclose(b, 2.0f * a.copy(kr::device::cpu())), __LINE__);
  // [host]
  std::vector<double> v{1, 2, 3, 4, 5, 6};
  kr::save_npy("v.npy", kr::wrap(v.data(), {2, 3}));       // host memory, without a copy
  // [/host]
  expect(kr::load_npy<double, 2>("v.npy").extent(1) == 3, __LINE__);
}

void mapped() {
  kr::save_npy("large.npy", kr::arange<double>(1000000));
  // [map]
  auto table = kr::map_npy<double>("large.npy");           // kr::array<const double>, on the CPU
  double mean = kr::mean(table(kr::range(0, 1000)));       // reads 8 kB of the file
  auto part = table(kr::range(0, 1000)).copy(kr::device());  // to a GPU
  // [/map]
  expect(mean == 499.5 && part.size() == 1000, __LINE__);
}

void npz(kr::array<float, 2>& x) {
  const kr::array<double> t = kr::linspace(0.0, 1.0, 5);
  // [npz]
  kr::save_npz("run.npz", {{"x", x}, {"t", t}, {"sum", x + x}});
  kr::save_npz_compressed("small.npz", {{"x", x}});
  const kr::npz_file run = kr::load_npz("run.npz");
  auto time = run.load<double>("t");
  for (std::size_t i = 0; i < run.size(); ++i) std::puts(run.name(i));
  // [/npz]
  expect(time.size() == 5 && run.contains("sum") && !run.contains("y"), __LINE__);
}

void hdf5(kr::array<float, 2>& x) {
  // [hdf5]
  kr::save_hdf5("run.h5", "step1/x", x);                   // makes the group
  kr::save_hdf5("run.h5", "step2/x", x + 1.0f);            // the other dataset stays
  auto last = kr::load_hdf5<float, 2>("run.h5", "step2/x");
  // [/hdf5]
  expect(kr::allclose(last, x + 1.0f), __LINE__);
}

void png() {
  // [png]
  auto shade = kr::vectorize([](auto i) { return kr::cast<std::uint8_t>(i % 256); });
  kr::array<std::uint8_t, 2> grey = shade(kr::arange(100 * 60).reshape(60, 100));
  kr::save_png("grey.png", grey);                          // 60 rows of 100 pixels
  auto image = kr::load_png("grey.png");                   // (60, 100, 3)
  auto again = kr::load_png<2>("grey.png");                // (60, 100)
  // [/png]
  expect(image.extent(2) == 3 && kr::array_equal(grey, again), __LINE__);
}

void errors(const kr::array<float, 2>& x) {
  std::string said;
  // [errors]
  try {
    auto wrong = kr::load_npy<double>("x.npy");
  } catch (const kr::error& e) {
    said = e.message();
  }
  // [/errors]
  (void)x;
  expect(said.ends_with(
             "x.npy: an array of float in 2 dimensions, but it is read as double in 1 dimension: use kr::load_npy<float, 2>"),
         __LINE__);
}

/// Whether the library of a format is there: it is opened at run time.
template <class Call>
void where_there(const char* format, const Call& call) {
  try {
    call();
  } catch (const kr::error& e) {
    if (e.kind() != kr::error::kind_type::device) throw;
    std::printf("%s: %s\n", format, e.message());
  }
}

}  // namespace

int main() try {
  const auto folder = std::filesystem::temp_directory_path() / ("krait-files-" + std::to_string(std::random_device()()));
  std::filesystem::create_directory(folder);
  std::filesystem::current_path(folder);
  kr::array<float, 2> x = kr::arange<float>(12).reshape(3, 4).copy();
  npy(x), mapped(), errors(x);
  where_there(".npz", [&] { npz(x); });
  where_there("HDF5", [&] { hdf5(x); });
  where_there("PNG", png);
  std::filesystem::current_path("/");
  std::filesystem::remove_all(folder);
  return failures != 0;
} catch (const std::exception& e) {
  std::puts(e.what());
  return 1;
}
