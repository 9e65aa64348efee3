#include "engine/inbox/remote_directory.hpp"

#include <algorithm>
#include <utility>

#include <nexusfix/dictionary/nearest_name.hpp>

#include "engine/inbox/task_inbox.hpp"

namespace nexusfix::engine {
namespace {

constexpr unsigned kKeyBits = 32;
// Longer waits end here: a deadline must be a time of the clock.
constexpr std::chrono::nanoseconds kWaitMax = std::chrono::hours{24 * 365};

std::uint64_t to_word(SessionHandle handle) noexcept {
  return (std::uint64_t{handle.loop} << kKeyBits) | handle.key;
}

}  // namespace

std::optional<SessionHandle> RemoteSession::place() const noexcept {
  const std::uint64_t word = place_.load(std::memory_order_relaxed);
  if (word == kNowhere) return std::nullopt;
  return SessionHandle{.loop = static_cast<std::uint32_t>(word >> kKeyBits),
                       .key = static_cast<std::uint32_t>(word)};
}

void RemoteDirectory::add_loop(std::shared_ptr<TaskInbox> inbox) {
  inboxes_.push_back(std::move(inbox));
}

void RemoteDirectory::add(std::string_view name, SessionHandle handle) {
  const std::lock_guard lock{mutex_};
  auto found = sessions_.find(name);
  if (found == sessions_.end()) {
    auto made = std::make_shared<RemoteSession>(name);
    const std::string_view key = made->name();
    found = sessions_.emplace(key, std::move(made)).first;
  }
  found->second->state_.store(RemoteSession::State::LoggedOut, std::memory_order_relaxed);
  found->second->place_.store(to_word(handle), std::memory_order_relaxed);
}

RemoteSession* RemoteDirectory::at(std::string_view name, SessionHandle handle) noexcept {
  const auto found = sessions_.find(name);
  return found != sessions_.end() && found->second->place() == handle ? found->second.get()
                                                                      : nullptr;
}

void RemoteDirectory::remove(std::string_view name, SessionHandle handle) noexcept {
  const std::lock_guard lock{mutex_};
  RemoteSession* const session = at(name, handle);
  if (session == nullptr) return;
  session->place_.store(RemoteSession::kNowhere, std::memory_order_relaxed);
  session->state_.store(RemoteSession::State::LoggedOut, std::memory_order_relaxed);
  const auto found = sessions_.find(name);
  if (found->second.use_count() == 1) sessions_.erase(found);
  changed_.notify_all();
}

void RemoteDirectory::set_logged_on(std::string_view name, SessionHandle handle,
                                    bool is_logged_on) noexcept {
  using State = RemoteSession::State;
  const std::lock_guard lock{mutex_};
  RemoteSession* const session = at(name, handle);
  if (session == nullptr) return;
  session->state_.store(is_logged_on ? State::LoggedOn : State::LoggedOut,
                        std::memory_order_relaxed);
  changed_.notify_all();
}

void RemoteDirectory::end_loop(std::uint32_t loop) noexcept {
  const std::lock_guard lock{mutex_};
  for (const auto& [name, session] : sessions_) {
    const auto place = session->place();
    if (place && place->loop == loop) {
      session->state_.store(RemoteSession::State::Stopped, std::memory_order_relaxed);
    }
  }
  changed_.notify_all();
}

std::expected<std::shared_ptr<RemoteSession>, std::string> RemoteDirectory::find(
    std::string_view name) {
  std::vector<std::string> names;
  {
    const std::lock_guard lock{mutex_};
    const auto found = sessions_.find(name);
    if (found != sessions_.end() && found->second->place()) return found->second;
    for (const auto& [known, session] : sessions_) {
      if (session->place()) names.emplace_back(known);
    }
  }
  std::string text = "the engine has no session ";
  text += name;
  if (const auto nearest = dictionary::nearest_name(name, {names.begin(), names.end()})) {
    text += "; did you mean " + std::string{*nearest} + "?";
  } else {
    text += ", and none of its " + std::to_string(names.size()) + " sessions has a similar name";
  }
  return std::unexpected{std::move(text)};
}

void RemoteDirectory::release(std::shared_ptr<RemoteSession>& session) noexcept {
  const std::lock_guard lock{mutex_};
  const std::string_view name = session->name();
  const auto found = sessions_.find(name);
  // The directory's pointer and the caller's: no other remote uses it.
  if (found != sessions_.end() && found->second == session && session.use_count() == 2 &&
      !session->place()) {
    sessions_.erase(found);
  }
  session.reset();
}

LogonWait RemoteDirectory::end_of_wait(const RemoteSession& session) noexcept {
  if (!session.place()) return LogonWait::NoSession;
  switch (session.state()) {
    case RemoteSession::State::LoggedOn:
      return LogonWait::LoggedOn;
    case RemoteSession::State::Stopped:
      return LogonWait::Stopped;
    case RemoteSession::State::LoggedOut:
      break;
  }
  return LogonWait::TimedOut;
}

LogonWait RemoteDirectory::wait_logged_on(const RemoteSession& session,
                                          std::chrono::nanoseconds timeout) {
  std::unique_lock lock{mutex_};
  const bool is_here = std::ranges::any_of(
      inboxes_, [](const std::shared_ptr<TaskInbox>& inbox) { return inbox->is_served_here(); });
  const auto is_over = [&] { return end_of_wait(session) != LogonWait::TimedOut; };
  if (is_here) return is_over() ? end_of_wait(session) : LogonWait::WithinLoop;
  static_cast<void>(changed_.wait_for(lock, std::min(timeout, kWaitMax), is_over));
  return end_of_wait(session);
}

}  // namespace nexusfix::engine
