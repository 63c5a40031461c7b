// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cases of clean.h on the default device, beside the unchecked CPU, which a process of its own
// runs. `--print` prints what they give.
#include "arrays/clean.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace krait::test::clean {

void Results::append_float(std::string& to, double x) {
  char text[40];
  std::snprintf(text, sizeof text, std::isnan(x) ? " nan" : " %.9g", x);
  to += text;
}

namespace {

std::vector<std::string> results() {
  Results all;
  reductions(all), rows(all), choices(all), matrices(all), transforms(all);
  return all.lines();
}

std::vector<std::string> unchecked(const char* program) {
  std::vector<std::string> lines;
  std::FILE* const child =
      popen(("KRAIT_DEVICE=cpu KRAIT_CHECK=0 '" + std::string(program) + "' --print").c_str(), "r");
  if (!child) return lines;
  std::string line;
  for (int c; (c = std::fgetc(child)) != EOF;) {
    if (c != '\n') line += char(c);
    else lines.push_back(line), line.clear();
  }
  pclose(child);
  return lines;
}

/// Numbers may differ by the order of sums.
bool alike(const std::string& x, const std::string& y) {
  std::istringstream a(x), b(y);
  for (std::string s, t;;) {
    const bool more = bool(a >> s);
    if (more != bool(b >> t)) return false;
    if (!more) return true;
    if (s == t) continue;
    char *end_of_s = nullptr, *end_of_t = nullptr;
    const double p = std::strtod(s.c_str(), &end_of_s), q = std::strtod(t.c_str(), &end_of_t);
    const bool numbers = !*end_of_s && !*end_of_t && std::isfinite(p) && std::isfinite(q);
    if (!numbers || std::fabs(p - q) > 1e-3 + 1e-4 * std::fabs(p)) return false;
  }
}

int compare(const char* program) {
  const std::vector<std::string> got = results(), wanted = unchecked(program);
  int wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i].find(": error: ") == std::string::npos && i < wanted.size() &&
        alike(got[i], wanted[i]))
      continue;
    if (++wrong <= 40)
      std::printf("got    %.600s\nwanted %.600s\n\n", got[i].c_str(),
                  i < wanted.size() ? wanted[i].c_str() : "nothing");
  }
  std::printf("%zu cases, %d wrong\n", got.size(), wrong);
  return wrong != 0 || got.size() != wanted.size() || got.empty();
}

}  // namespace
}  // namespace krait::test::clean

int main(int argc, char** argv) {
  using namespace krait::test::clean;
  if (argc > 1 && std::strcmp(argv[1], "--print") == 0) {
    for (const std::string& line : results()) std::puts(line.c_str());
    return 0;
  }
  return compare(argv[0]);
}
