// The newest events of the engine, for the console.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/event_id.hpp>
#include <nexusfix/observe/logs.hpp>

namespace nexusfix::web {

struct KeptEvent {
  std::uint64_t number = 0;  // counted from 1 since the start
  WallTime time{};
  EventId id{};
  std::string session{};  // empty: of the engine
  std::string text{};
};

// Any thread. An event is rare, and its log has written it to a file or a screen before: one lock
// more does not count.
class EventRing final : public observe::EventLog {
 public:
  static constexpr std::size_t kEventsMax = 1'000;
  static constexpr std::size_t kTextBytesMax = 2'000;

  void write(const observe::Event& event) override;
  // The newest events after this number, at most count of them; in their order.
  [[nodiscard]] std::vector<KeptEvent> after(std::uint64_t number, std::size_t count) const;
  // How often the configuration was read again, and is used.
  [[nodiscard]] std::uint64_t reloads() const noexcept { return reloads_.load(); }

 private:
  mutable std::mutex mutex_;
  std::deque<KeptEvent> events_;
  std::uint64_t last_ = 0;
  std::atomic<std::uint64_t> reloads_{0};
};

}  // namespace nexusfix::web
