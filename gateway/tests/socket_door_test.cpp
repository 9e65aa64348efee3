// The Unix socket of the gateway, with clients that are other processes' bytes.
#include "gateway/door/socket_door.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

#include "gateway/protocol/frame.hpp"
#include "support/disks/temporary_folder.hpp"

namespace nexusfix::gateway {
namespace {

using ::testing::HasSubstr;

// A client at the level of bytes.
class RawClient {
 public:
  explicit RawClient(const std::string& path) : socket_{::socket(AF_UNIX, SOCK_STREAM, 0)} {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    is_connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient() { ::close(socket_); }

  [[nodiscard]] bool is_connected() const { return is_connected_; }
  void send(std::span<const char> bytes) const {
    ASSERT_EQ(::send(socket_, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  }
  [[nodiscard]] std::string receive(std::size_t bytes) const {
    std::string text(bytes, '\0');
    std::size_t size = 0;
    while (size < bytes) {
      const ssize_t count = ::recv(socket_, text.data() + size, bytes - size, 0);
      if (count <= 0) break;
      size += static_cast<std::size_t>(count);
    }
    text.resize(size);
    return text;
  }
  void end() const { ::shutdown(socket_, SHUT_WR); }

 private:
  int socket_;
  bool is_connected_ = false;
};

std::vector<char> frame_of(FrameKind kind, std::string_view body) {
  std::vector<char> bytes;
  append_frame(bytes, {.kind = kind}, body);
  return bytes;
}

class GatewaySocketTest : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/gateway.sock";
};

TEST_F(GatewaySocketTest, file_has_the_mode_and_goes_with_the_door) {
  {
    const auto door = SocketDoor::open(path_, 0640);
    ASSERT_TRUE(door) << door.error();
    struct stat status{};
    ASSERT_EQ(::stat(path_.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0640U);
  }
  EXPECT_NE(::access(path_.c_str(), F_OK), 0);
}

TEST_F(GatewaySocketTest, a_socket_in_use_and_another_file_are_not_replaced) {
  const auto first = SocketDoor::open(path_, 0600);
  ASSERT_TRUE(first);
  EXPECT_THAT(SocketDoor::open(path_, 0600).error(), HasSubstr("another process listens there"));
  EXPECT_THAT(SocketDoor::open(folder_.path(), 0600).error(), HasSubstr("is no socket"));
}

TEST_F(GatewaySocketTest, a_socket_that_a_killed_process_has_left_is_replaced) {
  const int left = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path_.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(left, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ::close(left);
  EXPECT_TRUE(SocketDoor::open(path_, 0600));
}

TEST_F(GatewaySocketTest, frames_pass_in_both_directions_however_they_are_split) {
  auto door = SocketDoor::open(path_, 0600);
  ASSERT_TRUE(door);
  EXPECT_EQ(door->accept().link, nullptr);
  const RawClient client{path_};
  ASSERT_TRUE(client.is_connected());
  const AcceptedClient accepted = door->accept();
  ASSERT_NE(accepted.link, nullptr);
  EXPECT_EQ(accepted.peer, fmt::format("user {}, process {}", ::getuid(), ::getpid()));
  std::vector<char> bytes = frame_of(FrameKind::Send, "first");
  const std::vector<char> second = frame_of(FrameKind::Send, std::string(200'000, 'x'));
  bytes.insert(bytes.end(), second.begin(), second.end());
  ClientLink& link = *accepted.link;
  std::vector<std::string> bodies;
  for (std::size_t at = 0; at < bytes.size(); at += 10'001) {
    client.send(std::span{bytes}.subspan(at, std::min<std::size_t>(10'001, bytes.size() - at)));
    for (auto frame = link.read(); !frame.empty(); frame = link.read()) {
      bodies.emplace_back(read_frame(frame)->body);
    }
  }
  ASSERT_EQ(bodies.size(), 2U);
  EXPECT_EQ(bodies[0], "first");
  EXPECT_EQ(bodies[1], std::string(200'000, 'x'));
  EXPECT_TRUE(link.write(second));
  while (link.has_unsent()) {
    link.flush();
    if (client.receive(1'000).size() < 1'000) break;
  }
  EXPECT_FALSE(link.has_unsent());
}

TEST_F(GatewaySocketTest, bytes_that_are_no_frame_are_a_fault_of_the_client) {
  auto door = SocketDoor::open(path_, 0600);
  ASSERT_TRUE(door);
  const RawClient client{path_};
  const AcceptedClient accepted = door->accept();
  client.send(std::string_view{"GET / HTTP/1.1\r\n\r\n"});
  EXPECT_TRUE(accepted.link->read().empty());
  EXPECT_THAT(std::string{accepted.link->fault()}, HasSubstr("a frame has 40 to"));
  EXPECT_TRUE(accepted.link->is_protocol_fault());
}

TEST_F(GatewaySocketTest, end_of_a_client_is_seen_before_its_frames_are_read) {
  auto door = SocketDoor::open(path_, 0600);
  ASSERT_TRUE(door) << door.error();
  const RawClient client{path_};
  const AcceptedClient accepted = door->accept();
  ASSERT_NE(accepted.link, nullptr);
  const std::vector<char> frame = frame_of(FrameKind::Send, "an order");
  client.send(frame);
  EXPECT_FALSE(accepted.link->has_ended());
  client.end();
  EXPECT_TRUE(accepted.link->has_ended());
  EXPECT_EQ(accepted.link->read().size(), frame.size());
  EXPECT_TRUE(accepted.link->read().empty());
  EXPECT_FALSE(accepted.link->fault().empty());
}

TEST_F(GatewaySocketTest, a_client_that_has_gone_is_no_fault_of_its_bytes) {
  auto door = SocketDoor::open(path_, 0600);
  ASSERT_TRUE(door);
  AcceptedClient accepted;
  {
    const RawClient client{path_};
    accepted = door->accept();
  }
  EXPECT_TRUE(accepted.link->read().empty());
  EXPECT_THAT(std::string{accepted.link->fault()}, HasSubstr("has closed"));
  EXPECT_FALSE(accepted.link->is_protocol_fault());
}

TEST_F(GatewaySocketTest, a_client_that_does_not_read_fills_the_link) {
  auto door = SocketDoor::open(path_, 0600);
  ASSERT_TRUE(door);
  const RawClient client{path_};
  const AcceptedClient accepted = door->accept();
  ClientLink& link = *accepted.link;
  const std::vector<char> message = frame_of(FrameKind::Message, std::string(100'000, 'x'));
  int taken = 0;
  while (taken < 1'000 && link.write(message)) {
    link.flush();
    ++taken;
  }
  EXPECT_GE(taken, 9);
  EXPECT_LT(taken, 1'000);
  // It has room again when the client has read.
  while (!link.write(message)) {
    ASSERT_FALSE(client.receive(100'000).empty());
    link.flush();
  }
}

}  // namespace
}  // namespace nexusfix::gateway
