// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WGSL that users give. The browser compiles it; here its kernels are found, and what a launch sets
// (support/blobs/webgpu.h).
#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include <fmt/core.h>

#include "codegen/wgsl/wgsl.h"
#include "support/blobs/webgpu.h"

namespace krait::codegen::wgsl {
namespace {

/// Names, numbers and single other characters, without comments. Those of /* */ nest.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80);
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    std::size_t length = 1;
    if (rest.starts_with("//")) {
      length = std::min(rest.find('\n'), rest.size());
    } else if (rest.starts_with("/*")) {
      unsigned depth = 1;
      for (length = 2; depth > 0 && length < rest.size(); ++length) {
        const std::string_view two = rest.substr(length, 2);
        if (two == "/*" || two == "*/") depth += two == "/*" ? 1u : -1u, ++length;
      }
    } else if (in_name(rest.front())) {
      while (length < rest.size() && in_name(rest[length])) ++length;
      words.push_back(rest.substr(0, length));
    } else if (!std::isspace(static_cast<unsigned char>(rest.front()))) {
      words.push_back(rest.substr(0, 1));
    }
    at += length;
  }
  return words;
}

/// Functions with the attribute compute.
std::vector<std::string> kernels_of(const std::vector<std::string_view>& words) {
  std::vector<std::string> all;
  bool compute = false;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "@" && words[i + 1] == "compute") compute = true;
    if (words[i] != "fn") continue;
    if (compute) all.emplace_back(words[i + 1]);
    compute = false;
  }
  return all;
}

bool has_override(const std::vector<std::string_view>& words, std::string_view name) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "override" && words[i + 1] == name) return true;
  return false;
}

}  // namespace

Reply compile_raw(const ir::Module& module, const RawText& raw, Emit emit) {
  if (emit == Emit::Llvm) unsupported("the kernel is given in WGSL: there is no LLVM IR to show");
  const std::vector<std::string_view> words = words_of(raw.text);
  const std::vector<std::string> kernels = kernels_of(words);
  if (std::find(kernels.begin(), kernels.end(), raw.entry) == kernels.end())
    no_entry("WGSL", raw.entry, kernels);
  for (const char* set : {"block_x", "block_y", "block_z", "folded"})
    if (!has_override(words, set))
      unsupported(fmt::format(
          "the WGSL has no constant {}, which the launch sets: declare override {}: {};", set, set,
          std::string_view(set) == "folded" ? "bool" : "u32"));
  Reply reply;
  reply.data = raw.text;
  if (emit != Emit::Binary) return reply;
  const ir::Function& f = module.kernel();
  support::Envelope envelope = ir::envelope_of(f, support::TargetKind::WebGpu);
  support::WebGpuCode own;
  if (f.params().size() > own.max_parameters)
    unsupported(
        fmt::format("{} parameters; WebGPU takes {}", f.params().size(), own.max_parameters));
  for (unsigned p = 0; p < f.params().size(); ++p)
    if (const ir::Type& t = f.type_of(f.params()[p]); t.space == ir::Space::Global)
      own.bindings[p] = {.cell_bytes = 4, .written = t.writable};
  envelope.entry = raw.entry;
  envelope.set_own(own);
  envelope.code = raw.text;
  reply.data = support::seal(envelope);
  return reply;
}

}  // namespace krait::codegen::wgsl
