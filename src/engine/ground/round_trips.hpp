// The TestRequests of operators, and when their Heartbeats came back.
#pragma once

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::engine {

class SessionEntry;

// The loop's thread only. The last 64 are kept.
class RoundTrips {
 public:
  using Duration = std::chrono::nanoseconds;
  struct Trip {
    const SessionEntry* entry = nullptr;
    std::uint64_t id = 0;
    MonoTime sent_at{};
    std::optional<Duration> took{};  // unset: the Heartbeat has not come
    std::array<char, 32> text{};     // TestReqID
    std::size_t text_size = 0;

    [[nodiscard]] std::string_view test_req_id() const noexcept { return {text.data(), text_size}; }
  };

  // A TestRequest is sent now. Its text is valid until the next 63 calls.
  const Trip& begin(const SessionEntry& entry, MonoTime now) noexcept {
    Trip& trip = trips_[++last_ % trips_.size()];
    trip = {.entry = &entry, .id = last_, .sent_at = now};
    constexpr std::string_view kPrefix = "OPERATOR-";
    kPrefix.copy(trip.text.data(), kPrefix.size());
    const auto end = std::to_chars(trip.text.data() + kPrefix.size(),
                                   trip.text.data() + trip.text.size(), trip.id);
    trip.text_size = static_cast<std::size_t>(end.ptr - trip.text.data());
    is_waiting_ = true;
    return trip;
  }
  // A Heartbeat may be the answer only after a begin().
  [[nodiscard]] bool is_waiting() const noexcept { return is_waiting_; }
  void on_heartbeat(const SessionEntry& entry, std::string_view test_req_id,
                    MonoTime now) noexcept {
    for (Trip& trip : trips_) {
      if (trip.entry == &entry && !trip.took && trip.test_req_id() == test_req_id) {
        trip.took = now - trip.sent_at;
      }
    }
  }
  // Null: it is not known, or not any more.
  [[nodiscard]] const Trip* find(const SessionEntry& entry, std::uint64_t id) const noexcept {
    const Trip& trip = trips_[id % trips_.size()];
    return trip.id == id && trip.entry == &entry ? &trip : nullptr;
  }

 private:
  std::array<Trip, 64> trips_{};
  std::uint64_t last_ = 0;
  bool is_waiting_ = false;
};

}  // namespace nexusfix::engine
