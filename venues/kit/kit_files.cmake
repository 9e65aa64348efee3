# Writes the files of the kits as a source of the program:
# cmake -D FOLDER=venues -D KITS=binance,bybit -D OUTPUT=x.cpp -P kit_files.cmake
set(rows "")
set(count 0)
string(REPLACE "," ";" kits "${KITS}")
foreach(kit IN LISTS kits)
  file(GLOB_RECURSE files RELATIVE ${FOLDER}/${kit} ${FOLDER}/${kit}/*)
  list(SORT files)
  foreach(file IN LISTS files)
    file(READ ${FOLDER}/${kit}/${file} text)
    # A string literal has at most 64 KiB.
    string(LENGTH "${text}" size)
    if(size GREATER 65000)
      message(FATAL_ERROR "${kit}/${file} is too long")
    endif()
    string(APPEND rows "    KitFile{\"${kit}\", \"${file}\", R\"kitfile(${text})kitfile\"},\n")
    math(EXPR count "${count} + 1")
  endforeach()
endforeach()
file(WRITE ${OUTPUT} "#include <array>\n#include \"venues/kit/kit_files.hpp\"\n\n"
  "namespace nexusfix::venues {\nnamespace {\n\n"
  "constexpr std::array<KitFile, ${count}> kFiles{\n${rows}};\n\n}  // namespace\n\n"
  "std::span<const KitFile> kit_files() noexcept { return kFiles; }\n\n"
  "}  // namespace nexusfix::venues\n")
