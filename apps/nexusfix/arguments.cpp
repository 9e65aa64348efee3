// How the subcommands parse their arguments.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "base/api/edit_distance.hpp"
#include "base/api/printable_text.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/text/help.hpp"

namespace nexusfix::command {
namespace {

// Set while describe() runs: parse_arguments() then calls it and parses nothing.
FunctionRef<void(const CLI::App&)>* describing = nullptr;

// "there is no subcommand 'chek'; there are show, verify". Empty: the arguments name a subcommand,
// or need none.
std::string unknown_subcommand(const CLI::App& app, const std::vector<std::string>& unknown) {
  if (app.get_require_subcommand_min() == 0 || !app.get_subcommands().empty() || unknown.empty())
    return {};
  std::vector<std::string> names;
  for (const CLI::App* one : app.get_subcommands({})) names.push_back(one->get_name());
  return fmt::format("{}: there is no subcommand '{}'; there are {}\n", app.get_name(),
                     printable(unknown.front()), fmt::join(names, ", "));
}

}  // namespace

const Command* nearest_command(std::string_view text) noexcept {
  constexpr std::size_t kTextBytesMax = 32;  // longer is no misspelling
  if (text.empty() || text.size() > kTextBytesMax) return nullptr;
  const Command* nearest = nullptr;
  std::size_t least = 4;  // a word with more than 3 changes is another word
  for (const Command& command : commands()) {
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

CLI::Option* add_dictionary_option(CLI::App& app, std::string& path) {
  return app.add_option("--dict", path, "your own dictionary: QuickFIX XML or Orchestra")
      ->option_text("FILE");
}

std::optional<int> parse_arguments(CLI::App& app, Arguments arguments) {
  // The list of all subcommands and the help of this one have the same summary.
  const std::string name = app.get_name().substr(app.get_name().find(' ') + 1);
  const std::span<const Command> all = commands();
  const auto command = std::ranges::find(all, std::string_view{name}, &Command::name);
  if (command != all.end())  // `dict learn` has a summary of its own
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
    if (const std::string text = unknown_subcommand(app, unknown); !text.empty()) {
      fmt::print(stderr, "{}", text);
      return kUsage;
    }
    return app.exit(error) == 0 ? kSuccess : kUsage;
  }
}

}  // namespace nexusfix::command
