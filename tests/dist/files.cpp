// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   krait_dist_files [RANKS]             files and checkpoints, in the current folder
//   krait_dist_files write FOLDER        checkpoints for ever (checkpoint_killed.sh ends it)
//   krait_dist_files read FOLDER         reads one, and says which step it holds
#include <sys/stat.h>
#include <unistd.h>

#include <complex>
#include <fstream>
#include <string_view>
#include <vector>

#include <krait/dist/files.h>

#include "dist/checks.h"
namespace kr = krait;
using dist_test::error_of;
using kr::dist::block;
using kr::dist::named;
using kr::dist::whole;

namespace {

auto value_at(auto i, auto j) { return (i * 31 + j * 7) % 23 - 11; }
template <class Elem>
bool right(const kr::dist::array<Elem, 2>& a) {
  const auto got = a.owned().to_host();
  std::size_t at = 0;
  for (std::int64_t i = a.first(0); i < a.first(0) + a.owned().extent(0); ++i)
    for (std::int64_t j = a.first(1); j < a.first(1) + a.owned().extent(1); ++j)
      if (got[at++] != Elem(float(value_at(i, j)))) return false;
  return true;
}
template <class Elem>
void filled(kr::dist::array<Elem, 2>& a) {
  kr::dist::fill(a, [](auto i, auto j) { return kr::cast<Elem>(value_at(i, j)); });
}
/// What rank 0 does to a file, between two calls that all make.
template <class Work>
void first(kr::dist::world& ranks, const Work& work) {
  ranks.barrier();
  if (ranks.rank() == 0) work();
  ranks.barrier();
}
void cut(const std::string& path, off_t bytes) {
  struct stat of {};
  if (stat(path.c_str(), &of) == 0 && truncate(path.c_str(), of.st_size - bytes) != 0)
    std::perror("truncate");
}

/// A folder of its own for this number of ranks, so that several of these programs may run.
std::string folder_of(kr::dist::world& ranks, const char* name) {
  const auto pid = kr::dist::detail::rank_of(ranks.record()) == 0 ? std::int64_t(getpid()) : 0;
  kr::dist::array<std::int64_t> id(ranks, {ranks.size()});
  id = pid;
  return std::string(name) + "." + std::to_string(kr::dist::at(id, 0));
}

template <class Elem>
void npy(kr::dist::world& ranks, std::int64_t m, std::int64_t n) {
  const std::string where =
      std::to_string(ranks.size()) + " ranks, " + std::to_string(m) + " x " + std::to_string(n);
  const std::string path = folder_of(ranks, "npy") + ".npy";
  const bool halo = m >= 2 * ranks.size() && n >= 2 * ranks.size();
  kr::dist::array<Elem, 2> a(ranks, {m, n}, kr::dist::halo(halo ? 1 : 0));
  filled(a);
  kr::dist::save_npy(path, a);
  // One process reads it, and what it writes is read by many.
  first(ranks, [&] {
    const auto one = kr::load_npy<Elem, 2>(path);
    EXPECT(one.extent(0) == m && one.extent(1) == n);
    kr::save_npy(path, one);
  });
  for (const int layout : {0, 1, 2, 3}) {
    const kr::dist::along words[] = {layout & 1 ? whole : block, layout & 2 ? whole : block};
    auto b = kr::dist::load_npy<Elem, 2>(ranks, path, words);
    EXPECT(b.size() == m * n && right(b));
    kr::dist::save_npy(path, b);
  }
  EXPECT(right(kr::dist::load_npy<Elem, 2>(ranks, path, kr::dist::halo(0))));
  EXPECT(error_of([&] { (void)kr::dist::load_npy<std::int16_t, 2>(ranks, path); }) ==
         path + ": it has " + (sizeof(Elem) == 4 ? "<f4" : "<f8") +
             " of 2 dimensions, but kr::dist::load_npy reads <i2 of 2");
  if (m * n > 0) {
    first(ranks, [&] { cut(path, 1); });
    EXPECT(error_of([&] { (void)kr::dist::load_npy<Elem, 2>(ranks, path); }).find(path) == 0);
  }
  first(ranks, [&] { unlink(path.c_str()); });
  EXPECT(error_of([&] { (void)kr::dist::load_npy<Elem, 2>(ranks, path); }) ==
         path + ": No such file or directory");
  EXPECT(error_of([&] { kr::dist::save_npy("/nowhere/x.npy", a); }) ==
         "/nowhere/x.npy.part: cannot be written: No such file or directory");
}

void other_orders(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks, other orders";
  const std::string path = folder_of(ranks, "order") + ".npy";
  const auto file_of = [&](const char* type, const char* fortran) {
    first(ranks, [&] {
      std::string head = std::string("{'descr': '") + type + "', 'fortran_order': " + fortran +
                         ", 'shape': (2, 2), }";
      head.resize(117, ' ');
      std::ofstream(path) << std::string("\x93NUMPY\x01\x00\x76\x00", 10) << head << '\n'
                          << std::string(16, '\0');
    });
  };
  file_of(">f4", "False");
  EXPECT(
      error_of([&] { (void)kr::dist::load_npy<float, 2>(ranks, path); }) ==
      path +
          ": elements are big-endian: read it by kr::load_npy, and write it again by kr::save_npy");
  file_of("<f4", "True");
  EXPECT(
      error_of([&] { (void)kr::dist::load_npy<float, 2>(ranks, path); }) ==
      path +
          ": elements are in Fortran order: read it by kr::load_npy, and write it again by kr::save_npy");
  file_of("<f4", "False");
  EXPECT(kr::sum(kr::dist::load_npy<float, 2>(ranks, path)) == 0);
  first(ranks, [&] { unlink(path.c_str()); });
}

void checkpoints(kr::dist::world& ranks) {
  const std::string where = std::to_string(ranks.size()) + " ranks, checkpoints";
  const std::string folder = folder_of(ranks, "state"), text = folder + "/checkpoint.txt";
  kr::dist::array<double, 2> t(ranks, {12, 9}, kr::dist::halo(1)),
      u(ranks, {12, 9}, {whole, block});
  kr::dist::array<float, 2> all(ranks, {3, 5}, {whole, whole});
  int step = 3;
  double time = 0.1;
  const auto save = [&] {
    kr::dist::save_checkpoint(ranks, folder, named("t", t), named("all", all), named("step", step),
                              named("time", time));
  };
  EXPECT(error_of([&] { kr::dist::load_checkpoint(ranks, folder, named("t", t)); }) ==
         text + ": No such file or directory");
  filled(t), filled(all);
  save();
  t *= 2.0, step = 4;
  save();  // in the place of the first
  t = 0.0, all = 0.0f, step = 0, time = 0;
  kr::dist::load_checkpoint(ranks, folder, named("time", time), named("t", u), named("step", step),
                            named("all", all));
  EXPECT(step == 4 && time == 0.1 && right(all));
  u /= 2.0;
  EXPECT(right(u));
  // Written by one rank, and read by all.
  first(ranks, [&] {
    kr::dist::run(1, [&](kr::dist::world& one) {
      kr::dist::array<double, 2> alone(one, {12, 9});
      kr::dist::load_checkpoint(one, folder, named("t", alone));
      alone /= 2.0;
      EXPECT(right(alone));
      kr::dist::save_checkpoint(one, folder, named("t", alone), named("step", step));
    });
  });
  kr::dist::load_checkpoint(ranks, folder, named("t", t));
  EXPECT(right(t));

  kr::dist::array<double, 2> other(ranks, {9, 12});
  kr::dist::array<float, 2> narrow(ranks, {12, 9});
  const auto refused = [&](auto&& thing) {
    return error_of([&] { kr::dist::load_checkpoint(ranks, folder, thing); });
  };
  EXPECT(refused(named("t", other)) ==
         folder + ": \"t\" has shape (12,9) of <f8, but the array has shape (9,12) of <f8");
  EXPECT(refused(named("t", narrow)) ==
         folder + ": \"t\" has shape (12,9) of <f8, but the array has shape (12,9) of <f4");
  EXPECT(refused(named("v", t)) == folder + ": the checkpoint has no array \"v\"");
  EXPECT(refused(named("t", step)) == folder + ": the checkpoint has no number \"t\"");
  EXPECT(refused(named("a b", t)) ==
         "kr::dist::load_checkpoint: the name \"a b\" is not made of letters, digits, _ and -");
  EXPECT(error_of([&] {
           kr::dist::save_checkpoint(ranks, folder, named("t", t), named("t", step));
         }) == "kr::dist::save_checkpoint: there are two things of the name \"t\"");
  EXPECT(error_of([&] { kr::dist::save_checkpoint(ranks, "/nowhere/x", named("t", t)); }) ==
         "/nowhere/x: cannot be made: No such file or directory");
  kr::dist::run(1, [&](kr::dist::world& far) {
    kr::dist::array<double, 2> there(far, {12, 9});
    EXPECT(error_of([&] { kr::dist::save_checkpoint(ranks, folder, named("x", there)); }) ==
           "kr::dist::save_checkpoint: the operands belong to two kr::dist::world");
    EXPECT(refused(named("t", there)) ==
           "kr::dist::load_checkpoint: the operands belong to two kr::dist::world");
  });

  // One other byte, a shorter file, and a shorter text.
  const std::string file = folder + "/t.3.npy";
  first(ranks, [&] { std::fstream(file, std::ios::in | std::ios::out).seekp(200).put('x'); });
  EXPECT(refused(named("t", t)) ==
         file + ": it is not the file that was written: the checkpoint is damaged");
  first(ranks, [&] { cut(file, 8); });
  EXPECT(refused(named("t", t)).find(file) == 0);
  first(ranks, [&] { unlink(file.c_str()); });
  EXPECT(refused(named("t", t)) == file + ": No such file or directory");
  first(ranks, [&] { cut(text, 2); });
  EXPECT(refused(named("t", t)) ==
         text + ": this is not a checkpoint of kr::dist, or it is damaged");
  first(ranks, [&] { std::ofstream(text) << "krait checkpoint 1\nturn 1\nphoto x\nend\n"; });
  EXPECT(refused(named("t", t)) ==
         text + ": this is not a checkpoint of kr::dist, or it is damaged");
  first(ranks, [&] { unlink(text.c_str()), rmdir(folder.c_str()); });
}

void all(kr::dist::world& ranks) {
  const std::int64_t shapes[][2] = {{1, 1}, {17, 23}, {0, 4}, {200, 300}};
  for (const auto& n : shapes) {
    npy<float>(ranks, n[0], n[1]);
    npy<double>(ranks, n[0], n[1]);
  }
  other_orders(ranks);
  checkpoints(ranks);
}

/// All elements of a checkpoint are its step.
int steps(std::string_view mode, const char* folder) {
  return kr::dist::run([&](kr::dist::world& ranks) {
    kr::dist::array<double, 2> t(ranks, {400, 500});
    int step = 0;
    if (mode == "read") {
      kr::dist::load_checkpoint(ranks, folder, named("t", t), named("step", step));
      const bool whole_step = kr::min(t) == step && kr::max(t) == step;
      if (ranks.rank() == 0) std::printf("%s %d\n", whole_step ? "step" : "mixed", step);
      return;
    }
    for (step = 1;; ++step) {
      t = double(step);
      kr::dist::save_checkpoint(ranks, folder, named("t", t), named("step", step));
      if (step == 1 && ranks.rank() == 0) std::puts("first"), std::fflush(stdout);
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) return steps(argv[1], argv[2]);
  return dist_test::run(argc, argv, all);
}
