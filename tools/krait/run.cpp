// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// krait run: a kernel in text form with arguments from the command line and from .npy files.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "call.h"

namespace tool {
namespace {

using krait::detail::parameter_type;
using krait::detail::scalar;

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
  fmt::print("parameter {} [{}]: {}{}\n", number, fmt::join(a.shape, ","), text,
             shown < count ? ", …" : "");
}

/// By parameter, from 1.
std::map<unsigned, std::string> outputs_of(const RunOptions& o,
                                           const krait::detail::text_kernel* kernel) {
  std::map<unsigned, std::string> all;
  const krait::detail::signature& as = krait::detail::signature_of(kernel);
  for (const std::string& text : o.outputs) {
    unsigned number = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong != std::errc() || end == text.data() + text.size() || *end != '=' ||
        end + 1 == text.data() + text.size())
      refuse(fmt::format(
          "--out {}: expected the number of a parameter and a file, such as 3=result.npy", text));
    if (number < 1 || number > as.count || !krait::detail::writes_parameter(kernel, number - 1))
      refuse(fmt::format("--out {}: the kernel writes no parameter {}", text, number));
    if (const auto [at, fresh] = all.emplace(number, end + 1); !fresh)
      refuse(fmt::format("--out {}: parameter {} is written to {}: give one file for it", text,
                         number, at->second));
  }
  return all;
}

}  // namespace

int run(const RunOptions& o) {
  Call call = read_call("krait run", read_file(o.call.file), o.call, !o.unchecked);
  const std::map<unsigned, std::string> outputs = outputs_of(o, call.kernel.get());
  if (!o.device.empty())
    call.config.device = krait::detail::handle_of(krait::device::find(o.device.c_str()));
  krait::detail::launch(call.kernel.get(), call.arguments.data(), call.config);
  krait::synchronize();
  const krait::detail::signature& as = call.signature();
  for (unsigned i = 0; i < as.count; ++i) {
    if (as.parameters[i].rank == 0 || !krait::detail::writes_parameter(call.kernel.get(), i))
      continue;
    if (const auto file = outputs.find(i + 1); file != outputs.end())
      write_npy(file->second, call.arrays[i]);
    else print_array(call.arrays[i], as.parameters[i], i + 1);
  }
  return 0;
}

}  // namespace tool
