// The fixture of the contract's tests. A part of store_contract.hpp.
#pragma once

#include <expected>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/store.hpp>
#include <nexusfix/store/store_factory.hpp>
#include <nexusfix/testing/store_calls.hpp>

namespace nexusfix::store {

// One store under test.
struct StoreCase {
  std::string name;  // a part of the tests' names: letters, digits and underscores
  // Makes an empty place for one test, such as a folder that its destructor removes, and returns
  // the factory that opens the store there, several times in a test. An error: the tests of this
  // case are skipped, for this reason; for example, there is no server. Null fails the test.
  std::function<std::expected<std::unique_ptr<StoreFactory>, std::string>()> make;
  bool is_persistent = true;     // false: a store in memory, which is not opened again
  bool keeps_old_epochs = true;  // false: scan() passes the messages of current epochs only
};
// For GoogleTest.
inline void PrintTo(const StoreCase& store, std::ostream* out) { *out << store.name; }

// What read_all() returns.
using Messages = std::vector<KeptMessage>;

// The contract of Store: a parameterised suite.
class StoreContract : public ::testing::TestWithParam<StoreCase> {
 protected:
  // Makes the test's place, and opens the store there.
  void SetUp() override {
    auto made = GetParam().make();
    if (!made) GTEST_SKIP() << made.error();
    ASSERT_NE(*made, nullptr) << "StoreCase::make returned null";
    factory_ = std::move(*made);
    open();
  }

  // Opens the store at the test's place.
  void open() {
    auto opened = factory_->open({.on_durable = settler_.wake(), .disk = &disk_, .clock = &clock_});
    ASSERT_TRUE(opened) << "StoreFactory::open(): " << opened.error().text;
    ASSERT_NE(*opened, nullptr) << "StoreFactory::open() returned null";
    store_ = std::move(*opened);
  }

  // Makes everything durable, ends the store without close(), and opens it again.
  void reopen() {
    const auto settled = settler_.settle(*store_);
    ASSERT_TRUE(settled) << "flush(): " << settled.error().text;
    if (!GetParam().is_persistent) return;
    store_.reset();
    open();
  }

  PosixDisk disk_;                         // StoreOptions::disk
  SystemClock clock_;                      // StoreOptions::clock
  Settler settler_;                        // StoreOptions::on_durable
  std::unique_ptr<StoreFactory> factory_;  // the test's place
  std::unique_ptr<Store> store_;           // the present one
};

}  // namespace nexusfix::store
