// What the tests of the stores share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

namespace nexusfix::store {

inline WallTime at_second(std::int64_t second) { return WallTime{std::chrono::seconds{second}}; }

struct KeptMessage {
  std::uint64_t number = 0;
  std::string bytes;
  friend bool operator==(const KeptMessage&, const KeptMessage&) = default;
};

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

struct ScannedMessage {
  std::string session;
  std::uint64_t epoch = 0;
  std::uint64_t number = 0;
  std::string bytes;
  friend bool operator==(const ScannedMessage&, const ScannedMessage&) = default;
};

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

inline StoreResult<LogPosition> append_message(Store& store, SessionKey key, std::uint64_t number,
                                               std::string_view bytes) {
  return append(store, [&](Transaction& t) { t.outbound_message(key, number, bytes); });
}

inline SessionKey open_session(Store& store, std::string_view name) {
  const auto key = store.open_session(name, at_second(1));
  EXPECT_TRUE(key) << key.error().text;
  return key.value_or(0);
}

// Flushes until everything is durable. A journal with threads wakes through it.
class Settler {
 public:
  [[nodiscard]] JournalOptions::Wake wake() noexcept {
    return {.call = [](void* context) noexcept { static_cast<Settler*>(context)->on_wake(); },
            .context = this};
  }
  StoreResult<LogPosition> settle(Store& store) {
    for (;;) {
      const std::uint64_t before = wakes_.load();
      const auto flushed = store.flush();
      if (!flushed || *flushed == store.appended()) return flushed;
      wakes_.wait(before);
    }
  }
  [[nodiscard]] std::uint64_t wakes() const noexcept { return wakes_.load(); }
  // Until there were more wakes than these.
  void wait(std::uint64_t before) const noexcept { wakes_.wait(before); }

 private:
  void on_wake() noexcept {
    ++wakes_;
    wakes_.notify_all();
  }
  std::atomic<std::uint64_t> wakes_{0};
};

inline OpenedJournal open_or_fail(Disk& disk, const JournalOptions& options) {
  auto opened = open_journal(disk, options, at_second(50));
  EXPECT_TRUE(opened) << opened.error().text;
  return opened ? std::move(*opened) : OpenedJournal{};
}

}  // namespace nexusfix::store
