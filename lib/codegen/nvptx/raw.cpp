// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX that users give. The driver assembles it; here its entries are found, and the parameters of
// the kernel's are compared with the argument block.
#include <cctype>
#include <cstdint>
#include <optional>

#include <fmt/format.h>
#include <llvm/ADT/StringRef.h>

#include "codegen/nvptx/nvptx.h"
#include "support/blobs/ptx.h"

namespace krait::codegen::nvptx {
namespace {

/// Comments become blanks, so that places stay.
std::string without_comments(std::string_view text) {
  std::string out(text);
  for (std::size_t at = 0; at + 1 < out.size(); ++at) {
    if (out[at] == '"') {  // a name of a file
      at = std::min(out.find('"', at + 1), out.size());
      continue;
    }
    if (out[at] != '/' || (out[at + 1] != '/' && out[at + 1] != '*')) continue;
    const bool line = out[at + 1] == '/';
    std::size_t end = out.find(line ? "\n" : "*/", at + 2);
    end = end == out.npos ? out.size() : end + (line ? 0 : 2);
    for (std::size_t i = at; i < end; ++i)
      if (out[i] != '\n') out[i] = ' ';
    at = end - 1;
  }
  return out;
}

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}

/// The words of a piece of text: ".param", ".u64", "x", "[", "16", "]".
class Words {
 public:
  explicit Words(llvm::StringRef text) : rest_(text) {}
  llvm::StringRef next() {
    rest_ = rest_.ltrim();
    const std::size_t length =
        rest_.empty() ? 0
                      : std::max<std::size_t>(
                            1, rest_.drop_front(rest_.starts_with(".")).take_while(in_name).size() +
                                   rest_.starts_with("."));
    const llvm::StringRef word = rest_.take_front(length);
    rest_ = rest_.drop_front(length);
    return word;
  }
  llvm::StringRef rest() const { return rest_; }

 private:
  llvm::StringRef rest_;
};

struct Parameter {
  std::string name, type;  // ".f32"
  std::uint64_t bytes = 0, alignment = 1;
  bool is_array = false;
};

/// The bytes of a type such as ".f32"; 0 for what is none.
unsigned bytes_of(llvm::StringRef type) {
  if (type.size() < 3 || type[0] != '.' || !llvm::StringRef("bsuf").contains(type[1])) return 0;
  unsigned bits = 0;
  if (type.drop_front(2).getAsInteger(10, bits)) return 0;
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

Parameter read_parameter(llvm::StringRef text, llvm::StringRef entry) {
  const auto wrong = [&] {
    unsupported(
        fmt::format("the parameter \"{}\" of the PTX's kernel {} was not understood: "
                    "expected .param, a type and a name",
                    text.trim().str(), entry.str()));
  };
  Parameter p;
  // sound texts have less than so many bytes, and elements, as kernels take 32 KiB of arguments
  constexpr std::uint64_t most_alignment = 4096, most_elements = 1 << 16;
  std::uint64_t alignment = 0;
  Words words(text);
  llvm::StringRef word = words.next();
  if (word != ".param") wrong();
  for (word = words.next(); word.starts_with("."); word = words.next()) {
    if (word == ".align") {  // behind .ptr of what it points to
      std::uint64_t n = 0;
      if (words.next().getAsInteger(10, n) || n == 0 || n > most_alignment) wrong();
      if (p.type.empty()) alignment = n;
    } else if (const unsigned bytes = bytes_of(word)) {
      p.type = word.str(), p.bytes = bytes;
    } else if (word != ".ptr" && word != ".global" && word != ".const" && word != ".shared" &&
               word != ".local") {
      wrong();
    }
  }
  p.name = word.str();
  if (p.type.empty() || p.name.empty()) wrong();
  p.alignment = alignment ? alignment : p.bytes;
  if (words.rest().ltrim().empty()) return p;
  std::uint64_t length = 0;
  if (words.next() != "[" || words.next().getAsInteger(10, length) || length == 0 ||
      length > most_elements || words.next() != "]" || !words.rest().trim().empty())
    wrong();
  p.bytes *= length, p.is_array = true;
  return p;
}

/// The parameters of an entry, and the names of all.
std::optional<std::vector<Parameter>> find_entry(llvm::StringRef ptx, llvm::StringRef entry,
                                                 std::vector<std::string>& all) {
  std::optional<std::vector<Parameter>> found;
  constexpr llvm::StringRef directive = ".entry";
  for (std::size_t at = ptx.find(directive); at != llvm::StringRef::npos;
       at = ptx.find(directive, at + 1)) {
    Words words(ptx.drop_front(at));
    if (words.next() != directive) continue;
    const llvm::StringRef name = words.next();
    all.push_back(name.str());
    if (name != entry) continue;
    found.emplace();
    llvm::StringRef rest = words.rest().ltrim();
    if (!rest.consume_front("(")) continue;
    const std::size_t end = rest.find(')');
    if (end == llvm::StringRef::npos)
      unsupported(
          fmt::format("the list of parameters of the PTX's kernel {} has no end", entry.str()));
    for (rest = rest.take_front(end).trim(); !rest.empty();) {
      const auto [one, others] = rest.split(',');
      found->push_back(read_parameter(one, entry));
      rest = others.trim();
    }
  }
  return found;
}

/// Whether its bits are those of the item: .b32 is any number of 4 bytes.
bool is_kind(const Parameter& p, const RawItem& item) {
  if (item.slot.what == ir::ArgumentSlot::What::Bytes) return true;
  if (p.is_array) return false;
  return p.type[1] == 'b' || item.is_float == (p.type[1] == 'f');
}

void check_parameters(const std::vector<Parameter>& taken, const std::vector<RawItem>& given,
                      std::string_view entry) {
  if (taken.size() != given.size())
    unsupported(fmt::format("the PTX's kernel {} takes {} parameters, and the launch gives {}:{}",
                            entry, taken.size(), given.size(), list_of(given)));
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const Parameter& p = taken[i];
    const RawItem& item = given[i];
    offset = (offset + p.alignment - 1) / p.alignment * p.alignment;
    if (offset != item.slot.offset || p.bytes != item.slot.bytes || !is_kind(p, item))
      unsupported(fmt::format(
          "the parameter {} of the PTX's kernel {} is {} of {} bytes at {}, "
          "and the launch gives {} at {}: {}",
          p.name, entry, p.type, p.bytes, offset, item.type(), item.slot.offset, item.what));
    offset += p.bytes;
  }
}

}  // namespace

Reply compile_raw(const ir::Module& module, const RawText& raw, Emit emit) {
  if (emit == Emit::Llvm) unsupported("the kernel is given in PTX: there is no LLVM IR to show");
  if (raw.text.find('\0') != raw.text.npos)
    unsupported("the PTX has a zero byte in its middle: give text");
  std::vector<std::string> all;
  const std::string ptx = without_comments(raw.text);
  const auto parameters = find_entry(ptx, raw.entry, all);
  if (!parameters) no_entry("PTX", raw.entry, all);
  check_parameters(*parameters, raw_items(module.kernel()), raw.entry);
  Reply reply;
  reply.data = raw.text;
  if (emit == Emit::Binary) {
    support::Envelope envelope = ir::envelope_of(module.kernel(), support::TargetKind::Ptx);
    envelope.entry = raw.entry;
    envelope.set_own(support::PtxCode{});
    envelope.code = raw.text;
    reply.data = support::seal(envelope);
  }
  return reply;
}

}  // namespace krait::codegen::nvptx
