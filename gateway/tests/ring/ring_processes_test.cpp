// A client and a gateway in two processes, of which one is killed at any moment.
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nexusfix/base/clock.hpp>

#include "gateway/ring/client_ring.hpp"
#include "gateway/ring/gateway_ring.hpp"
#include "gateway/tests/ring/test_folder.hpp"

namespace nexusfix::gateway {
namespace {

using namespace std::chrono_literals;
using testing::TestFolder;

RingFileOptions options_of(const TestFolder& folder) {
  return {.directory = folder.path(),
          .to_gateway_bytes = 1U << 14U,
          .to_client_bytes = 1U << 14U,
          .frame_bytes_max = 4000};
}

// The frame with this number: its size and each of its bytes follow from it.
std::string numbered(std::uint64_t number) {
  std::string frame(8 + number % 1500, static_cast<char>('a' + number % 26));
  std::memcpy(frame.data(), &number, sizeof number);
  return frame;
}

// Starts a process that runs `runs` and then ends. The parent keeps the first socket of the pair.
template <class Run>
pid_t start(const std::array<int, 2>& sockets, Run runs) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(sockets[0]);
    runs();
    ::_exit(0);
  }
  ::close(sockets[1]);
  return child;
}
int end_of(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST(RingProcesses, no_frame_of_a_client_that_is_killed_is_torn_repeated_or_lost) {
  constexpr int kKills = 60;
  SeededRandom random{57};
  std::uint64_t frames = 0;
  for (int kill = 0; kill < kKills; ++kill) {
    const TestFolder folder;
    std::array<int, 2> sockets{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets.data()), 0);
    auto gateway = GatewayRing::create(options_of(folder));
    ASSERT_TRUE(gateway) << gateway.error().text;
    const std::string path = (*gateway)->path();
    const std::uint64_t key = (*gateway)->key();
    const pid_t client = start(sockets, [&] {
      auto ring = ClientRing::attach(path, key, sockets[1]);
      if (!ring) ::_exit(1);
      for (std::uint64_t number = 0;;) {
        if ((*ring)->send(numbered(number)) == Written::Yes) ++number;
      }
    });
    // Killed after this number of frames: somewhere in the writing of the next ones.
    const std::uint64_t killed_after = 1 + random.below(400);
    std::uint64_t next = 0;
    bool is_killed = false;
    for (;;) {
      const std::string_view frame = (*gateway)->read();
      if (!frame.empty()) {
        ASSERT_EQ(frame, numbered(next)) << next;
        ++next;
      } else if (is_killed) {
        break;
      }
      if (next == killed_after && !is_killed) {
        ::kill(client, SIGKILL);
        EXPECT_EQ(WTERMSIG(end_of(client)), SIGKILL);
        is_killed = true;
      }
    }
    EXPECT_EQ((*gateway)->fault(), RingFault::None) << to_string((*gateway)->fault());
    char byte = 0;
    EXPECT_EQ(::recv(sockets[0], &byte, 1, 0), 0) << "the end of the client is not seen";
    ::close(sockets[0]);
    frames += next;
  }
  EXPECT_GE(frames, static_cast<std::uint64_t>(kKills));
}

TEST(RingProcesses, a_client_sees_that_its_gateway_was_killed_and_reads_what_it_wrote) {
  constexpr int kKills = 20;
  SeededRandom random{58};
  for (int kill = 0; kill < kKills; ++kill) {
    const TestFolder folder;
    std::array<int, 2> sockets{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
    const pid_t gateway = start(sockets, [&] {
      auto ring = GatewayRing::create(options_of(folder));
      if (!ring) ::_exit(1);
      const std::uint64_t key = (*ring)->key();
      const std::string answer =
          std::string{reinterpret_cast<const char*>(&key), sizeof key} + (*ring)->path();
      if (::send(sockets[1], answer.data(), answer.size(), 0) < 0) ::_exit(1);
      for (std::uint64_t number = 0;;) {
        if ((*ring)->write(numbered(number)) == Written::Yes) ++number;
        static_cast<void>((*ring)->wake_client());
      }
    });
    std::array<char, 512> answer{};
    const ssize_t received = ::recv(sockets[0], answer.data(), answer.size(), 0);
    ASSERT_GT(received, 8);
    std::uint64_t key = 0;
    std::memcpy(&key, answer.data(), sizeof key);
    const std::string path{answer.data() + 8, static_cast<std::size_t>(received) - 8};
    auto ring = ClientRing::attach(path, key, sockets[0]);
    ASSERT_TRUE(ring) << ring.error().text;
    const std::uint64_t killed_after = 1 + random.below(400);
    std::uint64_t next = 0;
    for (;;) {
      const Waited waited = (*ring)->wait(60s);
      ASSERT_NE(waited, Waited::Timeout);
      if (waited == Waited::Closed) break;
      ASSERT_EQ((*ring)->next(), numbered(next)) << next;
      if (++next == killed_after) {
        ::kill(gateway, SIGKILL);
        EXPECT_EQ(WTERMSIG(end_of(gateway)), SIGKILL);
      }
    }
    EXPECT_GE(next, killed_after);
    EXPECT_EQ((*ring)->fault(), RingFault::None);
    EXPECT_EQ(folder.files(), 1U);  // no frame had come from the client
    EXPECT_EQ(RingFile::remove_stale(folder.path()).value_or(0), 1U);
    ::close(sockets[0]);
  }
}

TEST(RingProcesses, two_processes_sleep_and_wake_each_other) {
  constexpr std::uint64_t kRounds = 3'000;
  const TestFolder folder;
  std::array<int, 2> sockets{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  auto gateway = GatewayRing::create(options_of(folder));
  ASSERT_TRUE(gateway) << gateway.error().text;
  const std::string path = (*gateway)->path();
  const std::uint64_t key = (*gateway)->key();
  const pid_t client = start(sockets, [&] {
    auto ring = ClientRing::attach(path, key, sockets[1]);
    if (!ring) ::_exit(1);
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      if ((*ring)->send(numbered(i)) != Written::Yes) ::_exit(2);
      if ((*ring)->wait(60s, 0s) != Waited::Frame) ::_exit(3);
      if ((*ring)->next() != numbered(i)) ::_exit(4);
    }
  });
  for (std::uint64_t i = 0; i < kRounds;) {
    const std::string_view frame = (*gateway)->read();
    if (!frame.empty()) {
      ASSERT_EQ(frame, numbered(i));
      ASSERT_EQ((*gateway)->write(frame), Written::Yes);
      EXPECT_FALSE((*gateway)->wake_client());
      ++i;
      continue;
    }
    if (!(*gateway)->begin_sleep()) continue;
    std::array<char, 64> bytes{};
    ASSERT_GT(::recv(sockets[0], bytes.data(), bytes.size(), 0), 0);
    (*gateway)->end_sleep();
  }
  EXPECT_EQ(end_of(client), 0);
  ::close(sockets[0]);
}

}  // namespace
}  // namespace nexusfix::gateway
