// Bytes, ends, errors and wakeups of open connections.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <poll.h>
#include <set>
#include <signal.h>
#include <thread>

#include "loopback.hpp"

namespace nexusfix::transport {
namespace {

using EpollNetworkTest = Loopback;

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i * 31 + (i >> 8U)) & 0x7F);
  return bytes;
}

TEST_F(EpollNetworkTest, bytes_arrive_in_order_both_ways) {
  const Pair pair = connect_pair(listen());
  EXPECT_EQ(network_->send(pair.near, std::string_view{"8=FIX.4.4"}).bytes, 9U);
  EXPECT_EQ(network_->send(pair.far, std::string_view{"35=A"}).bytes, 4U);
  EXPECT_EQ(read(pair.far, 9), "8=FIX.4.4");
  EXPECT_EQ(read(pair.near, 4), "35=A");
}

TEST_F(EpollNetworkTest, nothing_to_read_would_block_and_an_empty_buffer_is_not_the_end) {
  const Pair pair = connect_pair(listen());
  std::array<char, 8> buffer{};
  EXPECT_EQ(network_->receive(pair.near, buffer).status, IoResult::Status::WouldBlock);
  EXPECT_EQ(network_->receive(pair.near, std::span<char>{}).status, IoResult::Status::Ok);
}

TEST_F(EpollNetworkTest, readable_is_reported_again_until_the_bytes_are_taken) {
  const Pair pair = connect_pair(listen());
  EXPECT_EQ(network_->send(pair.near, std::string_view{"abc"}).bytes, 3U);
  await(Ready::Kind::Readable, pair.far);
  await(Ready::Kind::Readable, pair.far);
  EXPECT_EQ(read(pair.far, 3), "abc");
  EXPECT_TRUE(poll(std::chrono::nanoseconds{0}).empty());
}

TEST_F(EpollNetworkTest, bytes_for_a_paused_socket_wait_until_it_is_resumed) {
  const Pair pair = connect_pair(listen());
  network_->pause(pair.far, true);
  ASSERT_EQ(network_->send(pair.near, std::string_view{"abc"}).bytes, 3U);
  // The network reports another socket only after that, so the paused one had its chance.
  ASSERT_EQ(network_->send(pair.far, std::string_view{"x"}).bytes, 1U);
  await(Ready::Kind::Readable, pair.near);
  for (const Ready& ready : poll(std::chrono::nanoseconds{0})) EXPECT_NE(ready.socket, pair.far);
  network_->pause(pair.far, false);
  await(Ready::Kind::Readable, pair.far);
  EXPECT_EQ(read(pair.far, 3), "abc");
  network_->pause(12'345, true);  // no such socket
}

TEST_F(EpollNetworkTest, a_flood_of_unanswered_connections_is_not_read_before_answered_ones) {
  const SocketId listener = listen();
  const Pair known = connect_pair(listener);
  ASSERT_EQ(network_->send(known.far, std::string_view{"answer"}).bytes, 6U);
  ASSERT_EQ(read(known.near, 6), "answer");
  constexpr std::size_t kUnanswered = 100;
  std::vector<std::unique_ptr<PlainPeer>> unanswered;
  for (std::size_t i = 0; i < kUnanswered; ++i) {
    unanswered.push_back(std::make_unique<PlainPeer>(network_->local_port(listener)));
    unanswered.back()->send("x");
    while (accepted_.size() <= i) poll();
  }
  ASSERT_EQ(network_->send(known.near, std::string_view{"order"}).bytes, 5U);
  await(Ready::Kind::Readable, known.far);  // Its bytes have come.
  std::set<SocketId> seen;
  for (int waits = 0; seen.size() < kUnanswered && waits < 20; ++waits) {
    const std::vector<Ready> ready = poll(std::chrono::nanoseconds{0});
    EXPECT_LT(ready.size(), 40U) << "a part of the unanswered connections";
    EXPECT_TRUE(std::ranges::any_of(ready, [&](const Ready& one) {
      return one.socket == known.far && one.kind == Ready::Kind::Readable;
    })) << "each time";
    for (const Ready& one : ready) {
      if (one.socket != known.far) seen.insert(one.socket);
    }
  }
  EXPECT_EQ(seen.size(), kUnanswered) << "by turns";
}

TEST_F(EpollNetworkTest, an_unanswered_connection_that_is_detached_or_closed_is_in_no_set) {
  const SocketId listener = listen();
  const PlainPeer first{network_->local_port(listener)};
  const PlainPeer second{network_->local_port(listener)};
  while (accepted_.size() < 2) poll();
  first.send("x");
  second.send("x");
  await(Ready::Kind::Readable, accepted_[1]);
  Detached detached = network_->detach(accepted_[0]);
  ASSERT_GE(detached.descriptor, 0);
  network_->close(accepted_[1]);
  EXPECT_TRUE(poll(std::chrono::nanoseconds{0}).empty());
  const auto attached = network_->attach(std::move(detached));
  ASSERT_TRUE(attached.has_value());
  await(Ready::Kind::Readable, *attached);
}

TEST_F(EpollNetworkTest, a_paused_socket_that_breaks_is_reported) {
  const SocketId listener = listen();
  PlainPeer peer{network_->local_port(listener)};
  while (accepted_.empty()) poll();
  const SocketId far = accepted_.front();
  network_->pause(far, true);
  peer.reset();
  await(Ready::Kind::Readable, far);
}

TEST_F(EpollNetworkTest, a_paused_socket_can_still_wait_for_room) {
  const Pair pair = connect_pair(listen());
  network_->pause(pair.near, true);
  const std::string block(1U << 20U, 'x');
  std::size_t sent = 0;
  for (IoResult result = network_->send(pair.near, block); result.status == IoResult::Status::Ok;
       result = network_->send(pair.near, block)) {
    sent += result.bytes;
    if (result.bytes < block.size()) break;
  }
  EXPECT_EQ(read(pair.far, sent).size(), sent);
  await(Ready::Kind::Writable, pair.near);
}

// Bytes for an unwatched socket have arrived when the network reports another one.
class UnwatchedTest : public Loopback {
 protected:
  void SetUp() override {
    pair_ = connect_pair(listener_);
    ASSERT_EQ(network_->send(pair_.far, std::string_view{"x"}).bytes, 1U);  // It is answered.
    ASSERT_EQ(read(pair_.near, 1), "x");
    network_->unwatch(pair_.far, true);
  }
  void send_to_far(std::string_view bytes) {
    ASSERT_EQ(network_->send(pair_.near, bytes).bytes, bytes.size());
    ASSERT_EQ(network_->send(pair_.far, std::string_view{"y"}).bytes, 1U);
    await(Ready::Kind::Readable, pair_.near);
  }
  bool is_reported(SocketId socket) {
    return std::ranges::any_of(poll(std::chrono::nanoseconds{0}),
                               [&](const Ready& ready) { return ready.socket == socket; });
  }

  const SocketId listener_ = listen();
  Pair pair_;
};

TEST_F(UnwatchedTest, socket_is_received_from_and_not_reported) {
  send_to_far("abc");
  EXPECT_FALSE(is_reported(pair_.far));
  EXPECT_EQ(read(pair_.far, 3), "abc");
}

TEST_F(UnwatchedTest, socket_is_not_in_the_kernel_s_set) {
  const auto watched = [&] {
    std::ifstream info{"/proc/self/fdinfo/" + std::to_string(network_->descriptor())};
    const std::string text{std::istreambuf_iterator<char>{info}, {}};
    std::size_t count = 0;
    for (std::size_t at = 0; (at = text.find("tfd:", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  const std::size_t before = watched();
  network_->unwatch(pair_.far, false);
  EXPECT_EQ(watched(), before + 1);
  network_->unwatch(pair_.far, true);
  EXPECT_EQ(watched(), before);
}

TEST_F(UnwatchedTest, socket_that_is_watched_again_reports_what_came_meanwhile) {
  send_to_far("abc");
  network_->unwatch(pair_.far, false);
  await(Ready::Kind::Readable, pair_.far);
  EXPECT_EQ(read(pair_.far, 3), "abc");
}

TEST_F(UnwatchedTest, socket_reports_when_there_is_room) {
  const std::string block = pattern(16U << 20U);
  const std::size_t sent = network_->send(pair_.far, block).bytes;
  ASSERT_LT(sent, block.size());
  EXPECT_EQ(read(pair_.near, sent).size(), sent);
  await(Ready::Kind::Writable, pair_.far);
  EXPECT_EQ(network_->send(pair_.far, std::string_view{}).status, IoResult::Status::Ok);
  send_to_far("abc");
  EXPECT_FALSE(is_reported(pair_.far));
}

TEST_F(UnwatchedTest, paused_socket_that_breaks_is_reported) {
  PlainPeer peer{network_->local_port(listener_)};
  while (accepted_.empty()) poll();
  const SocketId far = accepted_.front();
  ASSERT_EQ(network_->send(far, std::string_view{"x"}).bytes, 1U);
  network_->unwatch(far, true);
  network_->pause(far, true);
  peer.reset();
  await(Ready::Kind::Readable, far);
  network_->pause(far, false);
  std::array<char, 8> buffer{};
  EXPECT_EQ(network_->receive(far, buffer).status, IoResult::Status::Failed);
}

TEST_F(UnwatchedTest, end_of_a_socket_is_received) {
  network_->close(pair_.near);
  IoResult::Status last = IoResult::Status::Ok;
  while (last == IoResult::Status::Ok || last == IoResult::Status::WouldBlock) {
    std::array<char, 8> buffer{};
    last = network_->receive(pair_.far, buffer).status;
    poll(std::chrono::nanoseconds{0});  // drains the other end
  }
  EXPECT_EQ(last, IoResult::Status::Closed);
}

TEST_F(UnwatchedTest, last_bytes_of_a_closed_socket_are_delivered) {
  send_to_far("not read");
  ASSERT_EQ(network_->send(pair_.far, std::string_view{"35=5"}).bytes, 4U);
  network_->close(pair_.far);
  EXPECT_EQ(read(pair_.near, 5), "y35=5");
}

TEST_F(UnwatchedTest, detached_socket_is_reported_by_its_next_network) {
  send_to_far("abc");
  Detached detached = network_->detach(pair_.far);
  ASSERT_GE(detached.descriptor, 0);
  const auto attached = network_->attach(std::move(detached));
  ASSERT_TRUE(attached.has_value());
  await(Ready::Kind::Readable, *attached);
  EXPECT_EQ(read(*attached, 3), "abc");
}

TEST_F(UnwatchedTest, unanswered_connection_is_reported) {
  const PlainPeer peer{network_->local_port(listener_)};
  while (accepted_.empty()) poll();
  network_->unwatch(accepted_.front(), true);
  peer.send("x");
  await(Ready::Kind::Readable, accepted_.front());
  network_->unwatch(12'345, true);  // no such socket
}

TEST_F(EpollNetworkTest, a_full_pipe_takes_a_part_and_reports_when_there_is_room) {
  const Pair pair = connect_pair(listen());
  const std::string bytes = pattern(16U << 20U);
  std::size_t sent = network_->send(pair.near, bytes).bytes;
  ASSERT_GT(sent, 0U);
  ASSERT_LT(sent, bytes.size());
  std::string received;
  bool blocked = false;
  while (received.size() < bytes.size()) {
    const auto ready = poll();
    ASSERT_FALSE(ready.empty());
    for (const Ready& event : ready) {
      if (event.kind == Ready::Kind::Writable) {
        ASSERT_EQ(event.socket, pair.near);
        const IoResult result = network_->send(pair.near, std::string_view{bytes}.substr(sent));
        blocked = blocked || result.status == IoResult::Status::WouldBlock;
        sent += result.bytes;
      } else if (event.kind == Ready::Kind::Readable) {
        received += read(event.socket, std::min<std::size_t>(70'001, sent - received.size()));
      }
    }
  }
  EXPECT_TRUE(received == bytes);
  // All was taken: Writable is not wanted any more.
  EXPECT_TRUE(poll(std::chrono::nanoseconds{0}).empty());
}

TEST_F(EpollNetworkTest, writable_is_not_reported_if_nothing_waits_to_be_sent) {
  const Pair pair = connect_pair(listen());
  EXPECT_EQ(network_->send(pair.near, std::string_view{"abc"}).bytes, 3U);
  read(pair.far, 3);
  EXPECT_TRUE(poll(std::chrono::nanoseconds{0}).empty());
}

TEST_F(EpollNetworkTest, an_empty_send_ends_writable) {
  const Pair pair = connect_pair(listen());
  const std::string bytes = pattern(16U << 20U);
  const std::size_t sent = network_->send(pair.near, bytes).bytes;
  ASSERT_LT(sent, bytes.size());
  EXPECT_EQ(network_->send(pair.near, std::string_view{}).status, IoResult::Status::Ok);
  EXPECT_EQ(read(pair.far, sent).size(), sent);
  EXPECT_TRUE(poll(std::chrono::nanoseconds{0}).empty());
}

TEST_F(EpollNetworkTest, the_peers_close_is_seen_after_its_last_bytes) {
  const Pair pair = connect_pair(listen());
  EXPECT_EQ(network_->send(pair.near, std::string_view{"bye"}).bytes, 3U);
  network_->close(pair.near);
  IoResult::Status last = IoResult::Status::Ok;
  EXPECT_EQ(read(pair.far, 100, &last), "bye");
  EXPECT_EQ(last, IoResult::Status::Closed);
}

TEST_F(EpollNetworkTest, bytes_taken_by_send_arrive_although_unread_bytes_are_left_at_close) {
  const Pair pair = connect_pair(listen());
  const std::string bytes = pattern(16U << 20U);
  const std::size_t sent = network_->send(pair.near, bytes).bytes;
  EXPECT_EQ(network_->send(pair.far, std::string_view{"this is not read."}).bytes, 17U);
  await(Ready::Kind::Readable, pair.near);
  network_->close(pair.near);
  EXPECT_EQ(network_->send(pair.far, std::string_view{"nor this"}).bytes, 8U);
  IoResult::Status last = IoResult::Status::Ok;
  EXPECT_TRUE(read(pair.far, bytes.size(), &last) == bytes.substr(0, sent));
  EXPECT_EQ(last, IoResult::Status::Closed);
}

TEST_F(EpollNetworkTest, the_oldest_undrained_socket_is_closed_for_a_newer_one) {
  const SocketId listener = listen();
  const std::string bytes = pattern(8U << 20U);
  std::vector<Pair> pairs;
  for (int i = 0; i < 70; ++i) {
    pairs.push_back(connect_pair(listener));
    ASSERT_LT(network_->send(pairs.back().near, bytes).bytes, bytes.size());
  }
  for (const Pair& pair : pairs) network_->close(pair.near);
  for (const Pair& pair : pairs) network_->close(pair.far);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(poll(std::chrono::nanoseconds{0}).empty());
  connect_pair(listener);
}

TEST_F(EpollNetworkTest, a_peer_that_sends_for_ever_is_reset) {
  const Pair pair = connect_pair(listen());
  const std::string bytes = pattern(8U << 20U);
  ASSERT_LT(network_->send(pair.near, bytes).bytes, bytes.size());
  network_->close(pair.near);  // its last bytes stay unread
  constexpr std::size_t kEnough = 256U << 20U;
  std::size_t sent = 0;
  IoResult::Status last = IoResult::Status::Ok;
  while ((last == IoResult::Status::Ok || last == IoResult::Status::WouldBlock) && sent < kEnough) {
    const auto result = network_->send(pair.far, bytes);
    last = result.status;
    sent += result.bytes;
    poll(std::chrono::nanoseconds{0});
  }
  EXPECT_EQ(last, IoResult::Status::Failed) << sent;
}

TEST_F(EpollNetworkTest, a_reset_is_seen_after_the_bytes_before_it) {
  const SocketId listener = listen();
  PlainPeer peer{network_->local_port(listener)};
  await(Ready::Kind::Accepted, listener);
  const SocketId socket = accepted_.at(0);
  const std::string name = network_->peer_name(socket);
  peer.send("last words");
  peer.reset();
  IoResult::Status last = IoResult::Status::Ok;
  EXPECT_EQ(read(socket, 100, &last), "last words");
  EXPECT_EQ(last, IoResult::Status::Failed);
  EXPECT_EQ(network_->last_error(socket), "receive from " + name + ": Connection reset by peer");
  await(Ready::Kind::Failed, socket);
  network_->close(socket);
  EXPECT_TRUE(poll(std::chrono::nanoseconds{0}).empty());
}

TEST_F(EpollNetworkTest, sending_to_a_peer_that_is_gone_fails_without_a_signal) {
  const SocketId listener = listen();
  PlainPeer peer{network_->local_port(listener)};
  await(Ready::Kind::Accepted, listener);
  const SocketId socket = accepted_.at(0);
  const std::string name = network_->peer_name(socket);
  peer.send("last words");
  peer.reset();
  await(Ready::Kind::Readable, socket);
  IoResult result = network_->send(socket, std::string_view{"x"});
  // The reset may not have arrived yet, even on loopback.
  while (result.status == IoResult::Status::Ok)
    result = network_->send(socket, std::string_view{"x"});
  ASSERT_EQ(result.status, IoResult::Status::Failed);
  EXPECT_EQ(network_->send(socket, std::string_view{"x"}).error_number, result.error_number);
  // Bytes that it sent before can still be received.
  IoResult::Status last = IoResult::Status::Ok;
  EXPECT_EQ(read(socket, 100, &last), "last words");
  EXPECT_EQ(last, IoResult::Status::Failed);
  EXPECT_EQ(network_->last_error(socket),
            "send to " + name + ": " + std::strerror(result.error_number));
}

TEST_F(EpollNetworkTest, sending_after_the_peers_close_raises_no_sigpipe) {
  const SocketId listener = listen();
  {
    const PlainPeer peer{network_->local_port(listener)};
  }
  await(Ready::Kind::Accepted, listener);
  IoResult result;
  while (result.status == IoResult::Status::Ok) {
    result = network_->send(accepted_.at(0), std::string_view{"x"});
  }
  EXPECT_EQ(result.error_number, EPIPE);
}

TEST_F(EpollNetworkTest, a_closed_id_is_unknown_and_its_late_events_are_dropped) {
  const SocketId listener = listen();
  const Pair pair = connect_pair(listener);
  EXPECT_EQ(network_->send(pair.near, std::string_view{"late"}).bytes, 4U);
  await(Ready::Kind::Readable, pair.far);
  network_->close(pair.far);
  EXPECT_EQ(network_->receive(pair.far, std::span<char>{}).error_number, EBADF);
  EXPECT_EQ(network_->send(pair.far, std::string_view{"x"}).status, IoResult::Status::Failed);
  EXPECT_EQ(network_->peer_name(pair.far), "");
  network_->close(pair.far);  // ignored
  network_->close(12'345);
  const Pair next = connect_pair(listener);  // takes the free slot
  EXPECT_NE(next.far, pair.far);
  for (const Ready& ready : poll(std::chrono::nanoseconds{0})) EXPECT_NE(ready.socket, pair.far);
}

TEST_F(EpollNetworkTest, wake_from_another_thread_ends_a_wait_without_limit) {
  std::thread waker{[this] { network_->wake(); }};
  EXPECT_EQ(network_->wait(events_, std::nullopt), 0U);
  waker.join();
}

TEST_F(EpollNetworkTest, wakes_are_merged_and_taken_by_one_wait) {
  for (int i = 0; i < 5; ++i) network_->wake();
  pollfd watched{network_->descriptor(), POLLIN, 0};
  EXPECT_EQ(::poll(&watched, 1, 0), 1);
  EXPECT_TRUE(poll(std::chrono::nanoseconds{0}).empty());
  EXPECT_EQ(::poll(&watched, 1, 0), 0);
}

TEST_F(EpollNetworkTest, wake_works_in_a_signal_handler_and_keeps_errno) {
  static EpollNetwork* network = nullptr;
  network = network_.get();
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = [](int) { network->wake(); };
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  errno = 4'321;
  ::raise(SIGUSR1);
  EXPECT_EQ(errno, 4'321);
  EXPECT_EQ(network_->wait(events_, std::nullopt), 0U);
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(EpollNetworkTest, the_descriptor_is_readable_when_there_is_an_event) {
  const Pair pair = connect_pair(listen());
  pollfd watched{network_->descriptor(), POLLIN, 0};
  EXPECT_EQ(::poll(&watched, 1, 0), 0);
  EXPECT_EQ(network_->send(pair.near, std::string_view{"x"}).bytes, 1U);
  EXPECT_EQ(::poll(&watched, 1, 20'000), 1);
}

TEST_F(EpollNetworkTest, a_wait_ends_at_its_timeout) {
  EXPECT_TRUE(poll(std::chrono::microseconds{1}).empty());
  EXPECT_TRUE(poll(std::chrono::nanoseconds{-5}).empty());
  EXPECT_EQ(network_->wait({}, std::nullopt), 0U);
}

// The open descriptors among the first few, with their flags.
std::map<int, int> open_descriptors() {
  std::map<int, int> open;
  for (int descriptor = 0; descriptor < 200; ++descriptor) {
    const int flags = ::fcntl(descriptor, F_GETFD);
    if (flags >= 0) open[descriptor] = flags;
  }
  return open;
}

TEST_F(EpollNetworkTest, descriptors_do_not_leak_into_children_and_all_are_closed) {
  const auto before = open_descriptors();
  {
    auto network = EpollNetwork::make(resolve_blocking).value();
    const SocketId listener = network->listen({"127.0.0.1", 0}).value();
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE(network->connect({"127.0.0.1", network->local_port(listener)}).has_value());
    }
    for (int i = 0; i < 10; ++i) static_cast<void>(network->wait(events_, std::chrono::seconds{0}));
    const auto during = open_descriptors();
    EXPECT_GT(during.size(), before.size() + 14);
    for (const auto& [descriptor, flags] : during) {
      EXPECT_TRUE(before.contains(descriptor) || (flags & FD_CLOEXEC) != 0) << descriptor;
    }
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(EpollNetworkTest, the_public_function_makes_one) {
  const auto network = make_epoll_network();
  ASSERT_TRUE(network.has_value());
  EXPECT_TRUE((*network)->listen({"localhost", 0}).has_value());
}

}  // namespace
}  // namespace nexusfix::transport
