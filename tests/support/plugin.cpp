// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/plugin.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <cstdio>
#include <utility>

#include <fmt/core.h>

#include "codegen/codegen.h"

namespace krait::test {
namespace {

struct Plugin {
  krait_codegen_fn compile = nullptr;
  krait_codegen_release_fn release = nullptr;
};

const Plugin& plugin() {
  static const Plugin loaded = [] {
    Plugin p;
    void* handle = dlopen(KRAIT_CODEGEN_PATH, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      ADD_FAILURE() << dlerror();
      return p;
    }
    p.compile = reinterpret_cast<krait_codegen_fn>(dlsym(handle, "krait_codegen"));
    p.release = reinterpret_cast<krait_codegen_release_fn>(dlsym(handle, "krait_codegen_release"));
    return p;
  }();
  return loaded;
}

}  // namespace

Compiled compile(const std::string& kir, const std::string& target, const std::string& emit,
                 bool hints) {
  if (!plugin().compile) return {};
  krait_codegen_request request{kir.data(), kir.size(), target.c_str(), emit.c_str(), hints};
  krait_codegen_reply reply;
  plugin().compile(&request, &reply);
  Compiled result{reply.status,
                  reply.data ? std::string(reply.data, reply.size) : std::string(),
                  reply.log,
                  {},
                  {}};
  if (reply.hints) result.hints = reply.hints;
  plugin().release(&reply);
  if (result.status != 0 || emit != "binary") return result;
  const support::ParsedTarget parsed = support::parse_target(target);
  EXPECT_EQ(support::open(result.data, parsed.target.kind, result.envelope), "");
  const std::string code(std::exchange(result.envelope.code, {}));
  if (parsed.target.kind == support::TargetKind::Ptx) result.data = code;
  return result;
}

Compiled compile_raw(const std::string& kir, const std::string& target, const std::string& emit,
                     const std::string& code, const std::string& entry) {
  if (!plugin().compile) return {};
  krait_codegen_request request{kir.data(), kir.size(), target.c_str(), emit.c_str(), 0};
  request.raw = code.data(), request.raw_size = code.size(), request.entry = entry.c_str(),
  request.verify = 1;
  krait_codegen_reply reply;
  plugin().compile(&request, &reply);
  Compiled result{reply.status,
                  reply.data ? std::string(reply.data, reply.size) : std::string(),
                  reply.log,
                  {},
                  {}};
  plugin().release(&reply);
  return result;
}

std::string check_ptx(const std::string& kir, bool may_use_stack) {
  struct {
    unsigned sm, isa;
  } devices[] = {{75, 63}, {90, 80}, {100, 87}};
  std::string shown;
  for (auto [sm, isa] : devices) {
    Compiled ptx = compile(kir, fmt::format("ptx sm={} isa={}", sm, isa));
    EXPECT_EQ(ptx.status, 0) << "sm_" << sm << ": " << ptx.log << "\n" << kir;
    if (ptx.status) continue;
    if (sm == 90) shown = ptx.data;
    Assembled code = assemble(ptx.data, sm);
    if (!code.found) {
      std::printf("no ptxas: sm_%u not assembled\n", sm);
      continue;
    }
    EXPECT_EQ(code.status, 0) << "sm_" << sm << ": " << code.log << "\n" << ptx.data;
    EXPECT_TRUE(may_use_stack || !code.uses_stack()) << "sm_" << sm << ": " << code.log << "\n"
                                                     << ptx.data;
  }
  return shown;
}

}  // namespace krait::test
