// LoopWork: each flag makes the usual path step aside, and each change of the data sets its flag.
#include "engine/ground/loop_work.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

struct FlagRow {
  Work work;
  bool is_due;
  bool ends_events;
  bool may_become_quiet;
};
constexpr std::array kFlags{
    FlagRow{Work::Aborted, true, true, false},    FlagRow{Work::Resends, true, false, false},
    FlagRow{Work::Decided, true, false, false},   FlagRow{Work::Unsent, false, true, false},
    FlagRow{Work::Unsettled, false, true, false}, FlagRow{Work::Links, false, false, true},
    FlagRow{Work::Ended, false, false, false}};

// No flag is set, as after a turn that has done everything.
LoopWork quiet_work(Connection& only) {
  LoopWork work;
  work.clear(Work::Unsettled);
  work.set_only(&only);
  return work;
}

TEST(LoopWork, new_loop_is_not_quiet) {
  const LoopWork work;
  EXPECT_FALSE(work.is_quiet());
  EXPECT_TRUE(work.has(Work::Links)) << "the only connection is not known";
  EXPECT_TRUE(work.has(Work::Unsettled)) << "the store was not asked";
}

TEST(LoopWork, each_flag_ends_the_quiet) {
  Connection only{1, AcceptedFrom{}, kNever};
  for (const FlagRow& row : kFlags) {
    LoopWork work = quiet_work(only);
    ASSERT_TRUE(work.is_quiet());
    work.set(row.work);
    SCOPED_TRACE(static_cast<unsigned>(row.work));
    EXPECT_FALSE(work.is_quiet());
    EXPECT_EQ(work.flags(), static_cast<unsigned>(row.work));
    EXPECT_EQ(work.is_due(), row.is_due);
    EXPECT_EQ(work.ends_events(), row.ends_events);
    EXPECT_EQ(work.may_become_quiet(), row.may_become_quiet);
    work.clear(row.work);
    EXPECT_TRUE(work.is_quiet());
  }
}

TEST(LoopWork, loop_without_an_only_connection_is_not_quiet) {
  Connection only{1, AcceptedFrom{}, kNever};
  LoopWork work = quiet_work(only);
  EXPECT_EQ(work.only(), &only);
  work.set_only(nullptr);
  EXPECT_FALSE(work.is_quiet());
  work.set_only(&only);
  EXPECT_TRUE(work.is_quiet());
}

class LoopWorkOwners : public testing::FloorsTest {
 protected:
  // The flags that the change of the data sets, in a loop in which nothing is to be done.
  unsigned flags_of(const std::function<void()>& change) {
    Connection only{1, AcceptedFrom{}, kNever};
    loop().work = quiet_work(only);
    change();
    return loop().work.flags();
  }
  static constexpr unsigned bit(Work work) { return static_cast<unsigned>(work); }
};

TEST_F(LoopWorkOwners, connections_that_come_or_go_must_be_looked_at) {
  open();
  EXPECT_EQ(flags_of([&] { accept(); }), bit(Work::Links));
  Connection& cut = *accept().connection;
  EXPECT_EQ(flags_of([&] { EXPECT_TRUE(io().connections.cut(cut)); }), bit(Work::Links));
  Connection& retired = *accept().connection;
  EXPECT_EQ(flags_of([&] { io().connections.retire(retired); }), bit(Work::Links));
  EXPECT_EQ(flags_of([&] { io().connections.abandon_all(); }), bit(Work::Links));
}

TEST_F(LoopWorkOwners, connection_that_is_paused_must_be_looked_at) {
  open();
  Connection& throttled = *bind(entry()).connection;
  EXPECT_EQ(flags_of([&] { throttled.pause(clock.now().mono + 1s, loop().work); }),
            bit(Work::Links));
  Connection& deferred = *accept().connection;
  EXPECT_EQ(
      flags_of([&] { deferred.defer_logon(clock.now().mono, clock.now().mono + 1s, loop().work); }),
      bit(Work::Links));
  Connection& checked = *accept().connection;
  EXPECT_EQ(flags_of([&] { checked.begin_password_check(clock.now().mono, loop().work); }),
            bit(Work::Links));
}

TEST_F(LoopWorkOwners, bytes_are_unsent_until_their_socket_has_them) {
  open();
  const auto [connection, peer] = bind(entry());
  end_turn();
  const auto queue = [&, &to = *connection] {
    to.outbound().push("an order");
    to.wait_for(8);
    io().connections.mark_unsent(to);
  };
  EXPECT_EQ(flags_of(queue), bit(Work::Unsent));
  io().connections.send_unsent(7);
  EXPECT_TRUE(loop().work.has(Work::Unsent)) << "their record is not durable";
  io().connections.send_unsent(8);
  EXPECT_TRUE(loop().work.is_quiet());
}

TEST_F(LoopWorkOwners, bytes_of_a_connection_that_has_ended_are_not_unsent) {
  open();
  const auto [connection, peer] = bind(entry());
  end_turn();
  io().connections.mark_unsent(*connection);
  sessions().disconnector.close(*connection);
  io().connections.destroy_closed();
  EXPECT_FALSE(loop().work.has(Work::Unsent));
}

TEST_F(LoopWorkOwners, records_are_unsettled_until_they_are_flushed) {
  open();
  store::LogPosition durable = 0;
  ASSERT_TRUE(io().commit.flush(durable));
  EXPECT_EQ(flags_of([&] {
              store::Transaction record;
              record.outbound_number(entry().stored.key(), next_outbound());
              EXPECT_TRUE(io().commit.append(record).has_value());
            }),
            bit(Work::Unsettled));
  ASSERT_TRUE(io().commit.flush(durable));
  EXPECT_TRUE(loop().work.is_quiet());
  EXPECT_EQ(flags_of([&] { static_cast<void>(io().commit.store()); }), bit(Work::Unsettled));
}

TEST_F(LoopWorkOwners, store_that_takes_nothing_more_ends_the_loop) {
  open();
  EXPECT_EQ(flags_of([&] { io().commit.begin_drain(); }), 0U);
  EXPECT_EQ(flags_of([&] { io().commit.fail({}); }), bit(Work::Ended));
  open();
  EXPECT_EQ(flags_of([&] { io().commit.end(); }), bit(Work::Ended));
}

TEST_F(LoopWorkOwners, session_that_is_aborted_ends_at_the_end_of_the_event) {
  open();
  EXPECT_EQ(flags_of([&] { abort_session(loop(), entry()); }), bit(Work::Aborted));
}

}  // namespace
}  // namespace nexusfix::engine
