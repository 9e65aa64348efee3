# Compiles for 64-bit ARM with Debian's cross compiler, and runs the programs with qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;/usr/aarch64-linux-gnu)
# A folder with libraries of that architecture, in the folders that Debian's packages have.
set(NEXUSFIX_ARM_LIBRARIES "" CACHE PATH "Libraries for 64-bit ARM, beside the cross compiler's")
set(CMAKE_FIND_ROOT_PATH ${NEXUSFIX_ARM_LIBRARIES} /usr/aarch64-linux-gnu)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NEXUSFIX_ARM_LIBRARIES)
if(NEXUSFIX_ARM_LIBRARIES)
  # GCC would name a header by its real path where that is shorter, which depends on the length of
  # this folder's path: so would the debug information, and the build-id.
  set(CMAKE_CXX_FLAGS_INIT "-fno-canonical-system-headers \
-isystem ${NEXUSFIX_ARM_LIBRARIES}/usr/include/aarch64-linux-gnu")
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
