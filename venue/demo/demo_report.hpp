// The report at the end of the demonstration.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>

namespace nexusfix::command {

struct Measurements {
  std::vector<std::chrono::nanoseconds> round_trips;
  std::uint64_t streamed = 0;
  std::chrono::nanoseconds stream_time{0};
};

// The tables of latency and throughput, and the histogram.
[[nodiscard]] std::string measurement_text(const Measurements& measurements);

struct JournalFindings {
  std::string text;   // the contents of both journals
  std::string order;  // the trader's last order, as it was sent
  std::string fill;   // the report that filled it
};

// The processes that own the journals must have ended. Fails if the two sides do not agree on every
// sequence number, or the order or its fill is missing.
[[nodiscard]] std::expected<JournalFindings, std::string> inspect_journals(
    Disk& disk, const std::string& venue_folder, const std::string& trader_folder);

}  // namespace nexusfix::command
