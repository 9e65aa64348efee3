// The socket through which an operator's command reaches a running engine. Its own thread passes
// each command to the loop that owns the session, as a mailbox does.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/time.hpp>
#include <nexusfix/transport/local_socket.hpp>

#include "engine/inbox/control_tasks.hpp"
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
      std::vector<Place> places, WholeEngine engine,
      std::chrono::milliseconds loop_timeout = kLoopTimeout);
  ~Control() override;

 private:
  Control(std::vector<Place> places, WholeEngine engine, std::chrono::milliseconds loop_timeout);
  [[nodiscard]] std::string answer(std::size_t socket, const transport::LocalPeer& peer,
                                   std::string_view line, int stop) override;
  [[nodiscard]] std::string ask(std::size_t place, ControlRequest request, int stop);
  [[nodiscard]] std::string wait_for(ControlOrder& order, int stop) const;

  std::vector<Place> places_;
  WholeEngine engine_;
  std::chrono::milliseconds loop_timeout_;
  WallTime opened_at_;
  std::unique_ptr<transport::LocalServer> server_;  // is destroyed first
};

}  // namespace nexusfix::engine
