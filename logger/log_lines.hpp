// From a log record's raw bytes to a line of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fmt/args.h>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/decimal.hpp>
#include <nexusfix/deferred/logger.hpp>

namespace nexusfix::deferred::detail {

// 150.50, -0.007
void append_decimal(Decimal value, std::string& to);

// Collects lines. One thread. Allocates; if that throws, the lines are unchanged.
class LogLines {
 public:
  // A record of Logger::write().
  void append_record(std::span<const std::byte> record);

  [[nodiscard]] std::string_view lines() const noexcept { return {lines_.data(), lines_.size()}; }
  void clear() noexcept { lines_.clear(); }

 private:
  void append_time(WallTime time);
  void read_arguments(const LogCallSite& site, std::span<const std::byte> bytes);

  fmt::memory_buffer lines_;
  fmt::dynamic_format_arg_store<fmt::format_context> arguments_;
  std::string texts_;  // of the present record, escaped; arguments_ points into it
};

}  // namespace nexusfix::deferred::detail
