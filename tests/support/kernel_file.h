// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel with its launches as a file, the form of tests/kernels (docs/testing.md says how it is written): the module as .kir text, in
// comments before it the launches with their arguments, and words of the text that stand for several others.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/runner.h"

namespace krait::test {

/// What the words of a file's `for:` stand for.
using Choice = std::map<std::string, std::string>;

struct Case {
  std::string name;  // the choice and the launch, for messages
  Kernel kernel;
  bool any_warp = true;  // the launch names no size of warps: it is the device's
};

class KernelFile {
 public:
  /// Throws krait::error, with the place, where the text is not such a file.
  explicit KernelFile(std::string text);

  /// Whether the kernel is for this back end: the file names none, or this one, too.
  bool is_for(std::string_view back_end) const;
  /// Back ends that the file names.
  const std::vector<std::string>& back_ends() const { return back_ends_; }
  /// What is known to go wrong on a device, where the file says so (`; known: vulkan, NVIDIA H200: …`); else "".
  std::string known_on(std::string_view back_end, std::string_view device) const;
  /// Every choice, in the order of the text.
  std::vector<Choice> choices() const;
  /// The module's text. What the choice does not name stands for the first of its words.
  std::string text(const Choice& choice) const;
  /// The launches of a choice; the module is parsed, and is valid.
  std::vector<Case> cases(const Choice& choice) const;

 private:
  struct Words {
    std::vector<std::string> names;
    std::vector<std::vector<std::string>> values;
  };
  void add_words(std::string_view item);
  Choice whole(const Choice& choice) const;

  std::string text_;
  std::shared_ptr<KernelFile> of_;  // whose kernel it is
  std::vector<std::string> runs_, back_ends_, known_;
  std::vector<Words> words_;
};

/// The file's text of one launch. `origin` is the first line: what made the kernel.
std::string write_kernel(const Kernel& kernel, std::string_view origin);

/// The file of tests/kernels with this name, without its ending.
KernelFile kernel_file(std::string_view name);
/// The module of such a file; `facts` are set where they are given.
ir::Module kernel_of(std::string_view name, const Choice& choice = {}, const ir::Facts& facts = {});

}  // namespace krait::test
