// When a Heartbeat and a TestRequest are due, and when silence is too long. Not for applications.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include <nexusfix/base/time.hpp>
#include <nexusfix/session/config.hpp>

namespace nexusfix::session::detail {

class HeartbeatTimers {
 public:
  enum class Due : std::uint8_t {
    Heartbeat,
    TestRequest,
    SilenceTooLong,  // the TestRequest has not been answered in time
  };

  // A connection begins.
  void start(MonoTime now) noexcept { last_sent_ = last_received_ = now; }
  void forget_connection() noexcept { test_request_sent_.reset(); }
  // 0: no Heartbeats. The multiples are computed once, so that a message needs no floating
  // point.
  void set_interval(std::chrono::seconds interval, const HeartbeatConfig& config) noexcept;
  [[nodiscard]] std::chrono::seconds interval() const noexcept { return interval_; }

  void note_received(MonoTime now) noexcept {
    last_received_ = now;
    test_request_sent_.reset();
  }
  // What comes before the Logon answers no TestRequest.
  void note_received_before_logon(MonoTime now) noexcept { last_received_ = now; }
  void note_sent(MonoTime now) noexcept { last_sent_ = now; }

  // The application messages that are sent since one event may have to be undone.
  void note_sent_application(MonoTime event, MonoTime sent, std::uint64_t next_inbound) noexcept;
  void undo_sent_application() noexcept {
    if (last_sent_ == undo_.sent) last_sent_ = undo_.sent_before;
  }

  [[nodiscard]] MonoTime deadline(const HeartbeatConfig& config) const noexcept;
  // At or after deadline(). What is due counts as done, but for a Heartbeat, which is when it has
  // been sent.
  [[nodiscard]] Due take_due(MonoTime now, const HeartbeatConfig& config) noexcept;

 private:
  MonoTime last_sent_{};
  MonoTime last_received_{};
  std::optional<MonoTime> test_request_sent_;  // and not answered by anything yet
  MonoTime::duration heartbeat_after_{};       // 0: none
  MonoTime::duration test_request_after_{};
  MonoTime::duration silence_after_{};  // after the TestRequest
  std::chrono::seconds interval_{};
  struct {
    MonoTime event = kNever;
    std::uint64_t next_inbound = 0;
    MonoTime sent_before{};  // last_sent_ without the messages
    MonoTime sent = kNever;  // last_sent_ with them
  } undo_;
};

// While a TestRequest is unanswered there is no Heartbeat: the TestRequest has just been sent, and
// if nothing comes back the connection ends before a second one would be due. (Where it does not
// end, Heartbeats go on.)
inline MonoTime HeartbeatTimers::deadline(const HeartbeatConfig& config) const noexcept {
  if (heartbeat_after_ == MonoTime::duration::zero()) return kNever;
  if (test_request_sent_) {
    const MonoTime answer_due = *test_request_sent_ + silence_after_;
    if (config.disconnects_on_silence) return answer_due;
    return std::min(answer_due, last_sent_ + heartbeat_after_);
  }
  return std::min(last_sent_ + heartbeat_after_, last_received_ + test_request_after_);
}

// What a callback sends follows one event without a message of the session's own in between, so the
// time to go back to is the one from before the first of them. Messages that were sent before the
// callback may be among them, if no event came between: then a Heartbeat comes early, never late.
inline void HeartbeatTimers::note_sent_application(MonoTime event, MonoTime sent,
                                                   std::uint64_t next_inbound) noexcept {
  const bool goes_on =
      last_sent_ == undo_.sent && event == undo_.event && next_inbound == undo_.next_inbound;
  if (!goes_on) {
    undo_ = {.event = event, .next_inbound = next_inbound, .sent_before = last_sent_};
  }
  last_sent_ = undo_.sent = sent;
}

}  // namespace nexusfix::session::detail
