// Recovery without an EventLoop: the application gets back what it had sent.
#include <stdexcept>
#include <string>

#include "engine/link/commit/commit_gate.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class RecoveryComponent : public testing::FloorsTest {
 protected:
  // The store has it from an earlier run.
  void stored(std::uint64_t msg_seq_num, const std::string& bytes) {
    store::Transaction record;
    record.outbound_message(0, msg_seq_num, bytes);
    ASSERT_TRUE(io().commit.append(record).has_value());
  }
  [[nodiscard]] std::expected<void, EngineError> finish() {
    return io().recovery.finish(io().commit.store());
  }
};

TEST_F(RecoveryComponent, application_gets_its_messages_in_order_and_none_of_the_session_layer) {
  open();
  stored(1, message(entry(), "A", 1, "98=0|"));
  stored(2, message(entry(), "8", 2, "11=FIRST|"));
  stored(3, message(entry(), "j", 3, "58=SECOND|"));
  EXPECT_TRUE(finish().has_value());
  ASSERT_EQ(venue.recovered.size(), 2U);
  EXPECT_TRUE(venue.recovered[0].contains("|11=FIRST|"));
  EXPECT_TRUE(venue.recovered[1].contains("|58=SECOND|"));
}

TEST_F(RecoveryComponent, bytes_that_are_no_message_are_an_error) {
  open();
  stored(1, message(entry(), "8", 1));
  stored(2, "not FIX");
  const auto done = finish();
  ASSERT_FALSE(done.has_value());
  EXPECT_TRUE(done.error().text.contains("the store holds 1 messages that are not FIX messages"));
}

TEST_F(RecoveryComponent, exception_of_the_application_is_an_error) {
  callbacks.on_recovered = [](void*, const RecoveredMessage&) {
    throw std::runtime_error{"an unknown order"};
  };
  open();
  stored(1, message(entry(), "8", 1));
  const auto done = finish();
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().text,
            "the application could not take back what it had sent: an unknown order");
}

TEST_F(RecoveryComponent, without_the_callback_nothing_is_read) {
  callbacks.on_recovered = nullptr;
  open();
  stored(1, "not FIX");
  EXPECT_FALSE(io().recovery.is_wanted());
  EXPECT_TRUE(finish().has_value());
}

}  // namespace
}  // namespace nexusfix::engine
