# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes a C++ source with files as texts: cmake -DOUT=FILE.cpp -DHEADER=ITS_HEADER.h -DSPACE=NAMESPACE -DNAME=FUNCTION -DFILES="A|B" -P embed.cmake
string(REPLACE "|" ";" FILES "${FILES}")
set(rows "")
foreach(file ${FILES})
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND rows "      {\"${name}\", R\"__embedded__(${text})__embedded__\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"${HEADER}\"\n\nnamespace ${SPACE} {\n\nstd::span<const EmbeddedFile> ${NAME}() {\n  static constexpr EmbeddedFile all[] = {\n${rows}  };\n  return all;\n}\n\n}  // namespace ${SPACE}\n")
