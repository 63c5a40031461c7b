// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of arrays, in memory.
#include <cstdint>
#include <cstring>

#include "files/npz.h"
#include "krait/error.h"
#include "targets.h"

namespace krait::test::fuzz {
namespace {

/// What the file says that it holds is what it is read as.
bool elements_are_there(files::Source& from, const std::string& place, std::uint64_t most) {
  const files::NpyHeader header = files::read_npy_header(from, place);
  const std::vector<std::byte> elements = files::read_npy_elements(from, header, place);
  std::uint64_t count = 1;
  for (const std::int64_t extent : header.shape) count *= std::uint64_t(extent);
  if (elements.size() > most || elements.size() != count * header.element.bytes)
    broken("an array has other bytes than its shape says");
  return true;
}

/// Whether `read` takes the bytes: it may refuse them by an error of the user's.
template <class Read>
bool taken(const Read& read) {
  try {
    return read();
  } catch (const error& e) {
    // a machine without the library of this format has nothing to try
    if (e.kind() != error::kind_type::usage && e.kind() != error::kind_type::device)
      broken(e.message());
    return false;
  } catch (const std::bad_alloc&) {  // there is no memory for it
    return false;
  }
}

std::string npy_file(char version, std::string header, std::size_t data) {
  header.resize((header.size() + 64) / 64 * 64, ' ');
  std::string s("\x93NUMPY", 6);
  s += {version, 0, char(header.size()), char(header.size() >> 8)};
  if (version > 1) s += {0, 0};
  return s + header + std::string(data, '\1');
}

std::uint32_t crc_of(std::string_view bytes) {  // of zip and PNG
  std::uint32_t crc = ~0u;
  for (const unsigned char byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
  }
  return ~crc;
}
template <class Number>
std::string little(Number x) {
  std::string s(sizeof x, '\0');
  std::memcpy(s.data(), &x, sizeof x);
  return s;
}
std::string big(std::uint32_t x) { return little(__builtin_bswap32(x)); }

/// One array of an archive. `method` is 0, and `packed` the member's bytes, or 8, and they are
/// stored blocks of deflate.
std::string npz_file(const std::string& member, std::uint16_t method) {
  const std::string packed = method == 0 ? member
                                         : "\1" + little(std::uint16_t(member.size())) +
                                               little(std::uint16_t(~member.size())) + member,
                    name = "x.npy";
  const auto sizes = [&] {
    return little(crc_of(member)) + little(std::uint32_t(packed.size())) +
           little(std::uint32_t(member.size())) + little(std::uint16_t(name.size()));
  };
  const std::string common = little(std::uint16_t(20)) + little(std::uint16_t(0)) + little(method) +
                             little(std::uint32_t(0x00210000)) + sizes();
  const std::string local = "PK\3\4" + common + little(std::uint16_t(0)) + name + packed;
  const std::string entry = "PK\1\2" + little(std::uint16_t(20)) + common +
                            std::string(2 + 2 + 2 + 2 + 4, '\0') + little(std::uint32_t(0)) + name;
  return local + entry + "PK\5\6" + std::string(4, '\0') + little(std::uint16_t(1)) +
         little(std::uint16_t(1)) + little(std::uint32_t(entry.size())) +
         little(std::uint32_t(local.size())) + std::string(2, '\0');
}

std::string png_file(char depth, char colour, const std::string& rows, const std::string& extra) {
  const auto chunk = [](const std::string& kind, const std::string& data) {
    return big(std::uint32_t(data.size())) + kind + data + big(crc_of(kind + data));
  };
  std::uint32_t a = 1, b = 0;  // Adler-32
  for (const unsigned char byte : rows) a = (a + byte) % 65521, b = (b + a) % 65521;
  const std::string packed = "\x78\1\1" + little(std::uint16_t(rows.size())) +
                             little(std::uint16_t(~rows.size())) + rows + big(b << 16 | a);
  std::string header = big(2) + big(2);
  header += {depth, colour, 0, 0, 0};
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + extra + chunk("IDAT", packed) +
         chunk("IEND", "");
}

}  // namespace

bool npy(std::string_view bytes) {
  return taken([&] {
    files::MemorySource from(bytes);
    return elements_are_there(from, "fuzzed.npy", bytes.size());
  });
}

bool npz(std::string_view bytes) {
  return taken([&] {
    const files::Archive archive(bytes, "fuzzed.npz");
    bool any = false;
    for (const auto& member : archive.members())
      any |= taken([&] {
        archive.read(member, [&](files::Source& from) {
          elements_are_there(from, "fuzzed.npz", bytes.size() * 1032);
        });
        return true;
      });
    return any;
  });
}

bool png(std::string_view bytes) {
  bool any = false;
  void* const cpu = detail::handle_of(device::cpu());
  for (const int rank : {2, 3})
    any |= taken([&] {
      const detail::file_array image = files::read_png(bytes, "fuzzed.png", {{'u', 1}, rank, cpu});
      if (image.at.extents[0] < 1 || image.at.extents[1] < 1) broken("an image has no pixels");
      return true;
    });
  return any;
}

std::vector<std::string> npy_seeds() {
  return {npy_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", 16),
          npy_file(2, "{'descr': '|u1', 'fortran_order': False, 'shape': (), }", 1),
          npy_file(3, "{'descr': '<c16', 'fortran_order': False, 'shape': (2, 3), }", 96),
          npy_file(1, "{'descr': '|V12', 'fortran_order': False, 'shape': (2, 0, 3), }", 0),
          npy_file(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", 3),
          npy_file(1, "{'descr': '>f8', 'fortran_order': True, 'shape': (2, 2), }", 32)};
}

std::vector<std::string> npz_seeds() {
  std::vector<std::string> all;
  for (const std::uint16_t method : {std::uint16_t(0), std::uint16_t(8)})
    for (const std::string& member : npy_seeds()) all.push_back(npz_file(member, method));
  return all;
}

std::vector<std::string> png_seeds() {
  using std::string_literals::operator""s;
  const std::string palette = big(6) + "PLTE\1\2\3\4\5\6" + big(crc_of("PLTE\1\2\3\4\5\6"));
  return {png_file(8, 0, "\0\1\2\0\3\4"s, ""),
          png_file(8, 4, "\0\1\2\3\4\1\5\6\7\7"s, ""),
          png_file(8, 2, "\0\1\2\3\4\5\6\2\1\2\3\4\5\6"s, ""),
          png_file(8, 6, "\4\1\2\3\4\5\6\7\7\3\1\2\3\4\5\6\7\7"s, ""),
          png_file(1, 3, "\0\x80\0\x40"s, palette),
          png_file(16, 0, "\0\1\2\3\4\0\1\2\3\4"s, "")};
}

}  // namespace krait::test::fuzz
