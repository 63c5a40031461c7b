// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs as an attacker makes them: what is changed is sealed again, so that no checksum stands in
// front of what reads it.
#include "host/pack.h"

#include <cstring>

#include "cache/entry.h"
#include "ir/abi.h"
#include "ir/shared_lengths.h"
#include "ir/text/text.h"
#include "krait/error.h"
#include "support/blobs/envelope.h"
#include "targets.h"

namespace krait::test::fuzz {
namespace {

constexpr std::string_view between_parts = "\n%%\n";

/// An input is the parts of entries, four an entry: name, key, source, payload.
std::string entries_of(std::string_view input) {
  std::string all;
  while (!input.empty()) {
    std::string_view parts[4];
    for (std::string_view& part : parts) {
      const std::size_t end = std::min(input.find(between_parts), input.size());
      part = input.substr(0, end);
      input.remove_prefix(std::min(end + between_parts.size(), input.size()));
    }
    all += cache::encode({parts[0], parts[1], parts[2], parts[3]});
  }
  return all;
}

std::string entry(const std::string& name, const std::string& key, const std::string& source,
                  const std::string& payload) {
  const std::string line(between_parts);
  return name + line + key + line + source + line + payload + line;
}

constexpr const char* kernel = R"(kir 1
kernel @k fp(native) (%0: view<i32, 1>, %1: i64, %2: view<i32, 1, const> = table(0)) {
  %3: i64 = global_id {0}
  %4: shared<i32, 1> = shared %1 {0}
  %5: i32 = load %2, %3
  store.i32 %0, %3, %5
  return
}
)";

/// As jit.cpp looks at code before it is loaded.
void open_code(const host::PackedKernel& k, const host::PackedCode& c) {
  support::Envelope code;
  if (!support::open(c.bytes, c.target.kind, code).empty()) return;
  const ir::Function& f = k.module.kernel();
  const ir::ArgumentLayout given = ir::given_layout(f, c.facts, code.arguments);
  if (!support::difference(code.arguments, given).empty()) return;
  ir::SharedLengths lengths;
  const std::size_t parameters = given.given + given.hidden.size();
  if (!lengths.read(code.lengths, f, parameters)) return;
  alignas(16) static std::byte aggregate[4096];
  std::vector<ir::Argument> values(parameters);
  for (std::size_t i = 0; i < f.given_params().size(); ++i)
    if (f.type_of(f.given_params()[i]).elem_bytes <= sizeof aggregate) values[i].data = aggregate;
  lengths.at({{1, 2, 3}, {4, 5, 6}}, values);
}

}  // namespace

bool pack(std::string_view input) {
  const std::string bytes = cache::encode({"", "pack 2", "", entries_of(input)});
  try {
    const auto pack = host::Pack::parse(bytes, "fuzzed.kpack");
    for (const host::PackedKernel& k : pack->kernels()) {
      k.signature(), k.targets();
      for (const host::PackedCode& c : k.codes) k.find(c.target, c.facts), open_code(k, c);
      for (const support::Hidden& h : k.module.kernel().hidden)
        if (k.tables.at(h.index).count() < 0) broken("a table of less than no elements");
    }
    return true;
  } catch (const error& e) {
    if (e.kind() != error::kind_type::usage)
      broken(std::string("an error of another kind: ") + e.message());
    return false;
  }
}

std::vector<std::string> pack_seeds() {
  const ir::ParseResult parsed = ir::parse(kernel);
  std::string code;
  if (parsed.error.empty()) {
    support::Envelope e = ir::envelope_of(parsed.module.kernel(), support::TargetKind::Cpu);
    e.code = "code";
    code = support::seal(e);
  }
  const std::string of_kernel =
      entry("k", "kernel k.cpp:3", kernel, "") + entry("k", "table 4 2", "", "12345678");
  return {
      of_kernel, entry("k", "kernel ", "kir 1\nkernel @k fp(native) () {\n  return\n}\n", ""),
      of_kernel +
          entry("k",
                "code for cpu x86-64 lanes=8 cpu=x86-64-v3 tune=x86-64-v3\nfacts contiguous small",
                "", code) +
          entry("k", "code for ptx sm=90 isa=80\nfacts", "", code)};
}

bool envelope(std::string_view bytes) {
  bool taken = false;
  for (const support::TargetKind kind :
       {support::TargetKind::Cpu, support::TargetKind::Ptx, support::TargetKind::Spirv}) {
    support::Envelope e;
    if (!support::open(bytes, kind, e).empty()) continue;
    taken = true;
    if (support::seal(e) != bytes) broken("an envelope that was opened is sealed as other bytes");
    static const ir::Module module = ir::parse(kernel).module;
    ir::SharedLengths lengths;
    if (!lengths.read(e.lengths, module.kernel(), 3)) continue;
    if (lengths.words() != e.lengths) broken("lengths that were read have other words");
    lengths.at({{1, 2, 3}, {4, 5, 6}}, std::vector<ir::Argument>(3));
  }
  return taken;
}

std::vector<std::string> envelope_seeds() {
  std::vector<std::string> all;
  const ir::ParseResult parsed = ir::parse(kernel);
  if (!parsed.error.empty()) broken(parsed.error);
  if (const std::string wrong = ir::verify(parsed.module); !wrong.empty()) broken(wrong);
  for (const support::TargetKind kind :
       {support::TargetKind::Cpu, support::TargetKind::Ptx, support::TargetKind::Spirv}) {
    support::Envelope e = ir::envelope_of(parsed.module.kernel(), kind);
    e.code = "code", e.entry = "entry", e.own = "of the target";
    all.push_back(support::seal(e));
  }
  return all;
}

}  // namespace krait::test::fuzz
