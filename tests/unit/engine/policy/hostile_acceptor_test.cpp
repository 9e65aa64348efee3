// An initiator whose counterparty is broken or hostile: it logs the cause, disconnects, and
// connects again.
#include <array>
#include <functional>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

struct Listener {
  std::unique_ptr<transport::Network> network = std::move(*transport::make_epoll_network());
  transport::SocketId socket = network->listen({"127.0.0.1", 0}).value();
  int connections = 0;
  std::string answer;  // sent at once to each client that connects
  std::string heard;

  void poll() {
    std::array<transport::Ready, 8> ready;
    const std::size_t count = network->wait(ready, std::chrono::nanoseconds{0});
    for (std::size_t i = 0; i < count; ++i) {
      if (ready[i].kind == transport::Ready::Kind::Accepted) {
        ++connections;
        EXPECT_EQ(network->send(ready[i].accepted, answer).bytes, answer.size());
      } else if (ready[i].kind == transport::Ready::Kind::Readable) {
        std::array<char, 4096> bytes;
        const auto got = network->receive(ready[i].socket, bytes);
        if (got.status == transport::IoResult::Status::Ok) {
          heard.append(bytes.data(), got.bytes);
        } else if (got.status != transport::IoResult::Status::WouldBlock) {
          network->close(ready[i].socket);
        }
      }
    }
  }
};

class HostileAcceptorTest : public AcceptorTest {
 protected:
  void connect_to(std::string answer) {
    listener.answer = std::move(answer);
    under_test(
        "[DEFAULT]\nConnectionType=initiator\nHeartBtInt=30\nReconnectInterval=1\nNonStopSession="
        "Y\n"
        "SocketConnectHost=127.0.0.1\nSocketConnectPort=" +
            std::to_string(listener.network->local_port(listener.socket)) +
            "\nFileStorePath=" + folder.path() +
            "\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n",
        "trader.cfg")
        .open(acceptor, venue);
  }

  bool turn_until(const std::function<bool()>& condition) {
    return run_until([&] {
      listener.poll();
      return condition();
    });
  }

  void expect_said_and_tried_again(std::string_view said) {
    EXPECT_TRUE(turn_until([&] { return log.has(said); })) << log.all();
    clock.advance(std::chrono::seconds{3});
    turn(10);
    clock.advance(std::chrono::seconds{3});
    EXPECT_TRUE(turn_until([&] { return listener.connections == 2; })) << log.all();
    EXPECT_EQ(venue.logons, 0);
  }

  [[nodiscard]] std::string logon_from(std::string_view sender) {
    return fix("FIX.4.4", "35=A|49=" + std::string{sender} + "|56=TRADER|34=1|52=" + time_text() +
                              "|98=0|108=30|");
  }

  Listener listener;
};

TEST_F(HostileAcceptorTest, garbage_instead_of_a_logon_ends_the_connection) {
  connect_to("HTTP/1.1 400 Bad Request\r\n\r\n");
  expect_said_and_tried_again("disconnecting");
  EXPECT_TRUE(log.has("garbled")) << log.all();
}

TEST_F(HostileAcceptorTest, body_length_of_two_gigabytes_ends_the_connection) {
  connect_to(soh("8=FIX.4.4|9=2147483647|35=A|49=VENUE|56=TRADER|34=1|"));
  expect_said_and_tried_again("disconnecting");
}

TEST_F(HostileAcceptorTest, logon_of_another_sender_ends_the_connection) {
  connect_to(logon_from("IMPOSTOR"));
  expect_said_and_tried_again("disconnecting");
  EXPECT_TRUE(log.has("CompID")) << log.all();
}

TEST_F(HostileAcceptorTest, half_a_logon_and_silence_end_with_the_logon_timeout) {
  connect_to(logon_from("VENUE").substr(0, 40));
  ASSERT_TRUE(turn_until([&] { return !listener.heard.empty(); }));
  turn(20);
  EXPECT_FALSE(log.has("disconnecting")) << log.all();
  clock.advance(std::chrono::seconds{11});
  expect_said_and_tried_again("disconnecting");
}

}  // namespace
}  // namespace nexusfix::testing
