// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of the functions of complex numbers in kernels, as the table of docs/numbers.md.
//   krait_complex_functions [--device NAME] [--mode strict|reproducible|native] [--count N] [--function NAME]
#include <krait/complex.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "complex_reference.h"

namespace krait::accuracy {
namespace {

template <class Float, class Lambda>
ComplexWorst<Float> measure(const ComplexReference& f, krait::device on, krait::fp mode,
                            unsigned count, const Lambda& lambda) {
  using complex = std::complex<Float>;
  const ComplexArguments<Float> at = complex_arguments<Float>(f, count);
  auto function = krait::vectorize(lambda, {.name = f.name, .fp = mode});
  const krait::array<complex> z = krait::to_device(at.z, on), w = krait::to_device(at.w, on);
  const krait::array<complex> got_there = function(z, w);
  const std::vector<complex> got = got_there.to_host();
  ComplexWorst<Float> worst;
  for (std::size_t i = 0; i < got.size(); ++i)
    worst.note(complex_error(f, at.z[i], at.w[i], got[i]), at.z[i], at.w[i]);
  return worst;
}
template <class Float>
std::string place(std::complex<Float> z) {
  char text[100];
  std::snprintf(text, sizeof text, "(%a, %a)", double(z.real()), double(z.imag()));
  return text;
}
std::string_view only;  // the function that is asked for, or all

template <class Lambda>
void row(const char* name, krait::device on, krait::fp mode, unsigned count, const Lambda& lambda) {
  for (const ComplexReference& f : complex_references()) {
    if (std::string_view(f.name) != name || (!only.empty() && only != name)) continue;
    const auto singles = measure<float>(f, on, mode, count, lambda);
    const auto doubles = measure<double>(f, on, mode, count, lambda);
    const std::string powers = f.arity == 2 ? ", " + place(doubles.w) : "";
    const auto of_part = [&](const ComplexError& e) {
      char text[40];
      std::snprintf(text, sizeof text, "%.3f", e.part);
      return f.part > 0 ? std::string(text) : std::string("–");
    };
    const std::string part = f.part > 0 ? std::to_string(int(f.part)) : "–";
    std::printf("| %s | %g | %s | %.3f | %s | %.3f | %s | %s%s |\n", name, f.bound, part.c_str(),
                singles.error.whole, of_part(singles.error).c_str(), doubles.error.whole,
                of_part(doubles.error).c_str(), place(doubles.z).c_str(), powers.c_str());
    std::fflush(stdout);
  }
}

int run(int count, char** arguments) {
  krait::device on = krait::device::find("cpu");
  krait::fp mode = krait::fp::strict;
  unsigned number = 1'000'000;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view word = arguments[i], what = arguments[i + 1];
    if (word == "--device") on = krait::device::find(arguments[i + 1]);
    if (word == "--mode")
      mode = what == "native"         ? krait::fp::native
             : what == "reproducible" ? krait::fp::reproducible
                                      : krait::fp::strict;
    if (word == "--function") only = what;
    if (word == "--count") number = unsigned(std::atoi(arguments[i + 1]));
  }
  std::printf(
      "| function | bound | of a part | c64 measured | its parts | c128 measured | its parts | at "
      "|\n|---|---|---|---|---|---|---|---|\n");
  row("multiply", on, mode, number, [](auto z, auto w) { return z * w; });
  row("divide", on, mode, number, [](auto z, auto w) { return z / w; });
  row("divide_within", on, mode, number, [](auto z, auto w) { return z / w; });
  const auto as_complex = [](const auto& x) {
    return krait::value<
        std::complex<krait::detail::storage_type_t<std::remove_cvref_t<decltype(x)>>>>(
        x, krait::detail::storage_type_t<std::remove_cvref_t<decltype(x)>>());
  };
  row("abs", on, mode, number, [=](auto z, auto) { return as_complex(krait::abs(z)); });
  row("norm", on, mode, number, [=](auto z, auto) { return as_complex(krait::norm(z)); });
  row("arg", on, mode, number, [=](auto z, auto) { return as_complex(krait::arg(z)); });
  row("polar", on, mode, number, [](auto z, auto) { return krait::polar(z.real(), z.imag()); });
  row("exp", on, mode, number, [](auto z, auto) { return krait::exp(z); });
  row("log", on, mode, number, [](auto z, auto) { return krait::log(z); });
  row("sqrt", on, mode, number, [](auto z, auto) { return krait::sqrt(z); });
  row("pow", on, mode, number, [](auto z, auto w) { return krait::pow(z, w); });
  return 0;
}

}  // namespace
}  // namespace krait::accuracy

int main(int count, char** arguments) {
  try {
    return krait::accuracy::run(count, arguments);
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "krait_complex_functions: %s\n", e.what()), 1;
  }
}
