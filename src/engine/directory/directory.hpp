// The floor of the configuration: sessions that a reload or the program adds, changes and removes,
// certificates, and connections whose session is on another loop.
#pragma once

#include "engine/acceptor/certificate_watch.hpp"
#include "engine/directory/reloader.hpp"
#include "engine/directory/session_installer.hpp"
#include "engine/directory/settings_changes.hpp"
#include "engine/loop/file_reader.hpp"
#include "engine/loops/connection_migration.hpp"
#include "engine/sessions/sessions.hpp"

namespace nexusfix::engine {

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
  FileReader files;
  CertificateWatch certificates;
  SessionInstaller installer;
  SettingsChanges changes;
  Reloader reloader;
  ConnectionMigration migration;
};

}  // namespace nexusfix::engine
