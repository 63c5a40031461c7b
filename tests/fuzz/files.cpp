// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy.h"

#include "krait/error.h"
#include "targets.h"

namespace krait::test::fuzz {

bool npy(std::string_view bytes) {
  if (bytes.empty()) return false;  // fmemopen has no empty files
  std::FILE* const file = fmemopen(const_cast<char*>(bytes.data()), bytes.size(), "rb");
  if (!file) broken("fmemopen fails");
  bool taken = false;
  try {
    const tool::Array a = tool::read_npy(file, "fuzzed.npy");
    std::size_t count = a.shape.empty() ? 1 : std::size_t(a.shape.front());
    for (std::size_t d = 1; d < a.shape.size(); ++d) count *= std::size_t(a.shape[d]);
    if (a.bytes.size() > bytes.size() || (count == 0) != a.bytes.empty() ||
        (count > 0 && a.bytes.size() % count != 0))
      broken("an array has other bytes than its shape says");
    taken = true;
  } catch (const error&) {
  } catch (const std::bad_alloc&) {  // the tool says that there is no memory for it
  }
  std::fclose(file);
  return taken;
}

std::vector<std::string> npy_seeds() {
  const auto file = [](char version, std::string header, std::size_t data) {
    header.resize((header.size() + 64) / 64 * 64, ' ');
    std::string s("\x93NUMPY", 6);
    s += {version, 0, char(header.size()), char(header.size() >> 8)};
    if (version > 1) s += {0, 0};
    return s + header + std::string(data, '\1');
  };
  return {file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", 16),
          file(2, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }", 1),
          file(3, "{'descr': '<c16', 'fortran_order': False, 'shape': (2, 3), }", 96),
          file(1, "{'descr': '|V12', 'fortran_order': False, 'shape': (2, 0, 3), }", 0),
          file(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", 32)};
}

}  // namespace krait::test::fuzz
