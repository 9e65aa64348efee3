#include <CLI/CLI.hpp>
#include <utility>

#include "nexusfix/dictionary/dict.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"

namespace nexusfix::command {

int run_dict(Arguments arguments) {
  CLI::App app{
      "Answers questions about FIX: what a field is, what a value means, what a message needs, "
      "how\n"
      "two versions or dictionaries differ.\n\n"
      "  $ nexusfix dict 150 ExecType      what is tag 150?\n"
      "  $ nexusfix dict 39=2              what does it mean?\n"
      "  $ nexusfix dict D                 what does a NewOrderSingle need?\n"
      "  $ nexusfix dict --diff FIX.4.2 FIX.4.4 D\n\n"
      "Ends with 0 if every question has an answer, 1 if one has none, 2 if a dictionary cannot "
      "be\n"
      "read.",
      "nexusfix dict"};
  DictOptions options;
  std::pair<std::string, std::string> diff;
  app.add_option("WORD", options.words,
                 "a tag, a name, a field=value, a MsgType; none: what there is");
  CLI::Option* const version = app.add_option("--version", options.version,
                                              "one of " + version_names() +
                                                  "; FIX.4.4 if not given, and others for what it "
                                                  "lacks")
                                   ->option_text("VERSION");
  CLI::Option* const file = app.add_option("--dict", options.dictionary,
                                           "a dictionary of your own: QuickFIX XML or Orchestra")
                                ->option_text("FILE")
                                ->excludes(version);
  app.add_option("--diff", diff,
                 "how two versions or files differ; WORDs after them limit what is compared")
      ->option_text("A B")
      ->excludes(version)
      ->excludes(file);
  app.add_flag("--json", options.json, "one object a line, for programs");
  bool is_lenient = false;
  app.add_flag("--lenient", is_lenient, "read a dictionary that has faults, and list them all");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (is_lenient) options.faults = dictionary::DictionaryFaults::Warn;
  if (!diff.first.empty()) options.diff = {diff.first, diff.second};
  PosixDisk disk;
  return answer_questions(options, disk, {});
}

}  // namespace nexusfix::command
