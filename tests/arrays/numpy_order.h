// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "arrays/case_reader.h"

namespace krait::test {

/// What is read, computed: results of any type as doubles, which hold them.
template <class T>
Any<double> run_order(std::istream& in);
template <class T>
Any<double> run_choice(std::istream& in);
template <class T>
Any<double> run_pick(std::istream& in);
Any<double> run_linear(std::istream& in);
Any<double> run_stacks(std::istream& in);
Any<double> run_sparse(std::istream& in);
Any<double> run_convolve(std::istream& in);

template <class Elem, int Rank>
Any<double> as_doubles(const kr::array<Elem, Rank>& a) {
  const auto h = a.to_host();
  std::vector<double> wide(h.size());
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = double(h.data()[i]);
  kr::array<double, Rank> out(a.extents(), kr::device::cpu());
  out.copy_from(wide);
  return out;
}

/// Numbers as they are printed, NaN and infinities too.
template <class T>
std::vector<T> read_elements(std::istream& in, std::size_t count) {
  std::vector<T> h(count);
  for (T& x : h) {
    std::string word;
    in >> word;
    x = T(std::stod(word));
  }
  return h;
}
/// One dimension, its length first.
template <class T>
kr::array<T> read_some(std::istream& in) {
  std::size_t count = 0;
  in >> count;
  return kr::to_device(read_elements<T>(in, count));
}
/// Extents, elements and views.
template <class T>
Any<T> read_given(std::istream& in) {
  const auto extents = read_list(in);
  std::int64_t size = 1;
  for (const std::int64_t e : extents) size *= e;
  const kr::array<T> flat = kr::to_device(read_elements<T>(in, std::size_t(size)));
  return read_views<T>(in, as_any<T>(detail::view_at(
                               detail::dense(extents.data(), int(extents.size()), false), flat)));
}

}  // namespace krait::test
