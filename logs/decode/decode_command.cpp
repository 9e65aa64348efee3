#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "logs/decode/decode.hpp"
#include "logs/log_options.hpp"
#include "nexusfix/files/interrupt.hpp"

namespace nexusfix::command {

int run_decode(Arguments arguments) {
  CLI::App app{
      "Finds FIX messages in any text. The separator of fields may be SOH, `|`, `^A`, `;` or any "
      "other: each message shows its own. Text before `8=FIX` in a line is printed unchanged.",
      "nexusfix decode"};
  DecodeOptions options;
  const std::map<std::string, ColourChoice, std::less<>> choices{{"auto", ColourChoice::Auto},
                                                                 {"always", ColourChoice::Always},
                                                                 {"never", ColourChoice::Never}};
  std::string colour = "auto";
  add_log_options(app, options.input);
  add_follow_option(app, options.input);
  add_jobs_option(app, options.input);
  add_dictionary_option(app, options.dictionary);
  app.add_option("--color", colour, "auto, always or never (default auto: on a terminal)")
      ->check([&](const std::string& word) -> std::string {
        return choices.contains(word) ? "" : word + ": auto, always or never was expected";
      })
      ->option_text("WHEN");
  CLI::Option* const summary =
      app.add_flag("--summary", options.summary, "print one line for each message, and a count");
  add_output_options(app, options.form, options.fields, options.shows_passwords);
  app.get_option("--fields")->excludes(summary);
  bool is_lenient = false;
  app.add_flag("--lenient", is_lenient, "accept a dictionary with errors, and list the errors");
  app.footer(
      "Examples:\n"
      "  $ nexusfix decode messages.log\n"
      "  $ nexusfix decode --csv --fields SendingTime,ClOrdID,Text messages.log.gz\n"
      "  $ grep 11=A1 messages.log | nexusfix decode --summary\n\n"
      "Exit status:\n"
      "  0  no message is faulty\n"
      "  1  a message is faulty, there is none, or a file could not be read to its end\n"
      "  2  a file or dictionary cannot be opened, or the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (is_lenient) options.faults = dictionary::DictionaryFaults::Warn;
  options.colour = choices.at(colour);
  catch_interrupts();
  PosixDisk disk;
  return decode_files(options, disk, {});
}

}  // namespace nexusfix::command
