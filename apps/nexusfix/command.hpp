// What the subcommands of `nexusfix` share: their entry in the list that main() reads, and the
// parsing of arguments.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/language.hpp>

#include "nexusfix/files/settings_loader.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace nexusfix::command {

// The exit status of the process.
inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kUsage = 2;

using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view purpose;  // one line: "nexusfix NAME: PURPOSE" has at most 80 columns
  std::string_view example;
  int (*run)(Arguments arguments);
};

// In the order in which a newcomer meets them.
[[nodiscard]] std::span<const Command> commands() noexcept;

// The subcommand whose name is spelled most like text; null if none is near.
[[nodiscard]] const Command* nearest_command(std::string_view text) noexcept;

// Calls visit with the arguments and the help of a subcommand, without running it.
void describe(const Command& command, FunctionRef<void(const CLI::App& app)> visit);

// app is a subcommand by its name, such as "nexusfix serve", and its description has the details of
// the help. Returns nothing if the subcommand goes on. Otherwise it has printed the help or an
// error in the arguments, and returns the exit status.
[[nodiscard]] std::optional<int> parse_arguments(CLI::App& app, Arguments arguments);

// --strict, of a subcommand that opens an engine.
void add_strict(CLI::App& app, UnknownKeys& unknown_keys);

// --dict: the path of a dictionary.
CLI::Option* add_dictionary_option(CLI::App& app, std::string& path);

// Prints "nexusfix NAME: text" to standard error. Returns kFailure.
int fail(std::string_view name, std::string_view text);

int run_demo(Arguments arguments);
int run_serve(Arguments arguments);
int run_trade(Arguments arguments);
int run_connect(Arguments arguments);
int run_config(Arguments arguments);
int run_explain(Arguments arguments);
int run_doctor(Arguments arguments);
int run_ctl(Arguments arguments);
int run_tui(Arguments arguments);
int run_journal(Arguments arguments);
int run_front_door(Arguments arguments);
int run_passwd(Arguments arguments);
int run_bench(Arguments arguments);
int run_simulate(Arguments arguments);
int run_cluster(Arguments arguments);
int run_codegen(Arguments arguments);
int run_help(Arguments arguments);
// In gateway/, logs/, stream/, tester/ and venues/.
int run_gateway(Arguments arguments);
int run_decode(Arguments arguments);
int run_grep(Arguments arguments);
int run_stats(Arguments arguments);
int run_order(Arguments arguments);
int run_dict_learn(Arguments arguments);
int run_diff(Arguments arguments);
int run_replay(Arguments arguments);
int run_anonymise(Arguments arguments);
int run_export(Arguments arguments);
int run_validate(Arguments arguments);
int run_stream(Arguments arguments);
int run_otlp(Arguments arguments);
int run_test(Arguments arguments);
int run_certify(Arguments arguments);
// run_serve() calls it for --venue.
int run_serve_venue(Arguments arguments);
// The names of the venue kits; empty: the program has none.
[[nodiscard]] std::vector<std::string> kit_words();

}  // namespace nexusfix::command
