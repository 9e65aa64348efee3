// Outbox without an EventLoop: which messages get a MsgSeqNum, and what the store has of them.
#include "engine/session/sending/outbox.hpp"

#include <optional>
#include <stdexcept>
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

TEST_F(OutboxComponent, fields_after_the_end_of_a_message_do_not_change_it) {
  open();
  const auto [connection, peer] = log_on(entry());
  wire::Encoder encoder = entry().session.begin("8");
  ASSERT_TRUE(entry().session.finish(encoder.field(11, "A")).has_value());
  encoder.field(58, "too late");
  EXPECT_TRUE(
      sent_to(peer).ends_with("|11=A|10=" + stored().front().substr(stored().front().size() - 4)));
}

// Where the bytes are that the connection is to send.
const char* begin_of_waiting(const Connection& connection) {
  return connection.outbound().waiting().data();
}

TEST_F(OutboxComponent, reply_of_an_event_is_copied_nowhere_before_it_leaves) {
  open();
  const auto [connection, peer] = log_on(entry());
  const Connection& to = *connection;
  sessions().transactor.transact(entry(), [&](session::StateMachine&) {
    ASSERT_TRUE(send().has_value());
    const store::Transaction& record = sessions().transactor.record();
    ASSERT_TRUE(record.is_in_place());
    EXPECT_EQ(begin_of_waiting(to), record.entries().data() + store::Transaction::kRoomBytes);
  });
  EXPECT_TRUE(sessions().transactor.record().empty());
  EXPECT_TRUE(sent_to(peer).contains("|35=8|34=2|"));
  ASSERT_EQ(stored().size(), 1U);
  EXPECT_TRUE(stored().front().contains("|35=8|34=2|"));
}

TEST_F(OutboxComponent, messages_of_one_event_leave_and_are_stored_in_their_order) {
  open();
  const auto [connection, peer] = log_on(entry());
  sessions().transactor.transact(entry(), [&](session::StateMachine& machine) {
    for (const std::string_view msg_type : {"8", "9", "j"}) ASSERT_TRUE(send(msg_type).has_value());
    machine.send_heartbeat();
  });
  const std::string sent = sent_to(peer);
  const std::vector<std::string> parts{"|35=8|34=2|", "|35=9|34=3|", "|35=j|34=4|", "|35=0|34=5|"};
  std::size_t at = 0;
  for (const std::string& part : parts) {
    at = sent.find(part, at);
    ASSERT_NE(at, std::string::npos) << part << " in " << sent;
  }
  ASSERT_EQ(stored().size(), 3U) << "a Heartbeat is not stored";
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(stored()[i].contains(parts[i])) << stored()[i];
}

TEST_F(OutboxComponent, unsent_message_stays_when_another_one_is_encoded) {
  open();
  const auto [connection, peer] = log_on(entry(0));
  const auto [other, other_peer] = log_on(entry(1));
  internet.limits.send_bytes_max = 0;
  ASSERT_TRUE(send("8").has_value());
  end_turn();
  EXPECT_TRUE(connection->is_blocked());
  wire::Encoder encoder = entry(1).session.begin("9");
  encoder.field(58, "of the other session");
  ASSERT_TRUE(entry(1).session.finish(encoder).has_value());
  internet.limits.send_bytes_max = 1'000;
  connection->set_blocked(false);
  io().connections.mark_unsent(*connection);
  EXPECT_TRUE(sent_to(peer).contains("|35=8|34=2|"));
  EXPECT_TRUE(received_by(other_peer).contains("|58=of the other session|"));
}

TEST_F(OutboxComponent, message_of_which_the_socket_took_a_part_is_sent_whole) {
  open();
  const auto [connection, peer] = log_on(entry());
  internet.limits.send_bytes_max = 5;
  ASSERT_TRUE(send("8").has_value());
  end_turn();
  ASSERT_TRUE(send("9").has_value());
  const std::string sent = sent_to(peer);
  EXPECT_TRUE(sent.starts_with("8=FIX.4.4|9=")) << sent;
  EXPECT_LT(sent.find("|35=8|34=2|"), sent.find("|35=9|34=3|")) << sent;
}

TEST_F(OutboxComponent, message_that_a_callback_takes_back_is_neither_sent_nor_stored) {
  open();
  const auto [connection, peer] = log_on(entry());
  sessions().transactor.transact(entry(), [&](session::StateMachine&) {
    EXPECT_FALSE(sessions().transactor.run_callback(entry(), [&] {
      ASSERT_TRUE(send("8").has_value());
      throw std::runtime_error{"the application's"};
    }));
    EXPECT_TRUE(sessions().transactor.record().empty());
    ASSERT_TRUE(send("9").has_value());
  });
  const std::string sent = sent_to(peer);
  EXPECT_TRUE(sent.contains("|35=9|34=2|")) << sent;
  EXPECT_FALSE(sent.contains("|35=8|")) << sent;
  ASSERT_EQ(stored().size(), 1U);
  EXPECT_TRUE(stored().front().contains("|35=9|34=2|"));
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
