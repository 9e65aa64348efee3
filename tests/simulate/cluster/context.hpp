// What all parts of one simulated cluster share.
#pragma once

#include <cstdint>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/simulator/trace.hpp>
#include <nexusfix/simulator/violation.hpp>

#include "agenda.hpp"
#include "bug.hpp"

namespace nexusfix::simulator::cluster {

// Each stream has different numbers.
[[nodiscard]] inline SeededRandom stream(std::uint64_t seed, std::uint64_t number) {
  return SeededRandom{SeededRandom{seed * 64 + number}.next()};
}

struct Context {
  Context(std::uint64_t seed, Bug deliberate_bug, std::size_t trace_lines, std::FILE* trace_stream)
      : bug{deliberate_bug},
        trace{agenda.now(), trace_lines, trace_stream},
        random{stream(seed, 1)},
        random_network{stream(seed, 2)} {}

  // Counts an event in the digest: equal runs have equal digests.
  void count(std::uint64_t value) noexcept {
    digest = (digest ^ value) * 0x9FB21C651E98DF25U;
    digest ^= digest >> 32U;
  }
  // An event, in the trace and in the digest.
  void note(std::string_view name, std::string_view text) {
    count(static_cast<std::uint64_t>(agenda.now().count()));
    for (const char byte : text) count(static_cast<unsigned char>(byte));
    trace.line(name, text);
  }

  const Bug bug;
  Agenda agenda;
  FirstViolation violation{agenda.now()};
  Trace trace;
  SeededRandom random;          // of servers, and of the faults
  SeededRandom random_network;  // of the counterparties' connections
  std::uint64_t digest = 0;
};

}  // namespace nexusfix::simulator::cluster
