// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "support/file.h"

namespace krait::support {
namespace {

/// The build id among the notes of one segment.
std::string find_in_notes(std::string_view notes) {
  const auto padded = [](std::size_t n) { return (n + 3) & ~std::size_t(3); };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    const std::size_t data = sizeof note + padded(note.n_namesz),
                      end = data + padded(note.n_descsz);
    if (end > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID &&
        notes.substr(sizeof note, note.n_namesz) == std::string_view("GNU", 4)) {
      std::string id;
      for (const char c : notes.substr(data, note.n_descsz))
        for (const unsigned nibble : {unsigned(c) >> 4 & 15, unsigned(c) & 15})
          id.push_back("0123456789abcdef"[nibble]);
      return id;
    }
    notes.remove_prefix(end);
  }
  return "";
}

}  // namespace

std::string build_id_of_file(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  const auto read_at = [&](void* to, std::size_t bytes, std::uint64_t offset) {
    return pread(file.fd, to, bytes, off_t(offset)) == ssize_t(bytes);
  };
  ElfW(Ehdr) header;
  if (file.fd < 0 || !read_at(&header, sizeof header, 0) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr)))
    return "";
  std::vector<ElfW(Phdr)> parts(header.e_phnum);
  if (!read_at(parts.data(), parts.size() * sizeof(ElfW(Phdr)), header.e_phoff)) return "";
  for (const ElfW(Phdr) & part : parts) {
    constexpr std::size_t most = 64 << 10;  // notes are small
    if (part.p_type != PT_NOTE || part.p_filesz > most) continue;
    std::string notes(part.p_filesz, '\0');
    if (!read_at(notes.data(), notes.size(), part.p_offset)) continue;
    if (std::string id = find_in_notes(notes); !id.empty()) return id;
  }
  return "";
}

std::string build_id_at(const void* address) {
  struct Search {
    ElfW(Addr) address;
    std::string id;
  } search{reinterpret_cast<ElfW(Addr)>(address), ""};
  const auto visit = [](dl_phdr_info* object, std::size_t, void* context) {
    auto& s = *static_cast<Search*>(context);
    bool mine = false;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const ElfW(Phdr)& part = object->dlpi_phdr[i];
      const ElfW(Addr) start = object->dlpi_addr + part.p_vaddr;
      mine |= part.p_type == PT_LOAD && s.address >= start && s.address < start + part.p_memsz;
    }
    for (int i = 0; mine && s.id.empty() && i < object->dlpi_phnum; ++i) {
      const ElfW(Phdr)& part = object->dlpi_phdr[i];
      if (part.p_type == PT_NOTE)
        s.id = find_in_notes(
            {reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr), part.p_memsz});
    }
    return int(mine);
  };
  dl_iterate_phdr(visit, &search);
  return search.id;
}

}  // namespace krait::support
