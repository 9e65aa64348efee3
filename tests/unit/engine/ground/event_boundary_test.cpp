// EventBoundary without an EventLoop: an event that cannot be finished ends its owner, and no
// other.
#include "engine/ground/event_boundary.hpp"

#include <chrono>
#include <new>
#include <stdexcept>

#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using namespace std::chrono_literals;

class EventBoundaryComponent : public testing::FloorsTest {
 protected:
  static constexpr auto kNoMemory = [] { throw std::bad_alloc{}; };
};

TEST_F(EventBoundaryComponent, event_that_is_finished_changes_nothing) {
  open();
  int steps = 0;
  EXPECT_TRUE(loop().boundary.run([&] { ++steps; }));
  EXPECT_TRUE(loop().boundary.run(entry(), [&] { ++steps; }));
  EXPECT_EQ(steps, 2);
  EXPECT_FALSE(entry().abort.is_pending());
}

TEST_F(EventBoundaryComponent, connection_without_a_session_is_closed) {
  open();
  const auto [failed, failed_peer] = accept();
  const auto [other, other_peer] = accept();
  EXPECT_FALSE(loop().boundary.run(*failed, kNoMemory));
  EXPECT_TRUE(failed->is_dead());
  EXPECT_TRUE(is_closed(failed_peer));
  EXPECT_FALSE(other->is_dead());
  EXPECT_FALSE(is_closed(other_peer));
}

TEST_F(EventBoundaryComponent, socket_that_was_just_accepted_is_closed) {
  open();
  const auto peer = far.connect({"10.0.0.1", kPort});
  ASSERT_TRUE(peer.has_value());
  auto events = events_of(network);
  static_cast<void>(events_of(far));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_FALSE(loop().boundary.run(events.front(), kNoMemory));
  EXPECT_TRUE(is_closed(*peer));
}

TEST_F(EventBoundaryComponent, session_is_aborted_and_the_loop_tries_again_soon) {
  open();
  log_on(entry(0));
  log_on(entry(1));
  EXPECT_FALSE(loop().boundary.run(entry(0), kNoMemory));
  EXPECT_TRUE(entry(0).abort.is_pending());
  EXPECT_FALSE(entry(1).abort.is_pending());
  EXPECT_EQ(loop().time.wakes_at(), clock.now().mono + 10ms);
  loop().report.report_memory();
  EXPECT_EQ(log.lines.size(), 1U) << "a lack of memory is reported when there is some again";
}

TEST_F(EventBoundaryComponent, event_that_gives_up_is_no_lack_of_memory) {
  open();
  EXPECT_FALSE(loop().boundary.run(entry(), [] { throw EventAborted{}; }));
  EXPECT_TRUE(entry().abort.is_pending());
  loop().report.report_memory();
  EXPECT_TRUE(log.lines.empty()) << log.all();
}

TEST_F(EventBoundaryComponent, what_was_recorded_without_an_owner_is_dropped) {
  open();
  EXPECT_FALSE(loop().boundary.run([this] {
    sessions().transactor.record().outbound_number(0, 1);
    throw std::bad_alloc{};
  }));
  EXPECT_TRUE(sessions().transactor.record().empty());
}

TEST_F(EventBoundaryComponent, other_exceptions_are_mistakes_of_ours_and_pass) {
  open();
  EXPECT_THROW(loop().boundary.run([] { throw std::logic_error{"a mistake"}; }), std::logic_error);
}

}  // namespace
}  // namespace nexusfix::engine
