// How often a resend asks the store, whatever store that is and wherever its messages are.
#pragma once

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/store.hpp>

#include "unit/engine/support/event_loops_fixture.hpp"

namespace nexusfix::testing {

// Another store, whose reading calls are counted.
class CountedStore final : public store::Store {
 public:
  CountedStore(std::unique_ptr<store::Store> store, std::uint64_t& reads)
      : store_{std::move(store)}, reads_{reads} {}

  store::StoreResult<store::SessionKey> open_session(std::string_view name, WallTime now) override {
    return store_->open_session(name, now);
  }
  store::StoreResult<void> rename_session(store::SessionKey key, std::string_view name,
                                          WallTime now) override {
    return store_->rename_session(key, name, now);
  }
  std::optional<store::SessionKey> find_session(std::string_view name) const override {
    return store_->find_session(name);
  }
  std::size_t session_count() const noexcept override { return store_->session_count(); }
  std::string_view session_name(store::SessionKey key) const noexcept override {
    return store_->session_name(key);
  }
  const store::SessionRecord& session(store::SessionKey key) const noexcept override {
    return store_->session(key);
  }
  std::span<const store::NumberRange> lost_numbers(store::SessionKey key) const noexcept override {
    return store_->lost_numbers(key);
  }
  store::StoreResult<store::LogPosition> append(const store::Transaction& transaction,
                                                WallTime now) override {
    return store_->append(transaction, now);
  }
  store::LogPosition appended() const noexcept override { return store_->appended(); }
  store::LogPosition durable() const noexcept override { return store_->durable(); }
  store::StoreResult<store::LogPosition> flush() override { return store_->flush(); }
  store::StoreResult<void> close() override { return store_->close(); }
  std::optional<store::StoreEvent> next_event() override { return store_->next_event(); }
  store::StoreResult<void> read(store::SessionKey key, std::uint64_t first, std::uint64_t last,
                                MessageVisitor visit) override {
    ++reads_;
    return store_->read(key, first, last, visit);
  }
  std::unique_ptr<store::Store::Fetch> fetch(store::SessionKey key, std::uint64_t first,
                                             std::uint64_t last, std::uint64_t bytes_max) override {
    auto fetch = store_->fetch(key, first, last, bytes_max);
    if (fetch) ++reads_;
    return fetch;
  }
  store::StoreResult<void> scan(LogVisitor visit) override { return store_->scan(visit); }

 private:
  std::unique_ptr<store::Store> store_;
  std::uint64_t& reads_;
};

// The engine gets a store in which a session has used numbers, few of them for messages.
class CountedFactory final : public store::StoreFactory {
 public:
  using Make =
      std::function<store::StoreResult<std::unique_ptr<store::Store>>(const store::StoreOptions&)>;
  using Fill = std::function<void(store::Store&)>;
  CountedFactory(Make make, Fill fill) : make_{std::move(make)}, fill_{std::move(fill)} {}

  store::StoreResult<std::unique_ptr<store::Store>> open(
      const store::StoreOptions& options) override {
    auto made = make_(options);
    if (!made) return made;
    fill_(**made);
    return std::make_unique<CountedStore>(std::move(*made), reads);
  }
  std::uint64_t reads = 0;

 private:
  Make make_;
  Fill fill_;
};

class ResendWorkTest : public EventLoopsTest {
 protected:
  static constexpr std::uint64_t kSlice = 256;  // messages that are sent in one turn

  ResendWorkTest() {
    extra = "Store=program";
    sessions = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n";
  }

  // Numbers that were skipped, lost, or used by Heartbeats, and runs of messages between them.
  void fill(store::Store& store, std::uint64_t seed) {
    SeededRandom random{seed};
    const store::SessionKey key = *store.open_session("FIX.4.4:VENUE->TRADER", {});
    messages_.clear();
    gaps_ = 1 + random.below(4);
    for (std::uint64_t gap = 0; gap < gaps_; ++gap) {
      const std::uint64_t first = store.session(key).next_outbound;
      const std::uint64_t last = first + random.below(std::uint64_t{1} << random.below(24));
      store::Transaction skip;
      skip.outbound_number(key, last);
      if (random.below(2) == 0) skip.messages_lost(key, first, last);
      ASSERT_TRUE(store.append(skip, {}));
      const std::uint64_t distance = 1 + random.below(40) * random.below(40);
      for (std::uint64_t count = random.below(700); count > 0; --count) {
        const std::uint64_t number = store.session(key).next_outbound - 1 + distance;
        store::Transaction message;
        message.outbound_message(key, number,
                                 from("VENUE", "8", number, "37=" + std::to_string(number) + '|'));
        ASSERT_TRUE(store.append(message, {}));
        messages_.push_back(number);
      }
    }
    ASSERT_TRUE(store.flush());
    next_ = store.session(key).next_outbound;
  }

  // Each gap takes a number of calls that grows with its logarithm; the messages take calls for
  // their number, also where they lie far apart.
  void expect_few_calls(const CountedFactory::Make& make, std::uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CountedFactory factory{make, [&](store::Store& store) { fill(store, seed); }};
    EngineUnderTest opening = under_test();
    opening.options.store_factory = &factory;
    opening.open(acceptor, venue);
    RawPeer& peer = log_on("TRADER");
    factory.reads = 0;
    peer.send(from("TRADER", "2", 2, "7=1|16=0|"));
    ASSERT_TRUE(run_until([&] { return peer.messages().size() > 1; })) << log.all();
    const auto for_numbers = [](std::uint64_t numbers) {
      return static_cast<std::uint64_t>(std::bit_width(numbers / kSlice)) + 1;
    };
    EXPECT_LE(factory.reads, for_numbers(next_) + 1) << "before the first byte";
    const std::string end = "|36=" + std::to_string(next_ + 1) + '|';
    ASSERT_TRUE(run_until([&] { return contains(peer.messages().back(), end); })) << log.all();
    EXPECT_LE(factory.reads,
              (gaps_ + 1) * 2 * for_numbers(next_) + messages_.size() / (kSlice / 2) + 1);
    expect_complete(peer);
    acceptor.reset();
    peers.clear();
  }

  // Each message once, in order; each gap is one GapFill.
  void expect_complete(RawPeer& peer) {
    std::vector<std::uint64_t> resent;
    bool was_gap_fill = false;
    for (std::size_t at = 1; at < peer.messages().size(); ++at) {
      const std::string& text = peer.messages()[at];
      const bool is_gap_fill = contains(text, "|35=4|");
      EXPECT_FALSE(is_gap_fill && was_gap_fill) << bar(text);
      was_gap_fill = is_gap_fill;
      const std::size_t number = text.find(
          "\x01"
          "37=");
      if (number != text.npos) resent.push_back(std::stoull(text.substr(number + 4)));
    }
    EXPECT_EQ(resent, messages_);
  }

 private:
  std::vector<std::uint64_t> messages_;
  std::uint64_t gaps_ = 0;
  std::uint64_t next_ = 0;
};

}  // namespace nexusfix::testing
