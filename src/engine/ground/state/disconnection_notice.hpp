// The notice of a disconnection to the application.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/base/time.hpp>
#include <nexusfix/engine/session.hpp>

namespace nexusfix::engine {

// The end of a Logon that on_disconnect() has not reported yet.
class DisconnectionNotice {
 public:
  [[nodiscard]] bool is_pending() const noexcept { return notice_.has_value(); }
  // It is delivered after the actions of the event.
  [[nodiscard]] bool is_due() const noexcept { return notice_ && due_at_ == kNever; }
  // kNever: after the actions of the event.
  [[nodiscard]] MonoTime due_at() const noexcept { return due_at_; }

  // A Logon has ended; the reason follows in the same event.
  void begin(MonoTime due_at) noexcept {
    notice_ = Disconnection{};
    is_fresh_ = true;
    due_at_ = due_at;
  }
  // The session is back before the notice was due.
  void cancel() noexcept { notice_.reset(); }
  void make_due() noexcept { due_at_ = kNever; }
  void on_event_done() noexcept { is_fresh_ = false; }
  // The reason of a Logon's end in this event.
  void set_reason(session::DisconnectReason reason) {
    if (!notice_ || !is_fresh_) return;
    notice_->reason = reason;
    notice_->is_orderly = reason == session::DisconnectReason::LogoutComplete;
    text_ = to_string(reason);
  }
  // The connection is closed; the end of a Logon follows.
  void set_text(std::string_view why) {
    if (!notice_) text_ = why;
  }
  // The text is valid until the next change.
  [[nodiscard]] Disconnection take() {
    Disconnection taken = *std::exchange(notice_, std::nullopt);
    due_at_ = kNever;
    if (!taken.reason && text_.empty()) text_ = "the connection broke";
    taken.text = text_;
    return taken;
  }

 private:
  std::optional<Disconnection> notice_;
  std::string text_;
  bool is_fresh_ = false;  // of this event: the reason follows
  MonoTime due_at_ = kNever;
};

}  // namespace nexusfix::engine
