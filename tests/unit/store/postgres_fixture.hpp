// What the tests of the PostgreSQL store share. They have a server of their own; each test has a
// schema of its own on it.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include <nexusfix/store/postgres.hpp>

#include "store_fixture.hpp"
#include "support/postgres_server.hpp"

namespace nexusfix::store {

// A schema that no test of this program has used.
inline std::string fresh_schema() {
  static int count = 0;
  return "log_" + std::to_string(++count);
}

inline PostgresOptions postgres_options(std::string schema) {
  PostgresOptions options;
  options.connection = testing::PostgresServer::shared()->connection();
  options.schema = std::move(schema);
  return options;
}

inline std::unique_ptr<Store> open_or_fail(const PostgresOptions& options) {
  auto opened = open_postgres(options);
  EXPECT_TRUE(opened) << opened.error().text;
  return opened ? std::move(*opened) : nullptr;
}

}  // namespace nexusfix::store
