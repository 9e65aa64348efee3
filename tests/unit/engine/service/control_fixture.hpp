// A running acceptor, and requests to it through its control socket, as another process sends them.
#pragma once

#include <chrono>
#include <expected>
#include <future>
#include <string>
#include <string_view>
#include <utility>

#include "control/api/running_engine.hpp"
#include "transport/api/local_socket.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {

using LiveResult = std::expected<std::string, engine::LiveError>;

class ControlTest : public AcceptorTest {
 protected:
  static constexpr const char* kTrader = "FIX.4.4:VENUE->TRADER";

  [[nodiscard]] std::string store_folder() const { return folder.path() + "/store"; }
  // Runs the call on another thread, as another process would; the engine serves meanwhile.
  template <class Call>
  auto while_serving(Call call) {
    auto result = std::async(std::launch::async, std::move(call));
    while (result.wait_for(std::chrono::milliseconds{0}) != std::future_status::ready) {
      acceptor->poll(std::chrono::milliseconds{1});
      for (const auto& peer : peers) peer->poll();
    }
    return result.get();
  }
  std::expected<void, engine::LiveError> set(const engine::LiveNumbers& request) {
    return while_serving([&] { return engine::set_live_numbers(store_folder(), request); });
  }
  std::expected<std::string, transport::NetworkError> say(const std::string& line) {
    return while_serving([&] {
      return transport::ask_local(store_folder() + "/control", line, std::chrono::seconds{20});
    });
  }
  engine::EngineStatus status() {
    auto found = while_serving([&] { return engine::status_of_running_engine(store_folder()); });
    EXPECT_TRUE(found.has_value()) << found.error().text;
    return found.value_or(engine::EngineStatus{});
  }
  engine::SessionStatistics status_of(std::string_view name) {
    for (engine::SessionStatistics& one : status().sessions) {
      if (one.name == name) return std::move(one);
    }
    ADD_FAILURE() << "no session " << name;
    return {};
  }
  LiveResult command(const engine::OperatorCommand& one) {
    return while_serving([&] { return engine::command_running_engine(store_folder(), one); });
  }
  std::string refusal_of(const engine::OperatorCommand& one) {
    const auto done = command(one);
    return done ? "it is done" : done.error().text;
  }
  [[nodiscard]] session::Numbers numbers() { return acceptor->session(0).numbers(); }
};

}  // namespace nexusfix::testing
