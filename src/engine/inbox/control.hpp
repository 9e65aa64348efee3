// The socket through which an operator's command reaches a running engine. Its own thread passes
// each command to the loop that owns the store, as a mailbox does.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/transport/local_socket.hpp>

#include "engine/inbox/task_inbox.hpp"

namespace nexusfix::engine {

class Control final : private transport::LocalServer::Answerer {
 public:
  struct Place {
    std::string folder;  // of a loop's store, which is locked
    std::shared_ptr<TaskInbox> room;
  };
  // How long a loop may take to look at a command before it is withdrawn.
  static constexpr std::chrono::milliseconds kLoopTimeout{10'000};

  [[nodiscard]] static std::expected<std::unique_ptr<Control>, std::string> open(
      std::vector<Place> places, std::chrono::milliseconds loop_timeout = kLoopTimeout);
  ~Control() override;

 private:
  Control(std::vector<Place> places, std::chrono::milliseconds loop_timeout) noexcept
      : places_{std::move(places)}, loop_timeout_{loop_timeout} {}
  [[nodiscard]] std::string answer(std::size_t socket, const transport::LocalPeer& peer,
                                   std::string_view line, int stop) override;

  std::vector<Place> places_;
  std::chrono::milliseconds loop_timeout_;
  std::unique_ptr<transport::LocalServer> server_;  // is destroyed first
};

}  // namespace nexusfix::engine
