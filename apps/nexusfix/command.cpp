#include "nexusfix/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>

#include <nexusfix/base/edit_distance.hpp>

#include "nexusfix/dictionary/dict.hpp"
#include "nexusfix/logs/anonymise/anonymise.hpp"
#include "nexusfix/logs/columns/export.hpp"
#include "nexusfix/logs/diff/diff.hpp"
#include "nexusfix/logs/grep/grep.hpp"
#include "nexusfix/logs/order/order.hpp"
#include "nexusfix/logs/replay/replay.hpp"
#include "nexusfix/logs/stats/stats.hpp"
#include "nexusfix/messages/decode.hpp"
#include "nexusfix/messages/validate.hpp"
#include "nexusfix/stream/stream.hpp"
#include "nexusfix/text/help.hpp"

namespace nexusfix::command {
namespace {

constexpr std::array kCommands{
    Command{"demo", "run a venue and a trader on this machine, and measure them", "demo", run_demo},
    Command{"decode", "print FIX messages with field names and meanings", "decode messages.log",
            run_decode},
    Command{"grep", "find messages in logs by their fields",
            "grep 'MsgType=D and Price>150' messages.log", run_grep},
    Command{"stats", "count messages, gaps, rejects and latencies in logs", "stats messages.log",
            run_stats},
    Command{"order", "show the life of an order, and what its state must be",
            "order A1 messages.log", run_order},
    Command{"diff", "compare the logs of two sides", "diff trader.log venue.log", run_diff},
    Command{"replay", "send the messages of a log into a session",
            "replay --connect 127.0.0.1:5001 messages.log", run_replay},
    Command{"anonymise", "replace names and texts in logs by pseudonyms", "anonymise messages.log",
            run_anonymise},
    Command{"export", "write messages as rows of Parquet or Arrow files",
            "export --parquet day.parquet messages.log", run_export},
    Command{"validate", "find the errors in FIX messages", "validate messages.log", run_validate},
    Command{"dict", "look up fields, values and messages, and compare versions", "dict 39=2",
            run_dict},
    Command{"explain", "explain an event of the logs, and what to do", "explain NXF-1042",
            run_explain},
    Command{"config", "check, explain and write configuration files", "config check trader.cfg",
            run_config},
    Command{"doctor", "find what costs latency on this machine", "doctor venue.cfg", run_doctor},
    Command{"serve", "run the example venue, an acceptor with an order book", "serve venue.cfg",
            run_serve},
    Command{"connect", "log on to an acceptor, and send messages by hand or by script",
            "connect client.cfg", run_connect},
    Command{"trade", "run the example trader, an initiator that sends orders",
            "trade trader.cfg --orders 1000", run_trade},
    Command{"ctl", "show and steer a running engine", "ctl status", run_ctl},
    Command{"cluster", "show a cluster of engines, and move its shards", "cluster status venue.cfg",
            run_cluster},
    Command{"journal", "show, check, repair and change a journal", "journal show store/venue",
            run_journal},
    Command{"stream", "send the messages of a journal to Kafka",
            "stream -f --kafka kafka1:9092 --topic fix store/venue", run_stream},
    Command{"front-door", "accept clients on one port, and connect them to their engine",
            "front-door --listen 9878 venue-a.cfg@node1,node2", run_front_door},
    Command{"passwd", "set the users and passwords of an acceptor", "passwd users.txt BROKER",
            run_passwd},
    Command{"codegen", "write C++ types for the messages of a dictionary",
            "codegen venue.xml -o generated", run_codegen},
    Command{"simulate", "run engines in virtual time, with faults, and check them",
            "simulate --seeds 100", run_simulate},
    Command{"bench", "measure the parts of NexusFIX on this machine", "bench --quick", run_bench},
    Command{"help", "print help, man pages and the completion of shells", "help grep", run_help},
};

// Set while describe() runs: parse_arguments() then calls it and parses nothing.
FunctionRef<void(const CLI::App&)>* describing = nullptr;

}  // namespace

std::span<const Command> commands() noexcept { return kCommands; }

const Command* nearest_command(std::string_view text) noexcept {
  constexpr std::size_t kTextBytesMax = 32;  // longer is no misspelling
  if (text.empty() || text.size() > kTextBytesMax) return nullptr;
  const Command* nearest = nullptr;
  std::size_t least = 4;  // a word with more than 3 changes is another word
  for (const Command& command : kCommands) {
    if (command.name.starts_with(text)) return &command;
    const std::size_t distance = edit_distance(text, command.name);
    if (distance < least && distance < command.name.size()) {
      nearest = &command;
      least = distance;
    }
  }
  return nearest;
}

void describe(const Command& command, FunctionRef<void(const CLI::App& app)> visit) {
  describing = &visit;
  static_cast<void>(command.run({}));
  describing = nullptr;
}

void add_strict(CLI::App& app, UnknownKeys& unknown_keys) {
  app.add_flag_callback(
      "--strict", [&] { unknown_keys = UnknownKeys::Refuse; },
      "treat an unknown configuration key as an error");
}

std::optional<int> parse_arguments(CLI::App& app, Arguments arguments) {
  // The list of all subcommands and the help of this one have the same summary.
  const std::string name = app.get_name().substr(app.get_name().find(' ') + 1);
  const auto command = std::ranges::find(kCommands, std::string_view{name}, &Command::name);
  app.description(fmt::format("{}\n{}", command->purpose, app.get_description()));
  const auto formatter = help_formatter();
  app.formatter(formatter);
  for (CLI::App* subcommand : app.get_subcommands({})) subcommand->formatter(formatter);
  if (describing != nullptr) {
    (*describing)(app);
    return kSuccess;
  }
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    return argument_error(*failed, error);
  });
  std::ranges::reverse(arguments);  // as CLI11 wants a vector
  try {
    app.parse(std::move(arguments));
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    // Report a misspelt option before the required option that is missing because of it.
    const std::vector<std::string> unknown = app.remaining(true);
    const auto option = std::ranges::find_if(
        unknown, [](const std::string& word) { return word.starts_with('-'); });
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError) &&
        option != unknown.end()) {
      return app.exit(CLI::ExtrasError(app.get_name(), {*option})) == 0 ? kSuccess : kUsage;
    }
    return app.exit(error) == 0 ? kSuccess : kUsage;
  }
}

}  // namespace nexusfix::command
