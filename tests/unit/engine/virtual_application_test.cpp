// Applications with virtual functions: engine::Application.
#include <functional>
#include <optional>
#include <string>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

struct FinalVenue final : Application {
  void on_logon(Session&) override { ++logons; }
  MessageReply on_message(Session&, const MessageView& message) override {
    orders.emplace_back(message[11].value_or(""));
    return accept();
  }

  int logons = 0;
  std::vector<std::string> orders;
};

struct OpenVenue : Application {
  SendDecision on_sending(Session&, OutgoingMessage&) override {
    ++offered;
    return SendDecision::Send;
  }
  void on_sent(Session&, const SentMessage&) override { ++sent; }
  void on_logout(Session&) override { ++logouts; }

  int offered = 0;
  int sent = 0;
  int logouts = 0;
};

class VirtualApplicationTest : public AcceptorTest {
 protected:
  template <class Venue>
  void open_with(Venue& application) {
    under_test().open(acceptor, application);
  }
};

TEST(VirtualApplication, final_class_costs_nothing_for_what_it_does_not_override) {
  FinalVenue venue;
  const engine::Callbacks callbacks = engine::make_callbacks(venue);
  EXPECT_NE(callbacks.on_logon, nullptr);
  EXPECT_NE(callbacks.on_message, nullptr);
  EXPECT_EQ(callbacks.on_logout, nullptr);
  EXPECT_EQ(callbacks.on_recovered, nullptr);
  EXPECT_EQ(callbacks.on_logon_request, nullptr);
  EXPECT_EQ(callbacks.on_admin, nullptr);
  EXPECT_EQ(callbacks.on_sending, nullptr);
  EXPECT_EQ(callbacks.on_sent, nullptr);
  EXPECT_EQ(callbacks.on_not_sent, nullptr);
  EXPECT_EQ(callbacks.on_resend_request, nullptr);
  EXPECT_EQ(callbacks.on_disconnect, nullptr);
  EXPECT_EQ(callbacks.write_logon, nullptr);
  EXPECT_EQ(callbacks.on_writable, nullptr);
  EXPECT_EQ(callbacks.run_timer, nullptr);
}

TEST_F(VirtualApplicationTest, final_class_gets_logons_and_messages) {
  FinalVenue mine;
  open_with(mine);
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A1"));
  EXPECT_TRUE(run_until([&] { return !mine.orders.empty(); })) << log.all();
  EXPECT_EQ(mine.orders, std::vector<std::string>{"A1"});
  EXPECT_EQ(mine.logons, 1);
  acceptor.reset();
}

TEST_F(VirtualApplicationTest, reference_to_the_base_calls_each_overridden_function) {
  OpenVenue mine;
  Application& any = mine;
  open_with(any);
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A1"));
  // The order is not handled: a BusinessMessageReject answers it, and is shown before it is sent.
  EXPECT_TRUE(run_until([&] { return mine.offered == 1; })) << log.all();
  EXPECT_GE(mine.sent, 2);  // the Logon, and the BusinessMessageReject
  EXPECT_TRUE(contains(bar(peer.messages().back()), "|35=j|")) << bar(peer.messages().back());
  peer.send(from("TRADER", "5", 3, ""));
  EXPECT_TRUE(run_until([&] { return mine.logouts == 1; })) << log.all();
  acceptor.reset();
}

}  // namespace
}  // namespace nexusfix::testing
