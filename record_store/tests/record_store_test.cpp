// A store of one's own, of RecordStore: it keeps the contract, and stops when its medium fails.
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include <nexusfix/testing/store_contract.hpp>

#include "support/medium_store.hpp"

namespace nexusfix::store {
namespace {

using nexusfix::testing::Medium;
using nexusfix::testing::MediumPlace;

INSTANTIATE_TEST_SUITE_P(OfRecords, StoreContract,
                         ::testing::Values(StoreCase{
                             .name = "medium",
                             .make = [] { return std::make_unique<MediumPlace>(); }}),
                         [](const auto& info) { return info.param.name; });

struct RecordStoreTest : ::testing::Test {
  RecordStoreTest() { open(); }
  void open() {
    auto opened = place.open({});
    ASSERT_TRUE(opened) << opened.error().text;
    store = std::move(*opened);
  }
  void expect_stopped() {
    const auto is_failed = [](const auto& result) {
      return !result && result.error().code == StoreErrorCode::Failed;
    };
    EXPECT_TRUE(is_failed(append_message(*store, key, 9, "x")));
    EXPECT_TRUE(is_failed(append(*store, [](Transaction&) {})));
    EXPECT_TRUE(is_failed(store->flush()));
    EXPECT_TRUE(is_failed(store->close()));
    EXPECT_TRUE(is_failed(store->open_session("B", at_second(1))));
    EXPECT_TRUE(is_failed(store->rename_session(key, "B", at_second(1))));
  }

  MediumPlace place;
  std::unique_ptr<Store> store;
  SessionKey key = 0;
};

TEST_F(RecordStoreTest, an_error_of_the_medium_stops_the_store) {
  using Fault = Medium::Fault;
  for (const Fault fault : {Fault::Error, Fault::Exception}) {
    key = open_session(*store, "A");
    ASSERT_TRUE(store->flush());
    place.medium.on_write = fault;
    const auto failed = append_message(*store, key, 1, "x");
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, StoreErrorCode::Disk);
    EXPECT_EQ(failed.error().text, "medium: the cable");
    place.medium.on_write = Fault::None;
    expect_stopped();
    store.reset();
    open();
    EXPECT_EQ(store->session(key).next_outbound, 1U) << "the medium did not take the record";
  }
}

TEST_F(RecordStoreTest, an_error_of_a_commit_stops_the_store_and_makes_nothing_durable) {
  key = open_session(*store, "A");
  const auto durable = store->flush();
  ASSERT_TRUE(durable);
  ASSERT_TRUE(append_message(*store, key, 1, "x"));
  place.medium.on_commit = Medium::Fault::Exception;
  EXPECT_FALSE(store->flush());
  EXPECT_EQ(store->durable(), *durable);
  expect_stopped();
}

TEST_F(RecordStoreTest, the_medium_gets_no_record_that_breaks_a_rule) {
  key = open_session(*store, "A");
  const int writes = place.medium.writes;
  EXPECT_FALSE(append(*store, [&](Transaction& t) { t.outbound_message(key + 1, 1, "x"); }));
  EXPECT_FALSE(append_message(*store, key, 1, std::string((16U << 20U) + 1, 'x')));
  EXPECT_EQ(place.medium.writes, writes);
}

TEST_F(RecordStoreTest, damaged_records_are_no_store) {
  key = open_session(*store, "A");
  ASSERT_TRUE(append_message(*store, key, 1, "x"));
  ASSERT_TRUE(store->flush());
  store.reset();
  std::swap(place.medium.records[0], place.medium.records[1]);
  const auto refused = place.open({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, StoreErrorCode::Corrupt);
}

}  // namespace
}  // namespace nexusfix::store
