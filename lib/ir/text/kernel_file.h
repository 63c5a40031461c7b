// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel with its launches as a file (docs/testing.md says how it is written): the module as .kir
// text, in comments before it the launches with their arguments, and words of the text that stand
// for several others. Tests run them, and `krait export` makes web pages of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/interp/interp.h"
#include "ir/ir.h"

namespace krait::ir {

/// One argument with its memory on the host. `extents` of a view; all views are contiguous.
struct HostArgument {
  std::uint64_t bits = 0;
  std::vector<std::byte> bytes;
  std::array<std::int64_t, max_rank> extents{1, 1, 1, 1, 1, 1};
  unsigned rank = 0;  // 0: a scalar
};

/// A recorded or final kernel with one launch.
struct LaunchedKernel {
  Module module;
  Launch launch;
  std::vector<HostArgument> arguments;
};

class KernelFile {
 public:
  /// What the words of a file's `for:` stand for.
  using Chosen = std::map<std::string, std::string>;

  struct Case {
    std::string name;  // the choice and the launch, for messages
    LaunchedKernel kernel;
    bool any_warp = true;  // the launch names no size of warps: it is the device's
  };

  /// `folder`: where the file lies, and those that it names. Throws krait::error, with the place,
  /// where the text is not such a file.
  KernelFile(std::string text, const std::string& folder);
  /// That of the folder with this name, without its ending.
  static KernelFile read(const std::string& folder, std::string_view name);

  /// Whether the kernel is for this back end: the file names none, or this one, too.
  bool is_for(std::string_view back_end) const;
  /// Back ends that the file names.
  const std::vector<std::string>& back_ends() const { return back_ends_; }
  /// What is known to go wrong on a device, where the file says so (`; known: vulkan, NVIDIA H200:
  /// …`); else "".
  std::string known_on(std::string_view back_end, std::string_view device) const;
  /// `; image: WIDTH HEIGHT`: what the kernel writes is a picture of that size; 0 where the file
  /// does not say so.
  std::array<std::int64_t, 2> image() const { return image_; }
  /// `; results: N`: how many of the last parameters a page gets and does not pass. Throws where
  /// the kernel has no such arrays.
  unsigned results(const Function& kernel) const;
  /// Every choice, in the order of the text.
  std::vector<Chosen> choices() const;
  /// The module's text. What the choice does not name stands for the first of its words.
  std::string text(const Chosen& choice) const;
  /// The launches of a choice; the module is parsed, and is valid.
  std::vector<Case> cases(const Chosen& choice) const;

 private:
  struct Words {
    std::vector<std::string> names;
    std::vector<std::vector<std::string>> values;
  };
  void add_words(std::string_view item);
  Chosen whole(const Chosen& choice) const;

  std::string text_;
  std::shared_ptr<KernelFile> of_;  // whose kernel it is
  std::vector<std::string> runs_, back_ends_, known_;
  std::vector<Words> words_;
  std::array<std::int64_t, 2> image_{};
  unsigned results_ = 0;
};

/// The arguments as the interpreter takes them: the memory stays theirs.
std::vector<Argument> raw_arguments(std::vector<HostArgument>& arguments);

}  // namespace krait::ir
