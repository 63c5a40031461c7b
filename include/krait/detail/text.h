// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An owned text, so that krait.h need not include <string>.
#pragma once

#include <cstddef>

#include <krait/detail/export.h>

namespace krait {

/// Text that Krait made: `std::string s(k.ir())` or `puts(k.ir().c_str())`.
class KRAIT_API text {
 public:
  text() noexcept = default;
  text(const char* data, std::size_t size);
  text(text&& other) noexcept : data_(other.data_), size_(other.size_) { other.data_ = nullptr, other.size_ = 0; }
  text& operator=(text&& other) noexcept {
    char* data = data_;
    data_ = other.data_, size_ = other.size_;
    other.data_ = data, other.size_ = 0;
    return *this;
  }
  ~text();

  const char* c_str() const noexcept { return data_ ? data_ : ""; }
  const char* data() const noexcept { return c_str(); }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  /// Any string type made from (pointer, length).
  template <class String>
  requires requires(const char* p, std::size_t n) { String(p, n); }
  operator String() const { return String(c_str(), size_); }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace krait
