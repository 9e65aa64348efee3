#include <CLI/CLI.hpp>
#include <utility>

#include "logs/anonymise/anonymise.hpp"
#include "logs/log_options.hpp"
#include "nexusfix/files/interrupt.hpp"

namespace nexusfix::command {

int run_anonymise(Arguments arguments) {
  CLI::App app{
      "Prints the messages with pseudonyms for CompIDs, accounts, IDs, parties and texts, without "
      "passwords, and with right BodyLength and CheckSum. Amounts, times, enumerated values and "
      "instruments stay. A value that is not known to be harmless has a pseudonym. Equal values "
      "have equal pseudonyms, in all files with the same key.",
      "nexusfix anonymise"};
  AnonymiseOptions options;
  add_log_options(app, options.input);
  CLI::Option* const key =
      app.add_option("--key", options.key_file,
                     "the key: any file of 16 bytes and more (default: a new key, which is "
                     "forgotten)")
          ->option_text("FILE");
  app.add_option("--new-key", options.new_key_file, "make a key, and write it to a new file")
      ->excludes(key)
      ->option_text("FILE");
  app.add_flag_callback(
      "--scale-prices", [&] { options.prices = logs::PriceChoice::Scale; },
      "multiply all prices and amounts by one factor of the key (default: they stay)");
  app.add_option("--keep", options.kept, "fields whose values stay, such as 1,Text")
      ->option_text("TAGS");
  app.add_option("--hide", options.hidden, "fields that get pseudonyms, too, such as 55,OrderQty")
      ->option_text("TAGS");
  add_where_option(app, options.expression);
  add_dictionary_option(app, options.dictionary);
  app.footer(
      "Examples:\n"
      "  $ nexusfix anonymise messages.log > public.log\n"
      "  $ nexusfix anonymise --new-key desk.key --scale-prices --rotated messages.log\n\n"
      "Exit status:\n"
      "  0  there are messages\n"
      "  1  there is none, or a file could not be read to its end or written\n"
      "  2  a file cannot be opened, or EXPR or the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  catch_interrupts();
  PosixDisk disk;
  return anonymise_files(options, disk, {});
}

}  // namespace nexusfix::command
