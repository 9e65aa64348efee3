// Plays cases against an engine over the real network, several at a time.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/transport/network.hpp>

#include "tester/play/player.hpp"
#include "tester/play/result.hpp"
#include "tester/run/suites.hpp"

namespace nexusfix::tester {

struct RunOptions {
  PlayOptions play;  // without a sender
  LoadOptions load{};
  std::optional<transport::Endpoint> listener{};  // where the engine under test connects
  std::vector<std::string> senders;               // a session for each case that runs at a time
  std::vector<std::shared_ptr<OwnFields>> own;    // of each sender; empty: none
  std::string restart_command;                    // of the shell; empty: none
  std::string logout_command;                     // of the shell; empty: none
  // Called after each case, one call at a time.
  std::function<void(const Result&)> on_result = [](const Result&) {};
  // Called when the port is open.
  std::function<void(std::uint16_t port)> on_listening = [](std::uint16_t) {};
};

// Why a case or a run ended: is_interrupted() of the options; a shell reports Ctrl-C as this
// status.
inline constexpr std::string_view kInterrupted = "interrupted";
inline constexpr int kInterruptedStatus = 130;

struct Run {
  std::vector<Result> results;  // in the order of the cases
  std::string ended_early;      // why not all cases were played; empty: they were
  bool is_interrupted = false;  // that is why
};

// Plays as many cases at a time as there are senders. The error: nothing could be played.
[[nodiscard]] std::expected<Run, std::string> run_cases(const std::vector<Case>& cases,
                                                        const RunOptions& options);

}  // namespace nexusfix::tester
