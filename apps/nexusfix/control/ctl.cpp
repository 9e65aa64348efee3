// nexusfix ctl: shows and steers a running engine through its control socket.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <string>
#include <unistd.h>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine/running_engine.hpp>

#include "nexusfix/command.hpp"
#include "nexusfix/control/engine_report.hpp"
#include "nexusfix/journal/journal_locator.hpp"
#include "nexusfix/journal/journal_set.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kName = "ctl";
constexpr int kBetweenLooksMillis = 1'000;

struct CtlOptions {
  std::string engine;  // a configuration file or a store's folder; empty: the only one that runs
  std::string session;
  std::string text;
  std::string reason;
  std::uint64_t next_in = 0;  // 0: not given
  std::uint64_t next_out = 0;
  bool is_json = false;
  bool watches = false;
  bool is_confirmed = false;
};

// The store folder of the engine that the operator means. The error says which ones run.
std::expected<std::string, std::string> folder_of(const CtlOptions& options) {
  if (!options.engine.empty()) {
    PosixDisk disk;
    auto place = find_log(disk, options.engine);
    if (!place) return std::unexpected{std::move(place.error())};
    if (place->is_journal()) return place->folder;
    return std::unexpected{options.engine +
                           ": the control socket is in a journal's folder, and its sessions have "
                           "another store"};
  }
  const std::vector<std::string> running = engine::find_running_engines();
  if (running.size() == 1) return running.front();
  if (running.empty()) {
    return std::unexpected{
        "no engine of this user runs on this machine, or it has no journal; --engine names its "
        "configuration file"};
  }
  std::string text = "several engines run; choose one with --engine:";
  for (const std::string& folder : running) (text += "\n  --engine ") += folder;
  return std::unexpected{std::move(text)};
}

std::string text_of(const engine::LiveError& error, const std::string& folder) {
  if (!error.is_absent) return error.text;
  return "no engine runs with the store " + folder + " (" + error.text + ")";
}

std::expected<engine::EngineStatus, std::string> status_in(const std::string& folder) {
  auto status = engine::status_of_running_engine(folder);
  if (!status) return std::unexpected{text_of(status.error(), folder)};
  return *std::move(status);
}

std::expected<std::string, std::string> status_text(const std::string& folder,
                                                    const CtlOptions& options) {
  auto status = status_in(folder);
  if (!status) return std::unexpected{std::move(status.error())};
  if (!options.session.empty()) {
    const engine::SessionStatus* const found = find_session(*status, options.session);
    if (found == nullptr) return std::unexpected{no_session_text(*status, options.session)};
    if (!options.is_json) return session_details(*found);
    status->sessions = {engine::SessionStatus{*found}};
  }
  return options.is_json ? engine_json(*status) : engine_table(*status, SystemClock{}.now().wall);
}

int show_status(const std::string& folder, const CtlOptions& options) {
  for (;;) {
    const auto text = status_text(folder, options);
    if (!text) return fail(kName, text.error());
    // Home, and erase what a longer list has left.
    if (options.watches && ::isatty(STDOUT_FILENO) != 0) fmt::print("\x1b[H\x1b[J");
    fmt::print("{}", *text);
    if (!options.watches) return kSuccess;
    if (std::fflush(stdout) != 0) return kFailure;
    static_cast<void>(::poll(nullptr, 0, kBetweenLooksMillis));
  }
}

// Asks on a terminal, unless --yes was given.
bool may_act(const CtlOptions& options, const std::string& what) {
  return options.is_confirmed || is_confirmed_by_hand(what + "?");
}
int not_confirmed() {
  return fail(kName, "not confirmed (without a terminal, use --yes): nothing was done");
}

std::string audit_text(const CtlOptions& options) {
  return fmt::format("{}: {}", operator_name(),
                     options.reason.empty() ? "no reason was given" : options.reason);
}

int set_numbers_of(const std::string& folder, const CtlOptions& options,
                   const engine::SessionStatus& session) {
  session::Numbers wanted = session.next;
  if (options.next_in != 0) wanted.next_inbound = options.next_in;
  if (options.next_out != 0) wanted.next_outbound = options.next_out;
  if (wanted == session.next) {
    return fail(kName,
                "--next-in or --next-out must differ from the present number: nothing was set");
  }
  const std::string what = fmt::format("{}: set the next MsgSeqNum in {} to {}, out {} to {}",
                                       session.name, session.next.next_inbound, wanted.next_inbound,
                                       session.next.next_outbound, wanted.next_outbound);
  if (!may_act(options, what)) return not_confirmed();
  const auto done = engine::set_live_numbers(folder, {.session = session.name,
                                                      .expected = session.next,
                                                      .wanted = wanted,
                                                      .reason = audit_text(options)});
  if (!done) return fail(kName, text_of(done.error(), folder));
  fmt::print("set: {} next MsgSeqNum in {}, out {}\n", session.name, wanted.next_inbound,
             wanted.next_outbound);
  return kSuccess;
}

std::expected<engine::SessionStatus, std::string> session_in(const std::string& folder,
                                                             const CtlOptions& options) {
  const auto status = status_in(folder);
  if (!status) return std::unexpected{status.error()};
  const engine::SessionStatus* const found = find_session(*status, options.session);
  if (found == nullptr) return std::unexpected{no_session_text(*status, options.session)};
  return *found;
}

int set_numbers(const std::string& folder, const CtlOptions& options) {
  const auto session = session_in(folder, options);
  if (!session) return fail(kName, session.error());
  return set_numbers_of(folder, options, *session);
}

int act(const std::string& folder, const CtlOptions& options, engine::OperatorAct what) {
  const std::string_view name = to_string(what);
  const bool has_session = engine::needs_session(what);
  std::string question = fmt::format("{} the engine of {}", name, folder);
  if (has_session) {
    const auto session = session_in(folder, options);
    if (!session) return fail(kName, session.error());
    question = fmt::format("{} {} ({})", name, session->name, session->state);
  }
  if (!may_act(options, question)) return not_confirmed();
  const auto done = engine::command_running_engine(folder, {.act = what,
                                                            .session = options.session,
                                                            .text = options.text,
                                                            .reason = audit_text(options)});
  if (!done) return fail(kName, text_of(done.error(), folder));
  if (!has_session) {
    fmt::print("{}: the engine carries it out; its event log has the result\n", name);
    return kSuccess;
  }
  const auto after = session_in(folder, options);
  if (!after) return fail(kName, after.error());
  fmt::print("{} {}: it is {} now\n", name, after->name, after->state);
  return kSuccess;
}

int run_chosen(const CtlOptions& options, const std::string& chosen) {
  const auto folder = folder_of(options);
  if (!folder) return fail(kName, folder.error());
  if (!is_reason(options.reason)) return fail(kName, kReasonTooLong);
  if (chosen == "status") return show_status(*folder, options);
  if (chosen == "set-numbers") return set_numbers(*folder, options);
  return act(*folder, options, *engine::operator_act_of(chosen));
}

struct Act {
  const char* name;
  const char* purpose;
  const char* arguments = "--reason 'agreed by phone'";  // of the example
};
constexpr const char* kExampleSession = "'FIX.4.4:VENUE->TRADER'";
constexpr const char* kExitStatus =
    "\n\nExit status:\n"
    "  0  success\n"
    "  1  no engine answers, it refuses the command, or it was not confirmed\n"
    "  2  the arguments are wrong";
constexpr std::array kSessionActs{
    Act{"log-out", "send a Logout; an initiator then stays logged out"},
    Act{"log-on", "initiator: connect and log on again"},
    Act{"disconnect", "end the connection without a Logout"},
    Act{"reset", "log out, and reset both sequence numbers to 1"},
    Act{"set-numbers", "set the next sequence numbers of a session without a connection",
        "--next-in 120"},
};
constexpr std::array kEngineActs{
    Act{"reload", "read the configuration again"},
    Act{"rotate-logs", "close the log files and open them again"},
    Act{"reload-certificates", "read certificates, keys and revocation lists again"},
    Act{"stop", "log out every session, and end the engine"},
};

void add_acts(CLI::App& app, CtlOptions& options) {
  CLI::App* const status =
      app.add_subcommand("status", "show the sessions with their state and sequence numbers");
  status->add_option("SESSION", options.session, "show one session with all details");
  status->add_flag("--json", options.is_json, "print JSON");
  status->add_flag("--watch", options.watches, "show it again each second, until Ctrl-C");
  status->footer(std::string{"Examples:\n  $ nexusfix ctl status\n  $ nexusfix ctl status "} +
                 kExampleSession + kExitStatus);
  const auto add = [&](const Act& one, const std::string& example) {
    CLI::App* const sub = app.add_subcommand(one.name, one.purpose);
    sub->footer("Example:\n  $ nexusfix ctl " + example + one.arguments + kExitStatus);
    sub->add_flag("--yes", options.is_confirmed, "do not ask");
    sub->add_option("--reason", options.reason, "why: for the event log")->option_text("TEXT");
    return sub;
  };
  for (const Act& one : kSessionActs) {
    CLI::App* const sub = add(one, std::string{one.name} + ' ' + kExampleSession + ' ');
    sub->add_option("SESSION", options.session, "its name, such as FIX.4.4:VENUE->TRADER")
        ->required();
    const std::string_view name = one.name;
    if (name == "log-out" || name == "reset") {
      sub->add_option("--text", options.text, "Text (58) of the Logout")->option_text("TEXT");
    }
    if (name == "set-numbers") {
      const auto number = CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62U);
      sub->add_option("--next-in", options.next_in, "the next MsgSeqNum to receive")->check(number);
      sub->add_option("--next-out", options.next_out, "the next MsgSeqNum to send")->check(number);
    }
  }
  for (const Act& one : kEngineActs) add(one, std::string{one.name} + ' ');
}

}  // namespace

int run_ctl(Arguments arguments) {
  CtlOptions options;
  CLI::App app{
      "Shows and steers an engine that runs on this machine under this user: its sessions, their "
      "state and sequence numbers. It works for each program that embeds the engine and has a "
      "journal. An act asks for confirmation, and is recorded in the event log.",
      "nexusfix ctl"};
  app.add_option("--engine", options.engine,
                 "its configuration file, or its store's folder; default: the only one that runs")
      ->option_text("PATH");
  app.fallthrough();
  app.require_subcommand(1);
  add_acts(app, options);
  app.footer(
      "Examples:\n"
      "  $ nexusfix ctl status\n"
      "  $ nexusfix ctl log-out 'FIX.4.4:VENUE->TRADER' --reason 'agreed by phone'");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  return run_chosen(options, app.get_subcommands().front()->get_name());
}

}  // namespace nexusfix::command
