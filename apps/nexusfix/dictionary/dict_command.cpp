#include <CLI/CLI.hpp>
#include <utility>

#include "nexusfix/dictionary/dict.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"

namespace nexusfix::command {

int run_dict(Arguments arguments) {
  if (!arguments.empty() && arguments.front() == "learn") {
    arguments.erase(arguments.begin());
    return run_dict_learn(std::move(arguments));
  }
  CLI::App app{
      "Explains tags, names, values and messages. It also shows how two versions or two "
      "dictionaries differ. `nexusfix dict learn` makes a dictionary from logs: see its --help.",
      "nexusfix dict"};
  DictOptions options;
  std::pair<std::string, std::string> diff;
  app.add_option("WORD", options.words,
                 "a tag, a name, FIELD=VALUE or a MsgType; without one: a list of the messages");
  CLI::Option* const version =
      app.add_option("--version", options.version,
                     "the FIX version (default FIX.4.4, and others for what it lacks): one of " +
                         version_names())
          ->option_text("VERSION");
  CLI::Option* const file =
      app.add_option("--dict", options.dictionary, "your own dictionary: QuickFIX XML or Orchestra")
          ->option_text("FILE")
          ->excludes(version);
  app.add_option("--diff", diff, "compare two versions or files; WORDs limit the comparison")
      ->option_text("A B")
      ->excludes(version)
      ->excludes(file);
  app.add_flag("--json", options.json, "print JSON, one object a line, for programs");
  bool is_lenient = false;
  app.add_flag("--lenient", is_lenient, "accept a dictionary with errors, and list the errors");
  app.footer(
      "Examples:\n"
      "  $ nexusfix dict 150 ExecType      what is tag 150?\n"
      "  $ nexusfix dict 39=2              what does this value mean?\n"
      "  $ nexusfix dict D                 which fields has a NewOrderSingle?\n"
      "  $ nexusfix dict --diff FIX.4.2 FIX.4.4 D\n"
      "  $ nexusfix dict learn messages.log > venue.xml\n\n"
      "Exit status:\n"
      "  0  every WORD is known\n"
      "  1  a WORD is unknown\n"
      "  2  a dictionary cannot be read, or the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (is_lenient) options.faults = dictionary::DictionaryFaults::Warn;
  if (!diff.first.empty()) options.diff = {diff.first, diff.second};
  PosixDisk disk;
  return answer_questions(options, disk, {});
}

}  // namespace nexusfix::command
