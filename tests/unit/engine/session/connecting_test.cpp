// When an initiator may connect, as a table, and what a reset changes in a halt.
#include <chrono>
#include <string>

#include "engine/session/control/session_control.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

using std::chrono::seconds;

class Connecting : public testing::FloorsTest {};

TEST_F(Connecting, only_an_active_initiator_of_a_loop_that_goes_on_may_connect) {
  struct Row {
    bool is_initiator;
    bool is_active;
    bool is_stopping;
    bool is_draining;
    bool may;
  };
  for (const Row& row : {
           Row{true, true, false, false, true},
           Row{false, true, false, false, false},
           Row{true, false, false, false, false},
           Row{true, true, true, false, false},
           Row{true, true, false, true, false},
       }) {
    sessions_text = session_text("OTHER_SIDE", row.is_initiator ? kInitiator : "");
    open();
    if (!row.is_active) sessions().registry.deactivate(entry());
    if (row.is_stopping) loop().work.begin_stop();
    if (row.is_draining) loop().work.begin_drain();
    EXPECT_EQ(may_connect(loop(), entry()), row.may)
        << row.is_initiator << row.is_active << row.is_stopping << row.is_draining;
  }
}

TEST_F(Connecting, reset_that_was_asked_for_ends_a_halt_and_another_does_not) {
  sessions_text = session_text("EXCHANGE", kInitiator);
  open();
  halt(entry());
  EXPECT_TRUE(entry().connect_policy.is_halted());
  EXPECT_TRUE(entry().acceptor.halt.accepts_only_reset());
  end_halt_by_reset(loop(), entry());
  EXPECT_TRUE(entry().connect_policy.is_halted()) << "ResetOnDisconnect is no agreement";
  EXPECT_FALSE(entry().acceptor.halt.accepts_only_reset());
  pass(seconds{5});
  entry().connect_policy.on_reset_requested(/*has_connection=*/false);
  end_halt_by_reset(loop(), entry());
  EXPECT_FALSE(entry().connect_policy.is_halted());
  EXPECT_EQ(entry().connect_policy.connect_at(), clock.now().mono);
}

}  // namespace
}  // namespace nexusfix::engine
