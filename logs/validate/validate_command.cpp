#include <CLI/CLI.hpp>
#include <utility>

#include "logs/log_options.hpp"
#include "logs/validate/validate.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"
#include "nexusfix/files/interrupt.hpp"

namespace nexusfix::command {

int run_validate(Arguments arguments) {
  CLI::App app{
      "Checks each message against the dictionary of its FIX version, or against your own. It "
      "prints the place of each error, what the dictionary says, and a correct value. The input is "
      "the same as of `nexusfix decode`.",
      "nexusfix validate"};
  ValidateOptions options;
  std::vector<std::string> rules;
  add_log_options(app, options.input);
  CLI::Option* const version =
      app.add_option("--version", options.version,
                     "the FIX version of all messages (default: each message's own): one of " +
                         version_names())
          ->option_text("VERSION");
  add_dictionary_option(app, options.dictionary)->excludes(version);
  app.add_option("--set", rules,
                 "a validation key of the configuration, KEY=Y or KEY=N, also several times: " +
                     rule_names())
      ->check([&](const std::string& word) -> std::string {
        dictionary::ValidationRules ignored;
        return set_rule(ignored, word) ? "" : word + ": none of " + rule_names() + " with =Y or =N";
      })
      ->allow_extra_args(false)
      ->option_text("KEY=Y|N");
  app.add_flag("--json", options.json, "print JSON, one object for each message, for programs");
  app.add_flag("--summary", options.summary, "print only the number of invalid messages");
  bool is_lenient = false;
  app.add_flag("--lenient", is_lenient, "accept a dictionary with errors, and list the errors");
  app.footer(
      "Examples:\n"
      "  $ nexusfix validate messages.log\n"
      "  $ nexusfix validate --dict venue.xml --summary messages.log\n\n"
      "Exit status:\n"
      "  0  every message is valid\n"
      "  1  a message is invalid, there is none, or a file could not be read to its end\n"
      "  2  a file or dictionary cannot be read, or the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (is_lenient) options.faults = dictionary::DictionaryFaults::Warn;
  for (const std::string& rule : rules) static_cast<void>(set_rule(options.rules, rule));
  catch_interrupts();
  PosixDisk disk;
  return validate_files(options, disk, {});
}

}  // namespace nexusfix::command
