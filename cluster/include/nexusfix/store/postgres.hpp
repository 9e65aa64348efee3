// The log of an event loop in a PostgreSQL database, version 12 or later. For applications that
// must keep everything there. Link `nexusfix::postgres`. docs/operations/postgresql.md has the
// tables, the limits and the cost.
//
//   engine::EngineOptions options;
//   options.parts.postgres = store::postgres_part();
#pragma once

#include <nexusfix/base/language.hpp>

namespace nexusfix::store {

struct PostgresPart;
// The part that Store=postgresql needs, for EngineOptions::parts. Never null; static lifetime.
[[nodiscard]] const PostgresPart* postgres_part() noexcept;

}  // namespace nexusfix::store
