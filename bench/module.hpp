// NexusFIX of another build, in a shared library that exports only one function: the names of the
// two builds in one program do not replace each other.
#pragma once

#include <memory>
#include <string>

#include "bench/subject.hpp"

namespace nexusfix::bench {

struct Module {
  std::string commit;
  std::string hardening;  // by the compiler's predefined macros; empty: none
  std::unique_ptr<Subject> subject;
};

// Opens the target nexusfix_bench_module of a build folder. It stays open until the program ends.
// Its threads use the cores that are allowed now. Throws std::runtime_error.
[[nodiscard]] Module open_module(const std::string& path);

}  // namespace nexusfix::bench

// The exported function of the library. It fills the module.
extern "C" void nexusfix_bench_module(nexusfix::bench::Module& module);
