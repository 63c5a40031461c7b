// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface is the one that gdb's manual describes under "JIT Compilation Interface": a list of
// object files in memory, and a function that is called when it changes, in which the debugger has
// a breakpoint. The code generator's object file has lines and variables; of code without them one
// is made that has no content but a symbol: its text section lies where the code is.
#include "runtime/cpu/debug.h"

#include <elf.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

#include "support/environment.h"
#include "support/file.h"

extern "C" {

struct jit_code_entry {
  jit_code_entry* next;
  jit_code_entry* prev;
  const char* symfile_addr;
  std::uint64_t symfile_size;
};
struct jit_descriptor {
  std::uint32_t version;
  std::uint32_t action_flag;
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};

// Protected: debuggers find them by name, and another compiler's list in the process is not ours.
[[gnu::visibility("protected")]] jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
[[gnu::visibility("protected"), gnu::noinline]] void __jit_debug_register_code() {
  asm volatile("" ::: "memory");
}

}  // extern "C"

namespace krait::runtime::cpu {
namespace {

enum Action : std::uint32_t { Nothing, Register, Unregister };

std::mutex& list_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

/// An object file: header, names, symbols, section headers.
std::vector<char> make_object(std::span<const std::byte> code, const std::string& symbol) {
  enum Section : std::uint16_t { Null, Text, Symbols, Names, Sections };
  const std::string section_names = std::string("\0.text\0.symtab\0.strtab\0", 23);
  std::string names = section_names + symbol;
  names.push_back('\0');
  names.resize((names.size() + 7) / 8 * 8, '\0');
  Elf64_Sym symbols[2] = {};
  symbols[1].st_name = Elf64_Word(section_names.size()),
  symbols[1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbols[1].st_shndx = Text, symbols[1].st_size = code.size();

  // The parts lie in this order: header, names, symbols, section headers. The code stays where it
  // is: its section has an address and no bytes.
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64, header.e_ident[EI_DATA] = ELFDATA2LSB,
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL, header.e_version = EV_CURRENT, header.e_ehsize = sizeof header;
#if defined(__x86_64__)
  header.e_machine = EM_X86_64;
#else
  header.e_machine = EM_AARCH64;
#endif
  header.e_shentsize = sizeof(Elf64_Shdr), header.e_shnum = Sections, header.e_shstrndx = Names;
  const std::size_t names_at = sizeof header, symbols_at = names_at + names.size();
  header.e_shoff = symbols_at + sizeof symbols;

  Elf64_Shdr sections[Sections] = {};
  sections[Text].sh_name = 1, sections[Text].sh_type = SHT_NOBITS,
  sections[Text].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
  sections[Text].sh_addr = reinterpret_cast<Elf64_Addr>(code.data()),
  sections[Text].sh_size = code.size();
  sections[Text].sh_addralign = 64;
  sections[Symbols].sh_name = 7, sections[Symbols].sh_type = SHT_SYMTAB,
  sections[Symbols].sh_offset = symbols_at;
  sections[Symbols].sh_size = sizeof symbols, sections[Symbols].sh_entsize = sizeof(Elf64_Sym);
  sections[Symbols].sh_link = Names, sections[Symbols].sh_info = 1,
  sections[Symbols].sh_addralign = 8;
  sections[Names].sh_name = 15, sections[Names].sh_type = SHT_STRTAB,
  sections[Names].sh_offset = names_at;
  sections[Names].sh_size = names.size(), sections[Names].sh_addralign = 1;

  std::vector<char> object;
  const auto append = [&](const void* from, std::size_t bytes) {
    object.insert(object.end(), static_cast<const char*>(from),
                  static_cast<const char*>(from) + bytes);
  };
  append(&header, sizeof header), append(names.data(), names.size()),
      append(symbols, sizeof symbols), append(sections, sizeof sections);
  return object;
}

/// The code generator's object, its sections where they lie now.
std::vector<char> moved_object(std::span<const std::byte> bytes, const std::byte* to) {
  std::vector<char> object(bytes.size());
  std::memcpy(object.data(), bytes.data(), bytes.size());
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof header);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    char* const at = object.data() + header.e_shoff + i * sizeof(Elf64_Shdr);
    Elf64_Shdr section;
    std::memcpy(&section, at, sizeof section);
    if (!(section.sh_flags & SHF_ALLOC)) continue;
    section.sh_addr += reinterpret_cast<Elf64_Addr>(to);
    std::memcpy(at, &section, sizeof section);
  }
  return object;
}

/// A line "start size name" of the map that perf reads when it reports. Failing to write it changes
/// nothing else.
void tell_perf(std::span<const std::byte> code, const std::string& symbol) {
  char path[64];
  std::snprintf(path, sizeof path, "/tmp/perf-%ld.map", long(getpid()));
  // other compilers append to it, too
  const int map = support::open_to_append(path, support::own_file, support::Only::Mine);
  if (map < 0) return;
  support::write_all(map, fmt::format("{:x} {:x} {}\n", reinterpret_cast<std::size_t>(code.data()),
                                      code.size(), symbol));
  close(map);
}

void announce(jit_code_entry& entry, Action action) {
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_register_code();
  __jit_debug_descriptor.action_flag = Nothing;
  __jit_debug_descriptor.relevant_entry = nullptr;
}

}  // namespace

struct DebugEntry::Registered {
  std::vector<char> object;
  jit_code_entry entry{};
};

DebugEntry::DebugEntry(std::span<const std::byte> code, std::span<const std::byte> object,
                       const std::string& symbol)
    : registered_(std::make_unique<Registered>()) {
  registered_->object =
      object.empty() ? make_object(code, symbol) : moved_object(object, code.data());
  tell_perf(code, symbol);
  jit_code_entry& entry = registered_->entry;
  entry.symfile_addr = registered_->object.data(), entry.symfile_size = registered_->object.size();
  std::lock_guard lock(list_mutex());
  entry.next = __jit_debug_descriptor.first_entry;
  if (entry.next) entry.next->prev = &entry;
  __jit_debug_descriptor.first_entry = &entry;
  announce(entry, Register);
}

DebugEntry::~DebugEntry() {
  jit_code_entry& entry = registered_->entry;
  std::lock_guard lock(list_mutex());
  (entry.prev ? entry.prev->next : __jit_debug_descriptor.first_entry) = entry.next;
  if (entry.next) entry.next->prev = entry.prev;
  announce(entry, Unregister);
}

bool is_object(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_shoff <= bytes.size() &&
         header.e_shnum * sizeof(Elf64_Shdr) <= bytes.size() - header.e_shoff;
}

bool debugging() { return support::environment_asks("KRAIT_DEBUG"); }

}  // namespace krait::runtime::cpu
