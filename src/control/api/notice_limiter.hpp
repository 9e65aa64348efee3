// Keeps a flood of events (garbled messages, rejects) from becoming a flood of log lines, and the
// peer that causes it from using up the lines of others.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/transport/network.hpp>

namespace nexusfix::engine {

// The limit of what may happen within a second. Every limit of the engine counts with it, except
// Throttle, whose interval slides.
class SecondLimit {
 public:
  static constexpr std::chrono::seconds kWindow{1};

  // Begins a second, unless the last one still goes on. True: a second has begun.
  bool begin(MonoTime now) noexcept {
    if (now < ends_at_) return false;
    ends_at_ = now + kWindow;
    count_ = 0;
    return true;
  }
  void count() noexcept { ++count_; }
  // Counts one event. False: there were more than count_max within the second.
  [[nodiscard]] bool allow(MonoTime now, std::uint32_t count_max) noexcept {
    begin(now);
    return ++count_ <= count_max;
  }

  [[nodiscard]] std::uint32_t counted() const noexcept { return count_; }
  [[nodiscard]] MonoTime ends_at() const noexcept { return ends_at_; }

 private:
  MonoTime ends_at_ = MonoTime::min();
  std::uint32_t count_ = 0;
};

// Counts notices of one kind: the first is reported at once, later ones of the same second
// together.
class NoticeTally {
 public:
  // last: the peer of the last one, for people.
  void add(std::uint64_t count, std::string last = {}) noexcept {
    count_ += count;
    last_ = std::move(last);
  }
  [[nodiscard]] bool has_any() const noexcept { return count_ != 0; }
  // The number to report now; 0: none, or it is too soon.
  [[nodiscard]] std::uint64_t take(MonoTime now) noexcept {
    if (count_ == 0 || !reported_.begin(now)) [[likely]]
      return 0;
    return std::exchange(count_, 0);
  }
  [[nodiscard]] const std::string& last() const noexcept { return last_; }
  // When the next report is due; kNever: nothing was counted.
  [[nodiscard]] MonoTime due() const noexcept { return count_ == 0 ? kNever : reported_.ends_at(); }

 private:
  std::uint64_t count_ = 0;
  SecondLimit reported_;
  std::string last_;
};

// Each session has its own lines in a second, and so has the engine. The number of unauthenticated
// peers has no bound: all of them share one limit, and one address gets at most a quarter of it.
// Refused lines are counted.
class NoticeLimiter {
 public:
  static constexpr std::chrono::seconds kWindow = SecondLimit::kWindow;
  static constexpr unsigned kSessionLinesMax = 20;
  static constexpr unsigned kUnauthenticatedLinesMax = 100;
  static constexpr unsigned kSourceLinesMax = kUnauthenticatedLinesMax / 4;

  // Whether a line may be written now. Refused lines are counted.
  [[nodiscard]] bool allow(SecondLimit& share, MonoTime now) noexcept {
    return counted(share.allow(now, kSessionLinesMax), now);
  }
  [[nodiscard]] bool allow(transport::Source source, MonoTime now) noexcept {
    if (lines_.begin(now)) sources_ = 0;
    return counted(allow_source(source), now);
  }

  // The number of refused lines, when a window has passed since the first of them; before that,
  // zero.
  [[nodiscard]] std::uint64_t consume_suppressed(MonoTime now) noexcept {
    if (suppressed_ == 0 || now < report_at_) return 0;
    return std::exchange(suppressed_, 0);
  }

 private:
  struct SourceLines {
    transport::Source source = 0;
    unsigned lines = 0;
  };

  bool allow_source(transport::Source source) noexcept {
    if (lines_.counted() >= kUnauthenticatedLinesMax) return false;
    const auto end = by_source_.begin() + static_cast<std::ptrdiff_t>(sources_);
    auto found = std::find_if(by_source_.begin(), end,
                              [&](const SourceLines& one) { return one.source == source; });
    if (found == end) {  // There is room, because each source in the list has had a line.
      *found = {source, 0};
      ++sources_;
    }
    if (found->lines >= kSourceLinesMax) return false;
    ++found->lines;
    lines_.count();
    return true;
  }

  bool counted(bool is_allowed, MonoTime now) noexcept {
    if (is_allowed) return true;
    if (suppressed_++ == 0) report_at_ = now + kWindow;
    return false;
  }

  SecondLimit lines_;
  std::size_t sources_ = 0;
  std::array<SourceLines, kUnauthenticatedLinesMax> by_source_{};  // of this second
  std::uint64_t suppressed_ = 0;
  MonoTime report_at_ = MonoTime::min();
};

}  // namespace nexusfix::engine
