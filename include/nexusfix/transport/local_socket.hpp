// Sends one line to a process of this machine and receives one line, over a socket in the file
// system: this is how an operator's command reaches a running program. No FIX message uses it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::transport {

// Of a line in either direction, with its line feed.
inline constexpr std::size_t kLocalLineBytesMax = 4096;

// The process that has connected, as the kernel reports it.
struct LocalPeer {
  std::uint32_t user = 0;
  std::int32_t process = 0;
};

// Answers callers one after the other, on its own thread. A caller that sends no line in time, or
// one that is too long, is disconnected. The same time limit holds for the line and again for
// taking the answer.
class LocalServer {
 public:
  class Answerer {
   public:
    virtual ~Answerer() = default;
    // Called on the server's thread. line: without its line feed. socket: the index of the path it
    // came by. It may take long, but must return when `stop` becomes readable: the server ends
    // then.
    [[nodiscard]] virtual std::string answer(std::size_t socket, const LocalPeer& peer,
                                             std::string_view line, int stop) = 0;
  };

  // A socket at each path, for processes of the same user and of root. An existing socket is
  // replaced, so the caller must know that no process listens on it; any other file of that name is
  // an error. answerer must outlive the server.
  [[nodiscard]] static std::expected<std::unique_ptr<LocalServer>, NetworkError> open(
      const std::vector<std::string>& paths, Answerer& answerer,
      std::chrono::milliseconds caller_timeout = std::chrono::seconds{2});
  // Waits for the thread, and removes the sockets.
  ~LocalServer();
  LocalServer(const LocalServer&) = delete;
  LocalServer& operator=(const LocalServer&) = delete;

 private:
  struct State;
  explicit LocalServer(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> state_;
};

// Sends a line without a line feed, and waits for the answer. error_number is ENOENT or
// ECONNREFUSED if no process listens.
[[nodiscard]] std::expected<std::string, NetworkError> ask_local(const std::string& path,
                                                                 std::string_view line,
                                                                 std::chrono::milliseconds timeout);

}  // namespace nexusfix::transport
