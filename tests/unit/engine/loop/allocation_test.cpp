// After Logon an order costs no heap allocation between its bytes and the bytes of the answer:
// parsing, session, order book, journal and encoding included.
#include <array>
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory_resource>
#include <new>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/news.hpp>
#include <nexusfix/statistics.hpp>

#include "config/api/settings.hpp"
#include "engine/ground/connection/connection.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/fix_text.hpp"
#include "support/manual_clock.hpp"
#include "support/network/fake_network.hpp"
#include "support/recording_log.hpp"
#include "venue/venue.hpp"

namespace {

// Only for the engine's thread: meanwhile the journal's own thread prepares files, whose paths
// allocate.
thread_local bool counting = false;
std::atomic<std::size_t> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  if (counting) allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}

// Not inlined: a compiler that sees free() for memory from new reports a mismatch.
[[gnu::noinline]] void release(void* memory) noexcept { std::free(memory); }

}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace nexusfix::testing {
namespace {

constexpr std::size_t kWarmUpOrders = 2'000;
constexpr std::size_t kOrders = 10'000;

class AllocationTest : public ::testing::Test {
 protected:
  void SetUp() override { open(""); }

  void open(const std::string& keys) {
    engine_.reset();
    const std::string config =
        "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=5001\nNonStopSession=Y\n"
        "FileStorePath=" +
        folder_.path() + "\n" + keys +
        "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n";
    auto settings = config::parse_settings(config, "venue.cfg");
    ASSERT_TRUE(settings.has_value()) << settings.error().front().what();
    EngineOptions options;
    options.clock = &clock_;
    options.network = &acceptor_network_;
    options.log = &log_;
    // No socket for operators: commands that look for engines of this machine would get an answer.
    options.disk = &disk_;
    auto opened = Engine::open(std::move(*settings), venue_, options);
    ASSERT_TRUE(opened.has_value()) << opened.error().what();
    engine_.emplace(std::move(*opened));
    ASSERT_TRUE(venue_.attach(*engine_));
    const auto socket = trader_network_.connect({"10.0.0.1", 5001});
    ASSERT_TRUE(socket.has_value());
    socket_ = *socket;
    for (std::uint64_t n = 2; n < 2 + kWarmUpOrders + kOrders; ++n) orders_.push_back(order(n));
  }

  [[nodiscard]] std::string order(std::uint64_t msg_seq_num) const {
    // Pairs of orders trade with each other: each sell matches the resting buy.
    const char* side = msg_seq_num % 2 == 0 ? "1" : "2";
    return fix("FIX.4.4", "35=D|49=TRADER|56=VENUE|34=" + std::to_string(msg_seq_num) +
                              "|52=20240115-10:30:00.000|11=ORDER-" + std::to_string(msg_seq_num) +
                              "|21=1|55=AAPL|54=" + side +
                              "|60=20240115-10:30:00.000|38=100|40=2|44=150.25|");
  }

  void turn() {
    std::array<transport::Ready, 8> ready;
    static_cast<void>(trader_network_.wait(ready, std::chrono::nanoseconds{0}));
    static_cast<void>(engine_->poll(std::chrono::nanoseconds{0}));
    while (true) {
      const auto got = trader_network_.receive(socket_, received_);
      if (got.status != transport::IoResult::Status::Ok) break;
      received_bytes_ += got.bytes;
    }
  }

  // Each order is received in one piece, or split at a position that moves.
  enum class Cut { Never, Everywhere };

  void trade(std::size_t first, std::size_t count, Cut cut = Cut::Never) {
    for (std::size_t i = first; i < first + count; ++i) {
      const std::string_view order = orders_[i];
      const std::size_t at = cut == Cut::Everywhere ? 1 + i % (order.size() - 1) : order.size();
      for (const std::string_view piece : {order.substr(0, at), order.substr(at)}) {
        if (piece.empty()) continue;
        const auto sent = trader_network_.send(socket_, piece);
        ASSERT_EQ(sent.bytes, piece.size());
        turn();
      }
    }
  }

  void log_on() {
    turn();
    const std::string logon =
        fix("FIX.4.4", "35=A|49=TRADER|56=VENUE|34=1|52=20240115-10:30:00.000|98=0|108=30|");
    ASSERT_EQ(trader_network_.send(socket_, logon).bytes, logon.size());
    for (int i = 0; i < 10; ++i) turn();
    ASSERT_TRUE(engine_->session(0).is_logged_on()) << log_.all();
    // The session is new: messages to it wait until its record is durable.
    while (engine_->store().durable() != engine_->store().appended()) turn();
  }

  TemporaryFolder folder_;
  PosixDisk disk_;
  ManualClock clock_;
  RecordingLog log_;
  transport::FakeInternet internet_;
  transport::FakeNetwork acceptor_network_{internet_, "10.0.0.1"};
  transport::FakeNetwork trader_network_{internet_, "10.0.0.2"};
  venue::Venue venue_;
  std::optional<Engine> engine_;
  transport::SocketId socket_ = 0;
  std::vector<std::string> orders_;
  std::array<char, 65'536> received_{};
  std::size_t received_bytes_ = 0;
};

TEST_F(AllocationTest, ten_thousand_orders_after_logon_allocate_nothing) {
  log_on();
  trade(0, kWarmUpOrders);

  const std::uint64_t messages_before = engine_->statistics().loops[0].messages_out;
  counting = true;
  trade(kWarmUpOrders, kOrders);
  counting = false;

  EXPECT_EQ(allocations.exchange(0), 0U) << log_.all();
  // Each pair of orders gives two acknowledgements and two fills.
  EXPECT_EQ(engine_->statistics().loops[0].messages_out - messages_before, 2 * kOrders);
  EXPECT_EQ(engine_->session(0).numbers().next_inbound, 2 + kWarmUpOrders + kOrders);
}

TEST_F(AllocationTest, orders_with_message_logs_allocate_nothing) {
  open("FileLogPath=" + folder_.path() + "/log\nLogMaxBytes=1000000\n");
  log_on();
  trade(0, kWarmUpOrders);
  counting = true;
  trade(kWarmUpOrders, kOrders);
  counting = false;
  const observe::SessionLogsStats logged = engine_->statistics().logs;
  // The event of a loss has a text. Nothing is lost unless a busy machine keeps the log's thread
  // from running.
  const std::uint64_t allocated = allocations.exchange(0);
  EXPECT_TRUE(allocated == 0 || logged.lost_in_queue > 0) << allocated;
  // An order and two reports each, plus events.
  EXPECT_GE(logged.taken + logged.lost_in_queue, 3 * (kWarmUpOrders + kOrders));
}

TEST_F(AllocationTest, ten_thousand_orders_in_two_pieces_each_allocate_nothing) {
  log_on();
  trade(0, kWarmUpOrders, Cut::Everywhere);
  counting = true;
  trade(kWarmUpOrders, kOrders, Cut::Everywhere);
  counting = false;
  EXPECT_EQ(allocations.exchange(0), 0U) << log_.all();
  EXPECT_EQ(engine_->session(0).numbers().next_inbound, 2 + kWarmUpOrders + kOrders);
}

TEST_F(AllocationTest, timer_for_each_order_allocates_nothing_in_steady_state) {
  Session& session = engine_->session(0);
  std::array<engine::TimerHandle, 50> timers;
  int ran = 0;
  const auto set_and_cancel = [&] {
    for (auto& timer : timers) {
      session.cancel(timer);
      timer = session.call_after(std::chrono::milliseconds{5}, [&ran](Session&) { ++ran; });
    }
    clock_.advance(std::chrono::milliseconds{5});
    turn();
  };
  set_and_cancel();
  set_and_cancel();
  counting = true;
  for (int i = 0; i < 100; ++i) set_and_cancel();
  counting = false;
  EXPECT_EQ(allocations.exchange(0), 0U) << log_.all();
  EXPECT_EQ(ran, 102 * 50);
}

TEST_F(AllocationTest,
       vectors_texts_and_drafts_in_scratch_memory_allocate_nothing_in_steady_state) {
  log_on();
  std::size_t sent = 0;
  // [scratch]
  const auto report_headlines = [&sent](Session& session) {
    std::pmr::vector<std::pmr::string> lines{&session.scratch()};
    for (int i = 0; i < 100; ++i)
      lines.emplace_back("a line that is no short string of the library");
    fix44::News::Draft news{session.scratch()};
    if (!news.set(fix44::Headline{lines.front()})) return;
    auto text = news.group<fix44::News::LinesOfText>();
    for (const auto& line : lines) {
      if (!text.add(fix44::Text{line})) return;
    }
    if (session.send(news)) ++sent;
  };
  // [end]
  const auto run = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      engine_->session(0).call_after(std::chrono::seconds{0}, report_headlines);
      turn();
    }
  };
  run(100);
  counting = true;
  run(1'000);
  counting = false;
  EXPECT_EQ(allocations.exchange(0), 0U) << log_.all();
  turn();
  EXPECT_GE(sent, 1'099U);
}

// The copy of a draft goes to memory that the remote's queue keeps. So the loop frees nothing that
// another thread has allocated.
TEST_F(AllocationTest, drafts_of_a_remote_allocate_nothing_once_its_queue_has_their_memory) {
  log_on();
  auto remote = engine_->remote("FIX.4.4:VENUE->TRADER");
  ASSERT_TRUE(remote.has_value()) << remote.error().what();
  fix44::News::Draft news;
  ASSERT_TRUE(news.set(fix44::Headline{"a headline that is no short string of the library"}));
  ASSERT_TRUE(news.group<fix44::News::LinesOfText>().add(fix44::Text{"and its text"}));
  std::size_t done = 0;
  const auto send = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto accepted = remote->send(
          news, [&done](const engine::PostResult& result) { done += result.sent ? 1 : 0; });
      ASSERT_TRUE(accepted.has_value()) << accepted.error().what();
      if (i % 10 == 9) turn();
    }
  };
  send(3 * engine::Remote::kCapacity);
  counting = true;
  send(10'000);
  counting = false;
  EXPECT_EQ(allocations.exchange(0), 0U) << log_.all();
  turn();
  EXPECT_EQ(done, 3 * engine::Remote::kCapacity + 10'000);
  EXPECT_EQ(remote->refused(), 0U);
}

TEST(OutboundQueueTest, queue_that_never_runs_empty_does_not_grow) {
  engine::OutboundQueue queue;
  const std::string bytes(1'000, 'x');
  for (int i = 0; i < 10; ++i) queue.push(bytes);
  queue.take(9'000);
  counting = true;
  for (int i = 0; i < 10'000; ++i) {
    queue.push(bytes);
    queue.take(1'000);
  }
  counting = false;
  EXPECT_EQ(allocations.exchange(0), 0U);
  EXPECT_EQ(queue.size(), 1'000U);
}

TEST_F(AllocationTest, counter_detects_an_allocation) {
  counting = true;
  const auto* memory = new std::string(100, 'x');
  counting = false;
  EXPECT_GE(allocations.load(), 2U);
  delete memory;
  allocations = 0;
}

}  // namespace
}  // namespace nexusfix::testing
