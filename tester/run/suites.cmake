# Writes the suites as a source of the program:
# cmake -D FOLDER=suites -D OUTPUT=x.cpp -P suites.cmake
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*/*.scenario ${FOLDER}/*/*.part)
list(SORT files)
set(rows "")
set(count 0)
foreach(file IN LISTS files)
  cmake_path(GET file PARENT_PATH suite)
  cmake_path(GET file FILENAME name)
  file(READ ${FOLDER}/${file} text)
  string(APPEND rows "    ShippedFile{\"${suite}\", \"${name}\", R\"script(${text})script\"},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include <array>\n#include \"tester/run/suites.hpp\"\n\n"
  "namespace nexusfix::tester {\nnamespace {\n\n"
  "constexpr std::array<ShippedFile, ${count}> kFiles{\n${rows}};\n\n}  // namespace\n\n"
  "std::span<const ShippedFile> shipped_files() noexcept { return kFiles; }\n\n"
  "}  // namespace nexusfix::tester\n")
