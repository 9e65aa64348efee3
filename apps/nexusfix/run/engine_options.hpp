// The options of the engines in this program.
#pragma once

#include <nexusfix/engine/engine.hpp>
#ifdef NEXUSFIX_POSTGRES_STORE
#include <nexusfix/store/postgres.hpp>
#endif

namespace nexusfix::command {

inline engine::EngineOptions engine_options(bool busy_spin) {
  engine::EngineOptions options;
  options.busy_spin = busy_spin;
#ifdef NEXUSFIX_POSTGRES_STORE
  options.open_postgres = store::open_postgres;
#endif
  return options;
}

}  // namespace nexusfix::command
