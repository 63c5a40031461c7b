// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait run: a kernel in text form with arguments from the command line and from .npy files.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <new>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <krait/detail/text_kernel.h>
#include <krait/krait.h>

#include "commands.h"
#include "npy.h"
#include "support/product.h"

namespace tool {
namespace {

using krait::detail::argument;
using krait::detail::parameter_type;
using krait::detail::scalar;

struct Freed {
  void operator()(krait::detail::text_kernel* k) const { krait::detail::free_text_kernel(k); }
};

bool is_whole(const std::string& text, const char* end) { return !text.empty() && end == text.data() + text.size(); }

/// NumPy's name of the type; bfloat16 and floats of 8 bits, which it lacks, are their bits.
std::string numpy_type(const parameter_type& p) {
  if (p.type == scalar::none) return fmt::format("|V{}", p.elem_bytes);
  const std::string name = krait::detail::name_of(p.type);
  const std::size_t bytes = krait::detail::size_of(p.type);
  const char kind = name == "bool" ? 'b' : name.starts_with("bf") || name.starts_with("f8") ? 'u' : name[0];
  return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes);
}

std::string describe(const parameter_type& p, unsigned number) {
  if (p.rank == 0)
    return fmt::format("parameter {}, a {}", number, p.type == scalar::none ? "struct" : krait::detail::name_of(p.type));
  return fmt::format("parameter {}, an array of {} dimension{} of type {}", number, unsigned(p.rank), p.rank == 1 ? "" : "s",
                     numpy_type(p));
}

std::vector<std::int64_t> extents(const std::string& list, const std::string& where) {
  std::vector<std::int64_t> all;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string word = list.substr(at, end - at);
    std::int64_t n = 0;
    const auto [stop, wrong] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (wrong != std::errc() || !is_whole(word, stop) || n < 0)
      refuse(fmt::format("{}: \"{}\" is not a list of whole numbers from 0, such as 64,32", where, list));
    all.push_back(n);
    at = end + 1;
  }
  return all;
}

std::uint64_t scalar_bits(const std::string& text, const parameter_type& p, unsigned number) {
  const auto wrong = [&](const std::string& expected) {
    refuse(fmt::format("\"{}\" is given for {}: expected {}", text, describe(p, number), expected));
  };
  const std::string name = krait::detail::name_of(p.type);
  if (p.type == scalar::boolean) {
    if (text != "true" && text != "false" && text != "0" && text != "1") wrong("true or false");
    return text == "true" || text == "1";
  }
  if (name.starts_with('f') || name.starts_with('b')) {
    double x = 0;
    if (const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), x);
        bad != std::errc() || !is_whole(text, end))
      wrong("a number");
    if (p.type == scalar::f64) return std::bit_cast<std::uint64_t>(x);
    if (p.type == scalar::f32) return std::bit_cast<std::uint32_t>(float(x));
    if (p.type == scalar::f16) return std::bit_cast<std::uint16_t>(krait::f16(x));
    if (p.type == scalar::bf16) return std::bit_cast<std::uint16_t>(krait::bf16(x));
    if (p.type == scalar::f8e4m3) return std::bit_cast<std::uint8_t>(krait::f8e4m3(x));
    return std::bit_cast<std::uint8_t>(krait::f8e5m2(x));
  }
  const unsigned bits = unsigned(8 * krait::detail::size_of(p.type));
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << bits) - 1;
  if (name[0] == 'i') {
    std::int64_t x = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), x);
    const std::int64_t largest = std::int64_t(mask >> 1);
    if (bad != std::errc() || !is_whole(text, end) || x > largest || x < -largest - 1)
      wrong(fmt::format("a whole number from {} to {}", -largest - 1, largest));
    return std::uint64_t(x) & mask;
  }
  std::uint64_t x = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (bad != std::errc() || !is_whole(text, end) || x > mask) wrong(fmt::format("a whole number from 0 to {}", mask));
  return x;
}

/// "zeros:64,32", or a file.
Array array_for(const std::string& text, const parameter_type& p, unsigned number) {
  constexpr std::string_view zeros = "zeros:";
  Array a;
  if (text.starts_with(zeros)) {
    a.type = numpy_type(p), a.shape = extents(text.substr(zeros.size()), text);
    a.bytes.resize(count_of(a.shape, p.elem_bytes, text) * p.elem_bytes);
  } else {
    a = read_npy(text);
  }
  if (a.type != numpy_type(p) || a.shape.size() != p.rank)
    refuse(fmt::format("{} has {} dimension{} of type {}, but is given for {}", text, a.shape.size(),
                       a.shape.size() == 1 ? "" : "s", a.type, describe(p, number)));
  return a;
}

template <class T>
std::string numbers(const std::byte* bytes, std::size_t shown) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < shown; ++i) {
    T x;
    std::memcpy(&x, bytes + i * sizeof x, sizeof x);
    if constexpr (std::is_arithmetic_v<T>) all.push_back(fmt::format("{}", x));
    else all.push_back(fmt::format("{}", float(x)));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

void print_array(const Array& a, const parameter_type& p, unsigned number) {
  constexpr std::size_t most = 16;
  const std::size_t count = a.bytes.size() / p.elem_bytes, shown = std::min(count, most);
  std::string text = "(structs)";
  switch (p.type) {
#define KRAIT_SHOWN(name, Type) \
  case scalar::name: text = numbers<Type>(a.bytes.data(), shown); break;
    KRAIT_SHOWN(boolean, bool)
    KRAIT_SHOWN(i8, std::int8_t)
    KRAIT_SHOWN(i16, std::int16_t)
    KRAIT_SHOWN(i32, std::int32_t)
    KRAIT_SHOWN(i64, std::int64_t)
    KRAIT_SHOWN(u8, std::uint8_t)
    KRAIT_SHOWN(u16, std::uint16_t)
    KRAIT_SHOWN(u32, std::uint32_t)
    KRAIT_SHOWN(u64, std::uint64_t)
    KRAIT_SHOWN(f8e4m3, krait::f8e4m3)
    KRAIT_SHOWN(f8e5m2, krait::f8e5m2)
    KRAIT_SHOWN(f16, krait::f16)
    KRAIT_SHOWN(bf16, krait::bf16)
    KRAIT_SHOWN(f32, float)
    KRAIT_SHOWN(f64, double)
#undef KRAIT_SHOWN
    case scalar::none: break;
  }
  fmt::print("parameter {} [{}]: {}{}\n", number, fmt::join(a.shape, ","), text, shown < count ? ", …" : "");
}

krait::dims dims_of(const std::string& list, const char* option) {
  std::vector<std::int64_t> all = extents(list, option);
  if (all.size() > 3) refuse(fmt::format("{} {}: expected one to three numbers", option, list));
  all.resize(3, 1);
  return {all[0], all[1], all[2]};
}

/// What was asked for; else a thread per element of the first array that is written.
krait::detail::call_config launch_of(const RunOptions& o, const krait::detail::text_kernel* kernel, std::int64_t elements) {
  krait::detail::call_config c;
  const krait::dims fixed = krait::detail::fixed_block_of(kernel);
  if (!o.grid.empty() && o.count >= 0)
    refuse("krait run: --grid and --count are two ways to say how many threads run: give one of them");
  if (o.count < -1) refuse(fmt::format("krait run: --count {}: expected a number of threads from 0", o.count));
  if (!o.block.empty() && o.grid.empty()) refuse("krait run: --block needs --grid");
  if (!o.grid.empty()) {
    c.grid = dims_of(o.grid, "--grid");
    if (!o.block.empty()) c.block = dims_of(o.block, "--block");
    else if (fixed.x) c.block = fixed;
    else refuse("krait run: --grid needs --block: the kernel's text does not fix one");
    if (fixed.x && (c.block.x != fixed.x || c.block.y != fixed.y || c.block.z != fixed.z))
      refuse(fmt::format("krait run: --block {}: the kernel's text fixes blocks of {} x {} x {}", o.block, fixed.x, fixed.y,
                         fixed.z));
    return c;
  }
  const std::int64_t count = o.count >= 0 ? o.count : elements;
  if (count < 0)
    refuse("krait run: the kernel writes no array that says how many threads to run: give --count or --grid and --block");
  if (fixed.x) {
    c.block = fixed;
    const std::int64_t threads = krait::support::clipped_product(fixed.x, fixed.y, fixed.z);
    c.grid = {count / threads + (count % threads != 0), 1, 1};
    return c;
  }
  c.form = krait::detail::call_config::threads, c.count = count;
  return c;
}

/// By parameter, from 1.
std::map<unsigned, std::string> outputs_of(const RunOptions& o, const krait::detail::text_kernel* kernel) {
  std::map<unsigned, std::string> all;
  const krait::detail::signature& as = krait::detail::signature_of(kernel);
  for (const std::string& text : o.outputs) {
    unsigned number = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong != std::errc() || end == text.data() + text.size() || *end != '=' || end + 1 == text.data() + text.size())
      refuse(fmt::format("--out {}: expected the number of a parameter and a file, such as 3=result.npy", text));
    if (number < 1 || number > as.count || !krait::detail::writes_parameter(kernel, number - 1))
      refuse(fmt::format("--out {}: the kernel writes no parameter {}", text, number));
    if (const auto [at, fresh] = all.emplace(number, end + 1); !fresh)
      refuse(fmt::format("--out {}: parameter {} is written to {}: give one file for it", text, number, at->second));
  }
  return all;
}

}  // namespace

int run(const RunOptions& o) {
  const std::string text = read_file(o.file), name = name_of_file(o.file);
  const std::unique_ptr<krait::detail::text_kernel, Freed> kernel(
      krait::detail::make_text_kernel(text.data(), text.size(), name.c_str(), !o.unchecked));
  const krait::detail::signature& as = krait::detail::signature_of(kernel.get());
  if (o.arguments.size() != as.count) {
    std::string list;
    for (unsigned i = 0; i < as.count; ++i) list += "\n  " + describe(as.parameters[i], i + 1);
    refuse(fmt::format("krait run {}: {} argument{} given, the kernel takes {}:{}", name, o.arguments.size(),
                       o.arguments.size() == 1 ? " is" : "s are", as.count, list));
  }
  const std::map<unsigned, std::string> outputs = outputs_of(o, kernel.get());
  std::vector<argument> arguments(as.count);
  std::vector<Array> arrays(as.count);
  std::int64_t elements = -1;
  for (unsigned i = 0; i < as.count; ++i) {
    const parameter_type& p = as.parameters[i];
    argument& a = arguments[i];
    if (p.rank == 0) {
      if (p.type == scalar::none)
        refuse(fmt::format("{}: structs by value cannot be given here: pass them as an array", describe(p, i + 1)));
      a.bits = scalar_bits(o.arguments[i], p, i + 1);
      continue;
    }
    try {
      arrays[i] = array_for(o.arguments[i], p, i + 1);
    } catch (const std::bad_alloc&) {
      refuse(fmt::format("{}: there is no memory for the array", o.arguments[i]));
    }
    a.kind = argument::host, a.rank = p.rank, a.data = arrays[i].bytes.data(), a.offset = 0;
    std::int64_t stride = 1;
    for (unsigned d = p.rank; d-- > 0;) {
      a.extents[d] = arrays[i].shape[d], a.strides[d] = stride;
      stride = krait::support::clipped_product(stride, a.extents[d]);
    }
    if (elements < 0 && krait::detail::writes_parameter(kernel.get(), i)) elements = stride;
  }
  krait::detail::call_config config = launch_of(o, kernel.get(), elements);
  if (!o.device.empty()) config.device = krait::detail::handle_of(krait::device::find(o.device.c_str()));
  krait::detail::launch(kernel.get(), arguments.data(), config);
  krait::synchronize();
  for (unsigned i = 0; i < as.count; ++i) {
    if (as.parameters[i].rank == 0 || !krait::detail::writes_parameter(kernel.get(), i)) continue;
    if (const auto file = outputs.find(i + 1); file != outputs.end()) write_npy(file->second, arrays[i]);
    else print_array(arrays[i], as.parameters[i], i + 1);
  }
  return 0;
}

}  // namespace tool
