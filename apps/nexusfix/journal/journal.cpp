// nexusfix journal: shows, checks, repairs and changes a journal.
#include <CLI/CLI.hpp>
#include <charconv>
#include <chrono>
#include <fmt/format.h>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/session/identity.hpp>

#include "journal/api/journal_tools.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/files/engine_options.hpp"
#include "nexusfix/files/journal_locator.hpp"
#include "nexusfix/journal/archive/journal_archive.hpp"
#include "nexusfix/journal/journal_import.hpp"
#include "nexusfix/journal/journal_report.hpp"
#include "nexusfix/journal/journal_set.hpp"
#include "nexusfix/journal/journal_summary.hpp"
#include "nexusfix/journal/show/journal_show.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

struct VerifyOptions {
  std::string folder;
  bool json = false;
  bool archived = false;
};

struct RepairRequest {
  std::string folder;
  bool dry_run = false;
  bool yes = false;
  std::string reason;
  std::vector<std::string> names;
};

constexpr std::string_view kServerChecks =
    "PostgreSQL checks its own pages (data checksums, pg_amcheck) and is restored from a backup";

int verify(const VerifyOptions& options) {
  PosixDisk posix;
  const auto place = find_log(posix, options.folder);
  if (!place) return fail("journal", place.error());
  if (!place->is_journal()) return refuse_database(*place, kServerChecks);
  WholeJournalDisk whole{posix, place->folder};
  Disk& disk = options.archived ? static_cast<Disk&>(whole) : posix;
  const auto check = store::verify_journal(disk, place->folder);
  if (!check) return fail("journal", check.error().text);
  const auto opened = check->power_lost ? open_for_reading(disk, place->folder)
                                        : std::expected<store::OpenedJournal, std::string>{};
  const store::JournalReport* const loss = check->power_lost && opened ? &opened->report : nullptr;
  fmt::print("{}", options.json ? check_json(*check, place->folder, loss)
                                : check_text(*check, place->folder, loss));
  return is_sound(*check) ? kSuccess : kFailure;
}

struct ArchiveOptions {
  std::string log;
  std::uint32_t keep_days = 0;  // 0: for ever
};

int archive(const ArchiveOptions& options) {
  PosixDisk disk;
  const auto place = find_log(disk, options.log);
  if (!place) return fail("journal", place.error());
  if (!place->is_journal()) return refuse_database(*place, kServerChecks);
  const auto done = archive_retired(disk, place->folder);
  if (!done) return fail("journal", done.error());
  for (const ArchivedSegment& one : *done) {
    fmt::print("{}: {} bytes in {}\n", one.file, with_thousands(one.bytes),
               with_thousands(one.archive_bytes));
  }
  if (done->empty()) fmt::print("journal {}: no retired segment to archive\n", place->folder);
  if (options.keep_days == 0) return kSuccess;
  const WallTime limit = SystemClock{}.now().wall - std::chrono::days{options.keep_days};
  const auto removed = remove_old_archives(disk, place->folder, limit);
  if (!removed) return fail("journal", removed.error());
  for (const std::string& path : removed->paths) fmt::print("{}: removed\n", path);
  if (!removed->held.empty()) fmt::print("{}\n", removed->held);
  return kSuccess;
}

// "1=FIX.4.4:A->B"
bool add_name(const std::string& text, std::map<store::SessionKey, std::string>& names) {
  store::SessionKey key = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, key);
  if (error != std::errc{} || at == end || *at != '=' || at + 1 == end) return false;
  names[key] = std::string{at + 1, end};
  return true;
}

int repair(const RepairRequest& request) {
  if (!is_reason(request.reason)) return fail("journal", kReasonTooLong);
  PosixDisk disk;
  const auto place = find_log(disk, request.folder);
  if (!place) return fail("journal", place.error());
  if (!place->is_journal()) return refuse_database(*place, kServerChecks);
  SystemClock clock;
  store::RepairOptions options{
      .folder = place->folder,
      .mode = store::RepairMode::Plan,
      .text = operator_name() + ": " +
              (request.reason.empty() ? "no reason was given" : request.reason),
      .names = {}};
  for (const std::string& name : request.names) {
    if (!add_name(name, options.names)) {
      fmt::print(stderr, "nexusfix journal: --name {}: KEY=NAME was expected\n", name);
      return kUsage;
    }
  }
  const auto plan = store::repair_journal(disk, options, clock.now().wall);
  if (!plan) return fail("journal", plan.error().text);
  if (request.dry_run || plan->steps.empty()) {
    fmt::print("{}", repair_text(*plan, place->folder, options.mode));
    return kSuccess;
  }
  if (!request.yes) {
    fmt::print("{}", repair_text(*plan, place->folder, options.mode));
    if (!is_confirmed_by_hand("Do it?")) {
      return fail("journal", "not confirmed (without a terminal, use --yes): nothing was changed");
    }
  }
  options.mode = store::RepairMode::Carry;
  const auto done = store::repair_journal(disk, options, clock.now().wall);
  if (!done) return fail("journal", done.error().text);
  fmt::print("{}", repair_text(*done, place->folder, options.mode));
  return kSuccess;
}

CLI::App* add_verify(CLI::App& app, VerifyOptions& options) {
  CLI::App* verify = app.add_subcommand("verify",
                                        "read and check every record\n"
                                        "Prints each damage: file, offset, length and loss. It "
                                        "only reads, also while an engine runs.");
  add_folder(*verify, options.folder);
  verify->add_flag("--json", options.json, "print JSON, for programs");
  verify->add_flag("--archived", options.archived, "also check retired segments and archives");
  verify->footer(
      "Example:\n"
      "  $ nexusfix journal verify store/venue\n\n"
      "Exit status:\n"
      "  0  LOG is whole\n"
      "  1  LOG has damage, or its end is missing\n"
      "  2  the arguments are wrong");
  return verify;
}

CLI::App* add_repair(CLI::App& app, RepairRequest& request) {
  CLI::App* repair = app.add_subcommand(
      "repair",
      "remove damaged bytes, and print what is lost\n"
      "Stop the engine first. The command prints its plan, and asks before it changes LOG. "
      "docs/operations/journal-repair.md explains each case.");
  add_folder(*repair, request.folder);
  repair->add_flag("--dry-run", request.dry_run, "print the plan, and change nothing");
  repair->add_flag("--yes", request.yes, "do not ask");
  repair->add_option("--reason", request.reason, "the reason, which the log keeps")
      ->option_text("TEXT");
  repair->add_option("--name", request.names, "the name of a session whose name is lost")
      ->option_text("KEY=NAME ...");
  repair->footer(
      "Example:\n"
      "  $ nexusfix journal repair store/venue --dry-run\n\n"
      "Exit status:\n"
      "  0  LOG is repaired, or there is nothing to repair\n"
      "  1  LOG is not repaired\n"
      "  2  the arguments are wrong");
  return repair;
}

CLI::App* add_archive(CLI::App& app, ArchiveOptions& options) {
  CLI::App* archive = app.add_subcommand(
      "archive",
      "pack retired segments with zstd\n"
      "Packs each segment in the folder `retired` (JournalRetired=keep), reads the archive back, "
      "and then removes the segment.");
  add_folder(*archive, options.log);
  archive
      ->add_option("--keep-days", options.keep_days,
                   "then remove archives that were written this number of days ago")
      ->check(CLI::Range(1, 36'500))
      ->option_text("N");
  archive->footer(
      "Example:\n"
      "  $ nexusfix journal archive store/venue --keep-days 2555");
  return archive;
}

CLI::App* add_set(CLI::App& app, SetNumbers& request, std::string& log) {
  CLI::App* set = app.add_subcommand(
      "set",
      "set the next sequence numbers of a session\n"
      "Prints the consequences, and asks before it makes the change. If an engine runs, the engine "
      "makes the change; log the session out first. The log records who changed what, when, and "
      "why.");
  add_folder(*set, log);
  set->add_option("SESSION", request.session,
                  "the name of the session, in quotes: 'FIX.4.4:A->B', or a part that only it has")
      ->required();
  const CLI::Range number{std::uint64_t{1}, session::kSetNumberMax, "NUMBER"};
  CLI::Option* in =
      set->add_option("--next-in", request.wanted.next_inbound, "the MsgSeqNum to expect next")
          ->check(number)
          ->option_text("N");
  CLI::Option* out =
      set->add_option("--next-out", request.wanted.next_outbound, "the MsgSeqNum to send next")
          ->check(number)
          ->option_text("N");
  set->add_flag("--new", request.may_be_new, "create the session if it does not exist");
  set->add_option("--reason", request.reason, "the reason, which the log keeps")
      ->option_text("TEXT");
  set->add_flag("--yes", request.is_confirmed, "do not ask");
  set->footer(
      "Example:\n"
      "  $ nexusfix journal set venue.cfg 'FIX.4.4:A->B' --next-in 120 --reason agreed\n\n"
      "Exit status:\n"
      "  0  the sequence numbers are set\n"
      "  1  they are not set\n"
      "  2  the arguments are wrong");
  set->callback([in, out] {
    if (in->count() + out->count() == 0) {
      throw CLI::RequiredError("--next-in or --next-out");
    }
  });
  return set;
}

CLI::App* add_import(CLI::App& app, ImportRequest& request, std::string& log) {
  CLI::App* import = app.add_subcommand(
      "import",
      "import the file stores of another engine\n"
      "Reads the file stores of QuickFIX, QuickFIX/J, QuickFIX/N and QuickFIX/Go. Stop both "
      "engines first. All files are checked before LOG changes.");
  add_folder(*import, log);
  import->add_option("--quickfix", request.from, "the FileStorePath of the other engine")
      ->option_text("PATH")
      ->required();
  import
      ->add_option("--session", request.session,
                   "only this session: 'BeginString:SenderCompID->TargetCompID', or a part that "
                   "only it has")
      ->option_text("NAME");
  import
      ->add_option("--prefix", request.prefix,
                   "only the files with this name before the last point")
      ->option_text("PREFIX");
  import->add_option("--reason", request.reason, "the reason, which the log keeps")
      ->option_text("TEXT");
  import->add_flag("--yes", request.is_confirmed,
                   "do not ask before a session is replaced, or imported without sequence numbers");
  import->footer(
      "Example:\n"
      "  $ nexusfix journal import store/venue --quickfix old/store\n\n"
      "Exit status:\n"
      "  0  every store is imported\n"
      "  1  at least one store is not imported\n"
      "  2  the arguments are wrong");
  return import;
}

struct ExportTargets {
  std::string quickfix;
  std::string quickfixj;
};

CLI::App* add_export(CLI::App& app, ExportRequest& request, ExportTargets& targets,
                     std::string& log) {
  CLI::App* out = app.add_subcommand(
      "export",
      "write file stores for QuickFIX or QuickFIX/J\n"
      "Stop the engine first. The command overwrites no file. One of --quickfix and --quickfixj is "
      "required.");
  add_folder(*out, log);
  CLI::Option* quickfix =
      out->add_option("--quickfix", targets.quickfix, "write files for QuickFIX to this folder")
          ->option_text("PATH");
  CLI::Option* quickfixj =
      out->add_option("--quickfixj", targets.quickfixj, "write files for QuickFIX/J to this folder")
          ->option_text("PATH")
          ->excludes(quickfix);
  out->add_option("--session", request.session,
                  "only this session: its name, or a part that only it has")
      ->option_text("NAME");
  out->add_option("--prefix", request.prefix, "the names of the files before the last point")
      ->option_text("PREFIX");
  out->footer(
      "Example:\n"
      "  $ nexusfix journal export store/venue --quickfix new/store\n\n"
      "Exit status:\n"
      "  0  every session is written\n"
      "  1  nothing, or not every session, is written\n"
      "  2  the arguments are wrong");
  out->callback([quickfix, quickfixj] {
    if (quickfix->count() + quickfixj->count() == 0) {
      throw CLI::RequiredError("--quickfix or --quickfixj");
    }
  });
  return out;
}

}  // namespace

int run_journal(Arguments arguments) {
  CLI::App app{
      "Every subcommand takes LOG: the configuration file of the engine, or the folder of a "
      "journal (FileStorePath). `show` and `verify` only read, and `set` asks a running engine; "
      "stop the engine for the others. A PostgreSQL store is named by the configuration file, and "
      "its engine must be stopped.",
      "nexusfix journal"};
  app.require_subcommand(1);
  ShowOptions show_options;
  RepairRequest repair_request;
  SetNumbers set_request;
  VerifyOptions verify_options;
  const CLI::App* show_command = add_show(app, show_options);
  const CLI::App* verify_command = add_verify(app, verify_options);
  const CLI::App* repair_command = add_repair(app, repair_request);
  ArchiveOptions archive_options;
  const CLI::App* archive_command = add_archive(app, archive_options);
  std::string log;  // the log of the actions below
  const CLI::App* set_command = add_set(app, set_request, log);
  ImportRequest import_request;
  const CLI::App* import_command = add_import(app, import_request, log);
  ExportRequest export_request;
  ExportTargets targets;
  add_export(app, export_request, targets, log);
  app.footer(
      "Examples:\n"
      "  $ nexusfix journal show store/venue\n"
      "  $ nexusfix journal verify store/venue\n"
      "  $ nexusfix journal set venue.cfg 'FIX.4.4:A->B' --next-in 120");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (show_command->parsed()) return show(show_options);
  if (verify_command->parsed()) return verify(verify_options);
  if (archive_command->parsed()) return archive(archive_options);
  if (repair_command->parsed()) return repair(repair_request);
  PosixDisk disk;
  SystemClock clock;
  const OpenPostgres open_postgres = postgres_opener();
  auto place = find_log(disk, log);
  if (!place) return fail("journal", place.error());
  if (set_command->parsed()) {
    set_request.place = std::move(*place);
    return set_numbers(disk, set_request, open_postgres, clock.now().wall);
  }
  if (import_command->parsed()) {
    import_request.place = std::move(*place);
    return import_quickfix(disk, import_request, open_postgres, clock.now().wall);
  }
  export_request.place = std::move(*place);
  export_request.form = targets.quickfixj.empty() ? QuickfixForm::Cpp : QuickfixForm::Java;
  export_request.to = targets.quickfixj.empty() ? targets.quickfix : targets.quickfixj;
  return export_quickfix(disk, export_request, open_postgres);
}

}  // namespace nexusfix::command
