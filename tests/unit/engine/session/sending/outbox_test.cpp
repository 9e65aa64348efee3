// Outbox without an EventLoop: which messages get a MsgSeqNum, and what the store has of them.
#include "engine/session/sending/outbox.hpp"

#include <optional>
#include <string>
#include <vector>

#include "support/medium_store.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class OutboxComponent : public testing::FloorsTest {
 protected:
  [[nodiscard]] SendResult send(std::string_view msg_type = "8") {
    wire::Encoder encoder = entry().session.begin(msg_type);
    encoder.field(11, "A");
    return entry().session.finish(encoder);
  }
  [[nodiscard]] std::optional<SendFailure> failure_of(const SendResult& result) {
    return result ? std::nullopt : std::optional{result.error().failure};
  }
  // The messages that a resend could send.
  [[nodiscard]] std::vector<std::string> stored() {
    std::vector<std::string> all;
    EXPECT_TRUE(io().commit.store()
                    .read(entry().stored.key(), 1, 1'000,
                          [&](std::uint64_t, std::string_view bytes) {
                            all.push_back(testing::bar(bytes));
                            return true;
                          })
                    .has_value());
    return all;
  }
};

TEST_F(OutboxComponent, message_outside_of_an_event_is_numbered_recorded_and_queued) {
  open();
  const auto [connection, peer] = log_on(entry());
  const auto sent = send();
  ASSERT_TRUE(sent.has_value());
  EXPECT_EQ(sent->msg_seq_num, 2U);
  EXPECT_TRUE(sent->is_transmitted);
  EXPECT_EQ(connection->waits_for(), io().commit.appended());
  EXPECT_EQ(received_by(peer), "") << "it leaves when its record is durable";
  ASSERT_EQ(stored().size(), 1U);
  EXPECT_TRUE(stored().front().contains("|11=A|"));
  EXPECT_TRUE(sent_to(peer).contains("|35=8|34=2|"));
}

TEST_F(OutboxComponent, message_that_cannot_be_sent_uses_no_number) {
  extra = "SendWhileLoggedOut=N";
  open();
  EXPECT_EQ(failure_of(send()), SendFailure::NotLoggedOn);
  log_on(entry());
  EXPECT_EQ(failure_of(send("0")), SendFailure::NotApplicationMessage);
  wire::Encoder encoder = entry().session.begin("8");
  EXPECT_TRUE(entry().session.finish(encoder).has_value());
  EXPECT_EQ(failure_of(entry().session.finish(encoder)), SendFailure::NotBegun);
  wire::Encoder invalid = entry().session.begin("8");
  invalid.field(11, "");
  EXPECT_EQ(failure_of(entry().session.finish(invalid)), SendFailure::Encode);
  io().commit.begin_drain();
  EXPECT_EQ(failure_of(send()), SendFailure::Draining);
  EXPECT_EQ(sessions().outbox.obstacle_of(entry()), SendFailure::Draining);
  EXPECT_EQ(next_outbound(), 3U);
}

TEST_F(OutboxComponent, message_of_a_session_that_is_logged_out_waits_in_the_store) {
  extra = "SendWhileLoggedOut=Y";
  open();
  EXPECT_EQ(sessions().outbox.obstacle_of(entry()), std::nullopt);
  const auto sent = send();
  ASSERT_TRUE(sent.has_value());
  EXPECT_FALSE(sent->is_transmitted);
  EXPECT_EQ(stored().size(), 1U);
}

TEST_F(OutboxComponent, store_has_the_number_of_a_password_but_not_its_message) {
  open();
  const auto [connection, peer] = log_on(entry());
  wire::Encoder encoder = entry().session.begin("BE");
  encoder.field(923, "R").field(924, 1).field(553, "anna").field(554, "secret");
  ASSERT_TRUE(entry().session.finish(encoder).has_value());
  EXPECT_TRUE(stored().empty());
  EXPECT_EQ(sessions().registry.stored_numbers(entry()).next_outbound, 3U);
  EXPECT_TRUE(sent_to(peer).contains("|554=secret|"));
}

TEST_F(OutboxComponent, application_may_withhold_and_edit_what_is_sent) {
  callbacks.on_sending = [](void*, Session&, OutgoingMessage& message) {
    if (message.view()[58]) return SendDecision::Withhold;
    message.edit().set(1, "ACCOUNT");
    return SendDecision::Send;
  };
  open();
  const auto [connection, peer] = log_on(entry());
  wire::Encoder withheld = entry().session.begin("8");
  withheld.field(58, "no");
  EXPECT_EQ(failure_of(entry().session.finish(withheld)), SendFailure::Vetoed);
  ASSERT_TRUE(send().has_value());
  EXPECT_TRUE(sent_to(peer).contains("|1=ACCOUNT|"));
  ASSERT_EQ(stored().size(), 1U);
  EXPECT_TRUE(stored().front().contains("|34=2|")) << "the withheld one has used no MsgSeqNum";
  EXPECT_TRUE(stored().front().contains("|1=ACCOUNT|")) << "a resend is the same";
}

TEST_F(OutboxComponent, message_after_a_failure_of_the_store_is_refused) {
  testing::MediumPlace place;
  store = "Store=program";
  dependencies.store_factory = &place;
  open();
  log_on(entry());
  place.medium.on_write = testing::Medium::Fault::Error;
  EXPECT_EQ(failure_of(send()), SendFailure::StoreStopped);
  EXPECT_EQ(failure_of(send()), SendFailure::StoreStopped);
  EXPECT_EQ(made->store_failures.size(), 1U);
  made.reset();  // before its store's medium
}

}  // namespace
}  // namespace nexusfix::engine
