// The application's own object of a session, and the sessions as a range.
#include <algorithm>
#include <iterator>
#include <ranges>
#include <stdexcept>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using SessionDataTest = AcceptorTest;

struct Book {
  std::string name;
  int& alive;
  Book(std::string_view of, int& counter) : name{of}, alive{counter} { ++alive; }
  ~Book() { --alive; }
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;
};
struct Limits {
  int orders_max = 0;
};
struct Throwing {
  Throwing() { throw std::runtime_error{"cannot be made"}; }
};

TEST_F(SessionDataTest, each_session_has_its_own_object_until_it_is_destroyed) {
  open();
  int alive = 0;
  for (Session& session : acceptor->sessions()) {
    EXPECT_EQ(session.data<Book>(), nullptr);
    Book& made = session.attach<Book>(session.name(), alive);
    EXPECT_EQ(session.data<Book>(), &made);
  }
  EXPECT_EQ(alive, 2);
  for (const Session& session : acceptor->sessions()) {
    EXPECT_EQ(session.data<Book>()->name, session.name());
  }
  acceptor->session(0).remove("closed");
  turn(2);
  EXPECT_EQ(alive, 1);
  acceptor.reset();
  EXPECT_EQ(alive, 0);
}

TEST_F(SessionDataTest, object_of_another_type_is_not_given_out) {
  open();
  Session& session = acceptor->session(0);
  session.attach<Limits>(7);
  EXPECT_EQ(session.data<Limits>()->orders_max, 7);
  EXPECT_EQ(session.data<const Limits>(), session.data<Limits>());
  EXPECT_EQ(session.data<Book>(), nullptr);
  EXPECT_EQ(session.data<int>(), nullptr);
  session.attach<int>(3);
  EXPECT_EQ(session.data<Limits>(), nullptr);
  EXPECT_EQ(*session.data<int>(), 3);
}

TEST_F(SessionDataTest, next_object_replaces_the_one_before_unless_its_constructor_throws) {
  open();
  Session& session = acceptor->session(0);
  int alive = 0;
  session.attach<Book>("one", alive);
  EXPECT_THROW(session.attach<Throwing>(), std::runtime_error);
  EXPECT_EQ(session.data<Book>()->name, "one");
  session.attach<Book>("two", alive);
  EXPECT_EQ(session.data<Book>()->name, "two");
  EXPECT_EQ(alive, 1);
  acceptor.reset();
  EXPECT_EQ(alive, 0);
}

TEST_F(SessionDataTest, destructor_may_use_the_name_of_the_session) {
  struct Farewell {
    Session& session;
    std::string& name;
    ~Farewell() { name = session.name(); }
  };
  open();
  std::string name;
  acceptor->session(0).attach<Farewell>(acceptor->session(0), name);
  acceptor.reset();
  EXPECT_EQ(name, "FIX.4.4:VENUE->TRADER");
}

TEST_F(SessionDataTest, range_has_the_sessions_in_their_order) {
  static_assert(std::ranges::forward_range<engine::SessionRange>);
  open();
  std::vector<Session*> found;
  for (Session& session : acceptor->sessions()) found.push_back(&session);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0], &acceptor->session(0));
  EXPECT_EQ(found[1], &acceptor->session(1));
  const auto range = acceptor->sessions(0);
  EXPECT_EQ(std::ranges::distance(range), 2);
  EXPECT_EQ(range.begin()->name(), "FIX.4.4:VENUE->TRADER");
  const auto is_fix42 = [](const Session& s) { return s.id().begin_string == "FIX.4.2"; };
  EXPECT_EQ(std::ranges::count_if(range, is_fix42), 1);
}

TEST_F(SessionDataTest, body_of_a_loop_may_remove_sessions) {
  open();
  for (Session& session : acceptor->sessions()) session.remove("closed");
  turn(2);
  EXPECT_EQ(std::ranges::distance(acceptor->sessions()), 0);
}

}  // namespace
}  // namespace nexusfix::testing
