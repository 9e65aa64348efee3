// ConnectionMigration without an EventLoop: connections whose session is on another loop.
#include <fcntl.h>
#include <memory>
#include <string>
#include <unistd.h>

#include "engine/directory/directory.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class ConnectionMigrationComponent : public testing::FloorsTest {
 protected:
  ConnectionMigrationComponent() {
    directory->add_loop(0, network);
    directory->add_loop(1, network);
  }
  // The first of two loops; the second one has the session of the client FAR.
  void open_first_of_two() {
    directory->add_acceptor("FIX.4.4:VENUE->FAR", 1);
    dependencies.shared.directory = directory;
    open();
  }
  void TearDown() override {
    directory->remove_loop(0);
    directory->remove_loop(1);
  }
  [[nodiscard]] static std::string logon(std::string_view who) {
    return testing::fix("FIX.4.4", "35=A|49=" + std::string{who} + "|56=VENUE|34=1|98=0|108=30|");
  }
  [[nodiscard]] bool begin(Connection& connection, std::string_view who) {
    const std::string bytes = logon(who);
    const auto parsed = loop().parsers.inbound.parse(bytes);
    EXPECT_TRUE(parsed.has_value());
    static_cast<void>(
        floors().policy.admission.admit(connection, {.bytes = bytes.size(), .message = &*parsed}));
    return connection.is_migrating();
  }
  // A descriptor that the test can look at after it was closed.
  [[nodiscard]] static LoopDirectory::MigratedConnection from_other_loop(std::uint16_t port) {
    LoopDirectory::MigratedConnection handed{
        .connection = {}, .endpoint = {"10.0.0.1", port}, .bytes = logon("TRADER")};
    handed.connection.descriptor = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    return handed;
  }
  [[nodiscard]] static bool is_open(int descriptor) { return ::fcntl(descriptor, F_GETFD) != -1; }

  std::shared_ptr<LoopDirectory> directory = std::make_shared<LoopDirectory>();
};

TEST_F(ConnectionMigrationComponent, only_a_logon_of_another_loops_session_migrates) {
  open_first_of_two();
  EXPECT_FALSE(begin(*accept().connection, "TRADER")) << "its session is here";
  EXPECT_FALSE(begin(*accept().connection, "STRANGER"));
  Connection& connection = *accept().connection;
  EXPECT_TRUE(begin(connection, "FAR"));
  EXPECT_EQ(connection.consume_migration().loop, 1U);
}

TEST_F(ConnectionMigrationComponent, engine_of_one_loop_migrates_nothing) {
  open();
  EXPECT_FALSE(begin(*accept().connection, "FAR"));
}

TEST_F(ConnectionMigrationComponent, connection_that_the_network_does_not_give_up_is_refused) {
  open_first_of_two();
  const auto [connection, peer] = accept();
  ASSERT_TRUE(begin(*connection, "FAR"));
  floors().directory.migration.migrate(*connection, {});
  EXPECT_TRUE(log.has(EventId::ConnectionNotMigrated, "it cannot be moved")) << log.all();
  EXPECT_TRUE(is_closed(peer));
  EXPECT_EQ(io().listeners.all().front().pending->size(), 0U);
}

TEST_F(ConnectionMigrationComponent, connection_for_a_port_that_is_gone_is_closed_and_counted) {
  open_first_of_two();
  auto handed = from_other_loop(5009);
  const int descriptor = handed.connection.descriptor;
  ASSERT_TRUE(is_open(descriptor));
  transport::SocketId attached = 0;
  EXPECT_EQ(floors().directory.migration.attach(handed, attached), nullptr);
  EXPECT_EQ(attached, 0U);
  EXPECT_FALSE(is_open(descriptor));
  EXPECT_EQ(loop().stats.connections_refused.read(), 1U);
}

TEST_F(ConnectionMigrationComponent, stopping_loop_takes_no_connection) {
  open_first_of_two();
  loop().work.begin_stop();
  auto handed = from_other_loop(kPort);
  const int descriptor = handed.connection.descriptor;
  transport::SocketId attached = 0;
  EXPECT_EQ(floors().directory.migration.attach(handed, attached), nullptr);
  EXPECT_FALSE(is_open(descriptor));
}

}  // namespace
}  // namespace nexusfix::engine
