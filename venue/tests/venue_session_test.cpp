// The venue in an engine, with a counterparty made of bytes: inputs that must not stop it, and
// failures that must. A program of its own, because it makes allocations fail.
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/engine.hpp>

#include "config/api/settings.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/fix_text.hpp"
#include "support/manual_clock.hpp"
#include "support/network/raw_peer.hpp"
#include "support/recording_log.hpp"
#include "venue/venue.hpp"

namespace {

bool allocations_fail = false;

void* checked(std::size_t size, std::size_t alignment) {
  const std::size_t rounded = (size / alignment + 1) * alignment;
  void* const memory = allocations_fail ? nullptr : std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}

// Not inlined: a compiler warns if it sees free() for memory from new.
[[gnu::noinline]] void release(void* memory) noexcept { std::free(memory); }

}  // namespace

void* operator new(std::size_t size) { return checked(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return checked(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace nexusfix::venue {
namespace {

using engine::MessageReply;
using engine::Session;
using ::testing::AllOf;
using testing::bar;
using ::testing::HasSubstr;

// A test can make allocations fail while a callback runs.
struct VenueWithoutMemory : Venue {
  using Venue::Venue;
  bool out_of_memory = false;

  MessageReply on_message(Session& session, const wire::MessageView& message) {
    struct Guard {
      explicit Guard(bool fail) { allocations_fail = fail; }
      ~Guard() { allocations_fail = false; }
    };
    const Guard guard{out_of_memory};
    return Venue::on_message(session, message);
  }
};

class VenueSessionTest : public ::testing::Test {
 protected:
  explicit VenueSessionTest(BookCapacity capacity = {.orders = 16, .hash_seed = 1})
      : capacity_{capacity} {
    open();
  }

  // keys: of [DEFAULT].
  void open(const std::string& keys = {}) {
    auto settings = config::parse_settings(
        "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nSocketAcceptAddress=127.0.0.1\n"
        "FileStorePath=" +
            folder_.path() + "/store\n" + keys +
            "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
            "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=OTHER\n",
        "venue.cfg");
    ASSERT_TRUE(settings.has_value()) << settings.error().front().what();
    engine::EngineOptions options;
    options.clock = &clock_;
    options.log = &log_;
    venue_.emplace(capacity_);
    auto opened = engine::Engine::open(std::move(*settings), *venue_, options);
    ASSERT_TRUE(opened.has_value()) << opened.error().what();
    engine_.emplace(std::move(*opened));
    ASSERT_TRUE(venue_->attach(*engine_)) << venue_->failure();
  }
  // Opens the store again, as a new process.
  void reopen(const std::string& keys = {}) {
    peer_.reset();
    engine_.reset();
    open(keys);
  }

  bool run_until(const std::function<bool()>& condition) {
    for (int turn = 0; turn < 5'000; ++turn) {
      if (condition()) return true;
      is_running_ = engine_->poll(std::chrono::milliseconds{turn < 50 ? 0 : 1});
      peer_->poll();
    }
    return condition();
  }

  void send(std::string_view msg_type, std::string_view body) {
    char time[wire::kUtcTimestampBytesMax];
    const std::size_t size =
        wire::from_utc_timestamp(clock_.now().wall, wire::TimePrecision::Millis, time);
    const std::string sending_time{time, size};
    const bool is_order = std::string_view{"DFG"}.contains(msg_type.front());
    const std::string transact_time = is_order ? "60=" + sending_time + "|" : "";
    peer_->send(testing::fix("FIX.4.4", "35=" + std::string{msg_type} + "|49=" + trader_ +
                                            "|56=VENUE|34=" + std::to_string(next_++) +
                                            "|52=" + sending_time + "|" + std::string{body} +
                                            transact_time));
  }
  // The next message from the venue, with | for SOH.
  std::string answer() {
    ++received_;
    EXPECT_TRUE(run_until([&] { return peer_->messages().size() >= received_; })) << log_.all();
    return peer_->messages().size() < received_ ? "" : bar(peer_->messages()[received_ - 1]);
  }
  void log_on(std::uint64_t msg_seq_num = 1, const std::string& trader = "TRADER") {
    trader_ = trader;
    received_ = 0;
    next_ = msg_seq_num;
    peer_.emplace(engine_->accept_port());
    send("A", "98=0|108=30|");
    EXPECT_THAT(answer(), HasSubstr("|35=A|"));
  }
  static std::string order(std::string_view cl_ord_id, std::string_view symbol = "AAPL") {
    return "11=" + std::string{cl_ord_id} + "|55=" + std::string{symbol} +
           "|54=1|38=100|40=2|44=10.5|";
  }

  BookCapacity capacity_;
  testing::TemporaryFolder folder_;
  testing::ManualClock clock_;
  testing::RecordingLog log_;
  std::optional<VenueWithoutMemory> venue_;
  std::optional<engine::Engine> engine_;
  std::optional<testing::RawPeer> peer_;
  std::string trader_;  // of peer_
  std::uint64_t next_ = 1;
  std::size_t received_ = 0;
  bool is_running_ = true;
};

const std::string kAapl = "55=AAPL|54=1|";

// As long as a message may be; an answer that repeats it is longer than one may be.
const std::string kHugeText(std::size_t{(1U << 20U) - 512U}, 'X');

TEST_F(VenueSessionTest, text_above_64_bytes_is_refused_without_being_repeated) {
  log_on();
  const std::string order_end = "|54=1|38=100|40=2|44=10.5|";
  const struct {
    std::string_view msg_type;
    std::string body;
    std::string_view ref_tag;
  } messages[] = {
      {"D", order(kHugeText), "|371=11|"},
      {"D", order("A1", kHugeText), "|371=55|"},
      {"D", order("A1", std::string(65, 'X')), "|371=55|"},
      {"D", order(std::string(65, 'A')), "|371=11|"},
      {"D", "11=A1|55=" + kHugeText + "|54=5|38=1|40=2|44=1|", "|371=55|"},
      {"F", "11=" + kHugeText + "|41=A1|55=AAPL|54=1|38=1|", "|371=11|"},
      {"F", "11=A2|41=" + kHugeText + "|55=AAPL|54=1|38=1|", "|371=41|"},
      {"G", "11=" + kHugeText + "|41=A1|55=AAPL" + order_end, "|371=11|"},
      {"G", "11=A2|41=" + kHugeText + "|55=AAPL" + order_end, "|371=41|"},
  };
  for (const auto& message : messages) {
    send(message.msg_type, message.body);
    const std::string reject = answer();
    EXPECT_THAT(reject, HasSubstr("|35=3|"));
    EXPECT_THAT(reject, HasSubstr("|373=5|"));
    EXPECT_THAT(reject, HasSubstr(std::string{message.ref_tag}));
    EXPECT_THAT(reject, HasSubstr("is longer than 64 bytes"));
    EXPECT_LT(reject.size(), 300U);
  }
  EXPECT_EQ(venue_->failure(), "");
  EXPECT_EQ(venue_->book().order_count(), 0U);
  send("D", order(std::string(64, 'A'), std::string(64, 'X')));
  EXPECT_THAT(answer(), HasSubstr("|150=0|"));
}

TEST_F(VenueSessionTest, huge_text_that_the_venue_does_not_use_is_not_repeated) {
  log_on();
  send("F", "11=A2|41=A1|55=" + kHugeText + "|54=1|38=1|");
  EXPECT_THAT(answer(), HasSubstr("|35=9|"));
  send("G", "11=A2|41=A1|55=" + kHugeText + "|54=1|38=100|40=2|44=10.5|");
  EXPECT_THAT(answer(), HasSubstr("|35=9|"));
  send("D", order("A1") + "58=" + kHugeText + "|");
  EXPECT_THAT(answer(), HasSubstr("|150=0|"));
  EXPECT_EQ(venue_->failure(), "");
}

TEST_F(VenueSessionTest, replacement_for_another_symbol_or_side_is_refused_with_text) {
  log_on();
  send("D", order("A1"));
  EXPECT_THAT(answer(), HasSubstr("|150=0|"));
  for (const std::string_view other : {"55=MSFT|54=1|", "55=AAPL|54=2|"}) {
    send("G", "11=A2|41=A1|" + std::string{other} + "38=100|40=2|44=9|");
    const std::string reject = answer();
    EXPECT_THAT(reject, HasSubstr("|35=9|"));
    EXPECT_THAT(reject, HasSubstr("|102=2|"));
    EXPECT_THAT(reject, HasSubstr("|58=Symbol and Side of an order cannot be replaced|"));
  }
  EXPECT_EQ(venue_->book().cl_ord_id(venue_->book().order(0)), "A1");
  send("G", "11=A2|41=A1|55=AAPL|54=1|38=100|40=2|44=9|");
  EXPECT_THAT(answer(), HasSubstr("|150=5|"));
}

class ForgettingVenueTest : public VenueSessionTest {
 protected:
  ForgettingVenueTest() : VenueSessionTest{{.orders = 16, .hash_seed = 1, .former_ids = 2}} {}
  void submit_and_cancel(const std::string& id) {
    send("D", order(id));
    EXPECT_THAT(answer(), HasSubstr("|150=0|"));
    send("F", "11=C" + id + "|41=" + id + "|" + kAapl + "38=100|");
    EXPECT_THAT(answer(), HasSubstr("|150=4|"));
  }
  void expect_answers() {
    const std::string cancel = "|" + kAapl + "38=100|";
    send("F", "11=X|41=B" + cancel);
    EXPECT_THAT(answer(), AllOf(HasSubstr("|37=O2|"), HasSubstr("|102=0|")));
    send("F", "11=X|41=A" + cancel);
    EXPECT_THAT(answer(), AllOf(HasSubstr("|37=NONE|"), HasSubstr("|102=1|"), HasSubstr("|39=8|")));
    send("D", "97=Y|" + order("B"));
    EXPECT_THAT(answer(), AllOf(HasSubstr("|37=O2|"), HasSubstr("|150=I|"), HasSubstr("|39=4|")));
    send("D", "97=Y|" + order("A"));
    EXPECT_THAT(answer(),
                AllOf(HasSubstr("|150=8|"), HasSubstr("|58=PossResend=Y, and the venue")));
  }
};

TEST_F(ForgettingVenueTest, requests_for_closed_orders_are_answered_and_no_order_trades_twice) {
  log_on();
  submit_and_cancel("A");
  submit_and_cancel("B");
  expect_answers();
  reopen();
  log_on(next_);
  expect_answers();
  send("D", order("NEW"));
  EXPECT_THAT(answer(), HasSubstr("|37=O3|"));
  EXPECT_EQ(venue_->failure(), "");
}

TEST_F(VenueSessionTest, exception_while_the_book_changes_stops_the_venue_with_the_store_intact) {
  log_on();
  send("D", order("A1"));
  EXPECT_THAT(answer(), HasSubstr("|17=E1|"));
  venue_->out_of_memory = true;
  send("D", order("A2", "MSFT"));  // a symbol of its own needs memory
  EXPECT_THAT(answer(), HasSubstr("|35=j|"));
  venue_->out_of_memory = false;
  EXPECT_THAT(venue_->failure(), HasSubstr("changed the book"));
  EXPECT_THAT(venue_->failure(), HasSubstr("bad_alloc"));
  EXPECT_THAT(answer(), HasSubstr("|35=5|"));  // the Logout of the engine that stops
  reopen();
  EXPECT_EQ(venue_->failure(), "");
  EXPECT_EQ(venue_->book().order_count(), 1U);
  log_on(next_);
  send("D", order("A2", "MSFT"));
  const std::string report = answer();
  EXPECT_THAT(report, HasSubstr("|150=0|"));
  EXPECT_THAT(report, HasSubstr("|37=O2|"));
  EXPECT_THAT(report, HasSubstr("|17=E2|"));
}

// Its sequence numbers are about to be reset: no report could be stored.
TEST_F(VenueSessionTest, request_of_a_session_that_is_ending_is_refused_and_the_venue_continues) {
  reopen("ResetOnLogout=Y\n");
  log_on();
  send("D", order("A1"));
  EXPECT_THAT(answer(), HasSubstr("|17=E1|"));
  engine_->session(0).log_out("closing time");
  EXPECT_THAT(answer(), HasSubstr("|35=5|"));
  for (const auto& [msg_type, body] : {std::pair{"D", order("A2")},
                                       {"D", order("A3") + "59=7|"},
                                       {"F", "11=A4|41=A1|" + kAapl},
                                       {"G", "11=A5|41=A1|" + kAapl + "38=50|40=2|44=9|"}}) {
    send(msg_type, body);
    EXPECT_THAT(answer(), HasSubstr("|58=the session is ending")) << msg_type;
  }
  EXPECT_EQ(venue_->failure(), "");
  EXPECT_EQ(venue_->book().order_count(), 1U);
  send("5", "");
  ASSERT_TRUE(run_until([&] { return peer_->closed(); })) << log_.all();
  log_on();
  send("D", order("A2"));
  EXPECT_THAT(answer(), HasSubstr("|17=E2|"));
}

TEST_F(VenueSessionTest, order_that_would_trade_with_one_of_an_ending_session_is_refused) {
  reopen("ResetOnLogout=Y\n");
  log_on();
  send("D", order("A1"));
  EXPECT_THAT(answer(), HasSubstr("|17=E1|"));
  std::optional<testing::RawPeer> resting = std::move(peer_);
  engine_->session(0).log_out("closing time");
  log_on(1, "OTHER");
  const std::string sells = "|55=AAPL|54=2|38=100|40=2|44=";
  send("D", "11=B1" + sells + "10.5|");
  EXPECT_THAT(answer(), HasSubstr("|380=4|"));
  send("D", "11=B1" + sells + "11|");  // It does not cross.
  EXPECT_THAT(answer(), HasSubstr("|17=E2|"));
  send("G", "11=B2|41=B1" + sells + "10|");
  EXPECT_THAT(answer(), HasSubstr("|380=4|"));
  EXPECT_EQ(venue_->failure(), "");
  resting->close();
  clock_.advance(std::chrono::seconds{60});
  ASSERT_TRUE(run_until([&] { return !engine_->session(0).send_obstacle(); })) << log_.all();
}

TEST_F(VenueSessionTest, order_after_the_failure_is_answered_that_the_venue_closes) {
  log_on();
  venue_->out_of_memory = true;
  send("D", order("A1"));
  send("D", order("A2"));
  EXPECT_THAT(answer(), HasSubstr("|35=j|"));
  const std::string second = answer();
  EXPECT_THAT(second, HasSubstr("|35=j|"));
  EXPECT_THAT(second, HasSubstr("the venue is closing"));
}

}  // namespace
}  // namespace nexusfix::venue
