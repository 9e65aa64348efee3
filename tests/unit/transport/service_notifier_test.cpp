// Notifications to a service manager, over a socket like that of systemd.
#include "transport/api/service_notifier.hpp"

#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "support/disks/temporary_folder.hpp"

namespace nexusfix::transport {
namespace {

using std::chrono::milliseconds;

class ServiceNotifierTest : public ::testing::Test {
 protected:
  ServiceNotifierTest() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~ServiceNotifierTest() override {
    ::close(socket_);
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
  }
  // All datagrams that have arrived. A UNIX datagram has arrived when send() returns.
  std::vector<std::string> sent() {
    std::vector<std::string> lines;
    std::array<char, 256> bytes{};
    while (true) {
      const ssize_t size = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (size < 0) return lines;
      lines.emplace_back(bytes.data(), static_cast<std::size_t>(size));
    }
  }
  std::unique_ptr<ServiceNotifier> open(ServiceNotifier::Options options) {
    options.socket = path;
    auto opened = ServiceNotifier::open(options);
    EXPECT_TRUE(opened.has_value()) << opened.error().text;
    return opened ? std::move(*opened) : nullptr;
  }

  using Sent = std::vector<std::string>;
  nexusfix::testing::TemporaryFolder folder_;
  std::string path = folder_.path() + "/notify";
  int socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
};

TEST_F(ServiceNotifierTest, the_status_counts_the_waiting_sessions_of_all_loops) {
  const auto service = open({.socket = {}, .watchdog = {}, .loops = 2});
  service->report_waiting(0, 1);
  service->report_waiting(1, 2);
  service->report_waiting(0, 0);
  service->report_waiting(1, 0);
  const std::string pending = " are pending, see the event log\n";
  EXPECT_EQ(sent(),
            (Sent{"STATUS=serving; changed keys of 1 session" + pending,
                  "STATUS=serving; changed keys of 3 sessions" + pending,
                  "STATUS=serving; changed keys of 2 sessions" + pending, "STATUS=serving\n"}));
}

TEST_F(ServiceNotifierTest, ready_and_stopping_are_sent_once_each) {
  const auto service = open({});
  service->ready();
  service->ready();
  service->stopping();
  service->stopping();
  EXPECT_EQ(sent(), (Sent{"READY=1\n", "STOPPING=1\n"}));
}

TEST_F(ServiceNotifierTest, stopping_is_not_sent_by_a_process_that_goes_on) {
  const auto service = open({});
  service->ready();
  service->goes_on();
  service->stopping();
  EXPECT_EQ(sent(), (Sent{"READY=1\n"}));
}

TEST_F(ServiceNotifierTest, a_sign_of_life_is_given_in_each_quarter_of_the_interval) {
  const auto service = open({.socket = {}, .watchdog = milliseconds{400}});
  EXPECT_EQ(service->sleep_max(), milliseconds{100});
  MonoTime now{};
  service->is_alive(0, now);
  EXPECT_EQ(sent().size(), 1U);
  service->is_alive(0, now + milliseconds{99});
  EXPECT_EQ(sent(), Sent{});
  service->is_alive(0, now + milliseconds{100});
  EXPECT_EQ(sent(), Sent{"WATCHDOG=1\n"});
}

TEST_F(ServiceNotifierTest, no_sign_of_life_is_sent_if_none_is_wanted) {
  const auto service = open({});
  for (int hour = 0; hour < 100; ++hour) service->is_alive(0, MonoTime{std::chrono::hours{hour}});
  EXPECT_EQ(sent(), Sent{});
}

TEST_F(ServiceNotifierTest, one_loop_that_hangs_is_not_hidden_by_the_others) {
  const auto service = open({.socket = {}, .watchdog = milliseconds{400}, .loops = 2});
  MonoTime now{};
  for (int turn = 0; turn < 10; ++turn, now += milliseconds{100}) service->is_alive(1, now);
  EXPECT_EQ(sent(), Sent{});
  service->is_alive(0, now);
  EXPECT_EQ(sent(), Sent{"WATCHDOG=1\n"});
  now += milliseconds{100};
  service->is_alive(1, now);
  EXPECT_EQ(sent(), Sent{});  // The sign of loop 0 was that of the last interval.
  now += milliseconds{100};
  service->has_ended(0);
  service->is_alive(1, now);
  EXPECT_EQ(sent(), Sent{"WATCHDOG=1\n"});
}

TEST_F(ServiceNotifierTest, sixty_four_loops_are_distinguished) {
  const auto service = open({.socket = {}, .watchdog = milliseconds{400}, .loops = 64});
  for (std::uint32_t loop = 0; loop < 63; ++loop) service->is_alive(loop, MonoTime{});
  EXPECT_EQ(sent(), Sent{});
  service->is_alive(63, MonoTime{});
  EXPECT_EQ(sent(), Sent{"WATCHDOG=1\n"});
}

TEST_F(ServiceNotifierTest, a_service_manager_that_does_not_read_blocks_no_loop) {
  const auto service = open({.socket = {}, .watchdog = milliseconds{4}});
  MonoTime now{};
  for (int turn = 0; turn < 10'000; ++turn, now += milliseconds{1}) service->is_alive(0, now);
  service->stopping();
  EXPECT_FALSE(sent().empty());
}

TEST_F(ServiceNotifierTest, the_environment_names_the_service_manager) {
  EXPECT_EQ(ServiceNotifier::from_environment().value(), nullptr);
  ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  ::setenv("WATCHDOG_USEC", "2000000", 1);
  ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  EXPECT_EQ(ServiceNotifier::from_environment().value()->sleep_max(), milliseconds{500});
  ::setenv("WATCHDOG_PID", "1", 1);  // another process's watchdog
  EXPECT_GT(ServiceNotifier::from_environment().value()->sleep_max(), std::chrono::hours{1});
}

TEST_F(ServiceNotifierTest, a_watchdog_that_cannot_be_read_is_an_error) {
  ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  for (const char* name : {"WATCHDOG_USEC", "WATCHDOG_PID"}) {
    for (const char* wrong : {"2s", "", "-1", "99999999999999999999"}) {
      ::setenv(name, wrong, 1);
      const auto service = ServiceNotifier::from_environment();
      ASSERT_FALSE(service.has_value()) << name << '=' << wrong;
      EXPECT_EQ(service.error().text, std::string{name} + "=" + wrong + ": a number was expected");
    }
    ::unsetenv(name);
  }
}

TEST_F(ServiceNotifierTest, a_socket_that_cannot_be_reached_is_an_error) {
  for (const std::string& wrong :
       {std::string{"notify"}, folder_.path() + "/absent", "/" + std::string(200, 'x')}) {
    EXPECT_FALSE(ServiceNotifier::open({.socket = wrong}).has_value()) << wrong;
  }
}

TEST_F(ServiceNotifierTest, a_name_after_an_at_is_in_the_abstract_namespace) {
  const std::string name = "nexusfix-test-" + std::to_string(::getpid());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
  const auto service = ServiceNotifier::open({.socket = "@" + name});
  ASSERT_TRUE(service.has_value()) << service.error().text;
  (*service)->ready();
  std::array<char, 64> bytes{};
  EXPECT_EQ(::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT), 8);
  ::close(socket);
}

}  // namespace
}  // namespace nexusfix::transport
