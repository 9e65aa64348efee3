// nexusfix::run(): a complete main().
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include <nexusfix/engine.hpp>

#include "support/disks/temporary_folder.hpp"
#include "support/recording_log.hpp"

namespace nexusfix::testing {
namespace {

struct Venue {
  MessageReply on_message(Session&, const MessageView&) { return accept(); }
};

// The socket on which a service manager listens.
class NotifySocket {
 public:
  explicit NotifySocket(const std::string& path)
      : descriptor_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)} {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(descriptor_, static_cast<const sockaddr*>(static_cast<void*>(&address)),
                     sizeof address),
              0);
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  ~NotifySocket() {
    ::unsetenv("NOTIFY_SOCKET");
    ::close(descriptor_);
  }
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;
  [[nodiscard]] std::string next() const {
    char bytes[512];
    const ssize_t size = ::recv(descriptor_, bytes, sizeof bytes, 0);
    return size < 0 ? "nothing" : std::string{bytes, static_cast<std::size_t>(size)};
  }

 private:
  int descriptor_;
};

TEST(Run, service_manager_is_notified_of_start_and_stop) {
  const TemporaryFolder folder;
  const NotifySocket socket{folder.path() + "/notify"};
  const std::string config = folder.path() + "/venue.cfg";
  std::ofstream{config} << "[SESSION]\nConnectionType=acceptor\nSocketAcceptPort=0\n"
                           "SocketAcceptAddress=127.0.0.1\nStore=memory\nNonStopSession=Y\n"
                           "BeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n";
  std::string first;
  std::string second;
  std::thread manager{[&] {
    first = socket.next();
    ::kill(::getpid(), SIGTERM);
    second = socket.next();
  }};
  Venue venue;
  RecordingLog log;
  EngineOptions options;
  options.log = &log;
  EXPECT_EQ(run(config, venue, options), 0);
  manager.join();
  EXPECT_NE(first.find("READY=1"), std::string::npos) << first;
  EXPECT_NE(second.find("STOPPING=1"), std::string::npos) << second;
}

}  // namespace
}  // namespace nexusfix::testing
