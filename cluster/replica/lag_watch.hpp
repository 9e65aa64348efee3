// Since when the replica lacks a part of the journal, and whether the operator must know.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/store/store.hpp>

namespace nexusfix::store::replica {

class LagWatch {
 public:
  explicit LagWatch(std::chrono::nanoseconds longest) noexcept : longest_{longest} {}

  struct Change {
    bool is_lagging = false;
    std::chrono::nanoseconds since{0};
  };
  // One thread. While records are appended all the time, the replica is never at their end. So it
  // is followed to what was there at one moment, and then to what is there by now.
  std::optional<Change> look(LogPosition end, LogPosition replicated, const Now& now) noexcept {
    if (replicated >= mark_) {
      const std::chrono::nanoseconds took = now.mono - marked_at_;
      const bool lacks_more = end > replicated;
      mark_ = end;
      marked_at_ = now.mono;
      lacks_since_.store(lacks_more ? now.wall.time_since_epoch().count() : 0);
      if (!is_lagging_.load() || (lacks_more && took > longest_)) return std::nullopt;
      is_lagging_.store(false);
      return Change{.is_lagging = false, .since = now.mono - lagging_since_};
    }
    if (is_lagging_.load() || now.mono - marked_at_ <= longest_) return std::nullopt;
    lagging_since_ = marked_at_;
    is_lagging_.store(true);
    return Change{.is_lagging = true, .since = now.mono - marked_at_};
  }

  // Any thread.
  [[nodiscard]] bool is_lagging() const noexcept { return is_lagging_.load(); }
  [[nodiscard]] std::optional<WallTime> lacks_since() const noexcept {
    const std::int64_t since = lacks_since_.load();
    if (since == 0) return std::nullopt;
    return WallTime{std::chrono::nanoseconds{since}};
  }

 private:
  std::chrono::nanoseconds longest_;
  LogPosition mark_ = 0;  // the replica lacks something before it, since marked_at_
  MonoTime marked_at_{};
  MonoTime lagging_since_{};
  std::atomic<std::int64_t> lacks_since_{0};  // ns since 1970; 0: it lacks nothing
  std::atomic<bool> is_lagging_{false};
};

}  // namespace nexusfix::store::replica
