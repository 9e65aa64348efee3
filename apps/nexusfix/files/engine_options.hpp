// The options of the engines in this program.
#pragma once

#include <nexusfix/engine.hpp>

#include "nexusfix/files/journal_locator.hpp"
#include "store/api/postgres_part.hpp"

namespace nexusfix::command {

// The parts of the engine that this program is linked with. The program defines it, beside its
// commands().
[[nodiscard]] engine::Parts linked_parts() noexcept;

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
