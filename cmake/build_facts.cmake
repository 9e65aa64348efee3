# Writes OUTPUT, a source with the commit of SOURCE and with COMPILER. It runs in each build, and
# leaves the file as it is if the commit is the same. COMMIT: given by who builds from an archive.
if(NOT COMMIT)
  execute_process(COMMAND git -C ${SOURCE} describe --always --exclude=* --abbrev=12
                          --dirty=-changed
                  OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
#include "nexusfix/help/build_facts.hpp"

namespace nexusfix::command {

std::string_view commit() noexcept { return "@COMMIT@"; }
std::string_view compiler() noexcept { return "@COMPILER@"; }

}  // namespace nexusfix::command
]] @ONLY)
