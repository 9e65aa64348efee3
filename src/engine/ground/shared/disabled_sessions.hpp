// The sessions that an operator has disabled. A file keeps them for the next start.
#pragma once

#include <atomic>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace nexusfix::engine {

// One for all event loops of an engine. Any thread.
class DisabledSessions {
 public:
  // file: one line a session, its name, a tab, and who has disabled it; empty: nothing is kept.
  // The error names the file.
  [[nodiscard]] static std::expected<std::shared_ptr<DisabledSessions>, std::string> open(
      std::string file);
  DisabledSessions() = default;

  [[nodiscard]] bool contains(std::string_view session) const {
    // Relaxed: a task notifies the session when this changes.
    if (!has_any_.load(std::memory_order_relaxed)) [[likely]]
      return false;
    const std::lock_guard lock{mutex_};
    return names_.contains(session);
  }
  // Who, and why; nullopt: the session is not disabled.
  [[nodiscard]] std::optional<std::string> disabled_by(std::string_view session) const {
    const std::lock_guard lock{mutex_};
    const auto found = names_.find(session);
    return found == names_.end() ? std::nullopt : std::optional{found->second};
  }
  // Returns when the disk has it. Not on a loop's thread. The error: nothing has changed.
  [[nodiscard]] std::expected<void, std::string> add(const std::string& session,
                                                     const std::string& by);
  [[nodiscard]] std::expected<void, std::string> remove(const std::string& session);

 private:
  using Names = std::map<std::string, std::string, std::less<>>;  // and who
  [[nodiscard]] std::expected<void, std::string> replace(Names names);

  std::string file_;
  std::mutex changing_;  // held while the file is written
  mutable std::mutex mutex_;
  Names names_;
  std::atomic<bool> has_any_{false};
};

}  // namespace nexusfix::engine
