// NexusFIX of another build, in a shared library that exports one function and keeps every other
// name to itself: in one program with this build's, nothing of either replaces the other's.
#pragma once

#include <memory>
#include <string>

#include "bench/subject.hpp"

namespace nexusfix::bench {

struct Module {
  std::string commit;
  std::string hardening;  // as the compiler says that it was on; empty: none
  std::unique_ptr<Subject> subject;
};

// The target nexusfix_bench_module of a build folder. It stays open until the program ends. Threads
// that it starts know the cores that may be used now. Throws std::runtime_error.
[[nodiscard]] Module open_module(const std::string& path);

}  // namespace nexusfix::bench

// What the library exports, which fills the module.
extern "C" void nexusfix_bench_module(nexusfix::bench::Module& module);
