// Whether the loop serves a session, its keys, and the configuration file that it comes from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/store.hpp>

#include "engine/ground/settings/settings_names.hpp"
#include "session/api/state_machine.hpp"

namespace nexusfix::engine {

enum class MembershipState : std::uint8_t {
  Prepared,  // made, and not in service: a reload may still be refused
  Active,    // an acceptor admits its counterparty, an initiator connects
  Removed,   // not in the file: admits no client; may come back
  Closing,   // destroyed when its connection has ended
};

[[nodiscard]] constexpr bool can_become(MembershipState from, MembershipState to) noexcept {
  using enum MembershipState;
  switch (from) {
    case Prepared:
    case Removed:
      return to == Active || to == Closing;
    case Active:
      return to == Removed || to == Closing;
    case Closing:
      return false;
  }
  return false;
}

// Only the SessionRegistry changes the state.
class Membership {
 public:
  [[nodiscard]] MembershipState state() const noexcept { return state_; }
  [[nodiscard]] bool is_active() const noexcept { return state_ == MembershipState::Active; }
  // It admits no client, and needs no port.
  [[nodiscard]] bool is_out() const noexcept {
    return state_ == MembershipState::Prepared || state_ == MembershipState::Removed;
  }
  [[nodiscard]] bool is_closing() const noexcept { return state_ == MembershipState::Closing; }

  // Made of a template, for the client that logged on.
  [[nodiscard]] bool is_dynamic() const noexcept { return is_dynamic_; }
  void set_dynamic() noexcept { is_dynamic_ = true; }
  // Since it was made.
  [[nodiscard]] bool has_logged_on() const noexcept { return has_logged_on_; }
  void on_logged_on() noexcept { has_logged_on_ = true; }

 private:
  friend class SessionRegistry;

  void become(MembershipState next) noexcept {
    NEXUSFIX_DEBUG_ASSERT(can_become(state_, next));
    state_ = next;
  }

  MembershipState state_ = MembershipState::Prepared;
  bool is_dynamic_ = false;
  bool has_logged_on_ = false;
};

// A session of a template whose name the store does not know, before its first Logon is accepted.
// It is not stored and has no log of its own: otherwise any client could fill both with names.
struct SessionTrial {
  session::Numbers numbers;  // after its last event
  struct Received {
    WallTime at{};
    std::string bytes;  // a Logon, which may have a password
  };
  std::vector<Received> received;  // to be logged
  std::string made;                // the event's text, with the template; to be logged
  ~SessionTrial();
};

// The session's keys in the store, in the logs and of its handle.
class Registration {
 public:
  // Not valid while the session is on trial.
  [[nodiscard]] store::SessionKey key() const noexcept { return key_; }
  [[nodiscard]] bool is_on_trial() const noexcept { return trial_ != nullptr; }
  // The key of its SessionHandle.
  [[nodiscard]] std::uint32_t handle_key() const noexcept { return handle_key_; }
  // Its key in EngineLogs.
  [[nodiscard]] std::size_t log() const noexcept { return log_; }

 private:
  friend class DynamicSessions;
  friend class SessionRegistry;
  friend class SettingsChanges;

  store::SessionKey key_ = 0;
  std::unique_ptr<SessionTrial> trial_;  // null: the session is stored
  std::uint32_t handle_key_ = 0;
  std::size_t log_ = 0;
};

// The texts of the file whose values are in effect, by TakesEffect. now is null: the session is in
// no file.
struct FileTexts {
  std::shared_ptr<const std::string> start;
  std::shared_ptr<const std::string> logon;
  std::shared_ptr<const std::string> now;
};

// The session and the configuration file. Only SettingsChanges changes it after configure().
class FileState {
 public:
  [[nodiscard]] const FileTexts& texts() const noexcept { return texts_; }
  // Its own name, or that of its template.
  [[nodiscard]] const std::string& configured_as() const noexcept { return configured_as_; }
  [[nodiscard]] const PendingKeys& pending() const noexcept { return pending_; }
  // From its next Logon on; null: none.
  [[nodiscard]] const SessionSettings* next_settings() const noexcept {
    return next_settings_.get();
  }
  // The session comes from this text, under this name.
  void configure(std::string name, const std::shared_ptr<const std::string>& text) noexcept {
    configured_as_ = std::move(name);
    texts_ = {text, text, text};
  }

 private:
  friend class SettingsChanges;

  FileTexts texts_;
  std::string configured_as_;
  PendingKeys pending_;
  std::unique_ptr<SessionSettings> next_settings_;
  std::shared_ptr<const std::string> next_text_;  // the text of next_settings_
};

}  // namespace nexusfix::engine
