// The sessions of all event loops, for remotes: threads that serve no loop find them here.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/engine/remote.hpp>

namespace nexusfix::engine {

class TaskInbox;

// A session by its name. Only the RemoteDirectory changes it; any thread reads it without a lock.
class RemoteSession {
 public:
  enum class State : std::uint8_t { LoggedOut, LoggedOn, Stopped };

  explicit RemoteSession(std::string_view name) : name_{name} {}

  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  // No value: there is no such session, or not any more.
  [[nodiscard]] std::optional<SessionHandle> place() const noexcept;
  [[nodiscard]] State state() const noexcept { return state_.load(std::memory_order_relaxed); }

 private:
  friend class RemoteDirectory;
  static constexpr std::uint64_t kNowhere = UINT64_MAX;

  const std::string name_;
  std::atomic<std::uint64_t> place_{kNowhere};  // loop and key: one word, so that both agree
  std::atomic<State> state_{State::LoggedOut};
};

// One for all event loops of an engine. A loop takes its lock only when a session is added, logs on
// or out, or is removed.
class RemoteDirectory {
 public:
  // Loop by loop, before any of them runs.
  void add_loop(std::shared_ptr<TaskInbox> inbox);

  // The thread of the session's loop. A session that was not added is not known to any remote:
  // set_logged_on() and remove() have no effect on it.
  void add(std::string_view name, SessionHandle handle);
  void remove(std::string_view name, SessionHandle handle) noexcept;
  void set_logged_on(std::string_view name, SessionHandle handle, bool is_logged_on) noexcept;
  // The loop has ended: it takes nothing any more.
  void end_loop(std::uint32_t loop) noexcept;

  // Any thread, from here on. name: the session's, or its qualifier or CompIDs if no other session
  // has them. The error names the sessions that may be meant.
  [[nodiscard]] std::expected<std::shared_ptr<RemoteSession>, std::string> find(
      std::string_view name);
  // One remote less uses the session.
  void release(std::shared_ptr<RemoteSession>& session) noexcept;
  [[nodiscard]] std::size_t loop_count() const noexcept { return inboxes_.size(); }
  [[nodiscard]] TaskInbox& inbox_of(std::uint32_t loop) const noexcept { return *inboxes_[loop]; }
  [[nodiscard]] LogonWait wait_logged_on(const RemoteSession& session,
                                         std::chrono::nanoseconds timeout);

 private:
  [[nodiscard]] static LogonWait end_of_wait(const RemoteSession& session) noexcept;
  [[nodiscard]] RemoteSession* at(std::string_view name, SessionHandle handle) noexcept;

  std::vector<std::shared_ptr<TaskInbox>> inboxes_;  // by loop; grows before any loop runs
  std::mutex mutex_;                                 // guards what follows
  std::condition_variable changed_;
  // By name. Those of removed sessions stay while a remote uses them.
  std::map<std::string_view, std::shared_ptr<RemoteSession>> sessions_;
};

}  // namespace nexusfix::engine
