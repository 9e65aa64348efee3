// One test of a store: the store, and calls that check its answers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

// Calls of a store in tests, in one line each.

namespace nexusfix::store {

// The time of a call in a test.
inline WallTime at_second(std::int64_t second) { return WallTime{std::chrono::seconds{second}}; }

// A message that read() has passed.
struct KeptMessage {
  std::uint64_t number = 0;  // MsgSeqNum
  std::string bytes;         // the whole message
  // Member by member.
  friend bool operator==(const KeptMessage&, const KeptMessage&) = default;
};

// For GoogleTest.
inline void PrintTo(const KeptMessage& message, std::ostream* out) {
  *out << message.number << " \"" << message.bytes << '"';
}

// The stored messages from first to last. An error of read() fails the test.
inline std::vector<KeptMessage> read_all(Store& store, SessionKey key, std::uint64_t first = 1,
                                         std::uint64_t last = UINT64_MAX) {
  std::vector<KeptMessage> messages;
  const auto read = store.read(key, first, last, [&](std::uint64_t number, std::string_view bytes) {
    messages.push_back({number, std::string{bytes}});
    return true;
  });
  EXPECT_TRUE(read) << read.error().text;
  return messages;
}

// A message that scan() has passed.
struct ScannedMessage {
  std::string session;       // its name
  std::uint64_t epoch = 0;   // of the session, when it was sent
  std::uint64_t number = 0;  // MsgSeqNum
  std::string bytes;         // the whole message
  // Member by member.
  friend bool operator==(const ScannedMessage&, const ScannedMessage&) = default;
};

// For GoogleTest.
inline void PrintTo(const ScannedMessage& message, std::ostream* out) {
  *out << message.session << " epoch " << message.epoch << ' ' << message.number << " \""
       << message.bytes << '"';
}

// All stored messages. An error of scan() fails the test.
inline std::vector<ScannedMessage> scan_all(Store& store) {
  std::vector<ScannedMessage> messages;
  const auto scanned = store.scan([&](const Store::LogMessage& message) {
    messages.push_back({std::string{message.session}, message.epoch, message.msg_seq_num,
                        std::string{message.bytes}});
  });
  EXPECT_TRUE(scanned) << scanned.error().text;
  return messages;
}

// Appends what build() puts into a transaction.
template <class Build>
StoreResult<LogPosition> append(Store& store, Build build, WallTime now = at_second(100)) {
  Transaction transaction;
  build(transaction);
  return store.append(transaction, now);
}

// Appends one outbound message.
inline StoreResult<LogPosition> append_message(Store& store, SessionKey key, std::uint64_t number,
                                               std::string_view bytes) {
  return append(store, [&](Transaction& t) { t.outbound_message(key, number, bytes); });
}

// Opens or creates a session. An error fails the test.
inline SessionKey open_session(Store& store, std::string_view name) {
  const auto key = store.open_session(name, at_second(1));
  EXPECT_TRUE(key) << key.error().text;
  return key.value_or(0);
}

// Flushes a store until everything is durable. A store with threads wakes it.
class Settler {
 public:
  // For StoreOptions::on_durable.
  [[nodiscard]] StoreOptions::Wake wake() noexcept {
    return {.call = [](void* context) noexcept { static_cast<Settler*>(context)->on_wake(); },
            .context = this};
  }
  // Waits until durable() is appended(), or flush() returns an error.
  StoreResult<LogPosition> settle(Store& store) {
    for (;;) {
      const std::uint64_t before = wakes_.load();
      const auto flushed = store.flush();
      if (!flushed || *flushed == store.appended()) return flushed;
      wakes_.wait(before);
    }
  }
  // The number of calls of on_durable.
  [[nodiscard]] std::uint64_t wakes() const noexcept { return wakes_.load(); }
  // Waits until there were more calls than these.
  void wait(std::uint64_t before) const noexcept { wakes_.wait(before); }

 private:
  void on_wake() noexcept {
    ++wakes_;
    wakes_.notify_all();
  }
  std::atomic<std::uint64_t> wakes_{0};
};

// The fixture of the contract's tests.

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
