// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An owned text, so that krait.h need not include <string>.
#pragma once

#include <cstddef>

#include <krait/detail/export.h>

namespace krait {

/// A text that Krait made, which converts to any string type.
/// \code
/// std::string ir(scale.ir());
/// std::puts(scale.ir().c_str());
/// \endcode
class KRAIT_API text {
 public:
  text() noexcept = default;
  text(const char* data, std::size_t size);
  text(text&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr, other.size_ = 0;
  }
  text& operator=(text&& other) noexcept {
    char* data = data_;
    data_ = other.data_, size_ = other.size_;
    other.data_ = data, other.size_ = 0;
    return *this;
  }
  ~text();

  /// The text, ending with a zero character.
  const char* c_str() const noexcept { return data_ ? data_ : ""; }
  /// The first character.
  const char* data() const noexcept { return c_str(); }
  /// The number of characters.
  std::size_t size() const noexcept { return size_; }
  /// Tests whether it has no characters.
  bool empty() const noexcept { return size_ == 0; }
  /// Converts to any string type that is made from a pointer and a length.
  template <class String>
    requires requires(const char* p, std::size_t n) { String(p, n); }
  operator String() const {
    return String(c_str(), size_);
  }
  /// Writes the text to a stream.
  template <class Stream>
    requires requires(Stream& to, const char* p, long n) { to.write(p, n).width(); }
  friend Stream& operator<<(Stream& to, const text& t) {
    to.write(t.data(), static_cast<long>(t.size()));
    return to;
  }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace krait
