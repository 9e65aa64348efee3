// Checks the version of C++. Every public header that includes no other public header includes this
// one, so that the first error of a wrong compiler setting names the remedy.
#pragma once

#include <version>

#ifndef __cpp_lib_expected
#error "NexusFIX needs C++23: compile with -std=c++23 (g++ 12, clang 19 or later)"
#endif
