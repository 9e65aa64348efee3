// The PostgreSQL store as an optional part of an engine: nexusfix/store/postgres.hpp has it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <nexusfix/store/log_lease.hpp>
#include <nexusfix/store/postgres_options.hpp>
#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

// Functions of nexusfix/store/postgres.hpp. No member is null in postgres_part().
struct PostgresPart {
  // open_postgres()
  StoreResult<std::unique_ptr<Store>> (*open)(const PostgresOptions& options) = nullptr;
  // find_cluster_mark()
  StoreResult<std::optional<ClusterMark>> (*find_mark)(const PostgresOptions& options) = nullptr;
  // mark_for_cluster()
  StoreResult<void> (*mark)(const PostgresOptions& options, const ClusterMark& mark) = nullptr;
  // find_standby_fault()
  StoreResult<std::optional<std::string>> (*standby_fault)(const PostgresOptions& options) =
      nullptr;
};

}  // namespace nexusfix::store
