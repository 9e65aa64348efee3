// What the tests of the PostgreSQL store share. They have a server of their own; each test has a
// schema of its own on it.
#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/open_postgres.hpp"
#include "support/postgres_server.hpp"
#include "unit/store/store_fixture.hpp"

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

// Waits for an event with this text, and returns its own. Empty: everything is durable, and there
// is none.
inline std::string wait_for_event(Store& store, const Settler& settler, std::string_view text) {
  for (;;) {
    const std::uint64_t before = settler.wakes();
    while (const auto event = store.next_event()) {
      if (event->text.find(text) != std::string::npos) return event->text;
    }
    if (!store.flush()) return {};
    if (store.durable() == store.appended()) return {};
    settler.wait(before);
  }
}

// The next event above Info. Nothing: there is none.
inline std::optional<StoreEvent> consume_warning(Store& store) {
  for (;;) {
    auto event = store.next_event();
    if (!event || event->id != EventId::DatabaseConnected) return event;
  }
}

}  // namespace nexusfix::store
