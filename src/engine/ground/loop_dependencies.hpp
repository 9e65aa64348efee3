// The dependencies of one event loop: the operating system, and the objects that all loops share.
// Pointers are never null, except where a comment says so.
#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/observe/logs.hpp>
#include <nexusfix/statistics.hpp>

#include "config/api/logon_passwords.hpp"
#include "engine/ground/connection/buffer_budget.hpp"
#include "engine/ground/settings/settings_names.hpp"
#include "engine/ground/shared/loop_directory.hpp"
#include "engine/ground/shared/remote_directory.hpp"
#include "store/api/postgres_part.hpp"
#include "transport/api/service_notifier.hpp"

namespace nexusfix::engine {

// The sessions that an operator has disabled. A file keeps them for the next start. One for all
// event loops of an engine. Any thread.
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

// Whether the engine is a standby, for the threads that show it. Any thread.
class StandbyStatus {
 public:
  void set(const store::StandbyState& state, WallTime now) {
    const std::lock_guard lock{mutex_};
    const WallTime since = standby_ ? standby_->since : now;
    standby_ = EngineStatistics::Standby{.owner = state.owner,
                                         .since = since,
                                         .is_connected = state.is_connected,
                                         .log_bytes = state.log_end,
                                         .followed_bytes = state.followed_end};
  }
  void clear() {
    const std::lock_guard lock{mutex_};
    standby_.reset();
  }
  // Unset: the engine serves its sessions.
  [[nodiscard]] std::optional<EngineStatistics::Standby> read() const {
    const std::lock_guard lock{mutex_};
    return standby_;
  }
  // "waits for the log, which ... owns"; empty: it serves its sessions.
  [[nodiscard]] std::string text() const {
    const auto standby = read();
    if (!standby) return {};
    if (!standby->is_connected) return "is not connected to the database";
    if (standby->owner.empty()) return "takes the log over";
    return "waits for the log, which " + standby->owner + " owns";
  }

 private:
  mutable std::mutex mutex_;
  std::optional<EngineStatistics::Standby> standby_;
};

// The networks that a loop owns. Each wraps the one above it, and may be null.
struct OwnedNetworks {
  std::unique_ptr<transport::Network> system;
  std::unique_ptr<transport::Network> proxied;  // a session has UseTCPProxy
  std::unique_ptr<transport::Network> tunnel;   // a session has ProxyType
  std::unique_ptr<transport::Network> tls;      // a session has TLS
};

// What all loops of an engine share.
struct SharedByLoops {
  std::shared_ptr<LoopDirectory> directory;    // null: this is the only loop
  std::shared_ptr<RemoteDirectory> remotes;    // null: the loop makes its own
  std::shared_ptr<DisabledSessions> disabled;  // null: the loop makes its own
  std::shared_ptr<BufferBudget> budget;        // null: the loop makes its own
  std::shared_ptr<StandbyStatus> standby;      // null: the loop makes its own
  std::shared_ptr<TlsContexts> tls;            // null: no session has TLS
  std::shared_ptr<Credentials> credentials;    // null: no session has a PasswordFile
  detail::SettingsCheck check_settings{};
};

// The logs of the program.
struct ProgramLogs {
  observe::EventLog* events = nullptr;
  observe::EventLog* event_tap = nullptr;   // gets every event as well; null: there is none
  observe::MessageLog* messages = nullptr;  // null: there is none
  bool is_standard_error = false;           // events go to standard error, because no log was given
};

struct LoopDependencies {
  OwnedNetworks networks;
  transport::Network* network = nullptr;  // the last of them, or the application's
  Clock* clock = nullptr;
  Disk* disk = nullptr;
  std::shared_ptr<Disk> owned_disk;               // owns disk; null: the application owns it
  std::optional<unsigned> cpu{};                  // for the thread of run()
  transport::ServiceNotifier* service = nullptr;  // null: there is no service manager
  ProgramLogs logs;
  store::StoreFactory* store_factory = nullptr;  // null: Store=program is an error
  Parts parts{};                                 // what the application has linked
  std::uint32_t index = 0;                       // of the loop
  SharedByLoops shared;
};

}  // namespace nexusfix::engine
