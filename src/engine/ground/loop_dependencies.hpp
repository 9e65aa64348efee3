// The dependencies of one event loop: the operating system, and the objects that all loops share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine/engine.hpp>
#include <nexusfix/observe/event_log.hpp>
#include <nexusfix/transport/network.hpp>

#include "engine/ground/connection/buffer_budget.hpp"
#include "engine/ground/credentials/credentials.hpp"
#include "engine/ground/shared/disabled_sessions.hpp"
#include "engine/ground/shared/loop_directory.hpp"
#include "engine/ground/shared/remote_directory.hpp"
#include "engine/ground/shared/standby_board.hpp"
#include "engine/ground/shared/tls_contexts.hpp"
#include "transport/api/service_notifier.hpp"

namespace nexusfix::engine {

// Pointers are never null, except where a comment says so.

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
  std::shared_ptr<DisabledSessions> disabled;  // null: likewise
  std::shared_ptr<BufferBudget> budget;        // null: likewise
  std::shared_ptr<StandbyBoard> standby;       // null: likewise
  std::shared_ptr<TlsContexts> tls;            // null: no session has TLS
  std::shared_ptr<Credentials> credentials;    // null: no session has a PasswordFile
  SettingsCheck check_settings{};
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
