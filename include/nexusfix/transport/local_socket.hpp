// One line to a process of this machine and one line back, over a socket in the file system: how an
// operator's command reaches a program that runs. Nothing on the way of a message uses it.
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

// Of a line in either direction, its line feed included.
inline constexpr std::size_t kLocalLineBytesMax = 4096;

// Who has connected, as the kernel knows it.
struct LocalPeer {
  std::uint32_t user = 0;
  std::int32_t process = 0;
};

// Answers on a thread of its own, one caller after the other. A caller that says nothing, or no
// line of its length, is cut off: it has so long for the line, and so long again to take the
// answer.
class LocalServer {
 public:
  class Answerer {
   public:
    virtual ~Answerer() = default;
    // To a line, without its line feed, that came by the socket of that index. On the server's
    // thread. It may take long, but not when stop becomes readable: then the server ends.
    [[nodiscard]] virtual std::string answer(std::size_t socket, const LocalPeer& peer,
                                             std::string_view line, int stop) = 0;
  };

  // A socket at each path, for processes of the same user and of root. A socket that somebody has
  // left there is replaced, so the caller must know that nobody listens there; anything else that
  // has the name is an error. answerer must outlive the server.
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

// Says a line, which has no line feed, to who listens there, and waits for the answer. error_number
// is ENOENT or ECONNREFUSED if nobody does.
[[nodiscard]] std::expected<std::string, NetworkError> ask_local(const std::string& path,
                                                                 std::string_view line,
                                                                 std::chrono::milliseconds timeout);

}  // namespace nexusfix::transport
