// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "krait/error.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace krait {
namespace {

// message_ points behind this header, and the file's name follows the message; a message that could
// not be allocated is a literal with no header. Nothing points into the program: the library that
// made the kernel may be unloaded while the error lives.
struct Storage {
  std::atomic<int> references;
};
constexpr char no_memory[] = "krait: out of memory while reporting an error";

const char* store(const char* text, const char* file, unsigned line) noexcept {
  char place[512] = "";
  if (*file) std::snprintf(place, sizeof place, "%s:%u: ", file, line);
  const std::size_t head = std::strlen(place), length = std::strlen(text), name = std::strlen(file);
  void* raw = std::malloc(sizeof(Storage) + head + length + 1 + name + 1);
  if (!raw) return no_memory;
  new (raw) Storage{1};
  char* out = static_cast<char*>(raw) + sizeof(Storage);
  std::memcpy(out, place, head);
  std::memcpy(out + head, text, length + 1);
  std::memcpy(out + head + length + 1, file, name + 1);
  return out;
}
const char* file_of(const char* message) noexcept {
  return message == no_memory ? "" : message + std::strlen(message) + 1;
}
Storage* storage(const char* message) noexcept {
  if (message == no_memory) return nullptr;
  return reinterpret_cast<Storage*>(const_cast<char*>(message) - sizeof(Storage));
}
void release(const char* message) noexcept {
  if (Storage* s = storage(message); s && s->references.fetch_sub(1) == 1) std::free(s);
}

}  // namespace

error::error(kind_type kind, const char* message, const char* file, unsigned line) noexcept
    : message_(store(message, file ? file : "", line)),
      file_(file_of(message_)),
      line_(line),
      kind_(kind) {}

error::error(const error& other) noexcept
    : std::exception(other),
      message_(other.message_),
      file_(other.file_),
      line_(other.line_),
      kind_(other.kind_) {
  if (Storage* s = storage(message_)) s->references.fetch_add(1);
}

error& error::operator=(const error& other) noexcept {
  if (Storage* s = storage(other.message_)) s->references.fetch_add(1);
  release(message_);
  message_ = other.message_, file_ = other.file_, line_ = other.line_, kind_ = other.kind_;
  return *this;
}

error::~error() { release(message_); }

}  // namespace krait
