#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "logs/grep/grep.hpp"
#include "logs/log_options.hpp"
#include "nexusfix/files/interrupt.hpp"

namespace nexusfix::command {

int run_grep(Arguments arguments) {
  CLI::App app{
      "EXPR compares fields, by name or tag, with values: = != < <= > >=, and ~ !~ with a regular "
      "expression (RE2). Enumerated values may have their names. `and`, `or`, `not` and "
      "parentheses "
      "combine comparisons. A field alone asks whether the message has it. NoPartyIDs.PartyID=X "
      "looks into a group, and NoPartyIDs[PartyID=X and PartyRole=12] into one entry.",
      "nexusfix grep"};
  GrepOptions options;
  std::size_t context = 0;
  app.add_option("EXPR", options.expression, "what the messages must fulfil")->required();
  add_log_options(app, options.input);
  add_follow_option(app, options.input);
  add_jobs_option(app, options.input);
  app.add_flag("-v,--invert", options.is_inverted, "messages that do not fulfil EXPR");
  app.add_flag("-c,--count", options.only_count,
               "print only the number of messages, for each file");
  app.add_flag("-q,--quiet", options.is_quiet, "print nothing, and end at the first message found");
  app.add_option("-m,--max-count", options.count_max, "end after N messages")->option_text("N");
  app.add_option("-B,--before", options.before, "print N messages before each, too")
      ->option_text("N");
  app.add_option("-A,--after", options.after, "print N messages after each, too")->option_text("N");
  app.add_option("-C,--context", context, "print N messages before and after each, too")
      ->option_text("N");
  std::optional<logs::OutputForm> form;
  add_output_options(app, form, options.fields, options.shows_passwords);
  add_dictionary_option(app, options.dictionary);
  app.footer(
      "Examples:\n"
      "  $ nexusfix grep 'MsgType=D and Symbol~\"AAPL|MSFT\" and Price>150' messages.log\n"
      "  $ nexusfix grep OrdStatus=REJECTED --rotated --fields ClOrdID,Text a.log\n"
      "  $ nexusfix grep '11=A1 or 41=A1' messages.log.gz | nexusfix decode\n"
      "  $ nexusfix grep -f MsgType=3 messages.log\n\n"
      "Exit status:\n"
      "  0  a message was found\n"
      "  1  none was found, or a file could not be read to its end\n"
      "  2  a file cannot be opened, or EXPR or the arguments are wrong");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  options.form = form.value_or(logs::OutputForm::Line);
  options.before = std::max(options.before, context);
  options.after = std::max(options.after, context);
  catch_interrupts();
  PosixDisk disk;
  return grep_files(options, disk, {});
}

}  // namespace nexusfix::command
