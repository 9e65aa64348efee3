// The loops of a contestant that is written in C++ (C++11 or later).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/contestants/contestant.h"
#include "bench/measure/timer.hpp"

namespace contestant {

using Texts = std::vector<nexusfix_text>;

inline void keep(std::uint64_t value) noexcept { asm volatile("" : : "r"(value) : "memory"); }

// Operation: a type with std::uint64_t operator()(std::size_t input).
template <class Operation>
struct Job {
  Operation operation;
  std::size_t inputs;
  std::size_t next = 0;

  Job(Operation one, std::size_t count) : operation(static_cast<Operation&&>(one)), inputs(count) {}

  static Job& of(void* self) { return *static_cast<Job*>(self); }
  static std::uint64_t answer(void* self, std::size_t input) { return of(self).operation(input); }
  static void run(void* self, std::size_t calls) {
    Job& job = of(self);
    std::size_t input = job.next;
    const std::size_t mask = job.inputs - 1;
    for (std::size_t i = 0; i < calls; ++i) {
      keep(job.operation(input));
      input = (input + 1) & mask;
    }
    job.next = input;
  }
  static void time_each(void* self, std::uint32_t* ticks, std::size_t calls) {
    Job& job = of(self);
    const std::size_t mask = job.inputs - 1;
    for (std::size_t i = 0; i < calls; ++i) {
      const std::uint64_t before = nexusfix::bench::read_ticks();
      keep(job.operation(job.next));
      const std::uint64_t elapsed = nexusfix::bench::read_ticks() - before;
      ticks[i] = elapsed < UINT32_MAX ? static_cast<std::uint32_t>(elapsed) : UINT32_MAX;
      job.next = (job.next + 1) & mask;
    }
  }
  static void destroy(void* self) { delete &of(self); }
  static nexusfix_text message(void* self, std::size_t input) {
    return of(self).operation.message(input);
  }
};

template <class Operation>
nexusfix_job make_job(Operation operation, std::size_t inputs) {
  using Made = Job<Operation>;
  return {new Made(static_cast<Operation&&>(operation), inputs),
          &Made::answer,
          nullptr,
          &Made::run,
          &Made::time_each,
          &Made::destroy};
}

// For an operation that has nexusfix_text message(std::size_t input), too.
template <class Operation>
nexusfix_job make_encoding_job(Operation operation, std::size_t inputs) {
  using Made = Job<Operation>;
  return {new Made(static_cast<Operation&&>(operation), inputs),
          &Made::answer,
          &Made::message,
          &Made::run,
          &Made::time_each,
          &Made::destroy};
}

}  // namespace contestant
