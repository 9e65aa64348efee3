#include "nexusfix/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <memory>

#include <nexusfix/base/edit_distance.hpp>

#include "nexusfix/dictionary/dict.hpp"
#include "nexusfix/messages/decode.hpp"
#include "nexusfix/messages/message_begin.hpp"
#include "nexusfix/messages/validate.hpp"

namespace nexusfix::command {
namespace {

constexpr std::array kCommands{
    Command{"demo", "see it work: a venue and a trader, 120,000 orders, what they took", "demo",
            run_demo},
    Command{"decode", "print messages with field names and meanings", "decode messages.log",
            run_decode},
    Command{"validate", "find the errors in messages, with their places and correct values",
            "validate messages.log", run_validate},
    Command{"dict", "what a field, a value or a message is, how versions differ", "dict 39=2",
            run_dict},
    Command{"explain", "explain an event of a log, and what to do", "explain NXF-1042",
            run_explain},
    Command{"config", "explain and check a configuration file, or write one",
            "config check trader.cfg", run_config},
    Command{"doctor", "check this machine: what costs latency, and how to change it",
            "doctor venue.cfg", run_doctor},
    Command{"serve", "run the example venue: an acceptor with an order book", "serve venue.cfg",
            run_serve},
    Command{"connect", "talk to an acceptor by hand or by script", "connect client.cfg",
            run_connect},
    Command{"trade", "run the example trader against an acceptor", "trade trader.cfg --orders 1000",
            run_trade},
    Command{"journal", "show, check, repair and change a journal", "journal show store/venue",
            run_journal},
    Command{"passwd", "maintain the file of users and passwords for Logons",
            "passwd users.txt BROKER", run_passwd},
    Command{"codegen", "write C++ types for the messages of a dictionary",
            "codegen venue.xml -o generated", run_codegen},
    Command{"simulate", "run engines in virtual time with injected faults, and check them",
            "simulate --seeds 100", run_simulate},
    Command{"bench", "measure the parts of NexusFIX on this machine", "bench --quick", run_bench},
};

// "--window NUMBER   Streamed orders that may be unanswered (1 to 100000; default 256)"
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    constexpr std::string_view kTurnsOff = "{false}";
    std::string name = CLI::Formatter::make_option_name(option, is_positional);
    if (const std::size_t at = name.find(kTurnsOff); at != std::string::npos) {
      name.erase(at, kTurnsOff.size());
    }
    return name;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (!option->get_option_text().empty()) return " " + option->get_option_text();
    if (option->get_type_size() == 0) return {};
    const std::string type = option->get_type_name();
    std::string text = type.starts_with("UINT") ? " NUMBER" : " " + type;
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    if (option->get_required()) text += " REQUIRED";
    return text;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    constexpr std::string_view kRange = " in [";
    std::string notes;
    const std::string type = option->get_type_name();
    if (const std::size_t at = type.find(kRange); at != std::string::npos) {
      notes = type.substr(at + kRange.size());
      notes.pop_back();
      if (const std::size_t dash = notes.find(" - "); dash != std::string::npos) {
        notes.replace(dash, 3, " to ");
      }
    }
    if (const std::string value = option->get_default_str(); !value.empty()) {
      notes += (notes.empty() ? "default " : "; default ") + value;
    }
    return option->get_description() + (notes.empty() ? "" : " (" + notes + ")");
  }
};

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

void add_strict(CLI::App& app, UnknownKeys& unknown_keys) {
  app.add_flag_callback(
      "--strict", [&] { unknown_keys = UnknownKeys::Refuse; },
      "An unknown key of the configuration is an error");
}

void add_delimiter(CLI::App& app, std::string& delimiter) {
  app.add_option_function<std::string>(
         "--delimiter",
         [&](const std::string& text) { delimiter = *printing::read_delimiter(text); },
         "what separates fields: `;`, SOH, \\x01 and the like; what each message shows if not "
         "given")
      ->check([](const std::string& text) -> std::string {
        const auto read = printing::read_delimiter(text);
        return read ? "" : read.error();
      })
      ->option_text("TEXT");
}

std::optional<int> parse_arguments(CLI::App& app, Arguments arguments) {
  const auto formatter = std::make_shared<HelpFormatter>();
  app.formatter(formatter);
  for (CLI::App* subcommand : app.get_subcommands({})) subcommand->formatter(formatter);
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
