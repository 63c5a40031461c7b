// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   cases.py SEED COUNT | numpy_cases
// Does what each line says and compares with what NumPy made of it.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>

#include <krait/algorithm/methods.h>
#include <krait/guvectorize.h>

#include "arrays/case_reader.h"
#include "arrays/numpy_einsum.h"
#include "arrays/numpy_fft.h"
#include "arrays/numpy_order.h"

namespace {

using krait::test::Any;

std::string shape_text(const std::vector<std::int64_t>& extents) {
  std::string s;
  for (const std::int64_t e : extents) s += " " + std::to_string(e);
  return s;
}

bool close(double got, double wanted, double tolerance) {
  if (std::isnan(wanted)) return std::isnan(got);
  return got == wanted || std::abs(got - wanted) <= tolerance * std::max(1.0, std::abs(wanted));
}

/// The first difference to what is written after the `=`, or empty. Relative tolerance; 0: equal.
template <class Array>
std::string difference(std::istream& in, const Array& got, double tolerance = 0) {
  const auto extents = krait::test::read_list(in);
  std::vector<std::int64_t> own;
  for (int d = 0; d < Array::rank; ++d) own.push_back(got.extent(d));
  if (own != extents) return "the shape is" + shape_text(own) + ", NumPy's" + shape_text(extents);
  const auto host = got.to_host();
  for (std::size_t i = 0; i < host.size(); ++i) {
    std::string word;
    in >> word;
    if constexpr (std::is_integral_v<typename Array::value_type> &&
                  !std::is_same_v<typename Array::value_type, bool>) {
      if (tolerance == 0 && std::to_string(host[i]) != word)
        return "element " + std::to_string(i) + " is " + std::to_string(host[i]) + ", NumPy's " +
               word;
    }
    if (!close(double(host[i]), std::stod(word), tolerance))
      return "element " + std::to_string(i) + " is " + std::to_string(double(host[i])) +
             ", NumPy's " + word;
  }
  return {};
}

/// Skips the `=`.
std::istream& result(std::istream& in) {
  std::string word;
  in >> word;
  return in;
}

template <class T>
std::string run_view(std::istream& in) {
  const Any<T> base = krait::test::read_base<T>(in), view = krait::test::read_views<T>(in, base);
  return std::visit([&](const auto& v) { return difference(result(in), v); }, view);
}

template <class T>
std::string run_add(std::istream& in) {
  const Any<T> x = krait::test::read_base<T>(in), v = krait::test::read_views<T>(in, x);
  std::string type, word;
  in >> type;
  const Any<T> y = krait::test::read_base<T>(in), w = krait::test::read_views<T>(in, y);
  return std::visit(
      [&](const auto& a, const auto& b) -> std::string {
        result(in);
        const bool fails = (in >> std::ws).peek() == 'e';
        try {
          const kr::array<T, std::max(std::remove_cvref_t<decltype(a)>::rank,
                                      std::remove_cvref_t<decltype(b)>::rank)>
              sum = a + b;
          return fails ? "NumPy refuses these shapes" : difference(in, sum);
        } catch (const kr::error& e) {
          return fails && std::string(e.message()).find("do not broadcast") != std::string::npos
                     ? ""
                     : e.message();
        }
      },
      v, w);
}

template <class T, bool Increase>
std::string run_assign(std::istream& in) {
  Any<T> base = krait::test::read_base<T>(in), to = krait::test::read_views<T>(in, base);
  const Any<T> from = krait::test::read_views<T>(in, base);
  std::visit(
      [&](auto& t, const auto& f) {
        if constexpr (std::remove_cvref_t<decltype(f)>::rank <=
                      std::remove_cvref_t<decltype(t)>::rank) {
          if constexpr (Increase) t += f;
          else t() = f;
        } else {
          throw std::runtime_error("the source has more dimensions");
        }
      },
      to, from);
  return std::visit([&](const auto& b) { return difference(result(in), b); }, base);
}

/// What `reduce`, a function of an array and options, makes of the case's options.
template <class Array, class Reduce>
std::string reduced(std::istream& in, const Array& x, double tolerance, const Reduce& reduce) {
  int keeps = 0;
  in >> keeps;
  const auto axes = krait::test::read_list(in);
  result(in);
  const bool fails = (in >> std::ws).peek() == 'e';
  const auto compare = [&](const auto&... options) -> std::string {
    auto got = reduce(x, options...);
    if (fails) return "NumPy refuses this";
    if constexpr (std::is_arithmetic_v<decltype(got)>) {
      kr::array<decltype(got)> one(1);
      one.fill(got);
      return difference(in, one, tolerance);
    } else {
      return difference(in, got, tolerance);
    }
  };
  try {
    if (axes.empty()) return compare();
    if (axes.size() == 1)
      return keeps ? compare(kr::axis(axes[0]), kr::keepdims) : compare(kr::axis(axes[0]));
    if constexpr (Array::rank >= 2) return compare(kr::axis(axes[0], axes[1]));
    return "too many axes";
  } catch (const kr::error& e) {
    return fails ? "" : e.message();
  }
}
template <class T>
std::string run_reduce(std::istream& in) {
  const Any<T> base = krait::test::read_base<T>(in), view = krait::test::read_views<T>(in, base);
  std::string name;
  int masked = 0;
  in >> name >> masked;
  constexpr double exact = 0, rounded = 2e-7;
  return std::visit(
      [&](const auto& v) -> std::string {
        if (name == "sum" && !masked)
          return reduced(in, v, rounded,
                         [](const auto& x, const auto&... o) { return kr::sum(x, o...); });
        if (name == "max")
          return reduced(in, v, exact,
                         [](const auto& x, const auto&... o) { return kr::max(x, o...); });
        if (name == "argmin")
          return reduced(in, v, exact,
                         [](const auto& x, const auto&... o) { return kr::argmin(x, o...); });
        if (name == "all")
          return reduced(in, v, exact,
                         [](const auto& x, const auto&... o) { return kr::all(x, o...); });
        if constexpr (std::is_same_v<T, float>) {
          const auto some = kr::where(kr::fmod(v, 3.0f) == 1);
          const auto ddof = kr::ddof(1);
          if (name == "sum")
            return reduced(in, v, rounded,
                           [&](const auto& x, const auto&... o) { return kr::sum(x, o..., some); });
          if (name == "mean" && masked)
            return reduced(in, v, rounded, [&](const auto& x, const auto&... o) {
              return kr::mean(x, o..., some);
            });
          if (name == "var" && masked)
            return reduced(in, v, rounded, [&](const auto& x, const auto&... o) {
              return kr::variance(x, o..., some, ddof);
            });
          if (name == "var")
            return reduced(in, v, rounded, [&](const auto& x, const auto&... o) {
              return kr::variance(x, o..., ddof);
            });
          if (name == "std")
            return reduced(in, v, rounded, [&](const auto& x, const auto&... o) {
              return kr::stddev(x, o..., ddof);
            });
          if (name == "mean")
            return reduced(in, v, rounded,
                           [](const auto& x, const auto&... o) { return kr::mean(x, o...); });
        }
        return "no reduction is called " + name;
      },
      view);
}

std::string run_method(std::istream& in) {
  static const auto add = kr::vectorize([](auto x, auto y) { return x + y; });
  static const auto subtract = kr::vectorize([](auto x, auto y) { return x - y; });
  const Any<int> base = krait::test::read_base<int>(in),
                 view = krait::test::read_views<int>(in, base);
  std::string function, method;
  int axis = 0;
  in >> function >> method >> axis;
  result(in);
  const bool fails = (in >> std::ws).peek() == 'e';
  const auto call = [&](const auto& f, const auto& v) -> std::string {
    try {
      if (method == "accumulate") return difference(in, f.accumulate(v, axis));
      auto got = f.reduce(v, kr::axis(axis), kr::keepdims);
      if constexpr (std::remove_cvref_t<decltype(v)>::rank == 1) return difference(in, got);
      else return difference(in, got.squeeze(axis));
    } catch (const kr::error& e) {
      return fails ? "" : e.message();
    }
  };
  return std::visit(
      [&](const auto& v) { return function == "add" ? call(add, v) : call(subtract, v); }, view);
}

std::string run_product(std::istream& in) {
  static const auto product = kr::guvectorize<"(m,n),(n,p)->(m,p)">([](auto a, auto b, auto c) {
    for (auto i : kr::range(a.extent(0)))
      for (auto j : kr::range(b.extent(1))) {
        kr::var<int> sum;
        for (auto k : kr::range(a.extent(1))) sum += a(i, k) * b(k, j);
        c(i, j) = sum;
      }
  });
  const Any<int> x = krait::test::read_base<int>(in), v = krait::test::read_views<int>(in, x);
  std::string type;
  in >> type;
  const Any<int> y = krait::test::read_base<int>(in), w = krait::test::read_views<int>(in, y);
  return std::visit(
      [&](const auto& a, const auto& b) -> std::string {
        constexpr int left = std::remove_cvref_t<decltype(a)>::rank,
                      right = std::remove_cvref_t<decltype(b)>::rank;
        if constexpr (left < 2 || right < 2 || left > 4 || right > 4) {
          return "matrices have 2 to 4 dimensions here";
        } else {
          const bool fails = (result(in) >> std::ws).peek() == 'e';
          try {
            const auto z = product(a, b);
            return fails ? "NumPy refuses these shapes" : difference(in, z);
          } catch (const kr::error& e) {
            return fails ? "" : e.message();
          }
        }
      },
      v, w);
}

/// `form` says which: subscripts, or ranks.
std::string run_products(std::istream& in,
                         Any<int> (*run)(const std::string& form, std::istream& in)) {
  std::string form;
  in >> form;
  try {
    const Any<int> got = run(form, in);
    return std::visit([&](const auto& a) { return difference(result(in), a); }, got);
  } catch (const kr::error& e) {
    return (result(in) >> std::ws).peek() == 'e' ? "" : e.message();
  }
}

/// Numbers of the case's type.
template <class T>
T read_number(std::istream& in) {
  double x = 0;
  in >> x;
  return T(x);
}
template <class T>
std::string run_arange(std::istream& in) {
  using Number = std::conditional_t<std::is_floating_point_v<T>, double, T>;
  const auto first = read_number<Number>(in), last = read_number<Number>(in),
             step = read_number<Number>(in);
  return difference(result(in), kr::arange<T>(first, last, step));
}
template <class T>
std::string run_linspace(std::istream& in) {
  const auto first = read_number<double>(in), last = read_number<double>(in);
  const auto count = read_number<int>(in), end = read_number<int>(in);
  return difference(result(in), kr::linspace<T>(first, last, count, end != 0));
}

/// Compares what is printed by the line's options, where `\\n` stands for an end of line.
template <class Array>
std::string printed(std::istream& in, const Array& a) {
  kr::print_options how;
  in >> how.precision >> how.threshold >> how.edge_items >> how.line_width >> how.suppress;
  std::string wanted, got = kr::to_string(a, how);
  std::getline(result(in) >> std::ws, wanted);
  for (std::size_t at = 0; (at = got.find('\n', at)) != std::string::npos;)
    got.replace(at, 1, "\\n");
  return got == wanted ? "" : "is printed as\n  " + got;
}
template <class T>
std::string run_print(std::istream& in) {
  const Any<T> base = krait::test::read_base<T>(in), view = krait::test::read_views<T>(in, base);
  return std::visit([&](const auto& v) { return printed(in, v); }, view);
}
/// An array of given elements, each of which is one number or two.
template <class T, class Number = T>
std::string run_text(std::istream& in) {
  const auto extents = krait::test::read_list(in);
  std::int64_t size = 1;
  for (const std::int64_t e : extents) size *= e;
  kr::host_array<T> h{std::size_t(size)};
  for (std::size_t i = 0; i < h.size() * (sizeof(T) / sizeof(Number)); ++i) {
    std::string word;
    in >> word;
    Number x;
    if constexpr (std::is_same_v<T, std::int64_t>) x = std::stoll(word);
    else x = Number(std::stod(word));
    std::memcpy(reinterpret_cast<std::byte*>(h.data()) + i * sizeof x, &x, sizeof x);
  }
  const kr::array<T> flat = kr::to_device(h);
  const Any<T> a = krait::test::as_any<T>(krait::detail::view_at(
      krait::detail::dense(extents.data(), int(extents.size()), false), flat));
  return std::visit([&](const auto& v) { return printed(in, v); }, a);
}

std::string run_transform(bool single, std::istream& in) {
  try {
    const Any<double> got = single ? krait::test::run_fft_f32(in) : krait::test::run_fft_f64(in);
    return std::visit(
        [&](const auto& a) { return difference(result(in), a, single ? 1e-6 : 3e-15); }, got);
  } catch (const kr::error& e) {
    return (result(in) >> std::ws).peek() == 'e' ? "" : e.message();
  }
}

std::string run_given(std::istream& in, double tolerance, Any<double> (*run)(std::istream& in)) {
  try {
    const Any<double> got = run(in);
    const bool fails = (result(in) >> std::ws).peek() == 'e';
    return fails ? "NumPy refuses this"
                 : std::visit([&](const auto& a) { return difference(in, a, tolerance); }, got);
  } catch (const kr::error& e) {
    for (std::string word; in >> word && word != "=";) {
    }
    return (in >> std::ws).peek() == 'e' ? "" : e.message();
  }
}

template <class T>
std::string run(const std::string& what, std::istream& in) {
  // Of a type of each kind.
  if constexpr (!std::is_same_v<T, int>)
    if (what == "order") return run_given(in, 0, krait::test::run_order<T>);
  if constexpr (std::is_same_v<T, int> || std::is_same_v<T, float>)
    if (what == "choice") return run_given(in, 0, krait::test::run_choice<T>);
  if constexpr (std::is_same_v<T, int> || std::is_same_v<T, double>)
    if (what == "pick") return run_given(in, 0, krait::test::run_pick<T>);
  if constexpr (std::is_same_v<T, double>) {
    if (what == "linear") return run_given(in, 1e-11, krait::test::run_linear);
    if (what == "stacks") return run_given(in, 1e-11, krait::test::run_stacks);
    if (what == "sparse") return run_given(in, 0, krait::test::run_sparse);
    if (what == "convolve") return run_given(in, 0, krait::test::run_convolve);
  }
  if constexpr (std::is_floating_point_v<T>)
    if (what == "fft") return run_transform(sizeof(T) == 4, in);
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, int>)
    if (what == "reduce") return run_reduce<T>(in);
  if constexpr (std::is_same_v<T, int>) {
    if (what == "method") return run_method(in);
    if (what == "product") return run_product(in);
    if (what == "einsum") return run_products(in, krait::test::run_einsum);
    if (what == "matmul") return run_products(in, krait::test::run_matmul);
    if (what == "dot") return run_products(in, krait::test::run_dot);
  }
  if (what == "view") return run_view<T>(in);
  // A kernel for each pair of ranks compiles long: of three sizes of elements, and of two.
  if constexpr (sizeof(T) == 1 || std::is_same_v<T, int> || std::is_same_v<T, double>)
    if (what == "add") return run_add<T>(in);
  if constexpr (sizeof(T) == 1 || std::is_same_v<T, double>) {
    if (what == "assign") return run_assign<T, false>(in);
    if (what == "increase") return run_assign<T, true>(in);
  }
  if (what == "text") return run_text<T>(in);
  if (what == "print") return run_print<T>(in);
  if (what == "arange") return run_arange<T>(in);
  if (what == "linspace") return run_linspace<T>(in);
  return "no operation is called " + what;
}

std::string run_line(const std::string& line) {
  std::istringstream in(line);
  std::string what, type;
  in >> what >> type;
  try {
    if (type == "i32") return run<std::int32_t>(what, in);
    if (type == "f32") return run<float>(what, in);
    if (type == "f64") return run<double>(what, in);
    if (type == "u8") return run<unsigned char>(what, in);
    if (type == "i64") return run<std::int64_t>(what, in);
    if (what == "text" && type == "f16") return run_text<kr::f16>(in);
    if (what == "text" && type == "bool") return run_text<bool>(in);
    if (what == "text" && type == "c64") return run_text<std::complex<float>, float>(in);
    if (what == "text" && type == "c128") return run_text<std::complex<double>, double>(in);
    return "no type is called " + type;
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace

int main() {
  int cases = 0, wrong = 0;
  for (std::string line; std::getline(std::cin, line); ++cases) {
    const std::string why = run_line(line);
    if (why.empty()) continue;
    if (++wrong <= 10) std::printf("%s\n  %s\n", line.substr(0, 400).c_str(), why.c_str());
  }
  std::printf("%d cases, %d wrong\n", cases, wrong);
  return wrong > 0 || cases == 0;
}
