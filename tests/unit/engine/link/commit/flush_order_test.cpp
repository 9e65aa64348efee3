// Bytes may leave only when their record is durable, even if a connection breaks while the engine
// sends to others.
#include <array>
#include <cerrno>

#include "support/disks/fake_disk.hpp"
#include "support/network/fake_network.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class FlushOrderTest : public AcceptorTest {
 protected:
  static constexpr std::uint16_t kPort = 5001;

  void open_on_fake_network() {
    EngineUnderTest opening = under_test(config(kPort), "venue.cfg");
    opening.options.network = &acceptor_network;
    opening.options.disk = &disk;
    opening.open(acceptor, venue);
  }

  transport::SocketId log_on_fake(std::string_view who) {
    const auto socket = peer_network.connect({"10.0.0.1", kPort});
    EXPECT_TRUE(socket.has_value());
    turn_fake();
    send(*socket, logon(who, 1));
    for (int i = 0; i < 5; ++i) turn_fake();
    EXPECT_NE(receive(*socket).find("|35=A|"), std::string::npos);
    return *socket;
  }
  void send(transport::SocketId socket, const std::string& bytes) {
    EXPECT_EQ(peer_network.send(socket, bytes).bytes, bytes.size());
  }
  std::string receive(transport::SocketId socket) {
    std::array<char, 65'536> buffer;
    const auto got = peer_network.receive(socket, buffer);
    if (got.status != transport::IoResult::Status::Ok) return {};
    return bar({buffer.data(), got.bytes});
  }
  void turn_fake() {
    std::array<transport::Ready, 8> ready;
    static_cast<void>(peer_network.wait(ready, std::chrono::nanoseconds{0}));
    acceptor->poll(std::chrono::nanoseconds{0});
  }

  FakeDisk disk;
  transport::FakeInternet internet;
  transport::FakeNetwork acceptor_network{internet, "10.0.0.1"};
  transport::FakeNetwork peer_network{internet, "10.0.0.2"};
};

TEST_F(FlushOrderTest, message_sent_because_of_a_broken_connection_waits_until_durable) {
  open_on_fake_network();
  Session& trader = acceptor->session(0);
  Session& other = acceptor->session(1);
  const auto trader_socket = log_on_fake("TRADER");
  const auto other_socket = log_on_fake("OTHER");
  venue.after_logout = [&](Session& session) {
    if (&session == &trader) EchoVenue::answer(other, "NEWS");
  };
  // Both connections have bytes to send in the same turn, and the first one is broken.
  peer_network.break_connection(trader_socket, ECONNRESET);
  EchoVenue::answer(trader, "LOST");
  EchoVenue::answer(other, "BEFORE");
  // The first write has LOST and BEFORE. The second one, of the message that the broken connection
  // causes, fails.
  disk.fail(DiskCall::Write, 2, EIO);
  std::string received;
  for (int i = 0; i < 5; ++i) {
    acceptor->poll(std::chrono::nanoseconds{0});
    received += receive(other_socket);
  }
  EXPECT_EQ(venue.logouts, 2) << "the store's failure ends the other one, too";
  EXPECT_TRUE(log.has("the store failed")) << log.all();
  EXPECT_EQ(received.find("|11=NEWS|"), std::string::npos);
}

}  // namespace
}  // namespace nexusfix::testing
