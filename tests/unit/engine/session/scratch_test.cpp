// Session::scratch(): memory that is empty again after the callback.
#include <cstring>
#include <functional>
#include <memory_resource>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using namespace std::chrono_literals;

class ScratchTest : public AcceptorTest {
 protected:
  void SetUp() override { open(); }

  [[nodiscard]] Session& session() { return acceptor->session(0); }
  static void* allocate(Session& session, std::size_t bytes = 64) {
    return session.scratch().allocate(bytes);
  }
  // Runs it as a callback.
  void call(const std::function<void(Session&)>& callback) {
    session().call_after(0s, callback);
    turn(2);
  }
};

TEST_F(ScratchTest, each_callback_begins_with_the_memory_of_the_one_before) {
  std::vector<void*> first;
  for (int i = 0; i < 3; ++i) call([&](Session& s) { first.push_back(allocate(s)); });
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(first[0], first[1]);
  EXPECT_EQ(first[1], first[2]);
}

TEST_F(ScratchTest, pieces_of_one_callback_are_different_also_for_two_sessions) {
  call([&](Session& s) {
    void* const one = allocate(s);
    void* const two = allocate(acceptor->session(1));
    EXPECT_NE(one, two);
    EXPECT_EQ(&s.scratch(), &acceptor->session(1).scratch());
  });
}

TEST_F(ScratchTest, memory_of_a_callback_that_throws_is_free_for_the_next_one) {
  struct InScratch : std::runtime_error {
    using std::runtime_error::runtime_error;
    explicit InScratch(Session& session) : runtime_error{"x"}, text{&session.scratch()} {
      text = "a text in the memory of the callback that throws it";
    }
    [[nodiscard]] const char* what() const noexcept override { return text.c_str(); }
    std::pmr::string text;
  };
  void* first = nullptr;
  call([&](Session& s) {
    first = allocate(s);
    throw InScratch{s};
  });
  EXPECT_TRUE(log.has("a text in the memory of the callback that throws it")) << log.all();
  call([&](Session& s) { EXPECT_EQ(allocate(s), first); });
}

TEST_F(ScratchTest, messages_of_one_receive_have_the_same_memory_one_after_the_other) {
  std::vector<void*> first;
  venue.before_answer = [&](Session& s, const MessageView&) { first.push_back(allocate(s)); };
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A") + order("TRADER", 3, "B") + order("TRADER", 4, "C"));
  ASSERT_TRUE(run_until([&] { return first.size() == 3; })) << log.all();
  EXPECT_EQ(first[0], first[1]);
  EXPECT_EQ(first[1], first[2]);
}

TEST_F(ScratchTest, reply_may_be_written_in_it) {
  struct Refusing {
    static MessageReply on_message(Session& session, const MessageView&) {
      std::pmr::string text{"this order is refused for the reason in this text",
                            &session.scratch()};
      return engine::business_reject(0, 0, text);
    }
  } refusing;
  acceptor.reset();
  under_test().open(acceptor, refusing);
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(
      contains(peer.messages()[1], "|58=this order is refused for the reason in this text|"))
      << peer.messages()[1];
}

TEST_F(ScratchTest, memory_outside_of_callbacks_is_valid_until_the_next_poll) {
  turn(5);
  void* const first = allocate(session());
  EXPECT_NE(allocate(session()), first);
  turn(1);
  EXPECT_EQ(allocate(session()), first);
}

TEST_F(ScratchTest, memory_of_a_posted_task_is_free_for_the_next_one) {
  auto remote = acceptor->remote("FIX.4.4:VENUE->TRADER");
  ASSERT_TRUE(remote.has_value()) << remote.error().what();
  std::vector<void*> first;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(remote->post([&](Session& s) { first.push_back(allocate(s)); }));
  }
  ASSERT_TRUE(run_until([&] { return first.size() == 3; }));
  EXPECT_EQ(first[0], first[1]);
  EXPECT_EQ(first[1], first[2]);
}

TEST_F(ScratchTest, callback_within_another_one_leaves_the_memory_of_the_outer_one) {
  struct Observing : EchoVenue {
    static void on_sending(Session& session, OutgoingMessage&) {
      std::memset(session.scratch().allocate(64), 'i', 64);
    }
  } observing;
  acceptor.reset();
  under_test().open(acceptor, observing);
  bool has_run = false;
  observing.before_answer = [&](Session& s, const MessageView&) {
    auto* const outer = static_cast<char*>(std::memset(allocate(s), 'o', 64));
    EchoVenue::answer(s, "X");
    std::memset(allocate(s), 'n', 64);
    EXPECT_EQ((std::string_view{outer, 64}), std::string(64, 'o'));
    has_run = true;
  };
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(run_until([&] { return has_run; })) << log.all();
}

TEST_F(ScratchTest, more_than_the_limit_ends_the_callback_and_nothing_else) {
  bool is_done = false;
  call([&](Session& s) {
    EXPECT_THROW(allocate(s, Session::kScratchBytesMax), std::bad_alloc);
    is_done = allocate(s) != nullptr;
  });
  EXPECT_TRUE(is_done);
  expect_still_serving();
}

}  // namespace
}  // namespace nexusfix::testing
