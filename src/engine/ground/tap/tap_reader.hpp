// Reads copies of the messages of all event loops.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/ground/tap/tap_channel.hpp"

namespace nexusfix::engine {

// One thread at a time. It may outlive the engine: then nothing more comes.
//
//   auto reader = desk.tap("FIX.4.4:VENUE->TRADER");
//   reader->read(65'536, [](const observe::LoggedMessage& message) { show(message); });
//   if (const auto lost = reader->take_lost(); lost != 0) show_lost(lost);
class TapReader {
 public:
  // One channel for each loop.
  explicit TapReader(std::vector<std::shared_ptr<TapChannel>> channels) noexcept
      : channels_{std::move(channels)} {}
  TapReader(TapReader&& other) noexcept : channels_{std::exchange(other.channels_, {})} {}
  TapReader& operator=(TapReader&& other) noexcept {
    std::swap(channels_, other.channels_);
    return *this;
  }
  ~TapReader() {
    for (const auto& channel : channels_) channel->abandon();
  }

  // Passes the messages that wait, up to about bytes_max bytes: those of one loop in their order.
  // Never waits. Returns the bytes; 0: nothing waits.
  template <class Visitor>
  std::size_t read(std::size_t bytes_max, Visitor&& visit) {
    std::size_t bytes = 0;
    for (const auto& channel : channels_) {
      if (bytes >= bytes_max) break;
      bytes += channel->read(bytes_max - bytes, visit);
    }
    // The next call begins with another loop.
    if (channels_.size() > 1) std::ranges::rotate(channels_, channels_.begin() + 1);
    return bytes;
  }
  // The messages that did not fit since the last call.
  [[nodiscard]] std::uint64_t take_lost() noexcept {
    std::uint64_t lost = 0;
    for (const auto& channel : channels_) lost += channel->take_lost();
    return lost;
  }
  // Every loop has ended, or has removed this reader because it did not read.
  [[nodiscard]] bool has_ended() const noexcept {
    return std::ranges::all_of(channels_, [](const auto& one) { return one->has_ended(); });
  }

 private:
  std::vector<std::shared_ptr<TapChannel>> channels_;
};

}  // namespace nexusfix::engine
