// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The examples of Numba's page on universal functions (numba.readthedocs.io, "Creating NumPy universal functions"), with the results that it
// prints: vectorize, reduce, accumulate, guvectorize, and functions that are compiled for the types they are called with.
#include <cstdint>
#include <cstdio>
#include <string>

#include <krait/algorithm/methods.h>
#include <krait/guvectorize.h>
#include <krait/krait.h>
namespace kr = krait;

namespace {

int failures = 0;

/// Prints an array as NumPy does; it is compared with what Numba's page has.
template <class Array>
void show(const char* what, const Array& a, const std::string& published) {
  const std::string text(kr::to_string(a));
  std::printf("%s\n%s\n", what, text.c_str());
  if (text != published) std::printf("expected\n%s\n", published.c_str()), ++failures;
}

}  // namespace

int main() try {
  using integer = std::int64_t;
  // Compiled at once for doubles; arguments of other types are converted.
  auto f = kr::vectorize<double(double, double)>([](auto x, auto y) { return x + y; });
  const auto six = kr::arange<integer>(0, 6);
  const kr::array<double> doubles = six * 1.0;
  show("f(a, a)", f(doubles, doubles), "[ 0.  2.  4.  6.  8. 10.]");
  const auto steps = kr::linspace(0, 1, 6);
  show("f(a, a)", f(steps, steps), "[0.  0.4 0.8 1.2 1.6 2. ]");

  const auto add = kr::vectorize([](auto x, auto y) { return x + y; });
  const auto a = kr::arange<integer>(0, 12).reshape(3, 4);
  show("f.reduce(a, axis=0)", add.reduce(a, kr::axis(0)), "[12 15 18 21]");
  show("f.reduce(a, axis=1)", add.reduce(a, kr::axis(1)), "[ 6 22 38]");
  show("f.accumulate(a)", add.accumulate(a), "[[ 0  1  2  3]\n [ 4  6  8 10]\n [12 15 18 21]]");
  show("f.accumulate(a, axis=1)", add.accumulate(a, 1), "[[ 0  1  3  6]\n [ 4  9 15 22]\n [ 8 17 27 38]]");

  // A function of rows and numbers: dimensions before those of the layout broadcast.
  const auto g = kr::guvectorize<"(n),()->(n)">([](auto x, auto y, auto res) {
    for (auto i : kr::range(integer(0), x.size())) res[i] = x[i] + y;
  });
  const auto five = kr::arange<integer>(0, 5);
  const auto rows = six.reshape(2, 3);
  show("g(a, 2)", g(five, integer(2)), "[2 3 4 5 6]");
  show("g(a, 10)", g(rows, integer(10)), "[[10 11 12]\n [13 14 15]]");
  const kr::array<integer> tens = kr::arange<integer>(1, 3) * integer(10);
  show("g(a, [10, 20])", g(rows, tens), "[[10 11 12]\n [23 24 25]]");
  const auto sum = kr::guvectorize<"(n),()->()">([](auto x, auto y, auto res) {
    kr::var<integer> acc = integer(0);
    for (auto i : kr::range(integer(0), x.size())) acc += x[i] + y;
    res() = acc;
  });
  show("g(a, [10, 20])", sum(rows, tens), "[33 72]");

  // Compiled for the types of its calls. Numba converts the arguments of later calls to types that it has; here each pair of types has its own.
  auto product = kr::vectorize([](auto x, auto y) { return x * y; });
  std::printf("types before: \"%s\"\n", product.types().c_str());
  std::printf("%ld %.1f\n", long(product(integer(3), integer(4))), product(1.0, 2.0));
  const auto both = product(kr::arange<integer>(0, 3), kr::linspace(0, 1, 3));
  show("f(a, b)", both, "[0.  0.5 2. ]");
  std::printf("types after:\n%s", product.types().c_str());
  const std::string types = product.types().c_str();
  for (const char* each : {"i64, i64 -> i64", "f64, f64 -> f64", "i64, f64 -> f64"})
    if (types.find(each) == std::string::npos) std::printf("expected %s\n", each), ++failures;
  return failures;
} catch (const kr::error& e) {
  std::fprintf(stderr, "%s\n", e.message());
  return 1;
}
