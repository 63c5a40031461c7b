// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host/plugin.h"

#include <dlfcn.h>

#include <atomic>
#include <deque>
#include <mutex>

#include "codegen/codegen.h"
#include "devices/fork_gate.h"
#include "support/build_id.h"
#include "support/error.h"
#include "support/library_copy.h"
#include "support/places.h"

namespace krait::host {
namespace {

struct Plugin {
  krait_codegen_fn compile = nullptr;
  krait_codegen_release_fn release = nullptr;
  std::string path, build_id, failure;
};

std::vector<std::string> places() { return support::places_of("libkrait_codegen.so"); }

void find_exports(Plugin& p, void* library) {
  p.compile = reinterpret_cast<krait_codegen_fn>(dlsym(library, "krait_codegen"));
  p.release = reinterpret_cast<krait_codegen_release_fn>(dlsym(library, "krait_codegen_release"));
  const auto id =
      reinterpret_cast<krait_codegen_build_id_fn>(dlsym(library, "krait_codegen_build_id"));
  if (!p.compile || !p.release || !id) {
    p.compile = nullptr, p.failure = "its exports do not match this library: reinstall Krait";
    return;
  }
  if (const char* const built = id()) p.build_id = built;
  else p.compile = nullptr, p.failure = "out of memory";
}

Plugin open_plugin() {
  Plugin p;
  void* library = nullptr;
  for (const std::string& path : places()) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    p.path = path;
    if (library) break;
    const char* why = dlerror();
    p.failure += (p.failure.empty() ? "" : "; ") + std::string(why ? why : path);
  }
  if (library) find_exports(p, library);
  return p;
}

/// The plug-in as it is now. Where LLVM fails in it, it compiles no more, and a copy takes its
/// place; what was there stays loaded, as threads of it never end.
struct Current {
  std::deque<Plugin> all{1};  // kept as long as the process; the first was not loaded yet
  std::atomic<const Plugin*> plugin{&all.front()};
  std::mutex mutex;  // of who replaces it
  unsigned copies = 0;

  static Current& get() {
    static auto* const current = new Current;
    return *current;
  }
  void replace_by(Plugin fresh) {
    plugin.store(&all.emplace_back(std::move(fresh)), std::memory_order_release);
  }
};

/// Where it could not be loaded, for want of memory or of the file, that is tried again.
const Plugin& loaded() {
  Current& current = Current::get();
  if (const Plugin* p = current.plugin.load(std::memory_order_acquire); p->compile) return *p;
  const BehindForkGate behind;
  const std::lock_guard lock(current.mutex);
  const Plugin* const before = current.plugin;
  if (before->compile) return *before;
  Plugin again = open_plugin();
  if (again.compile || again.failure != before->failure) current.replace_by(std::move(again));
  return *current.plugin;
}

/// Each copy is another 40 MB that the process keeps.
constexpr unsigned most_copies = 8;

/// Loads a copy in the place of this one, unless another thread has done so.
void replace(const Plugin& spent, const std::string& what) {
  const BehindForkGate behind;
  Current& current = Current::get();
  const std::lock_guard lock(current.mutex);
  if (current.plugin != &spent) return;
  if (current.copies == most_copies)
    support::fail_device(
        "{}: LLVM has failed in Krait's code generator {} times in this process, "
        "by fatal errors or lack of memory, and is not loaded again: restart the program",
        what, most_copies + 1);
  Plugin fresh;
  fresh.path = spent.path;
  if (void* const library = support::open_copy(spent.path, current.copies, fresh.failure))
    find_exports(fresh, library);
  if (!fresh.compile)
    support::fail_device(
        "{}: LLVM failed in Krait's code generator, and a copy of it cannot be loaded: {}", what,
        fresh.failure);
  ++current.copies;
  current.replace_by(std::move(fresh));
}

const Plugin& plugin() {
  const Plugin& p = loaded();
  if (!p.compile)
    support::fail_device("Krait's code generator libkrait_codegen.so cannot be loaded: {}",
                         p.failure);
  return p;
}

}  // namespace

const std::string& plugin_build_id() {
  static const auto* const id = new std::string([] {
    for (const std::string& path : places())
      if (std::string found = support::build_id_of_file(path); !found.empty()) return found;
    return std::string();
  }());
  return *id;
}

std::string plugin_failure() { return loaded().compile ? std::string() : loaded().failure; }

const std::string& loaded_plugin_build_id() { return plugin().build_id; }

std::string find_lines(const std::string& request) {
  const Plugin& p = loaded();
  if (!p.compile) return {};
  const krait_codegen_request asked{request.data(), request.size(), "", "lines", 0};
  krait_codegen_reply reply{};
  p.compile(&asked, &reply);
  std::string lines;
  try {
    if (reply.status == 0) lines.assign(reply.data, reply.size);
  } catch (...) {
    p.release(&reply);
    throw;
  }
  p.release(&reply);
  return lines;
}

Generated generate(const std::string& kir, const support::Target& target, const char* emit,
                   const std::string& what, bool hints, const RawText* raw) {
  const Plugin* p = &plugin();
  const std::string target_text = support::print(target);
  krait_codegen_request request{kir.data(), kir.size(), target_text.c_str(), emit, hints};
  if (raw)
    request.raw = raw->text.data(), request.raw_size = raw->text.size(),
    request.entry = raw->entry.c_str();
  krait_codegen_reply reply{};
  p->compile(&request, &reply);
  while (reply.status == 4) {  // another thread's compilation failed, or an earlier one
    p->release(&reply);
    replace(*p, what);
    p = &plugin();
    p->compile(&request, &reply);
  }
  Generated out;
  try {
    out.bytes.assign(reply.data ? reply.data : "", reply.size);
    out.log = reply.log ? reply.log : "";
    if (reply.hints) out.hints = read_hints(reply.hints);
  } catch (...) {
    p->release(&reply);
    throw;
  }
  out.parse_ms = reply.parse_ms, out.lower_ms = reply.lower_ms, out.optimise_ms = reply.optimise_ms,
  out.emit_ms = reply.emit_ms;
  const int status = reply.status;
  p->release(&reply);
  // what is wrong with code that was given is not our defect
  const bool of_user = status == 1 || (status == 2 && raw);
  if (of_user) support::fail(error::kind_type::compile, "{}: {}", what, out.log);
  if (status == 3) support::fail_device("{}: {}", what, out.log);
  if (status != 0)
    support::fail(error::kind_type::internal,
                  "{}: Krait's code generator failed: {}. Please report it with the kernel's text "
                  "(kernel.ir()).",
                  what, out.log);
  return out;
}

}  // namespace krait::host
