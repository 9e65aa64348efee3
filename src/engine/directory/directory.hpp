// The floor of the configuration: sessions that a reload or the program adds, changes and removes,
// certificates, and connections whose session is on another loop.
#pragma once

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>

#include "config/api/file_reader.hpp"
#include "engine/directory/reload/reload_job.hpp"
#include "engine/directory/reload/reloader.hpp"
#include "engine/directory/reload/settings_changes.hpp"
#include "engine/directory/session_installer.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {

// Moves connections to the event loop of their session.
class ConnectionMigration {
 public:
  ConnectionMigration(LoopContext& loop, Io& io) noexcept : loop_{loop}, io_{io} {}

  void migrate(Connection& connection, std::string_view rest);
  // Adds a connection that another loop moved here. Null: it is not taken.
  // attached: its socket, set also when a later step throws.
  [[nodiscard]] Connection* attach(LoopDirectory::MigratedConnection& handed,
                                   transport::SocketId& attached);

 private:
  LoopContext& loop_;
  Io& io_;
};

struct Directory {
  Directory(LoopContext& loop, Io& io_below, Sessions& sessions_below)
      : io{io_below},
        sessions{sessions_below},
        files{*loop.disk, loop.owned_disk, *loop.network},
        certificates{loop, files},
        installer{loop, io, sessions},
        changes{loop, io, sessions},
        reloader{loop, *this},
        migration{loop, io} {}

  Io& io;
  Sessions& sessions;
  config::FileReader files;
  CertificateWatch certificates;
  SessionInstaller installer;
  SettingsChanges changes;
  Reloader reloader;
  ConnectionMigration migration;
};

}  // namespace nexusfix::engine
