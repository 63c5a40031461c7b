// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one exception that Krait throws.
#pragma once

#include <exception>

#include <krait/detail/export.h>

namespace krait {

/// What went wrong, in one of four kinds. The message says what, where (kernel and the user's file:line), why, and how to fix it.
///   usage     the program asks for something that cannot be: wrong shapes, types, devices, or misuse while recording
///   compile   the kernel cannot be compiled for the target: a missing feature, a limit
///   device    the device or its driver failed or is missing
///   internal  a defect of Krait: please report it with the message
class KRAIT_API error : public std::exception {
 public:
  enum class kind_type : unsigned char { usage, compile, device, internal };

  error(kind_type kind, const char* message, const char* file = nullptr, unsigned line = 0) noexcept;
  error(const error& other) noexcept;
  error& operator=(const error& other) noexcept;
  ~error() override;

  kind_type kind() const noexcept { return kind_; }
  /// The whole text.
  const char* message() const noexcept { return message_; }
  const char* what() const noexcept override { return message_; }
  /// The user's source line that caused it; file is "" where unknown. Like the message it lives as long as the error.
  const char* file() const noexcept { return file_; }
  unsigned line() const noexcept { return line_; }

 private:
  const char* message_;  // reference-counted storage
  const char* file_;     // inside the storage
  unsigned line_;
  kind_type kind_;
};

}  // namespace krait
