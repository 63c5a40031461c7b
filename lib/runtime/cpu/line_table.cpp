// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DWARF 4, section 6.2. Nothing is taken for granted: a reader that runs out of bytes gives zeros,
// and ends the table.
#include "runtime/cpu/line_table.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace krait::runtime::cpu {
namespace {

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool failed() const { return failed_; }
  bool at_end() const { return failed_ || at_ >= bytes_.size(); }
  std::size_t at() const { return at_; }

  std::span<const std::byte> take(std::uint64_t size) {
    failed_ = failed_ || size > bytes_.size() - at_;
    if (failed_) return {};
    at_ += size;
    return bytes_.subspan(at_ - size, size);
  }
  template <class T>
  T number() {
    T value{};
    if (const auto from = take(sizeof value); !from.empty())
      std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  std::uint64_t leb(bool is_signed = false) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = number<std::uint8_t>();
      value |= std::uint64_t(byte & 0x7f) << shift;
      if (byte & 0x80) continue;
      if (is_signed && (byte & 0x40) && shift + 7 < 64) value |= ~std::uint64_t(0) << (shift + 7);
      return value;
    }
    failed_ = true;
    return 0;
  }
  std::string_view text() {
    failed_ = failed_ || at_ >= bytes_.size();
    if (failed_) return {};
    const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + at_;
    const std::size_t length = strnlen(begin, bytes_.size() - at_);
    return take(length + 1).empty() ? std::string_view() : std::string_view(begin, length);
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// The sections of an object, each within it.
class Object {
 public:
  explicit Object(std::span<const std::byte> bytes) : bytes_(bytes) {
    Reader reader(bytes);
    const auto header = reader.number<Elf64_Ehdr>();
    if (header.e_shoff > bytes.size()) return;
    Reader table(bytes.subspan(header.e_shoff));
    for (unsigned i = 0; i < header.e_shnum && !table.at_end(); ++i)
      sections.push_back(table.number<Elf64_Shdr>());
    if (table.failed()) sections.clear();
    names_ = header.e_shstrndx;
  }
  std::span<const std::byte> content(std::size_t section) const {
    if (section >= sections.size() || sections[section].sh_offset > bytes_.size()) return {};
    return Reader(bytes_.subspan(sections[section].sh_offset)).take(sections[section].sh_size);
  }
  bool is_named(std::size_t section, std::string_view name) const {
    Reader names(content(names_));
    names.take(sections[section].sh_name);
    return names.text() == name;
  }

  std::vector<Elf64_Shdr> sections;

 private:
  std::span<const std::byte> bytes_;
  std::size_t names_ = 0;
};

#if defined(__x86_64__)
constexpr std::uint64_t whole_address = R_X86_64_64;
#else
constexpr std::uint64_t whole_address = R_AARCH64_ABS64;
#endif

/// The table with the addresses that its relocations name.
std::vector<std::byte> relocated_table(const Object& object) {
  std::size_t own = 0;
  while (own < object.sections.size() && !object.is_named(own, ".debug_line")) ++own;
  const auto content = object.content(own);
  std::vector<std::byte> table(content.begin(), content.end());
  for (std::size_t s = 0; s < object.sections.size(); ++s) {
    if (object.sections[s].sh_type != SHT_RELA || object.sections[s].sh_info != own) continue;
    for (Reader entries(object.content(s)); !entries.at_end();) {
      const auto entry = entries.number<Elf64_Rela>();
      if (ELF64_R_TYPE(entry.r_info) != whole_address) return {};
      Reader symbols(object.content(object.sections[s].sh_link));
      symbols.take(ELF64_R_SYM(entry.r_info) * sizeof(Elf64_Sym));
      const auto symbol = symbols.number<Elf64_Sym>();
      std::uint64_t address = symbol.st_value + std::uint64_t(entry.r_addend);
      if (symbols.failed() || symbol.st_shndx >= object.sections.size() ||
          entry.r_offset > table.size() || sizeof address > table.size() - entry.r_offset)
        return {};
      address += object.sections[symbol.st_shndx].sh_addr;
      std::memcpy(table.data() + entry.r_offset, &address, sizeof address);
    }
  }
  return table;
}

/// What stands before a unit's program.
struct Head {
  std::uint8_t step = 1, base_of_special = 0, line_range = 1;
  std::int8_t line_base = 0;
  std::vector<std::uint8_t> operands;  // of standard operations
  std::vector<std::string> files;
};

Head read_head(Reader& r, std::uint16_t version) {
  Head h;
  h.step = r.number<std::uint8_t>();
  if (version >= 4) r.number<std::uint8_t>();  // operations of an instruction
  r.number<std::uint8_t>();                    // whether lines begin statements
  h.line_base = r.number<std::int8_t>();
  h.line_range = std::max<std::uint8_t>(r.number<std::uint8_t>(), 1);
  h.base_of_special = std::max<std::uint8_t>(r.number<std::uint8_t>(), 1);
  for (unsigned i = 1; i < h.base_of_special; ++i) h.operands.push_back(r.number<std::uint8_t>());
  std::vector<std::string> folders;
  for (std::string_view folder = r.text(); !folder.empty(); folder = r.text())
    folders.emplace_back(folder);
  for (std::string_view file = r.text(); !file.empty(); file = r.text()) {
    const std::uint64_t folder = r.leb();
    r.leb(), r.leb();  // its time and length
    const bool inside = folder > 0 && folder <= folders.size() && !file.starts_with('/');
    h.files.push_back((inside ? folders[folder - 1] + "/" : "") + std::string(file));
  }
  return h;
}

/// Runs a unit's program, which counts address, file and line up, and appends its rows.
void run(Reader& r, const Head& h, std::vector<CodeLine>& rows) {
  enum Standard { Extended, Copy, AdvanceAddress, AdvanceLine, SetFile, AddSpecial = 8, AddFixed };
  enum { EndSequence = 1, SetAddress };
  std::uint64_t address = 0, file = 1, line = 1;
  const auto row = [&] {
    if (file > 0 && file <= h.files.size() && line > 0)
      rows.push_back({address, unsigned(line), h.files[file - 1]});
  };
  while (!r.at_end()) {
    const auto op = r.number<std::uint8_t>();
    if (op >= h.base_of_special) {
      const unsigned special = op - h.base_of_special;
      address += special / h.line_range * h.step;
      line += std::uint64_t(std::int64_t(h.line_base) + special % h.line_range);
      row();
      continue;
    }
    switch (op) {
      case Extended: {
        Reader operands(r.take(r.leb()));
        const auto what = operands.number<std::uint8_t>();
        if (what == SetAddress) address = operands.number<std::uint64_t>();
        if (what == EndSequence) address = 0, file = line = 1;
        break;
      }
      case Copy: row(); break;
      case AdvanceAddress: address += r.leb() * h.step; break;
      case AdvanceLine: line += r.leb(true); break;
      case SetFile: file = r.leb(); break;
      case AddSpecial: address += (255u - h.base_of_special) / h.line_range * h.step; break;
      case AddFixed: address += r.number<std::uint16_t>(); break;
      default:
        for (unsigned n = 0; n < h.operands[op - 1u]; ++n) r.leb();
    }
  }
}

}  // namespace

std::vector<CodeLine> lines_of(std::span<const std::byte> object) {
  const std::vector<std::byte> table = relocated_table(Object(object));
  std::vector<CodeLine> rows;
  for (Reader units(table); !units.at_end();) {
    Reader unit(units.take(units.number<std::uint32_t>()));
    const auto version = unit.number<std::uint16_t>();
    const auto program = unit.number<std::uint32_t>();
    const std::size_t begin = unit.at();
    if (unit.failed() || version < 2 || version > 4) return {};
    const Head head = read_head(unit, version);
    if (unit.failed() || unit.at() - begin > program) return {};
    unit.take(program - (unit.at() - begin));
    run(unit, head, rows);
    if (unit.failed()) return {};
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const CodeLine& a, const CodeLine& b) { return a.at < b.at; });
  return rows;
}

}  // namespace krait::runtime::cpu
