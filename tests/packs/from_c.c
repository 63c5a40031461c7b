/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A C program that runs a kernel of a pack: from_c FILE. Exit status 1: an error, which it prints; 2: another result than expected. */
#include <krait/krait_c.h>
#include <stdio.h>

enum { count = 1000 };

static int saxpy_on_host(krait_kernel* saxpy) {
  static float x[count], y[count];
  for (int i = 0; i < count; ++i) x[i] = (float)i, y[i] = 1.0f;
  char* message;
  // [c-launch]
  float a = 2.0f;
  const int64_t n = count;
  const krait_argument arguments[3] = {{.data = &a}, {.data = x, .extents = &n}, {.data = y, .extents = &n}};
  const krait_launch_config launch = {.grid = {8}, .block = {128}};
  if (krait_launch(saxpy, arguments, 3, &launch, &message) != KRAIT_OK) {
    fprintf(stderr, "%s\n", message);
    krait_free_message(message);
    return 1;
  }
  // [/c-launch]
  for (int i = 0; i < count; ++i)
    if (y[i] != 2.0f * (float)i + 1.0f) return 2;
  return 0;
}

static int failed(char* message) {
  fprintf(stderr, "%s\n", message);
  krait_free_message(message);
  return 1;
}

/* The same on memory of the default device, in a stream. */
static int saxpy_on_device(krait_kernel* saxpy) {
  float x[count], y[count], a = 2.0f;
  for (int i = 0; i < count; ++i) x[i] = (float)i, y[i] = 1.0f;
  const int64_t n = count;
  char* message;
  krait_device* device;
  krait_stream* stream;
  krait_memory* memory;
  if (krait_find_device(NULL, &device, &message) || krait_make_stream(device, NULL, &stream, &message) ||
      krait_allocate(device, sizeof x + sizeof y, &memory, &message) || krait_write(memory, 0, x, sizeof x, &message) ||
      krait_write(memory, sizeof x, y, sizeof y, &message))
    return failed(message);
  const krait_argument arguments[3] = {
      {.data = &a}, {.memory = memory, .extents = &n}, {.memory = memory, .offset = sizeof x, .extents = &n}};
  const krait_launch_config launch = {.threads = count, .stream = stream};
  if (krait_launch(saxpy, arguments, 3, &launch, &message) || krait_read(memory, sizeof x, y, sizeof y, &message) ||
      krait_synchronize(NULL, &message))
    return failed(message);
  krait_free_memory(memory);
  krait_free_stream(stream);
  for (int i = 0; i < count; ++i)
    if (y[i] != 2.0f * (float)i + 1.0f) return 2;
  return 0;
}

int main(int argc, char** argv) {
  char* message;
  krait_pack* pack;
  krait_kernel* saxpy;
  if (argc != 2) return 1;
  if (krait_load_pack(argv[1], &pack, &message) || krait_make_kernel(pack, "saxpy", &saxpy, &message)) return failed(message);
  krait_free_pack(pack);
  int status = saxpy_on_host(saxpy);
  if (status == 0) status = saxpy_on_device(saxpy);
  krait_free_kernel(saxpy);
  if (status == 0) puts("from C");
  return status;
}
