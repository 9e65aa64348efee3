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

// The longest line of a caller, and the longest answer, in bytes, with their line feed.
inline constexpr std::size_t kLocalLineBytesMax = 64UL << 10U;
inline constexpr std::size_t kLocalAnswerBytesMax = 256UL << 10U;

// The process that has connected, as the kernel reports it.
struct LocalPeer {
  std::uint32_t user = 0;    // its user ID
  std::int32_t process = 0;  // its process ID
};

// Answers lines one after the other, on its own thread. A caller that sends no line in time, or one
// that is too long, is disconnected, and holds up no other. The same time limit holds for the line
// and again for taking the answer.
class LocalServer {
 public:
  // Answers the lines.
  class Answerer {
   public:
    virtual ~Answerer() = default;
    // Returns the answer to a line: one line without a line feed, truncated to
    // kLocalAnswerBytesMax.
    // Called on the server's thread. line: without its line feed, valid until the call returns.
    // socket: the index of the path by which it came. The call may take long, but it must return
    // when the descriptor `stop` becomes readable: the server ends then.
    [[nodiscard]] virtual std::string answer(std::size_t socket, const LocalPeer& peer,
                                             std::string_view line, int stop) = 0;
  };

  // Makes a socket at each path, for processes of the same user and of root, and starts the thread.
  // An existing socket is replaced, so the caller must know that no process listens on it; any
  // other file of that name is an error. answerer must outlive the server.
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

// Sends a line to the socket at this path, and returns the answer; both without a line feed. Blocks
// for at most timeout. error_number is ENOENT or ECONNREFUSED if no process listens, and ETIMEDOUT
// if the answer did not come in time.
[[nodiscard]] std::expected<std::string, NetworkError> ask_local(const std::string& path,
                                                                 std::string_view line,
                                                                 std::chrono::milliseconds timeout);

// The paths of the listening sockets of this machine whose file has this name, or one that ends
// with a dot and this name, and belongs to this user, in the order in which the kernel lists them.
// A socket with a relative path is not found.
[[nodiscard]] std::vector<std::string> find_local_sockets(std::string_view name);

}  // namespace nexusfix::transport
