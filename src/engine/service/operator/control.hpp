// The socket through which an operator's command reaches a running engine. Its own thread reads the
// lines, and OperatorCommands carries them out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "engine/service/operator/operator_commands.hpp"
#include "transport/api/local_socket.hpp"

namespace nexusfix::engine {

class Control final : private transport::LocalServer::Answerer {
 public:
  // paths: of the sockets. The first one answers for all loops, each other one sets the sequence
  // numbers of the loop of its index. commands must outlive the Control.
  [[nodiscard]] static std::expected<std::unique_ptr<Control>, std::string> open(
      const std::vector<std::string>& paths, OperatorCommands& commands);
  ~Control() override;

 private:
  // A `nexusfix ctl tail`, which polls.
  struct Tail {
    observe::TapReader reader;
    MonoTime read_at;
  };
  // A tail that is not read for this time has ended.
  static constexpr std::chrono::seconds kTailTimeout{60};

  explicit Control(OperatorCommands& commands) noexcept : commands_{commands} {}
  [[nodiscard]] std::string answer(std::size_t socket, const transport::LocalPeer& peer,
                                   std::string_view line, int stop) override;
  [[nodiscard]] ControlAnswer carry_out(std::size_t socket, ControlRequest request,
                                        const OperatorCaller& caller);
  [[nodiscard]] ControlAnswer begin_tail(const std::string& session, const OperatorCaller& caller);
  [[nodiscard]] ControlAnswer read_tail(std::uint64_t id);
  void end_old_tails();

  OperatorCommands& commands_;
  SystemClock clock_;
  std::map<std::uint64_t, Tail> tails_;  // by number; the server's thread
  std::uint64_t last_tail_ = 0;
  std::unique_ptr<transport::LocalServer> server_;  // is destroyed first
};

}  // namespace nexusfix::engine
