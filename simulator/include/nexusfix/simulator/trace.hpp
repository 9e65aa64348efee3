// The events of a simulated world, one line each.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>
#include <string_view>

#include <nexusfix/simulator/simulated_clock.hpp>

namespace nexusfix::simulator {

class Trace {
 public:
  // Keeps the last lines_max lines. stream: gets each line at once, too; may be null.
  Trace(const WorldTime& now, std::size_t lines_max, std::FILE* stream)
      : now_{now}, lines_max_{lines_max}, stream_{stream} {}

  // False: no line is read, so make none.
  [[nodiscard]] bool is_on() const noexcept { return lines_max_ != 0 || stream_ != nullptr; }
  // "  12.345678 who        text"; SOH is shown as |.
  void line(std::string_view who, std::string_view text);
  [[nodiscard]] std::string text() const;

 private:
  const WorldTime& now_;
  std::size_t lines_max_;
  std::FILE* stream_;
  std::deque<std::string> lines_;
  std::uint64_t dropped_ = 0;
};

}  // namespace nexusfix::simulator
