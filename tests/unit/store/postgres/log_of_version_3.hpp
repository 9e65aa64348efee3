// A log that version 3 of the tables has: sessions "FIX.4.4:A->B" and "FIX.4.4:C->D" with a second
// epoch each, and one whose name and message have every byte.
#pragma once

#include <cstddef>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <string_view>

#include "support/postgres_server.hpp"

namespace nexusfix::store {

inline void load_log_of_version_3(const std::string& schema) {
  std::ifstream file{NEXUSFIX_STORE_SAMPLES "/postgres/log_of_version_3.sql"};
  std::string statements{std::istreambuf_iterator<char>{file}, {}};
  ASSERT_FALSE(statements.empty());
  constexpr std::string_view kName = "sample";
  for (std::size_t at = 0; (at = statements.find(kName, at)) != std::string::npos;) {
    statements.replace(at, kName.size(), schema);
  }
  testing::PostgresServer::shared()->sql(statements);
}

}  // namespace nexusfix::store
