#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "nexusfix/messages/decode.hpp"

namespace nexusfix::command {

int run_decode(Arguments arguments) {
  CLI::App app{
      "Prints FIX messages with the names of their fields and the meanings of their values.\n"
      "Each message shows what separates its fields: SOH, `|`, `^A`, `;` or any other byte. The\n"
      "text before `8=FIX` in a line is printed unchanged.\n"
      "Ends with 0 if every message is sound, 1 if one is not or there is none, 2 if a file "
      "cannot\n"
      "be read.",
      "nexusfix decode"};
  DecodeOptions options;
  const std::map<std::string, ColourChoice, std::less<>> choices{{"auto", ColourChoice::Auto},
                                                                 {"always", ColourChoice::Always},
                                                                 {"never", ColourChoice::Never}};
  std::string colour = "auto";
  app.add_option("FILE", options.files, "files to read; none or -: standard input");
  app.add_option("--dict", options.dictionary,
                 "a dictionary of your own: QuickFIX XML or Orchestra")
      ->option_text("FILE");
  add_delimiter(app, options.delimiter);
  app.add_option("--color", colour, "auto (if a terminal reads it), always or never")
      ->check([&](const std::string& word) -> std::string {
        return choices.contains(word) ? "" : word + ": auto, always or never was expected";
      })
      ->option_text("WHEN");
  app.add_flag("--summary", options.summary, "one line a message, and a count");
  bool is_lenient = false;
  app.add_flag("--lenient", is_lenient, "read a dictionary that has faults, and list them all");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (is_lenient) options.faults = dictionary::DictionaryFaults::Warn;
  options.colour = choices.at(colour);
  PosixDisk disk;
  return decode_files(options, disk, {});
}

}  // namespace nexusfix::command
