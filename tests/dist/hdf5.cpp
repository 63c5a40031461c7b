// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   krait_dist_hdf5 [RANKS]         HDF5 files, in the current folder
//   krait_dist_hdf5 h5py FOLDER     reads what hdf5.py wrote there, and writes what it reads
//   krait_dist_hdf5 write FOLDER    one dataset for ever (checkpoint_killed.sh ends it)
//   krait_dist_hdf5 read FOLDER     reads it, and says which step it holds
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <complex>
#include <fstream>
#include <memory>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include <krait/dist/files.h>
#include <krait/span.h>

#include "dist/checks.h"
namespace kr = krait;
using dist_test::error_of;
using kr::dist::block;
using kr::dist::whole;

namespace {

/// What rank 0 does to a file, between two calls that all make.
template <class Work>
void first(kr::dist::world& ranks, const Work& work) {
  ranks.barrier();
  if (ranks.rank() == 0) work();
  ranks.barrier();
}
/// A path of its own for this number of ranks, so that several of these programs may run.
std::string path_of(kr::dist::world& ranks) {
  kr::dist::array<std::int64_t> id(ranks, {ranks.size()});
  id = ranks.rank() == 0 ? std::int64_t(getpid()) : 0;
  return "hdf5." + std::to_string(kr::dist::at(id, 0)) + "." + std::to_string(ranks.size()) + ".h5";
}

template <class Elem>
Elem value_at(std::size_t i) {
  if constexpr (std::is_same_v<Elem, bool>) return i % 3 == 0;
  else if constexpr (kr::detail::complex_number<Elem>)
    return {typename Elem::value_type(i % 101), typename Elem::value_type(i % 7)};
  else return Elem(float(i % 101));
}
template <class Elem, int Rank>
bool right(const kr::array<Elem, Rank>& a) {
  const auto got = a.to_host();
  std::size_t at = 0;
  for (const auto& element : got)
    if (!(element == value_at<Elem>(at++))) return false;
  return true;
}
template <class Elem, int Rank>
void save_alone(const std::string& path, const kr::shape<Rank>& extents) {
  std::size_t count = 1;
  for (int d = 0; d < Rank; ++d) count *= std::size_t(extents[d]);
  const std::unique_ptr<Elem[]> elements(new Elem[count + 1]);
  for (std::size_t i = 0; i < count; ++i) elements[i] = value_at<Elem>(i);
  kr::save_hdf5(path, "one/x", kr::wrap(elements.get(), extents));
}

/// One process writes, all read and write, and one reads.
template <class Elem, int Rank>
void round_trip(kr::dist::world& ranks, const kr::shape<Rank>& extents,
                const kr::dist::along (&words)[Rank], int halo = 0) {
  const std::string path = path_of(ranks);
  const std::string where = path + " of " + typeid(Elem).name() + " in " + std::to_string(Rank);
  first(ranks, [&] { save_alone<Elem, Rank>(path, extents); });
  const auto a = kr::dist::load_hdf5<Elem, Rank>(ranks, path, "one/x", words, kr::dist::halo(halo));
  kr::dist::save_hdf5(path, "all/x", a);
  kr::dist::save_hdf5(path, "all/x", a);  // in the place of the first
  first(ranks, [&] {
    for (const char* dataset : {"one/x", "all/x"}) {
      const auto back = kr::load_hdf5<Elem, Rank>(path, dataset, kr::device::cpu());
      for (int d = 0; d < Rank; ++d) EXPECT(back.extent(d) == a.extent(d));
      EXPECT((right<Elem, Rank>(back)));
    }
    // Read and written again by another number of ranks.
    const int others = ranks.size() % 4 + 1;
    kr::dist::run(others, [&](kr::dist::world& other) {
      const auto b = kr::dist::load_hdf5<Elem, Rank>(other, path, "all/x");
      kr::dist::save_hdf5(path, "others", b);
    });
    EXPECT((right<Elem, Rank>(kr::load_hdf5<Elem, Rank>(path, "others", kr::device::cpu()))));
    unlink(path.c_str());
  });
}

void errors(kr::dist::world& ranks) {
  const std::string path = path_of(ranks), where = path + ", errors";
  const auto load = [&](auto type, const char* dataset) {
    return error_of([&] { (void)kr::dist::load_hdf5<decltype(type), 2>(ranks, path, dataset); });
  };
  kr::dist::array<double, 2> a(ranks, {40, 50});
  a = 3.0;
  EXPECT(load(1.0, "x") == path + ": No such file or directory");
  kr::dist::save_hdf5(path, "x", a);
  EXPECT(load(1.0f, "x") ==
         path +
             ": x: an array of double in 2 dimensions, but it is read as float in 2 dimensions: "
             "use kr::dist::load_hdf5<double, 2>");
  EXPECT(error_of([&] { (void)kr::dist::load_hdf5<double, 1>(ranks, path, "x"); }) ==
         path +
             ": x: an array of double in 2 dimensions, but it is read as double in 1 dimension: "
             "use kr::dist::load_hdf5<double, 2>");
  EXPECT(load(1.0, "y").find(path + ": y: no such dataset (") == 0);
  EXPECT(error_of([&] { kr::dist::save_hdf5("/nowhere/x.h5", "x", a); }) ==
         "/nowhere/x.h5.part: cannot be written: No such file or directory");
  // A dataset below a dataset: what was there stays.
  EXPECT(error_of([&] {
           kr::dist::save_hdf5(path, "x/y", a);
         }).find(path + ": x/y: cannot be written (") == 0);
  EXPECT(kr::sum(kr::dist::load_hdf5<double, 2>(ranks, path, "x")) == 6000);
  EXPECT(access((path + ".part").c_str(), F_OK) != 0);
  first(ranks, [&] {
    struct stat of {};
    if (stat(path.c_str(), &of) != 0 || truncate(path.c_str(), of.st_size / 2) != 0)
      std::perror("truncate");
  });
  EXPECT(load(1.0, "x").find(path + ": not an HDF5 file (") == 0);
  first(ranks, [&] { std::ofstream(path) << "somebody's notes"; });
  EXPECT(load(1.0, "x").find(path + ": not an HDF5 file (") == 0);
  EXPECT(error_of([&] { kr::dist::save_hdf5(path, "x", a); }).find(path + ": not an HDF5 file (") ==
         0);
  first(ranks, [&] { unlink(path.c_str()); });
}

std::atomic<bool> skipped = false;
/// Asked when there are ranks: the MPI comes first, as in a program.
bool has_library() {
  try {
    (void)kr::load_hdf5<float>("/dev/null", "x");
  } catch (const kr::error& e) {
    if (e.kind() != kr::error::kind_type::device) return true;
    if (!skipped.exchange(true)) std::printf("skipped: %s\n", e.what());
  }
  return false;
}

void all(kr::dist::world& ranks) {
  if (!has_library()) return;
  const auto each_type = [&]<class... Elem>(std::type_identity<Elem>...) {
    (round_trip<Elem, 2>(ranks, {13, 7}, {block, whole}), ...);
  };
  each_type(std::type_identity<bool>(), std::type_identity<std::int8_t>(),
            std::type_identity<std::int16_t>(), std::type_identity<std::int32_t>(),
            std::type_identity<std::int64_t>(), std::type_identity<std::uint8_t>(),
            std::type_identity<std::uint16_t>(), std::type_identity<std::uint32_t>(),
            std::type_identity<std::uint64_t>(), std::type_identity<kr::f16>(),
            std::type_identity<float>(), std::type_identity<double>(),
            std::type_identity<std::complex<float>>(), std::type_identity<std::complex<double>>());
  round_trip<float, 2>(ranks, {200, 300}, {block, block}, 1);
  round_trip<float, 2>(ranks, {200, 300}, {whole, block}, 1);
  round_trip<float, 2>(ranks, {9, 11}, {whole, whole});
  round_trip<double, 1>(ranks, {1}, {block});  // some ranks have nothing
  round_trip<double, 2>(ranks, {0, 4}, {block, whole});
  round_trip<double, 3>(ranks, {6, 5, 8}, {block, whole, block});
  errors(ranks);
}

/// Each dataset of "x" in the files of h5py, and all that Krait read into a file of its own.
int with_h5py(const std::string& folder) {
  return kr::dist::run([&](kr::dist::world& ranks) {
    if (!has_library()) return;
    const std::string where = "h5py";
    const std::string from = folder + "/h5py.h5", to = folder + "/krait.h5";
    for (const char* dataset : {"plain", "packed", "big_endian", "unwritten"})
      kr::dist::save_hdf5(to, dataset,
                          kr::dist::load_hdf5<double, 2>(ranks, from, dataset, {block, block}));
    kr::dist::save_hdf5(to, "flags", kr::dist::load_hdf5<bool>(ranks, from, "flags"));
    kr::dist::save_hdf5(to, "half", kr::dist::load_hdf5<kr::f16>(ranks, from, "half"));
    kr::dist::save_hdf5(to, "number", kr::dist::load_hdf5<double>(ranks, from, "number"));
    kr::dist::save_hdf5(to, "waves",
                        kr::dist::load_hdf5<std::complex<double>>(ranks, from, "waves"));
    // Into h5py's own file, whose first bytes are a program's.
    kr::dist::save_hdf5(from, "added/plain",
                        kr::dist::load_hdf5<double, 2>(ranks, from, "plain", {whole, block}));
  });
}

/// All elements of a file are its step.
int steps(std::string_view mode, const std::string& path) {
  return kr::dist::run([&](kr::dist::world& ranks) {
    if (!has_library()) return;
    if (mode == "read") {
      const auto t = kr::dist::load_hdf5<double, 2>(ranks, path, "t");
      const double step = kr::min(t), most = kr::max(t);
      if (ranks.rank() == 0) std::printf("%s %.0f\n", step == most ? "step" : "mixed", step);
      return;
    }
    kr::dist::array<double, 2> t(ranks, {400, 500});
    for (int step = 1;; ++step) {
      t = double(step);
      kr::dist::save_hdf5(path, "t", t);
      if (step == 1 && ranks.rank() == 0) std::puts("first"), std::fflush(stdout);
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  int status = 0;
  if (argc < 3) status = dist_test::run(argc, argv, all);
  else if (std::string_view(argv[1]) == "h5py") status = with_h5py(argv[2]);
  else status = steps(argv[1], std::string(argv[2]) + ".h5");
  return skipped ? 77 : status;
}
