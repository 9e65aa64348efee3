// Lines between processes of one machine, and malicious callers.
#include "transport/api/local_socket.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

#include "support/disks/temporary_folder.hpp"

namespace nexusfix::transport {
namespace {

using nexusfix::testing::TemporaryFolder;

constexpr std::chrono::seconds kLong{20};

class Echo final : public LocalServer::Answerer {
 public:
  std::string answer(std::size_t socket, const LocalPeer& peer, std::string_view line,
                     int stop) override {
    ++asked;
    while (line == "hold" && is_held) ::poll(nullptr, 0, 1);
    if (line == "wait") {
      pollfd ends{stop, POLLIN, 0};
      ::poll(&ends, 1, -1);
    }
    return std::to_string(socket) + (peer.user == ::geteuid() ? " mine " : " other ") +
           (peer.process == ::getpid() ? "here " : "elsewhere ") + std::string{line};
  }
  std::atomic<int> asked{0};
  std::atomic<bool> is_held{true};
};

class LocalSocketTest : public ::testing::Test {
 protected:
  void open(std::chrono::milliseconds caller_timeout = kLong) {
    auto opened = LocalServer::open({path}, echo, caller_timeout);
    ASSERT_TRUE(opened.has_value()) << opened.error().text;
    server = std::move(*opened);
  }
  // A caller that the test controls byte by byte.
  [[nodiscard]] int call() const {
    const int caller = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
    EXPECT_EQ(::connect(caller, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
    return caller;
  }
  // Until the other side closes.
  static std::string read_all(int caller) {
    std::string all;
    std::array<char, 4096> buffer;
    for (;;) {
      const ssize_t got = ::read(caller, buffer.data(), buffer.size());
      if (got <= 0) break;
      all.append(buffer.data(), static_cast<std::size_t>(got));
    }
    ::close(caller);
    return all;
  }

  TemporaryFolder folder;
  std::string path = folder.path() + "/socket";
  Echo echo;
  std::unique_ptr<LocalServer> server;
};

TEST_F(LocalSocketTest, answer_knows_the_caller) {
  open();
  EXPECT_EQ(ask_local(path, "hello", kLong).value_or("none"), "0 mine here hello");
  EXPECT_EQ(ask_local(path, "", kLong).value_or("none"), "0 mine here ");
  server.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(ask_local(path, "hello", kLong).error().error_number, ENOENT);
}

TEST_F(LocalSocketTest, path_longer_than_a_socket_address_is_reached) {
  const std::string deep = folder.path() + "/" + std::string(120, 'd') + "/" + std::string(90, 'e');
  std::filesystem::create_directories(deep);
  path = deep + "/socket";
  open();
  EXPECT_EQ(ask_local(path, "hello", kLong).value_or("none"), "0 mine here hello");
  server.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
  path = folder.path() + "/" + std::string(200, 'n');
  const auto refused = LocalServer::open({path}, echo);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().error_number, ENAMETOOLONG);
}

TEST_F(LocalSocketTest, socket_of_a_dead_process_is_replaced_and_nothing_else_is) {
  const int left = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, path.c_str(), sizeof name.sun_path - 1);
  ASSERT_EQ(::bind(left, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  ::close(left);
  EXPECT_EQ(ask_local(path, "hello", kLong).error().error_number, ECONNREFUSED);
  open();
  EXPECT_TRUE(ask_local(path, "hello", kLong).has_value());
  server.reset();
  std::ofstream{path} << "precious";
  const auto refused = LocalServer::open({path}, echo);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().text.find("is not a socket"), std::string::npos)
      << refused.error().text;
  EXPECT_EQ(std::filesystem::file_size(path), 8U);
}

TEST_F(LocalSocketTest, failure_removes_the_sockets_that_were_made_before) {
  const auto refused = LocalServer::open({path, folder.path() + "/none/socket"}, echo);
  ASSERT_FALSE(refused.has_value());
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(LocalSocketTest, caller_with_a_line_that_is_too_long_is_disconnected_unanswered) {
  open();
  const std::string fits(kLocalLineBytesMax - 1, 'x');
  EXPECT_TRUE(ask_local(path, fits, kLong).has_value());
  EXPECT_EQ(echo.asked.load(), 1);
  for (const std::string& much :
       {std::string(kLocalLineBytesMax, 'x') + '\n', std::string(4 * kLocalLineBytesMax, 'x')}) {
    const int caller = call();
    static_cast<void>(::send(caller, much.data(), much.size(), MSG_NOSIGNAL));
    EXPECT_EQ(read_all(caller), "");
    EXPECT_EQ(echo.asked.load(), 1);
  }
  EXPECT_TRUE(ask_local(path, "the next one", kLong).has_value());
}

TEST_F(LocalSocketTest, silent_callers_hold_up_no_other) {
  open();
  std::vector<int> silent(200);
  for (int& caller : silent) caller = call();
  EXPECT_EQ(ask_local(path, "hello", kLong).value_or("none"), "0 mine here hello");
  for (const int caller : silent) ::close(caller);
}

TEST_F(LocalSocketTest, silent_callers_are_disconnected_when_their_time_is_over) {
  open(std::chrono::milliseconds{100});
  const int stalled = call();
  const int half = call();
  ASSERT_EQ(::send(half, "no end", 6, MSG_NOSIGNAL), 6);
  EXPECT_EQ(read_all(stalled), "");
  EXPECT_EQ(read_all(half), "");
  EXPECT_EQ(echo.asked.load(), 0);
}

TEST_F(LocalSocketTest, line_of_a_caller_that_has_hung_up_is_not_carried_out) {
  open();
  const int holds = call();
  ASSERT_EQ(::send(holds, "hold\n", 5, MSG_NOSIGNAL), 5);
  while (echo.asked.load() == 0) ::poll(nullptr, 0, 1);
  const int gone = call();
  ASSERT_EQ(::send(gone, "obey\n", 5, MSG_NOSIGNAL), 5);
  ::close(gone);
  echo.is_held = false;
  EXPECT_EQ(read_all(holds), "0 mine here hold\n");
  EXPECT_EQ(ask_local(path, "hello", kLong).value_or("none"), "0 mine here hello");
  EXPECT_EQ(echo.asked.load(), 2);
}

TEST_F(LocalSocketTest, caller_that_ends_its_own_direction_is_answered) {
  open();
  const int caller = call();
  ASSERT_EQ(::send(caller, "hello\n", 6, MSG_NOSIGNAL), 6);
  ASSERT_EQ(::shutdown(caller, SHUT_WR), 0);
  EXPECT_EQ(read_all(caller), "0 mine here hello\n");
}

TEST_F(LocalSocketTest, line_may_come_in_any_pieces) {
  open();
  const int caller = call();
  for (const char byte : std::string{"hello\n"})
    ASSERT_EQ(::send(caller, &byte, 1, MSG_NOSIGNAL), 1);
  EXPECT_EQ(read_all(caller), "0 mine here hello\n");
}

TEST_F(LocalSocketTest, answer_with_a_line_feed_stays_one_line) {
  open();
  EXPECT_EQ(ask_local(path, "one\ntwo", kLong).value_or("none"), "0 mine here one two");
}

TEST_F(LocalSocketTest, sockets_of_a_name_are_found_once_each) {
  const std::string name = "of" + std::to_string(::getpid());
  std::vector<std::string> paths;
  for (const std::string prefix : {"", "desk.", "desk"}) {
    paths.push_back(folder.path() + "/" + prefix + name);
  }
  server = LocalServer::open(paths, echo).value();
  path = paths[1];
  const int caller = call();
  paths.pop_back();  // another name
  EXPECT_THAT(find_local_sockets(name), ::testing::UnorderedElementsAreArray(paths));
  ::close(caller);
}

TEST_F(LocalSocketTest, caller_gets_its_answer_although_the_server_ends) {
  open();
  const int caller = call();
  ASSERT_EQ(::send(caller, "wait\n", 5, MSG_NOSIGNAL), 5);
  while (echo.asked.load() == 0) ::poll(nullptr, 0, 1);
  server.reset();
  EXPECT_EQ(read_all(caller), "0 mine here wait\n");
}

}  // namespace
}  // namespace nexusfix::transport
