// A store of one's own, of RecordStore: it keeps the contract, and stops when its medium fails.
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nexusfix/testing/store_calls.hpp>
#include <nexusfix/testing/store_case.hpp>

namespace nexusfix::store {
namespace {

// Outlives the store. Only committed records survive it.
struct Medium {
  struct Stored {
    WallTime time;
    std::vector<char> entries;
  };
  struct Message {
    std::tuple<SessionKey, std::uint64_t, std::uint64_t> place;  // session, epoch, MsgSeqNum
    std::string bytes;
  };
  std::vector<Stored> records;
  std::vector<Message> messages;
  std::size_t committed_records = 0;
  std::size_t committed_messages = 0;
  enum class Fault { None, Error, Exception } on_write = Fault::None, on_commit = Fault::None;
  int writes = 0;
};

class MediumStore final : public RecordStore {
 public:
  MediumStore(Medium& medium, const StoreOptions& options)
      : RecordStore{"medium", options}, medium_{medium} {
    medium_.records.resize(medium_.committed_records);
    medium_.messages.resize(medium_.committed_messages);
  }
  StoreResult<void> load() {
    for (const Medium::Stored& one : medium_.records) {
      if (auto done = replay(one.time, one.entries); !done) return done;
    }
    return {};
  }
  StoreResult<void> read(SessionKey key, std::uint64_t first, std::uint64_t last,
                         MessageVisitor visit) override {
    for (const auto& [place, bytes] : medium_.messages) {
      const auto [session, epoch, number] = place;
      const bool is_wanted =
          session == key && epoch == this->session(key).epoch && first <= number && number <= last;
      if (is_wanted && !visit(number, bytes)) break;
    }
    return {};
  }
  StoreResult<void> scan(LogVisitor visit) override {
    for (const auto& [place, bytes] : medium_.messages) {
      const auto [session, epoch, number] = place;
      visit({session_name(session), epoch, number, bytes});
    }
    return {};
  }

 private:
  StoreResult<void> write(const StoredRecord& record) override {
    ++medium_.writes;
    if (auto done = fail(medium_.on_write); !done) return done;
    medium_.records.push_back({record.time, {record.entries.begin(), record.entries.end()}});
    for (const RecordMessage& one : record.messages) {
      medium_.messages.push_back(
          {{one.session, one.epoch, one.msg_seq_num}, std::string{one.bytes}});
    }
    return {};
  }
  StoreResult<void> commit() override {
    if (auto done = fail(medium_.on_commit); !done) return done;
    medium_.committed_records = medium_.records.size();
    medium_.committed_messages = medium_.messages.size();
    return {};
  }
  [[nodiscard]] StoreResult<void> fail(Medium::Fault fault) const {
    if (fault == Medium::Fault::Exception) throw std::runtime_error{"the cable"};
    if (fault == Medium::Fault::Error) return failure(StoreErrorCode::Disk, "the cable");
    return {};
  }

  Medium& medium_;
};

class MediumPlace final : public StoreFactory {
 public:
  StoreResult<std::unique_ptr<Store>> open(const StoreOptions& options) override {
    auto store = std::make_unique<MediumStore>(medium, options);
    if (auto loaded = store->load(); !loaded) return std::unexpected{loaded.error()};
    return store;
  }
  Medium medium;
};

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
