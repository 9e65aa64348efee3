// The options of the engines in this program.
#pragma once

#include <nexusfix/engine/engine.hpp>
#include <nexusfix/engine/passwords.hpp>
#include <nexusfix/observe/log_compression.hpp>
#include <nexusfix/store/postgres.hpp>
#include <nexusfix/transport/proxy.hpp>
#ifdef NEXUSFIX_POSTGRES_STORE
#include <nexusfix/store/journal_replica.hpp>
#endif
#ifdef NEXUSFIX_CLUSTER_PART
#include <nexusfix/cluster.hpp>
#endif
#ifdef NEXUSFIX_WEB_CONSOLE
#include <nexusfix/web.hpp>
#endif

#include "nexusfix/files/journal_locator.hpp"

namespace nexusfix::command {

// All that this program has been linked with.
inline engine::Parts linked_parts() noexcept {
  engine::Parts parts;
  parts.proxy = transport::proxy_part();
  parts.passwords = engine::password_part();
  parts.log_compression = observe::log_compression_part();
#ifdef NEXUSFIX_POSTGRES_STORE
  parts.postgres = store::postgres_part();
  parts.journal_replica = store::journal_replica_part();
#endif
#ifdef NEXUSFIX_CLUSTER_PART
  parts.cluster = cluster::cluster_part();
#endif
#ifdef NEXUSFIX_WEB_CONSOLE
  parts.web = web::web_part();
#endif
  return parts;
}

// Null: this program was built without it.
inline OpenPostgres postgres_opener() noexcept {
  const store::PostgresPart* const part = linked_parts().postgres;
  return part == nullptr ? nullptr : part->open;
}

inline engine::EngineOptions engine_options(bool busy_spin) {
  engine::EngineOptions options;
  options.busy_spin = busy_spin;
  options.parts = linked_parts();
  return options;
}

}  // namespace nexusfix::command
