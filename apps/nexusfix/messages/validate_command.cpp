#include <CLI/CLI.hpp>
#include <utility>

#include "nexusfix/dictionary/named_dictionary.hpp"
#include "nexusfix/messages/validate.hpp"

namespace nexusfix::command {

int run_validate(Arguments arguments) {
  CLI::App app{
      "Checks FIX messages against the dictionary of their version, or one of your own, and shows\n"
      "the error in each: its place, what the dictionary says, and a correct value. It reads the\n"
      "same input as `nexusfix decode`.\n"
      "Ends with 0 if every message is valid, 1 if one is not or there is none, 2 if a file "
      "cannot\n"
      "be read.",
      "nexusfix validate"};
  ValidateOptions options;
  std::vector<std::string> rules;
  app.add_option("FILE", options.files, "files to read; none or -: standard input");
  CLI::Option* const version =
      app.add_option("--version", options.version,
                     "one of " + version_names() + "; each message's own if not given")
          ->option_text("VERSION");
  app.add_option("--dict", options.dictionary,
                 "a dictionary of your own: QuickFIX XML or Orchestra")
      ->option_text("FILE")
      ->excludes(version);
  app.add_option("--set", rules, "a rule as in a configuration, KEY=Y or KEY=N: " + rule_names())
      ->check([&](const std::string& word) -> std::string {
        dictionary::ValidationRules ignored;
        return set_rule(ignored, word) ? "" : word + ": none of " + rule_names() + " with =Y or =N";
      })
      ->allow_extra_args(false)
      ->option_text("RULE");
  add_delimiter(app, options.delimiter);
  app.add_flag("--json", options.json, "one object a message, for programs");
  app.add_flag("--summary", options.summary, "only the number of invalid messages");
  bool is_lenient = false;
  app.add_flag("--lenient", is_lenient, "read a dictionary that has faults, and list them all");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (is_lenient) options.faults = dictionary::DictionaryFaults::Warn;
  for (const std::string& rule : rules) static_cast<void>(set_rule(options.rules, rule));
  PosixDisk disk;
  return validate_files(options, disk, {});
}

}  // namespace nexusfix::command
