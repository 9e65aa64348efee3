// The form of `--help`, and of an error in the arguments: the same for all subcommands.
#pragma once

#include <memory>
#include <string>

namespace CLI {
class App;
class Error;
class FormatterBase;
}  // namespace CLI

namespace nexusfix::command {

// Prints lines of 80 columns: the summary, the usage, the details, all arguments, options and
// subcommands, and the footer. The first line of an App's description is its summary, and the rest
// its details.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter();

// "nexusfix journal show: LOG is required\nSee `nexusfix journal show --help`.\n"
[[nodiscard]] std::string argument_error(const CLI::App& app, const CLI::Error& error);

}  // namespace nexusfix::command
