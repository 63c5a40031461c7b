// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads an array from a file and writes it to another, for numpy_files.py. A line of the input is
// the format, the element type, the number of dimensions, the two files and a name, with tabs
// between. A line of the output is "ok", or the error.
#include <krait/files.h>

#include <complex>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <krait/krait.h>

#include "support/says.h"

namespace kr = krait;

namespace {

struct pair_of_floats {
  float first, second, third;
};

struct request {
  std::string format, type, rank, from, to, name;
};

template <class T, int Rank>
void one(const request& r) {
  if (r.format == "npy") {
    kr::save_npy(r.to, kr::load_npy<T, Rank>(r.from));
  } else if (r.format == "map") {
    const auto mapped = kr::map_npy<T, Rank>(std::filesystem::path(r.from));
    kr::save_npy(std::filesystem::path(r.to), mapped);
  } else if (r.format == "npz" || r.format == "npz compressed") {
    const kr::npz_file file = kr::load_npz(r.from);
    const kr::array<T, Rank> x = file.load<T, Rank>(r.name);
    if (r.format == "npz") kr::save_npz(r.to, {{r.name, x}, {"again", x}});
    else kr::save_npz_compressed(r.to, {{r.name, x}, {"again", x}});
  } else if (r.format == "h5") {
    if constexpr (!std::is_same_v<T, pair_of_floats>)
      kr::save_hdf5(r.to, r.name, kr::load_hdf5<T, Rank>(r.from, r.name));
  } else if (r.format == "save h5") {
    if constexpr (!std::is_same_v<T, pair_of_floats>)
      kr::save_hdf5(r.to, r.name, kr::load_npy<T, Rank>(r.from));
  } else if (r.format == "expression") {
    if constexpr (std::is_same_v<T, float> && Rank == 1) {
      const auto x = kr::load_npy<T, Rank>(r.from);
      kr::save_npy(r.to, x + x);
      kr::save_npz(r.to + ".npz", {{"sum", x + 1.0f}, {"part", x(kr::range(1, kr::end))}});
      kr::save_hdf5(r.to + ".h5", "sum", x + 1.0f);
    }
  } else if (r.format == "kernel") {
    // The kernel reads the file's memory.
    if constexpr (std::is_same_v<T, float> && Rank == 1) {
      const auto before = kr::device::cpu().memory_use().used;
      const auto mapped = kr::map_npy<float>(r.from);
      if (kr::device::cpu().memory_use().used != before) throw std::runtime_error("it was copied");
      if (mapped.device().id() != std::string("cpu")) throw std::runtime_error("not on the CPU");
      kr::array<float> out(mapped.extents(), kr::device::cpu());
      kr::kernel([](kr::view<const float> x, kr::view<float> y) {
        for (auto i : kr::grid_stride(y.size())) y[i] = x[i] * 3.0f;
      }).forall(mapped.size())(mapped, out);
      kr::save_npy(r.to, out);
    }
  } else if (r.format == "names") {
    const kr::npz_file file(r.from.c_str());
    std::string names;
    for (std::size_t i = 0; i < file.size(); ++i) names += std::string(file.name(i)) + " ";
    if (!file.contains(r.name)) names += "but not " + r.name;
    throw std::runtime_error(names);
  } else if (r.format == "twice") {
    const auto x = kr::load_npy<T, Rank>(r.from);
    kr::save_npz(r.to, {{"x", x}, {"x", x}});
  } else if (r.format == "none") {
    kr::save_npz(r.to, {});
  } else if (r.format == "ninth") {
    kr::load_npz(r.from).name(9);
  } else if (r.format == "png" || r.format == "any png") {
    if constexpr (std::is_same_v<T, std::uint8_t> && (Rank == 2 || Rank == 3)) {
      if (r.format == "png") kr::save_png(r.to, kr::load_png<Rank>(r.from));
      else kr::save_png(r.to, kr::load_npy<T, Rank>(r.from));
    }
  } else {
    throw std::runtime_error("no such format");
  }
}

template <class T>
void with_rank(const request& r) {
  if (r.rank == "1") one<T, 1>(r);
  else if (r.rank == "2") one<T, 2>(r);
  else one<T, 3>(r);
}

void run(const request& r) {
  if (r.type == "bool") with_rank<bool>(r);
  else if (r.type == "int8") with_rank<std::int8_t>(r);
  else if (r.type == "int16") with_rank<std::int16_t>(r);
  else if (r.type == "int32") with_rank<std::int32_t>(r);
  else if (r.type == "int64") with_rank<std::int64_t>(r);
  else if (r.type == "uint8") with_rank<std::uint8_t>(r);
  else if (r.type == "uint16") with_rank<std::uint16_t>(r);
  else if (r.type == "uint32") with_rank<std::uint32_t>(r);
  else if (r.type == "uint64") with_rank<std::uint64_t>(r);
  else if (r.type == "float16") with_rank<kr::f16>(r);
  else if (r.type == "float32") with_rank<float>(r);
  else if (r.type == "float64") with_rank<double>(r);
  else if (r.type == "complex64") with_rank<std::complex<float>>(r);
  else if (r.type == "complex128") with_rank<std::complex<double>>(r);
  else if (r.type == "struct") with_rank<pair_of_floats>(r);
  else throw std::runtime_error("no such type");
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    request r;
    for (std::string* word : {&r.format, &r.type, &r.rank, &r.from, &r.to, &r.name})
      std::getline(words, *word, '\t');
    try {
      run(r);
      std::puts("ok");
    } catch (const std::exception& e) {
      std::puts(krait::test::without_place(e.what()).c_str());
    }
    std::fflush(stdout);
  }
}
