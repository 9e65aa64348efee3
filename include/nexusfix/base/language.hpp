// Checks the version of C++: a compiler without C++23 stops here, and the error names the remedy.
// Every public header that includes no other public header includes this one.
#pragma once

#include <version>

#ifndef __cpp_lib_expected
#error "NexusFIX needs C++23: compile with -std=c++23 (g++ 12, clang 19 or later)"
#endif
