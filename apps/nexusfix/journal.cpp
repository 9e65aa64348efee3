// nexusfix journal show: what a journal holds.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "nexusfix/command.hpp"
#include "nexusfix/journal_summary.hpp"

namespace nexusfix::command {

int run_journal(Arguments arguments) {
  std::string folder;
  bool json = false;
  CLI::App app{
      "Shows what the journal in a folder holds: sessions with their next sequence numbers, and\n"
      "how much was kept. Only reads: a journal in use can be looked at, too.\n\n"
      "  $ nexusfix journal show store/venue\n",
      "nexusfix journal"};
  app.require_subcommand(1);
  CLI::App* show = app.add_subcommand("show", "Print sessions, next numbers and sizes");
  show->add_option("FOLDER", folder, "FileStorePath of the configuration")->required();
  show->add_flag("--json", json, "For scripts");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  PosixDisk disk;
  auto journal = look_into_journal(disk, folder);
  if (!journal) return fail("journal", journal.error());
  const auto summary = summarize_journal(*journal, folder);
  if (!summary) return fail("journal", summary.error());
  fmt::print("{}", json ? summary_json(*summary) : summary_text(*summary));
  return kSuccess;
}

}  // namespace nexusfix::command
