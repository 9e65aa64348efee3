// The form of `--help`, and of an error in the arguments: the same for all subcommands.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Error;
class FormatterBase;
}  // namespace CLI

namespace nexusfix::command {

struct HelpRow {
  std::string name;  // "-o, --output DIR", "FILE..."
  std::string description;
};

// What the help of a subcommand says.
struct HelpFacts {
  std::string name;     // "nexusfix grep"
  std::string summary;  // one line
  std::string usage;    // after the name: "[OPTIONS] EXPR [FILE...]"
  std::string details;  // each line is a paragraph; the first one is empty
  std::vector<HelpRow> arguments;
  std::vector<HelpRow> options;
  std::vector<HelpFacts> subcommands;
  std::string footer;
};

[[nodiscard]] HelpFacts help_facts(const CLI::App& app);

// Prints lines of 80 columns: the summary, the usage, the details, all arguments, options and
// subcommands, and the footer. The first line of an App's description is its summary, and the rest
// its details.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter();

// "nexusfix journal show: LOG is required\nSee `nexusfix journal show --help`.\n"
[[nodiscard]] std::string argument_error(const CLI::App& app, const CLI::Error& error);

}  // namespace nexusfix::command
