// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   ; random_kernels --mode strict --seed 4711
//   ; launch: grid 4 1 1 block 64 1 1 warp 32
//   ; scalar: 2a
//   ; view: 64
//   ;   0011223344…
//   kir 1
//   …
// The extents stand behind `view`, outermost first; lines of bytes in the order of memory follow.
#include "property/kernel_file.h"

#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "ir/text.h"
#include "support/error.h"

namespace krait::test {
namespace {

constexpr std::size_t bytes_per_line = 60;

[[noreturn]] void refuse(std::size_t line, std::string_view what) {
  support::fail_usage("line {} of a kernel's file: {}", line, what);
}

void read_bytes(std::string_view digits, std::vector<std::byte>& bytes, std::size_t line) {
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    unsigned byte = 0;
    const char* const begin = digits.data() + at;
    if (at + 2 > digits.size() || std::from_chars(begin, begin + 2, byte, 16).ptr != begin + 2)
      refuse(line, "expected two digits a byte");
    bytes.push_back(std::byte(byte));
  }
}

Argument read_view(std::istream& in, std::size_t line) {
  Argument a;
  for (std::int64_t extent = 0; in >> extent;) {
    if (a.rank == a.extents.size()) refuse(line, "a view has four dimensions at most");
    a.extents[a.rank++] = extent;
  }
  if (a.rank == 0) refuse(line, "expected the view's extents");
  return a;
}

ir::Launch read_launch(std::istream& in, std::size_t line) {
  ir::Launch launch;
  std::string grid, block, warp;
  in >> grid >> launch.grid[0] >> launch.grid[1] >> launch.grid[2] >> block >> launch.block[0] >> launch.block[1] >>
      launch.block[2];
  in >> warp >> launch.warp_size;
  if (!in || grid != "grid" || block != "block" || warp != "warp") refuse(line, "expected grid X Y Z block X Y Z warp LANES");
  return launch;
}

}  // namespace

std::string write_kernel(const RandomKernel& kernel, std::string_view origin) {
  const ir::Launch& l = kernel.launch;
  std::string out = fmt::format("; {}\n; launch: grid {} block {} warp {}\n", origin, fmt::join(l.grid, " "),
                                fmt::join(l.block, " "), l.warp_size);
  for (const Argument& a : kernel.arguments) {
    if (a.rank == 0) {
      out += fmt::format("; scalar: {:x}\n", a.bits);
      continue;
    }
    out += "; view:";
    for (unsigned d = 0; d < a.rank; ++d) out += fmt::format(" {}", a.extents[d]);
    for (std::size_t at = 0; at < a.bytes.size(); ++at)
      out += fmt::format("{}{:02x}", at % bytes_per_line ? "" : "\n;   ", unsigned(a.bytes[at]));
    out += '\n';
  }
  return out + ir::print(kernel.module);
}

RandomKernel read_kernel(std::string_view text) {
  RandomKernel k;
  bool launched = false;
  std::istringstream in{std::string(text)};
  std::size_t number = 0;
  for (std::string line; std::getline(in, line) && line.starts_with(';');) {
    ++number;
    std::istringstream words(line);
    std::string word;
    words >> word >> word;
    if (line.starts_with(";   ")) {
      if (k.arguments.empty() || k.arguments.back().rank == 0) refuse(number, "bytes behind no view");
      read_bytes(word, k.arguments.back().bytes, number);
    } else if (word == "launch:") {
      k.launch = read_launch(words, number), launched = true;
    } else if (word == "view:") {
      k.arguments.push_back(read_view(words, number));
    } else if (word == "scalar:") {
      words >> std::hex >> k.arguments.emplace_back().bits;
    }
  }
  if (!launched) refuse(number, "the launch is missing");
  ir::ParseResult parsed = ir::parse(text);
  if (!parsed.error.empty()) support::fail_usage("a kernel's file: {}", parsed.error);
  k.module = std::move(parsed.module);
  const std::size_t wanted = k.module.kernel().params().size();
  if (wanted != k.arguments.size()) refuse(number, fmt::format("{} arguments, the kernel takes {}", k.arguments.size(), wanted));
  for (std::size_t i = 0; i < wanted; ++i) {
    const ir::Type& t = k.module.kernel().type_of(k.module.kernel().params()[i]);
    const Argument& a = k.arguments[i];
    const std::int64_t elements = a.extents[0] * a.extents[1] * a.extents[2] * a.extents[3];
    if (t.is_array() != (a.rank > 0) || (a.rank > 0 && std::size_t(elements) * t.elem_bytes != a.bytes.size()))
      refuse(number, fmt::format("argument {} is not what the kernel takes", i));
  }
  return k;
}

}  // namespace krait::test
