// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/staging.h"

#include <algorithm>
#include <cstring>

namespace krait::runtime::cuda {

Result Staging::prepare(std::size_t i, Chunk*& chunk) {
  chunk = &chunk_of(i);
  constexpr unsigned without_timing = 2;  // CU_EVENT_DISABLE_TIMING
  if (!chunk->copied)
    if (const Result r = api_.event_create(&chunk->copied, without_timing)) return r;
  if (!chunk->memory) {
    void* memory = nullptr;
    if (const Result r = api_.mem_host_alloc(&memory, chunk_bytes, 0)) return r;
    chunk->memory = static_cast<std::byte*>(memory);
  }
  return api_.event_synchronize(chunk->copied);  // of an event that was never recorded: at once
}

Result Staging::to_device(Address to, const std::byte* from, std::size_t bytes, Stream stream) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i * chunk_bytes < bytes; ++i) {
    const std::size_t at = i * chunk_bytes, n = std::min(chunk_bytes, bytes - at);
    Chunk* chunk = nullptr;
    if (const Result r = prepare(i, chunk)) return r;
    std::memcpy(chunk->memory, from + at, n);
    if (const Result r = api_.copy_to_device(to + at, chunk->memory, n, stream)) return r;
    if (const Result r = api_.event_record(chunk->copied, stream)) return r;
  }
  return 0;
}

Result Staging::to_host(std::byte* to, Address from, std::size_t bytes, Stream stream) {
  const std::lock_guard lock(mutex_);
  const std::size_t pieces = (bytes + chunk_bytes - 1) / chunk_bytes;
  const auto size = [&](std::size_t i) { return std::min(chunk_bytes, bytes - i * chunk_bytes); };
  for (std::size_t asked = 0, done = 0; done < pieces; ++done) {
    for (; asked < pieces && asked - done < chunk_count; ++asked) {
      Chunk* chunk = nullptr;
      if (const Result r = prepare(asked, chunk)) return r;
      if (const Result r =
              api_.copy_to_host(chunk->memory, from + asked * chunk_bytes, size(asked), stream))
        return r;
      if (const Result r = api_.event_record(chunk->copied, stream)) return r;
    }
    const Chunk& chunk = chunk_of(done);
    if (const Result r = api_.event_synchronize(chunk.copied)) return r;
    std::memcpy(to + done * chunk_bytes, chunk.memory, size(done));
  }
  return 0;
}

}  // namespace krait::runtime::cuda
