#include <CLI/CLI.hpp>
#include <utility>

#include "logs/learn/learn.hpp"
#include "logs/log_options.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"
#include "nexusfix/files/interrupt.hpp"

namespace nexusfix::command {

int run_dict_learn(Arguments arguments) {
  CLI::App app{
      "make a dictionary of the messages in logs\n"
      "Prints the fields, groups and values of the messages, with counts. With --against it prints "
      "what the messages have that a dictionary does not say.",
      "nexusfix dict learn"};
  LearnOptions options;
  add_log_options(app, options.input);
  app.add_option("--version", options.version,
                 "the FIX version whose messages are learned (default: that of the first one): one "
                 "of " +
                     version_names())
      ->option_text("VERSION");
  CLI::Option* const against =
      app.add_option("--against", options.against,
                     "print what is not in this dictionary: QuickFIX XML or Orchestra")
          ->option_text("FILE");
  app.add_flag("--json", options.json, "with --against: print JSON, one object a line")
      ->needs(against);
  bool is_orchestra = false;
  app.add_flag("--orchestra", is_orchestra, "print a FIX Orchestra repository, not QuickFIX XML")
      ->excludes(against);
  bool is_lenient = false;
  app.add_flag("--lenient", is_lenient, "accept a dictionary with errors")->needs(against);
  app.footer(
      "Examples:\n"
      "  $ nexusfix dict learn messages.log > venue.xml\n"
      "  $ nexusfix dict learn --against venue.xml messages.log\n\n"
      "Exit status:\n"
      "  0  the dictionary is printed, or --against found nothing\n"
      "  1  --against found something, there is no message, or a file could not be read to its "
      "end\n"
      "  2  a file or dictionary cannot be read, or the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (is_lenient) options.faults = dictionary::DictionaryFaults::Warn;
  if (is_orchestra) options.format = logs::DictionaryFormat::Orchestra;
  catch_interrupts();
  PosixDisk disk;
  return learn_dictionary(options, disk, {});
}

}  // namespace nexusfix::command
