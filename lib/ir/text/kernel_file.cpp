// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/text/kernel_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "ir/text/argument_text.h"
#include "ir/text/text.h"
#include "ir/walk.h"
#include "support/error.h"

namespace krait::ir {
namespace {

using Chosen = KernelFile::Chosen;
using Case = KernelFile::Case;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// The pieces of a text between separators.
std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> pieces;
  for (std::size_t end = 0; end != text.npos;) {
    end = text.find(separator);
    pieces.emplace_back(trimmed(text.substr(0, end)));
    if (end != text.npos) text.remove_prefix(end + separator.size());
  }
  return pieces;
}

/// "functions(1)": all mathematical functions of one operand.
std::vector<std::string> values_of(std::string_view list) {
  std::vector<std::string> values;
  for (std::string& value : split(list, " | ")) {
    if (!value.starts_with("functions(")) {
      values.push_back(std::move(value));
      continue;
    }
    const int arity = value[10] - '0';
    for (unsigned n = 0; n < op_count; ++n)
      if (is_math(Op(n)) && info(Op(n)).arity == arity) values.emplace_back(info(Op(n)).name);
  }
  return values;
}

bool is_in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Every `$NAME` by what it stands for; the longest name counts.
std::string replaced(std::string_view text, const Chosen& choice) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find('$', at), text.size());
    out += text.substr(at, next - at);
    at = next;
    if (at == text.size()) break;
    std::size_t length = 0;
    while (at + 1 + length < text.size() && is_in_word(text[at + 1 + length])) ++length;
    Chosen::const_iterator found = choice.end();
    for (; length > 0 && found == choice.end(); --length)
      if (found = choice.find(std::string(text.substr(at + 1, length))); found != choice.end())
        break;
    if (found == choice.end())
      support::fail_usage("a kernel's file: {} is not defined", text.substr(at, 20));
    out += replaced(found->second, choice);
    at += 1 + length;
  }
  return out;
}

Module parsed(const std::string& text) {
  ParseResult result = parse(text);
  const std::string_view shown = std::string_view(text).substr(0, 4000);
  if (!result.error.empty()) support::fail_usage("a kernel's file: {} in\n{}", result.error, shown);
  if (const std::string broken = verify(result.module); !broken.empty())
    support::fail_usage("a kernel's file: {} in\n{}", broken, shown);
  return std::move(result.module);
}

/// `grid X Y Z block X Y Z warp LANES arguments …`; what is left out is 1, the warps are then the
/// device's.
Case case_of(const Module& module, const std::string& run) {
  Case c{run, {module, {}, {}}};
  const std::size_t end = std::min(run.find("arguments"), run.size());
  std::array<std::int64_t, 3>* shape = nullptr;
  std::size_t dimension = 0;
  for (const std::string& word : split(std::string_view(run).substr(0, end), " ")) {
    if (word.empty()) continue;
    if (word == "grid" || word == "block" || word == "warp") {
      shape = word == "grid"    ? &c.kernel.launch.grid
              : word == "block" ? &c.kernel.launch.block
                                : nullptr;
      dimension = 0, c.any_warp = c.any_warp && word != "warp";
      continue;
    }
    const std::int64_t number = product(word);
    if (shape && dimension < 3) (*shape)[dimension++] = number;
    else if (!c.any_warp && !shape) c.kernel.launch.warp_size = int(number);
    else
      support::fail_usage(
          "a kernel's file: expected grid X Y Z block X Y Z warp LANES arguments …, not {}", run);
  }
  const Function& f = module.kernel();
  ArgumentReader reader(std::string_view(run).substr(std::min(end + 9, run.size())));
  for (const ValueId p : f.params()) c.kernel.arguments.push_back(reader.argument(f.type_of(p)));
  reader.end();
  return c;
}

/// `; image: WIDTH HEIGHT`.
std::array<std::int64_t, 2> size_of_image(std::string_view item) {
  const std::vector<std::string> sides = split(item, " ");
  if (sides.size() != 2)
    support::fail_usage("a kernel's file: expected image: WIDTH HEIGHT, not {}", item);
  return {product(sides[0]), product(sides[1])};
}

}  // namespace

KernelFile KernelFile::read(const std::string& folder, std::string_view name) {
  const std::string path = fmt::format("{}/{}.kir", folder, name);
  std::ifstream in(path, std::ios::binary);
  if (!in) support::fail_usage("{} cannot be read", path);
  return KernelFile(std::string{std::istreambuf_iterator<char>(in), {}}, folder);
}

KernelFile::KernelFile(std::string text, const std::string& folder) : text_(std::move(text)) {
  const std::size_t found = text_.find("\nkir ");
  const std::size_t module = text_.starts_with("kir ") ? 0
                             : found == text_.npos     ? text_.size()
                                                       : found + 1;
  std::vector<std::string> items;
  for (std::size_t at = 0; at < module;) {
    const std::size_t end = std::min(text_.find('\n', at), module);
    const std::string_view line = std::string_view(text_).substr(at, end - at);
    if (line.starts_with(";   ") && !items.empty())
      items.back().append(" ").append(trimmed(line.substr(1)));
    else if (line.starts_with(";")) items.emplace_back(trimmed(line.substr(1)));
    at = end + 1;
  }
  text_.erase(0, module);
  for (const std::string& item : items) {
    if (item.starts_with("run:")) runs_.emplace_back(trimmed(std::string_view(item).substr(4)));
    if (item.starts_with("on:")) back_ends_ = split(trimmed(std::string_view(item).substr(3)), " ");
    if (item.starts_with("known:")) known_.emplace_back(trimmed(std::string_view(item).substr(6)));
    if (item.starts_with("for:")) add_words(trimmed(std::string_view(item).substr(4)));
    if (item.starts_with("of:"))
      of_ = std::make_shared<KernelFile>(read(folder, trimmed(std::string_view(item).substr(3))));
    if (item.starts_with("results:"))
      results_ = unsigned(product(trimmed(std::string_view(item).substr(8))));
    if (item.starts_with("image:"))
      image_ = size_of_image(trimmed(std::string_view(item).substr(6)));
  }
  if (runs_.empty())
    support::fail_usage(
        "a kernel's file: the launch is missing (; run: grid … block … arguments …)");
}

void KernelFile::add_words(std::string_view item) {
  const std::size_t in = item.find(" in ");
  if (in == item.npos)
    support::fail_usage("a kernel's file: expected NAME in WORD | WORD …, not {}", item);
  Words words{split(item.substr(0, in), " / "), {}};
  for (const std::string& value : values_of(item.substr(in + 4))) {
    words.values.push_back(split(value, " / "));
    if (words.values.back().size() != words.names.size())
      support::fail_usage("a kernel's file: {} does not stand for {} words", value,
                          words.names.size());
    for (std::string& part : words.values.back())
      if (part == "-") part.clear();
  }
  words_.push_back(std::move(words));
}

bool KernelFile::is_for(std::string_view back_end) const {
  return back_ends_.empty() ||
         std::find(back_ends_.begin(), back_ends_.end(), back_end) != back_ends_.end();
}

std::string KernelFile::known_on(std::string_view back_end, std::string_view device) const {
  for (const std::string& known : known_) {
    const std::size_t colon = known.find(": ");
    if (known.substr(0, colon) == fmt::format("{}, {}", back_end, device))
      return known.substr(std::min(colon + 2, known.size()));
  }
  return {};
}

unsigned KernelFile::results(const Function& kernel) const {
  const std::size_t all = kernel.params().size();
  bool fits = results_ < all;  // what they are as long as comes before them
  for (std::size_t p = fits ? all - results_ : all; p < all; ++p) {
    const Type& t = kernel.type_of(kernel.params()[p]);
    fits = fits && t.is_array() && t.rank == 1;
  }
  if (results_ && !fits)
    support::fail_usage(
        "a kernel's file: results: {} must be the last parameters, arrays of one dimension, "
        "after the inputs",
        results_);
  return results_;
}

std::vector<KernelFile::Chosen> KernelFile::choices() const {
  std::vector<Chosen> all{{}};
  for (const Words& w : words_) {
    std::vector<Chosen> more;
    for (const Chosen& c : all)
      for (const std::vector<std::string>& values : w.values) {
        Chosen& next = more.emplace_back(c);
        for (std::size_t k = 0; k < values.size(); ++k) next[w.names[k]] = values[k];
      }
    all = std::move(more);
  }
  return all;
}

KernelFile::Chosen KernelFile::whole(const Chosen& choice) const {
  Chosen all = choice;
  for (const Words& w : words_)
    for (std::size_t k = 0; k < w.names.size(); ++k)
      all.try_emplace(w.names[k], w.values.front()[k]);
  return of_ ? of_->whole(all) : all;
}

std::string KernelFile::text(const Chosen& choice) const {
  return replaced((of_ ? of_->text_ : text_), whole(choice));
}

std::vector<KernelFile::Case> KernelFile::cases(const Chosen& choice) const {
  const Module module = parsed(text(choice));
  std::string chosen;
  for (const auto& [name, value] : choice) chosen += fmt::format("{}={} ", name, value);
  std::vector<Case> all;
  for (const std::string& run : runs_) {
    all.push_back(case_of(module, replaced(run, whole(choice))));
    all.back().name = chosen + all.back().name.substr(0, 120);
  }
  return all;
}

std::vector<Argument> raw_arguments(std::vector<HostArgument>& arguments) {
  std::vector<Argument> raw;
  for (HostArgument& a : arguments) {
    Argument r;
    r.bits = a.bits;
    if (a.rank > 0) {
      r.data = a.bytes.data(), r.extents = a.extents;
      std::int64_t stride = 1;
      for (int d = int(a.rank) - 1; d >= 0; --d)
        r.strides[std::size_t(d)] = stride, stride *= a.extents[std::size_t(d)];
    }
    raw.push_back(r);
  }
  return raw;
}

}  // namespace krait::ir
