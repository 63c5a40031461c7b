// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one exception that Krait throws.
#pragma once

#include <exception>

#include <krait/detail/export.h>

namespace krait {

/// The exception that Krait throws.
/// Its message says what failed, where (the kernel and the user's file:line), why, and how to fix
/// it.
/// \code
/// try { scale.launch({1, 256}, x); } catch (const kr::error& e) { std::puts(e.message()); }
/// \endcode
class KRAIT_API error : public std::exception {
 public:
  /// The kind of an error.
  /// - usage: the program asks for something impossible, such as wrong shapes, types or devices
  /// - compile: the kernel cannot be compiled for the target, because of a missing feature or a
  ///   limit
  /// - device: the device or its driver failed or is missing, or memory is short
  /// - internal: a defect of Krait; please report it with the message
  enum class kind_type : unsigned char { usage, compile, device, internal };

  error(kind_type kind, const char* message, const char* file = nullptr,
        unsigned line = 0) noexcept;
  error(const error& other) noexcept;
  error& operator=(const error& other) noexcept;
  ~error() override;

  /// The kind of the error.
  kind_type kind() const noexcept { return kind_; }
  /// The whole message; it lives as long as the error.
  const char* message() const noexcept { return message_; }
  /// The whole message, as message() gives it.
  const char* what() const noexcept override { return message_; }
  /// The file of the user's source line that caused the error, or "".
  const char* file() const noexcept { return file_; }
  /// The number of that source line, or 0.
  unsigned line() const noexcept { return line_; }

 private:
  const char* message_;  // reference-counted storage
  const char* file_;     // inside the storage
  unsigned line_;
  kind_type kind_;
};

}  // namespace krait
