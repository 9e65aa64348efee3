#include <CLI/CLI.hpp>
#include <utility>

#include "logs/diff/diff.hpp"
#include "logs/log_options.hpp"
#include "nexusfix/files/interrupt.hpp"

namespace nexusfix::command {

int run_diff(Arguments arguments) {
  CLI::App app{
      "Compares two logs of the same sessions, such as those of both sides. Messages belong "
      "together by SenderCompID, TargetCompID and MsgSeqNum, and must have the same bytes. A "
      "message that was lost and came by a resend is no difference.",
      "nexusfix diff"};
  DiffOptions options;
  add_log_options(app, options.input);
  for (const char* const name : {"--merge", "--rotated"}) app.remove_option(app.get_option(name));
  app.get_option("FILE")->required()->expected(2);
  app.add_flag("--json", options.is_json, "print one JSON object, for programs");
  app.add_flag("-q,--quiet", options.is_quiet, "print nothing, and end at the first difference");
  app.footer(
      "Examples:\n"
      "  $ nexusfix diff trader.log venue.log\n"
      "  $ nexusfix diff --from 2024-01-15 trader.log store/venue\n\n"
      "Exit status, as that of diff(1):\n"
      "  0  the logs have the same messages\n"
      "  1  they differ\n"
      "  2  a file cannot be opened or read to its end, the arguments are wrong, the\n"
      "     command is interrupted, or more messages wait for the other log than\n"
      "     allowed (200,000 or 48 MiB, and 1,000 of one MsgSeqNum)");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  catch_interrupts();
  PosixDisk disk;
  return diff_files(options, disk, {});
}

}  // namespace nexusfix::command
