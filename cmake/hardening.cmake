# Flags of a distribution's build: further obstacles for an attacker who has found a fault. The
# library nexusfix_hardening has them; with -D NEXUSFIX_HARDENED=ON all targets have them.
# docs/operations/security.md explains each.
include(CheckPIESupported)
check_pie_supported(LANGUAGES CXX)

add_library(nexusfix_hardening INTERFACE)
target_compile_options(nexusfix_hardening INTERFACE -fstack-protector-strong
                                                    -fstack-clash-protection)
target_compile_definitions(nexusfix_hardening INTERFACE _GLIBCXX_ASSERTIONS)
target_link_options(nexusfix_hardening INTERFACE LINKER:-z,relro,-z,now,-z,noexecstack)
# Without optimisation _FORTIFY_SOURCE is only a warning.
target_compile_options(nexusfix_hardening INTERFACE
  $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
  # The start files of some distributions have no mark, which would remove the mark of the whole
  # program. The test checks that each of our own object files has it.
  target_compile_options(nexusfix_hardening INTERFACE -fcf-protection=full)
  target_link_options(nexusfix_hardening INTERFACE LINKER:-z,ibt,-z,shstk)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64")
  target_compile_options(nexusfix_hardening INTERFACE -mbranch-protection=standard)
endif()

if(NEXUSFIX_HARDENED)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(nexusfix_flags INTERFACE nexusfix_hardening)
endif()
