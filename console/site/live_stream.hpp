// What the page gets every second, by Server-Sent Events.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "console/http/request.hpp"
#include "console/json/session_names.hpp"
#include "console/site/event_ring.hpp"
#include "control/api/operations.hpp"

namespace nexusfix::web {

// The state of the engine, read once for all streams of a tick. The server's thread.
class EngineStateCache {
 public:
  // Shorter than a tick, so that each tick has a new state.
  static constexpr std::chrono::milliseconds kAgeMax{900};

  // engine: not owned.
  void serve(engine::Operations& engine) noexcept { engine_ = &engine; }
  // "event: state" with its data.
  [[nodiscard]] std::shared_ptr<const std::string> chunk(MonoTime now);

 private:
  engine::Operations* engine_ = nullptr;
  MonoTime read_at_{};
  std::shared_ptr<const std::string> chunk_;
};

// The state, new events, and the messages of a session, if one is followed.
class LiveStream final : public Stream {
 public:
  static constexpr std::size_t kMessagesMax = 100;  // in a tick; more are counted only
  static constexpr std::size_t kEventsMax = 200;

  // The names of the present dictionaries. Not null.
  using Names = std::function<std::shared_ptr<const SessionNames>()>;

  // states and events outlive the stream. after: only events after this number. subscription: null:
  // no messages.
  LiveStream(EngineStateCache& states, const EventRing& events, std::uint64_t after,
             std::unique_ptr<engine::MessageSubscription> subscription, Names names) noexcept
      : states_{states},
        events_{events},
        last_event_{after},
        subscription_{std::move(subscription)},
        names_{std::move(names)} {}

  [[nodiscard]] std::shared_ptr<const std::string> next(MonoTime now) override;

 private:
  void append_events(std::string& chunk);
  void append_messages(std::string& chunk);

  EngineStateCache& states_;
  const EventRing& events_;
  std::uint64_t last_event_;
  std::unique_ptr<engine::MessageSubscription> subscription_;
  Names names_;
};

}  // namespace nexusfix::web
