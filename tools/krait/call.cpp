// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "call.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <new>

#include <fmt/core.h>

#include "files/npy.h"
#include "support/product.h"

namespace tool {
namespace {

using krait::detail::argument;
using krait::detail::parameter_type;
using krait::detail::scalar;

bool is_whole(const std::string& text, const char* end) {
  return !text.empty() && end == text.data() + text.size();
}

/// NumPy's name of the type; bfloat16 and floats of 8 bits, which it lacks, are their bits.
std::string numpy_type(const parameter_type& p) {
  if (p.type == scalar::none) return fmt::format("|V{}", p.elem_bytes);
  const std::string name = krait::detail::name_of(p.type);
  const std::size_t bytes = krait::detail::size_of(p.type);
  const char kind = name == "bool"                                     ? 'b'
                    : name.starts_with("bf") || name.starts_with("f8") ? 'u'
                                                                       : name[0];
  return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes);
}

std::vector<std::int64_t> extents(const std::string& list, const std::string& where) {
  std::vector<std::int64_t> all;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string word = list.substr(at, end - at);
    std::int64_t n = 0;
    const auto [stop, wrong] = std::from_chars(word.data(), word.data() + word.size(), n);
    if (wrong != std::errc() || !is_whole(word, stop) || n < 0)
      refuse(fmt::format("{}: \"{}\" is not a list of whole numbers from 0, such as 64,32", where,
                         list));
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
  if (bad != std::errc() || !is_whole(text, end) || x > mask)
    wrong(fmt::format("a whole number from 0 to {}", mask));
  return x;
}

/// "zeros:64,32", or a file.
Array array_for(const std::string& text, const parameter_type& p, unsigned number) {
  constexpr std::string_view zeros = "zeros:";
  Array a;
  if (text.starts_with(zeros)) {
    a.type = numpy_type(p), a.shape = extents(text.substr(zeros.size()), text);
    a.bytes.resize(krait::files::count_of(a.shape, p.elem_bytes, text) * p.elem_bytes);
  } else {
    a = read_npy(text);
  }
  if (a.type != numpy_type(p) || a.shape.size() != p.rank)
    refuse(fmt::format("{} has {} dimension{} of type {}, but is given for {}", text,
                       a.shape.size(), a.shape.size() == 1 ? "" : "s", a.type,
                       describe(p, number)));
  return a;
}

krait::dims dims_of(const std::string& list, const char* option) {
  std::vector<std::int64_t> all = extents(list, option);
  if (all.size() > 3) refuse(fmt::format("{} {}: expected one to three numbers", option, list));
  all.resize(3, 1);
  return {all[0], all[1], all[2]};
}

/// What was asked for; else a thread per element of the first array that is written.
krait::detail::call_config launch_of(const std::string& command, const CallOptions& o,
                                     const krait::detail::text_kernel* kernel,
                                     std::int64_t elements) {
  krait::detail::call_config c;
  const krait::dims fixed = krait::detail::fixed_block_of(kernel);
  if (!o.grid.empty() && o.count >= 0)
    refuse(command +
           ": --grid and --count are two ways to say how many threads run: give one of them");
  if (o.count < -1)
    refuse(fmt::format("{}: --count {}: expected a number of threads from 0", command, o.count));
  if (!o.block.empty() && o.grid.empty()) refuse(command + ": --block needs --grid");
  if (!o.grid.empty()) {
    c.grid = dims_of(o.grid, "--grid");
    if (!o.block.empty()) c.block = dims_of(o.block, "--block");
    else if (fixed.x) c.block = fixed;
    else refuse(command + ": --grid needs --block: the kernel's text does not fix one");
    if (fixed.x && (c.block.x != fixed.x || c.block.y != fixed.y || c.block.z != fixed.z))
      refuse(fmt::format("{}: --block {}: the kernel's text fixes blocks of {} x {} x {}", command,
                         o.block, fixed.x, fixed.y, fixed.z));
    return c;
  }
  const std::int64_t count = o.count >= 0 ? o.count : elements;
  if (count < 0)
    refuse(command +
           ": the kernel writes no array that says how many threads to run: "
           "give --count or --grid and --block");
  if (fixed.x) {
    c.block = fixed;
    const std::int64_t threads = krait::support::clipped_product(fixed.x, fixed.y, fixed.z);
    c.grid = {count / threads + (count % threads != 0), 1, 1};
    return c;
  }
  c.form = krait::detail::call_config::threads, c.count = count;
  return c;
}

}  // namespace

std::string describe(const parameter_type& p, unsigned number) {
  if (p.rank == 0)
    return fmt::format("parameter {}, a {}", number,
                       p.type == scalar::none ? "struct" : krait::detail::name_of(p.type));
  return fmt::format("parameter {}, an array of {} dimension{} of type {}", number,
                     unsigned(p.rank), p.rank == 1 ? "" : "s", numpy_type(p));
}

Call read_call(const std::string& command, const std::string& text, const CallOptions& o,
               bool checked) {
  const std::string name = name_of_file(o.file);
  Call call;
  call.kernel.reset(
      krait::detail::make_text_kernel(text.data(), text.size(), name.c_str(), checked));
  const krait::detail::signature& as = call.signature();
  if (o.arguments.size() != as.count) {
    std::string list;
    for (unsigned i = 0; i < as.count; ++i) list += "\n  " + describe(as.parameters[i], i + 1);
    refuse(fmt::format("{} {}: {} argument{} given, the kernel takes {}:{}", command, name,
                       o.arguments.size(), o.arguments.size() == 1 ? " is" : "s are", as.count,
                       list));
  }
  call.arguments.resize(as.count), call.arrays.resize(as.count);
  std::int64_t elements = -1;
  for (unsigned i = 0; i < as.count; ++i) {
    const parameter_type& p = as.parameters[i];
    argument& a = call.arguments[i];
    if (p.rank == 0) {
      if (p.type == scalar::none)
        refuse(fmt::format("{}: structs by value cannot be given here: pass them as an array",
                           describe(p, i + 1)));
      a.bits = scalar_bits(o.arguments[i], p, i + 1);
      continue;
    }
    Array& array = call.arrays[i];
    try {
      array = array_for(o.arguments[i], p, i + 1);
    } catch (const std::bad_alloc&) {
      refuse(fmt::format("{}: there is no memory for the array", o.arguments[i]));
    }
    a.kind = argument::host, a.rank = p.rank, a.data = array.bytes.data(), a.offset = 0;
    std::int64_t stride = 1;
    for (unsigned d = p.rank; d-- > 0;) {
      a.extents[d] = array.shape[d], a.strides[d] = stride;
      stride = krait::support::clipped_product(stride, a.extents[d]);
    }
    if (elements < 0 && krait::detail::writes_parameter(call.kernel.get(), i)) elements = stride;
  }
  call.config = launch_of(command, o, call.kernel.get(), elements);
  return call;
}

}  // namespace tool
