// FrameReader alone: what a connection has received, for a Sink that has no sessions of its own.
#include "engine/link/frame_reader.hpp"

#include <pthread.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/sanitized.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

// What the sink got, one text for each call.
struct Recorded {
  FrameReader* reader = nullptr;
  std::vector<std::string> calls;
  bool must_wait = false;
};

class RecordingSink {
 public:
  explicit RecordingSink(Recorded& recorded) noexcept : recorded_{recorded} {}

  [[nodiscard]] FrameReader& reader() const noexcept { return *recorded_.reader; }
  bool on_only_message(Connection&, const wire::MessageView& message, std::string_view bytes) {
    return keep("only " + std::string{message.msg_type()}, bytes) == kMustWait;
  }
  std::size_t on_message(Connection&, const wire::MessageView& message, std::string_view bytes) {
    return keep("message " + std::string{message.msg_type()}, bytes);
  }
  std::size_t on_unsound_frame(Connection&, wire::GarbledReason, std::string_view bytes) {
    return keep("unsound", bytes);
  }
  std::size_t on_first_frame(Connection&, std::string_view bytes) { return keep("first", bytes); }
  void on_garbled(Connection&, wire::GarbledReason, std::string_view) { add("garbled"); }
  void on_drained(Connection&) { add("drained"); }
  void on_closed(Connection&, EventId, std::string_view why) { add(why); }
  void on_migrating(Connection&, std::string_view) { add("migrating"); }

 private:
  void add(std::string_view call) { recorded_.calls.emplace_back(call); }
  std::size_t keep(std::string_view call, std::string_view bytes) {
    add(call);
    return recorded_.must_wait ? kMustWait : bytes.size();
  }

  Recorded& recorded_;
};

constexpr std::string_view kPassword = "wiped-from-the-stack";

// The event of a Logon reads its password, and cannot be finished.
class AbortingSink : public RecordingSink {
 public:
  using RecordingSink::RecordingSink;
  std::size_t on_first_frame(Connection&, std::string_view) {
    leave_traces();
    throw EventAborted{};
  }

 private:
  [[gnu::noinline]] static void leave_traces() {
    volatile char bytes[16'384];
    for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = kPassword[i % kPassword.size()];
  }
};

using Calls = std::vector<std::string>;

class FrameReaderComponent : public testing::FloorsTest {
 protected:
  void send(transport::SocketId peer, std::string_view bytes) {
    ASSERT_EQ(far.send(peer, bytes).bytes, bytes.size());
  }
  [[nodiscard]] std::string order(std::uint64_t msg_seq_num) {
    return message(entry(), "D", msg_seq_num, "11=" + std::to_string(msg_seq_num) + "|");
  }
  Calls receive_from(Connection& connection) {
    recorded.reader = &io().reader;
    io().reader.on_readable(connection, RecordingSink{recorded});
    return take();
  }

  Calls take() { return std::exchange(recorded.calls, {}); }

  Recorded recorded;
};

TEST_F(FrameReaderComponent, whole_message_alone_and_several_together) {
  open();
  const auto [connection, peer] = bind(entry());
  send(peer, order(1));
  EXPECT_EQ(receive_from(*connection), (Calls{"only D", "drained"}));
  send(peer, order(2) + order(3));
  EXPECT_EQ(receive_from(*connection), (Calls{"message D", "message D", "drained"}));
}

TEST_F(FrameReaderComponent, message_divided_anywhere_is_one_message) {
  open();
  const auto [connection, peer] = bind(entry());
  const std::string whole = order(1);
  for (std::size_t at = 1; at < whole.size(); ++at) {
    send(peer, std::string_view{whole}.substr(0, at));
    EXPECT_EQ(receive_from(*connection), Calls{"drained"}) << at;
    send(peer, std::string_view{whole}.substr(at));
    EXPECT_EQ(receive_from(*connection), (Calls{"message D", "drained"})) << at;
  }
}

TEST_F(FrameReaderComponent, message_that_must_wait_comes_again) {
  open();
  const auto [connection, peer] = bind(entry());
  recorded.must_wait = true;
  send(peer, order(1));
  EXPECT_EQ(receive_from(*connection), (Calls{"only D", "drained"}));
  recorded.must_wait = false;
  io().reader.on_bytes(*connection, {}, RecordingSink{recorded});
  EXPECT_EQ(take(), Calls{"message D"});
  io().reader.on_bytes(*connection, {}, RecordingSink{recorded});
  EXPECT_EQ(take(), Calls{});
}

TEST_F(FrameReaderComponent, first_frame_of_a_connection_has_a_call_of_its_own) {
  open();
  const auto [connection, peer] = accept();
  send(peer, order(1));
  EXPECT_EQ(receive_from(*connection), Calls{"first"});
}

TEST_F(FrameReaderComponent, bytes_that_are_no_fix_end_a_new_connection_without_a_call) {
  open();
  const auto [connection, peer] = accept();
  send(peer, "GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(receive_from(*connection), Calls{});
  EXPECT_TRUE(connection->is_dead());
  EXPECT_TRUE(log.has(EventId::NotFix)) << log.all();
}

TEST_F(FrameReaderComponent, wrong_check_sum_is_unsound_and_bytes_between_messages_are_garbled) {
  open();
  const auto [connection, peer] = bind(entry());
  std::string unsound = order(1);
  unsound[unsound.size() - 2] = unsound[unsound.size() - 2] == '0' ? '1' : '0';
  send(peer, unsound + "x" + order(2));
  EXPECT_EQ(receive_from(*connection), (Calls{"unsound", "garbled", "message D", "drained"}));
}

TEST_F(FrameReaderComponent, end_of_a_connection_says_whether_a_message_was_cut_off) {
  open();
  const auto [connection, peer] = bind(entry());
  send(peer, std::string_view{order(1)}.substr(0, 20));
  EXPECT_EQ(receive_from(*connection), Calls{"drained"});
  far.close(peer);
  EXPECT_EQ(receive_from(*connection),
            Calls{"closed by the counterparty in the middle of a message"});
}

TEST_F(FrameReaderComponent, nothing_is_read_from_a_connection_that_drains) {
  open();
  const auto [connection, peer] = bind(entry());
  connection->begin_draining();
  send(peer, order(1) + order(2));
  EXPECT_EQ(receive_from(*connection), Calls{"drained"});
}

TEST_F(FrameReaderComponent, traces_of_a_logon_that_has_waited_are_wiped_if_its_event_is_aborted) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer has frames elsewhere";
  open();
  const auto [connection, peer] = accept();
  recorded.must_wait = true;
  send(peer, message(entry(), "A", 1, "98=0|108=30|"));
  EXPECT_EQ(receive_from(*connection), Calls{"first"});
  connection->begin_password_check(loop().now().mono, loop().work);
  bool is_aborted = false;
  auto resume = [&, on = connection] {
    try {
      io().reader.resume(*on, AbortingSink{recorded});
    } catch (const EventAborted&) {
      is_aborted = true;
    }
  };
  using Resume = decltype(resume);
  std::vector<char> stack(std::size_t{256} << 10U);
  pthread_attr_t attributes;
  ASSERT_EQ(::pthread_attr_init(&attributes), 0);
  ASSERT_EQ(::pthread_attr_setstack(&attributes, stack.data(), stack.size()), 0);
  pthread_t thread{};
  const auto run = [](void* step) -> void* {
    (*static_cast<Resume*>(step))();
    return nullptr;
  };
  ASSERT_EQ(::pthread_create(&thread, &attributes, run, &resume), 0);
  ASSERT_EQ(::pthread_join(thread, nullptr), 0);
  ::pthread_attr_destroy(&attributes);
  EXPECT_TRUE(is_aborted);
  EXPECT_FALSE((std::string_view{stack.data(), stack.size()}.contains(kPassword)));
}

}  // namespace
}  // namespace nexusfix::engine
