// Watches a disk that no message waits for (catalogue D16): reports when it has taken nothing of
// the log for longer than the configured bound.
#pragma once

#include <chrono>
#include <optional>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/store.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

class DiskWatch {
 public:
  // One look proves nothing: the machine may have been suspended before it.
  static constexpr int kLooks = 4;

  struct Change {
    bool is_stalled = false;  // false: the disk takes the log again
    std::chrono::nanoseconds since{0};
  };

  DiskWatch() = default;  // never reports
  explicit DiskWatch(std::chrono::nanoseconds bound) noexcept : bound_{bound} {}

  // When to look(); kNever: everything was on the disk.
  [[nodiscard]] MonoTime next() const noexcept { return next_; }

  // It watches the disk, and nothing was appended since everything was on the disk.
  [[nodiscard]] bool is_idle() const noexcept { return next_ == kNever && bound_.count() != 0; }
  // Something was appended, and it is idle.
  void begin(store::LogPosition synced, MonoTime now) noexcept { start(synced, now); }

  std::optional<Change> look(store::LogPosition synced, store::LogPosition appended,
                             MonoTime now) noexcept {
    if (now < next_) [[likely]]
      return std::nullopt;
    const bool is_on_disk = synced == appended;
    if (is_on_disk || synced != synced_) {
      const Change goes_on{.is_stalled = false, .since = now - since_};
      const bool was_reported = is_reported_;
      start(synced, now);
      if (is_on_disk) next_ = kNever;
      return was_reported ? std::optional{goes_on} : std::nullopt;
    }
    next_ = now + bound_ / kLooks;
    if (++looks_ < kLooks || is_reported_) return std::nullopt;
    is_reported_ = true;
    return Change{.is_stalled = true, .since = now - since_};
  }

 private:
  void start(store::LogPosition synced, MonoTime now) noexcept {
    synced_ = synced;
    since_ = now;
    next_ = now + bound_ / kLooks;
    looks_ = 0;
    is_reported_ = false;
  }

  std::chrono::nanoseconds bound_{0};  // 0: it is not watched
  store::LogPosition synced_ = 0;      // the disk has everything before it
  MonoTime since_ = MonoTime::min();   // since then it has taken nothing more
  MonoTime next_ = kNever;
  int looks_ = 0;
  bool is_reported_ = false;
};

}  // namespace nexusfix::engine
