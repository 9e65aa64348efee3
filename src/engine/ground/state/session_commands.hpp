// Commands to one session that wait until the actions of the running event are done: Logout,
// resets, disconnect, and the answer to a Logon.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/engine/session.hpp>

namespace nexusfix::engine {

// A command replaces an earlier one of its kind. The event loop's thread only.
class SessionCommands {
 public:
  // In the order in which they run, whatever the order of the calls.
  enum class Kind : std::uint8_t { LogOut, Reset, ResetInSession, Disconnect, AnswerLogon };

  // text: Text (58) of the Logout, or the reason of the disconnection.
  void add(Kind kind, std::string text) noexcept {
    texts_[index(kind)] = std::move(text);
    waiting_ |= bit(kind);
  }
  void answer_logon(std::uint64_t logon_id, LogonAnswer answer) noexcept {
    logon_id_ = logon_id;
    answer_ = std::move(answer);
    waiting_ |= bit(Kind::AnswerLogon);
  }

  [[nodiscard]] bool empty() const noexcept { return waiting_ == 0; }
  [[nodiscard]] bool has(Kind kind) const noexcept { return (waiting_ & bit(kind)) != 0; }
  // Removes and returns the first command. Must not be called if empty().
  [[nodiscard]] Kind take() noexcept {
    const auto kind = static_cast<Kind>(std::countr_zero(waiting_));
    waiting_ &= static_cast<std::uint8_t>(waiting_ - 1U);
    if (kind == Kind::AnswerLogon) {
      std::swap(answer_, taken_answer_);
    } else {
      std::swap(texts_[index(kind)], taken_text_);
    }
    return kind;
  }
  // The text of the command that was taken last; valid until the next take().
  [[nodiscard]] std::string_view text() const noexcept { return taken_text_; }
  [[nodiscard]] LogonAnswer& answer() noexcept { return taken_answer_; }
  [[nodiscard]] std::uint64_t logon_id() const noexcept { return logon_id_; }

 private:
  static constexpr std::size_t index(Kind kind) noexcept { return static_cast<std::size_t>(kind); }
  static constexpr std::uint8_t bit(Kind kind) noexcept {
    return static_cast<std::uint8_t>(1U << index(kind));
  }

  std::uint8_t waiting_ = 0;  // a bit for each kind
  std::array<std::string, 4> texts_;
  std::string taken_text_;
  std::uint64_t logon_id_ = 0;  // of the last answer
  LogonAnswer answer_;
  LogonAnswer taken_answer_;
};

}  // namespace nexusfix::engine
