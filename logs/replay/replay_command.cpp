#include <CLI/CLI.hpp>
#include <charconv>
#include <utility>

#include "logs/log_options.hpp"
#include "logs/replay/replay.hpp"
#include "nexusfix/files/engine_options.hpp"

namespace nexusfix::command {
namespace {

// "host:5001" or "[::1]:5001". False: it is neither.
bool read_address(std::string_view text, std::string& host, std::uint16_t& port) {
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return false;
  std::string_view name = text.substr(0, colon);
  if (name.size() > 2 && name.front() == '[' && name.back() == ']') {
    name = name.substr(1, name.size() - 2);
  }
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data() + colon + 1, end, port);
  if (fault != std::errc{} || stop != end || port == 0) return false;
  host = name;
  return true;
}

// A factor above 0; 0 for "max".
std::optional<double> read_speed(std::string_view text) {
  if (text == "max") return 0;
  double speed = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, speed);
  constexpr double kSpeedMin = 0.001;
  constexpr double kSpeedMax = 1e6;
  const bool is_valid =
      fault == std::errc{} && stop == end && speed >= kSpeedMin && speed <= kSpeedMax;
  return is_valid ? std::optional{speed} : std::nullopt;
}

void add_session_options(CLI::App& app, ReplayOptions& options) {
  CLI::Option* const config =
      app.add_option("--config", options.config,
                     "the configuration file of the session, an initiator or an acceptor")
          ->option_text("FILE");
  app.add_option_function<std::string>(
         "--connect",
         [&](const std::string& text) {
           static_cast<void>(read_address(text, options.host, options.port));
         },
         "connect to an acceptor, without a configuration file, and begin with MsgSeqNum 1")
      ->check([](const std::string& text) -> std::string {
        std::string host;
        std::uint16_t port = 0;
        return read_address(text, host, port) ? "" : text + ": HOST:PORT was expected";
      })
      ->excludes(config)
      ->option_text("HOST:PORT");
  app.add_option("--version", options.version,
                 "with --connect: FIX.4.4, FIX.5.0SP2 and so on (default: that of the log)")
      ->excludes(config)
      ->option_text("NAME");
  app.add_option("--sender", options.sender,
                 "with --connect: SenderCompID (default: that of the log)")
      ->excludes(config)
      ->option_text("ID");
  app.add_option("--target", options.target,
                 "with --connect: TargetCompID (default: that of the log)")
      ->excludes(config)
      ->option_text("ID");
  add_strict(app, options.unknown_keys);
}

void add_choice_options(CLI::App& app, ReplayOptions& options) {
  add_where_option(app, options.expression);
  app.add_option("--sent-by", options.sent_by,
                 "only messages of this SenderCompID (default: that of the first one)")
      ->option_text("ID");
  app.add_option_function<std::string>(
         "--speed", [&](const std::string& text) { options.speed = *read_speed(text); },
         "N times the pace of the log, 0.001 to 1000000, or max: without pauses (default 1)")
      ->check([](const std::string& text) -> std::string {
        return read_speed(text) ? ""
                                : text + ": a number from 0.001 to 1000000, or max, was expected";
      })
      ->option_text("N");
  app.add_flag("--keep-dates", options.changes.keeps_dates,
               "send times and dates as they are (default: moved with SendingTime)");
  app.add_option("--id-prefix", options.changes.id_prefix,
                 "put TEXT before ClOrdID, OrigClOrdID, ListID, QuoteID, QuoteReqID and MDReqID")
      ->option_text("TEXT");
  add_dictionary_option(app, options.dictionary);
  app.add_option("--logon-timeout", options.logon_seconds,
                 "fail if the session is not logged on after this time")
      ->capture_default_str()
      ->check(CLI::Range(1, 86'400))
      ->option_text("SECONDS");
  app.add_option("--wait", options.wait_seconds,
                 "end when no answer has come for this time after the last message")
      ->capture_default_str()
      ->check(CLI::Range(0, 3'600))
      ->option_text("SECONDS");
}

}  // namespace

int run_replay(Arguments arguments) {
  CLI::App app{
      "Sends the application messages of one side of a log into a session, with new sequence "
      "numbers and times. It leaves out administrative messages and those with PossDupFlag. It "
      "prints what the counterparty rejects, and ends with a Logout, also after Ctrl-C.",
      "nexusfix replay"};
  ReplayOptions options;
  add_log_options(app, options.input);
  add_session_options(app, options);
  add_choice_options(app, options);
  app.footer(
      "Examples:\n"
      "  $ nexusfix replay --connect 127.0.0.1:5001 --speed 10 messages.log\n"
      "  $ nexusfix replay --config client.cfg --where 'MsgType=D' messages.log.gz\n\n"
      "Exit status:\n"
      "  0  every message was sent, and no Reject or BusinessMessageReject came\n"
      "  1  a message was rejected or not sent, there is none, or a signal came\n"
      "  2  a file cannot be opened, or EXPR or the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (options.config.empty() && options.host.empty()) {
    fail("replay", "--config or --connect is required");
    return kUsage;
  }
  // It outlives the thread that reads standard input.
  static PosixDisk disk;
  return replay_files(options, disk, {}, engine_options(false));
}

}  // namespace nexusfix::command
