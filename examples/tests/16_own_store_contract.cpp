// The store of example 16 keeps the contract of a store.
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <stdlib.h>
#include <string>

#include <nexusfix/testing/store_contract.hpp>

#include "parts/16_sqlite_store.hpp"

namespace {

using nexusfix::store::StoreCase;
using nexusfix::store::StoreContract;

// A folder for one test, which is removed with it.
struct Folder {
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nexusfix-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"mkdtemp failed"};
    path = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string path;
};

struct Place : private Folder, public SqliteStores {
  Place() : SqliteStores{path + "/fix.db"} {}
};

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreContract,
                         ::testing::Values(StoreCase{
                             .name = "sqlite", .make = [] { return std::make_unique<Place>(); }}),
                         [](const auto& info) { return info.param.name; });

TEST(SqliteStore, a_second_process_does_not_open_the_log) {
  Place place;
  const auto first = place.open({});
  ASSERT_TRUE(first) << first.error().text;
  const auto second = place.open({});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, store::StoreErrorCode::Locked) << second.error().text;
}

}  // namespace
