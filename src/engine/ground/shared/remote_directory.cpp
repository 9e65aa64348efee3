#include "engine/ground/shared/remote_directory.hpp"

#include <algorithm>
#include <utility>

#include "dictionary/api/nearest_name.hpp"
#include "engine/ground/shared/task_inbox.hpp"

namespace nexusfix::engine {
namespace {

constexpr unsigned kKeyBits = 32;
constexpr std::size_t kNamesMax = 10;  // in the text of an error
// Longer waits end here: a deadline must be a time of the clock.
constexpr std::chrono::nanoseconds kWaitMax = std::chrono::hours{24 * 365};

std::uint64_t to_word(SessionHandle handle) noexcept {
  return (std::uint64_t{handle.loop} << kKeyBits) | handle.key;
}

// Whether a text that is no whole name means this session: its qualifier, or its CompIDs with their
// sub and location IDs, without or with the qualifier.
bool is_short_name(std::string_view text, std::string_view name) {
  std::optional<session::SessionId> id = session::SessionId::parse(name);
  if (!id || text.empty()) return false;
  if (text == id->qualifier) return true;
  const std::string_view comp_ids = name.substr(id->begin_string.size() + 1);
  if (text == comp_ids) return true;
  id->qualifier.clear();
  return text == std::string_view{id->to_string()}.substr(id->begin_string.size() + 1);
}

std::string list_of(const std::vector<std::string_view>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesMax); ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  if (names.size() > kNamesMax) {
    text += " and " + std::to_string(names.size() - kNamesMax) + " more";
  }
  return text;
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
  std::vector<std::string_view> names;
  std::vector<std::string_view> meant;
  const std::lock_guard lock{mutex_};
  const auto found = sessions_.find(name);
  if (found != sessions_.end() && found->second->place()) return found->second;
  for (const auto& [known, session] : sessions_) {
    if (!session->place()) continue;
    names.push_back(known);
    if (is_short_name(name, known)) meant.push_back(known);
  }
  if (meant.size() == 1) return sessions_.find(meant.front())->second;
  std::string text{name};
  if (!meant.empty()) {
    text += " is the name of several sessions: " + list_of(meant) + "; give one of these names";
    return std::unexpected{std::move(text)};
  }
  text.insert(0, "the engine has no session ");
  if (const auto nearest = dictionary::nearest_name(name, names)) {
    text += "; did you mean " + std::string{*nearest} + "?";
  } else if (names.empty()) {
    text += ", nor any other";
  } else {
    text += "; its sessions are " + list_of(names);
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
