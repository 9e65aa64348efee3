// The PostgreSQL store as an optional part of an engine: nexusfix/store/postgres.hpp has it.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>

#include <nexusfix/store/log_lease.hpp>
#include <nexusfix/store/postgres_options.hpp>
#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

class LogFollower;
struct FollowOptions;

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
  // Reads the messages of a log for a program beside the engine: src/store/api/log_follower.hpp.
  // It needs only the right to SELECT. The error is one line.
  std::expected<std::unique_ptr<LogFollower>, std::string> (*follow)(
      const PostgresOptions& options, const FollowOptions& how) = nullptr;
};

}  // namespace nexusfix::store
