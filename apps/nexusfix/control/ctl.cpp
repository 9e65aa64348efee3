// nexusfix ctl: shows and steers a running engine through its control socket.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <poll.h>
#include <string>
#include <unistd.h>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/session/identity.hpp>

#include "base/api/ascii.hpp"
#include "control/api/running_engine.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/control/engine_place.hpp"
#include "nexusfix/control/engine_report.hpp"
#include "nexusfix/control/tail.hpp"
#include "nexusfix/journal/journal_set.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kCtlCommand = "ctl";
constexpr int kBetweenLooksMillis = 1'000;
// A reload reads files, and the engine limits that.
constexpr std::chrono::seconds kActTimeout{75};

struct CtlOptions {
  // A configuration file, a store's folder or a control socket; empty: the only one that runs.
  std::string engine;
  std::string session;
  std::string text;
  std::string reason;
  std::uint64_t next_in = 0;  // 0: not given
  std::uint64_t next_out = 0;
  std::uint64_t new_seq_no = 0;
  std::uint64_t seconds = 30;  // of a drain
  std::uint64_t wait_seconds = 10;
  bool drains = false;
  bool is_in_session = false;  // of a reset
  bool is_json = false;
  bool watches = false;
  bool is_confirmed = false;
  bool is_summary = false;
  TailOptions tail;
};

std::expected<engine::EngineStatus, std::string> status_in(const std::string& folder) {
  auto status = engine::status_of_running_engine(folder);
  if (!status) return std::unexpected{engine_fault(status.error(), folder)};
  return *std::move(status);
}

std::expected<std::string, std::string> status_text(const std::string& folder,
                                                    const CtlOptions& options) {
  auto status = status_in(folder);
  if (!status) return std::unexpected{std::move(status.error())};
  if (!options.session.empty()) {
    const auto found = find_session(*status, options.session);
    if (!found) return std::unexpected{found.error()};
    if (!options.is_json) return session_details(**found);
    status->sessions = {engine::SessionStatistics{**found}};
  }
  return options.is_json ? engine_json(*status) : engine_table(*status, SystemClock{}.now().wall);
}

int show_status(const std::string& folder, const CtlOptions& options) {
  for (;;) {
    const auto text = status_text(folder, options);
    if (!text) return fail(kCtlCommand, text.error());
    // Home, and erase what a longer list has left.
    if (options.watches && ::isatty(STDOUT_FILENO) != 0) fmt::print("\x1b[H\x1b[J");
    fmt::print("{}", *text);
    if (!options.watches) return kSuccess;
    if (std::fflush(stdout) != 0) return kFailure;
    static_cast<void>(::poll(nullptr, 0, kBetweenLooksMillis));
  }
}

std::expected<engine::SessionStatistics, std::string> session_in(const std::string& folder,
                                                                 const CtlOptions& options) {
  const auto status = status_in(folder);
  if (!status) return std::unexpected{status.error()};
  const auto found = find_session(*status, options.session);
  if (!found) return std::unexpected{found.error()};
  return **found;
}

int show_latency(const std::string& folder, CtlOptions options) {
  if (!options.session.empty()) {
    const auto session = session_in(folder, options);
    if (!session) return fail(kCtlCommand, session.error());
    options.session = session->name;
  }
  const auto rows = engine::latencies_of_running_engine(folder, options.session);
  if (!rows) return fail(kCtlCommand, engine_fault(rows.error(), folder));
  fmt::print("{}", options.is_json ? latency_json(*rows, options.session)
                                   : latency_table(*rows, options.session));
  return kSuccess;
}

// Asks on a terminal, unless --yes was given.
bool may_act(const CtlOptions& options, const std::string& what) {
  return options.is_confirmed || is_confirmed_by_hand(what + "?");
}
int not_confirmed() {
  return fail(kCtlCommand, ::isatty(STDIN_FILENO) != 0
                               ? "not confirmed: nothing was done"
                               : "not confirmed: nothing was done; without a terminal, use --yes");
}

std::string audit_text(const CtlOptions& options) {
  return fmt::format("{}: {}", operator_name(),
                     options.reason.empty() ? "no reason was given" : options.reason);
}

int set_numbers_of(const std::string& folder, const CtlOptions& options,
                   const engine::SessionStatistics& session) {
  session::Numbers wanted = session.next;
  if (options.next_in != 0) wanted.next_inbound = options.next_in;
  if (options.next_out != 0) wanted.next_outbound = options.next_out;
  if (wanted == session.next) {
    return fail(kCtlCommand,
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
  if (!done) return fail(kCtlCommand, engine_fault(done.error(), folder));
  if (options.is_json) {
    fmt::print("{}", Json::object({{"act", "set-numbers"},
                                   {"session", session.name},
                                   {"nextInbound", wanted.next_inbound},
                                   {"nextOutbound", wanted.next_outbound}})
                         .document());
  } else {
    fmt::print("set: {} next MsgSeqNum in {}, out {}\n", session.name, wanted.next_inbound,
               wanted.next_outbound);
  }
  return kSuccess;
}

int set_numbers(const std::string& folder, const CtlOptions& options) {
  const auto session = session_in(folder, options);
  if (!session) return fail(kCtlCommand, session.error());
  return set_numbers_of(folder, options, *session);
}

// What a person must know before an act.
std::string question_of(engine::OperatorAct what, const engine::SessionStatistics& session,
                        const CtlOptions& options) {
  std::string text =
      fmt::format("{} {} ({})", to_string(what), session.name, to_string(session.state));
  if (what == engine::OperatorAct::SendGapFill) {
    text += fmt::format(": our MsgSeqNums {} to {} are skipped", session.next.next_outbound,
                        options.new_seq_no - 1);
  }
  if (what == engine::OperatorAct::LogOut) {
    text += session.is_initiator ? ": it connects again only after log-on"
                                 : ": the counterparty may log on again (disable prevents it)";
  }
  if (what == engine::OperatorAct::ResetInSession)
    text += ": both sides' sequence numbers begin again at 1, without a disconnect";
  if (what == engine::OperatorAct::Reset)
    text += ": our two sequence numbers begin again at 1; the counterparty must reset its own";
  return text;
}

void print_done(std::string_view act, const engine::SessionStatistics* session,
                const CtlOptions& options, std::string_view result) {
  if (options.is_json) {
    Json json = Json::object({{"act", act}});
    if (session != nullptr) {
      json.set("session", session->name);
      json.set("state", to_string(session->state));
      json.set("nextInbound", session->next.next_inbound);
      json.set("nextOutbound", session->next.next_outbound);
    }
    if (!result.empty()) json.set("result", result);
    return fmt::print("{}", json.document());
  }
  if (session == nullptr && !result.empty()) return fmt::print("{}: {}\n", act, result);
  if (session == nullptr)
    return fmt::print("{}: the engine carries it out; its event log has the result\n", act);
  if (act == to_string(engine::OperatorAct::SendGapFill)) {
    return fmt::print("{} {}: our next MsgSeqNum is {} now\n", act, session->name,
                      session->next.next_outbound);
  }
  fmt::print("{} {}: it is {} now\n", act, session->name, to_string(session->state));
}

int act(const std::string& folder, CtlOptions options, engine::OperatorAct what) {
  const bool has_session = engine::needs_session(what);
  const std::string_view name = to_string(what);
  std::string question = fmt::format("{}{}{}: the engine with the store {}", name,
                                     has_session || options.text.empty() ? "" : " ",
                                     has_session ? std::string{} : options.text, folder);
  if (has_session) {
    const auto session = session_in(folder, options);
    if (!session) return fail(kCtlCommand, session.error());
    options.session = session->name;
    question = question_of(what, *session, options);
  }
  if (!may_act(options, question)) return not_confirmed();
  const bool is_fill = what == engine::OperatorAct::SendGapFill;
  const bool is_drain = what == engine::OperatorAct::Drain;
  const std::uint64_t number = is_fill ? options.new_seq_no : is_drain ? options.seconds : 0;
  const auto done = engine::command_running_engine(folder,
                                                   {.act = what,
                                                    .session = options.session,
                                                    .text = options.text,
                                                    .number = number,
                                                    .reason = audit_text(options)},
                                                   kActTimeout);
  if (!done) return fail(kCtlCommand, engine_fault(done.error(), folder));
  if (!has_session) {
    print_done(name, nullptr, options, *done);
    return kSuccess;
  }
  const auto after = session_in(folder, options);
  if (!after) return fail(kCtlCommand, after.error());
  print_done(name, &*after, options, {});
  return kSuccess;
}

int test_request(const std::string& folder, const CtlOptions& options) {
  const auto session = session_in(folder, options);
  if (!session) return fail(kCtlCommand, session.error());
  if (!may_act(options, question_of(engine::OperatorAct::TestRequest, *session, options)))
    return not_confirmed();
  const auto took = engine::test_running_session(folder, session->name, audit_text(options),
                                                 std::chrono::seconds{options.wait_seconds});
  if (!took) return fail(kCtlCommand, engine_fault(took.error(), folder));
  const double micros = static_cast<double>(took->count()) / 1'000.0;
  if (options.is_json) {
    fmt::print("{}", Json::object({{"act", "test-request"},
                                   {"session", session->name},
                                   {"roundTripMicros", micros}})
                         .document());
  } else {
    fmt::print("test-request {}: its Heartbeat came after {:.1f} us\n", session->name, micros);
  }
  return kSuccess;
}

// The tables of all engines of this user. 1 if one of them does not answer.
int show_engines(const std::vector<std::string>& folders, const CtlOptions& options) {
  int worst = kSuccess;
  for (const std::string& folder : folders) {
    fmt::print("{}--engine {}\n", &folder == &folders.front() ? "" : "\n", folder);
    worst = std::max(worst, show_status(folder, options));
  }
  return worst;
}

int run_chosen(CtlOptions options, const std::string& chosen) {
  const bool is_plain_status = chosen == "status" && options.engine.empty() &&
                               options.session.empty() && !options.is_json && !options.watches;
  if (is_plain_status) {
    const std::vector<std::string> running = engine::find_running_engines();
    if (running.size() > 1) return show_engines(running, options);
  }
  const auto folder = engine_place(kCtlCommand, options.engine);
  if (!folder) return fail(kCtlCommand, folder.error());
  if (!is_reason(options.reason)) return fail(kCtlCommand, kReasonTooLong);
  if (chosen == "status") return show_status(*folder, options);
  if (chosen == "latency") return show_latency(*folder, options);
  if (chosen == "set-numbers") return set_numbers(*folder, options);
  if (chosen == "test-request") return test_request(*folder, options);
  if (chosen == "tail") {
    options.tail.form = options.is_json      ? TailForm::Json
                        : options.is_summary ? TailForm::Summary
                                             : TailForm::Fields;
    return run_tail(*folder, options.tail);
  }
  if (chosen == "stop" && options.drains) return act(*folder, options, engine::OperatorAct::Drain);
  if (chosen == "reset" && options.is_in_session)
    return act(*folder, options, engine::OperatorAct::ResetInSession);
  return act(*folder, options, *engine::operator_act_of(chosen));
}

struct Act {
  const char* name;
  const char* purpose;
  const char* arguments = "--reason 'agreed by phone'";  // of the example
};
constexpr const char* kExampleSession = "'FIX.4.4:VENUE->TRADER'";
constexpr const char* kActExitStatus =
    "\n\nExit status:\n"
    "  0  success\n"
    "  1  no engine answers, it refuses the command, or it was not confirmed\n"
    "  2  the arguments are wrong";
constexpr std::array kSessionActs{
    Act{"log-out", "send a Logout; an initiator then stays logged out"},
    Act{"log-on", "initiator: connect and log on again"},
    Act{"disconnect", "end the connection without a Logout"},
    Act{"reset", "reset both sequence numbers to 1"},
    Act{"enable", "allow Logons again after disable"},
    Act{"disable", "log out; refuse Logons until enable, also after a restart"},
    Act{"test-request", "send a TestRequest, and show when its Heartbeat comes back",
        "--reason 'is it alive'"},
    Act{"send-gap-fill", "skip outbound sequence numbers that were never used", "--to 120"},
    Act{"set-numbers", "set the next sequence numbers of a session without a connection",
        "--next-in 120"},
};
constexpr std::array kEngineActs{
    Act{"reload", "read the configuration again"},
    Act{"rotate-logs", "close the log files and open them again"},
    Act{"reload-certificates", "read certificates, keys and revocation lists again"},
    Act{"stop", "log out every session, and end the engine"},
    Act{"move-shard", "hand the engine's shard over to a node that waits for it",
        "venue-b --reason 'new disk'"},
    Act{"drain-node", "hand over the shards of the engine's node; it takes none until join-node",
        "--reason 'new version'"},
    Act{"join-node", "let the engine's node take shards again", "--reason 'new version'"},
};

void add_acts(CLI::App& app, CtlOptions& options) {
  CLI::App* const status =
      app.add_subcommand("status", "show the sessions with their state and sequence numbers");
  status->add_option("SESSION", options.session, "show one session with all details");
  status->add_flag("--json", options.is_json, "print JSON");
  status->add_flag("--watch", options.watches, "show it again each second, until Ctrl-C");
  status->footer(std::string{"Examples:\n  $ nexusfix ctl status\n  $ nexusfix ctl status "} +
                 kExampleSession + kActExitStatus);
  CLI::App* const latency =
      app.add_subcommand("latency", "show the engine's latencies, or those of one session");
  latency->add_option("SESSION", options.session, "its name, such as FIX.4.4:VENUE->TRADER");
  latency->add_flag("--json", options.is_json, "print JSON");
  latency->footer(std::string{"Example:\n  $ nexusfix ctl latency"} + kActExitStatus);
  const auto add = [&](const Act& one, const std::string& example) {
    CLI::App* const sub = app.add_subcommand(one.name, one.purpose);
    sub->footer("Example:\n  $ nexusfix ctl " + example + one.arguments + kActExitStatus);
    sub->add_flag("--yes", options.is_confirmed, "do not ask");
    sub->add_option("--reason", options.reason, "why: for the event log and the store")
        ->option_text("TEXT");
    sub->add_flag("--json", options.is_json, "print JSON");
    return sub;
  };
  for (const Act& one : kSessionActs) {
    CLI::App* const sub = add(one, std::string{one.name} + ' ' + kExampleSession + ' ');
    sub->add_option("SESSION", options.session, "its name, such as FIX.4.4:VENUE->TRADER")
        ->required();
    const std::string_view name = one.name;
    if (name == "log-out" || name == "reset" || name == "disable")
      sub->add_option("--text", options.text, "Text (58) of the Logout")->option_text("TEXT");
    if (name == "reset") {
      sub->add_flag("--in-session", options.is_in_session,
                    "by a Logon with ResetSeqNumFlag=Y, without a disconnect");
    }
    const auto number = CLI::Range(std::uint64_t{1}, session::kSetNumberMax);
    if (name == "send-gap-fill") {
      sub->add_option("--to", options.new_seq_no, "our next MsgSeqNum after the gap fill")
          ->check(number)
          ->option_text("MSGSEQNUM REQUIRED")
          ->required();
    }
    if (name == "test-request") {
      sub->add_option("--wait", options.wait_seconds, "seconds to wait for the Heartbeat (10)")
          ->check(CLI::Range(1, 600))
          ->option_text("SECONDS");
    }
    if (name == "set-numbers") {
      sub->add_option("--next-in", options.next_in, "the next MsgSeqNum to receive")
          ->check(number)
          ->option_text("MSGSEQNUM");
      sub->add_option("--next-out", options.next_out, "the next MsgSeqNum to send")
          ->check(number)
          ->option_text("MSGSEQNUM");
    }
  }
  for (const Act& one : kEngineActs) {
    CLI::App* const sub = add(one, std::string{one.name} + ' ');
    if (std::string_view{one.name} == "move-shard")
      sub->add_option("NODE", options.text, "the node that is to have the shard")->required();
    if (std::string_view{one.name} != "stop") continue;
    sub->add_flag("--drain", options.drains,
                  "first finish resends and unsent bytes, and accept no new work");
    sub->add_option("--limit", options.seconds, "seconds that a drain may take (30)")
        ->check(CLI::Range(std::uint64_t{1}, engine::kDrainSecondsMax))
        ->option_text("SECONDS");
  }
}

void add_tail(CLI::App& app, CtlOptions& options) {
  CLI::App* const tail =
      app.add_subcommand("tail", "show messages of one session or of all, until Ctrl-C");
  tail->add_option("SESSION|FILTER", options.tail.arguments,
                   "a session's name; conditions such as 35=D or Side=BUY, which must all hold");
  tail->add_flag("--summary", options.is_summary, "print one line for each message");
  tail->add_flag("--json", options.is_json, "print one JSON object for each message");
  add_dictionary_option(*tail, options.tail.dictionary);
  tail->add_option("--count", options.tail.count, "end after this number of messages")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 62U))
      ->option_text("NUMBER");
  tail->footer(std::string{"Examples:\n  $ nexusfix ctl tail --summary\n  $ nexusfix ctl tail "} +
               kExampleSession + " MsgType=NewOrderSingle 55=EURUSD" + kActExitStatus);
}

}  // namespace

int run_ctl(Arguments arguments) {
  CtlOptions options;
  CLI::App app{
      "Shows and steers an engine that runs on this machine under this user: its sessions, their "
      "state, sequence numbers and messages. It works for each program that embeds the engine. An "
      "act asks for confirmation, and is recorded in the event log and in the store.",
      "nexusfix ctl"};
  app.add_option("--engine", options.engine,
                 "its configuration file, its store's folder, or its control socket; default: the "
                 "only one that runs")
      ->option_text("PATH");
  app.fallthrough();
  app.require_subcommand(1);
  add_acts(app, options);
  add_tail(app, options);
  app.footer(
      "Examples:\n"
      "  $ nexusfix ctl status\n"
      "  $ nexusfix ctl log-out 'FIX.4.4:VENUE->TRADER' --reason 'agreed by phone'");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  return run_chosen(std::move(options), app.get_subcommands().front()->get_name());
}

}  // namespace nexusfix::command
