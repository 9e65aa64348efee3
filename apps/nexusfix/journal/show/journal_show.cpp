#include "nexusfix/journal/show/journal_show.hpp"

#include <algorithm>
#include <expected>
#include <fmt/format.h>
#include <optional>
#include <tuple>
#include <utility>

#include <nexusfix/wire/convert.hpp>

#include "base/api/printable_text.hpp"
#include "journal/api/journal_tools.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/files/engine_options.hpp"
#include "nexusfix/journal/archive/journal_archive.hpp"
#include "nexusfix/journal/journal_messages.hpp"
#include "nexusfix/journal/journal_report.hpp"
#include "nexusfix/journal/journal_summary.hpp"
#include "nexusfix/journal/show/journal_unsent.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

constexpr std::uint64_t kNumberMax = std::uint64_t{1} << 62U;

// "20261124" or "20261124-07:30:00", UTC.
std::optional<WallTime> read_time(std::string text) {
  constexpr std::size_t kDateBytes = 8;
  if (text.size() == kDateBytes) text += "-00:00:00";
  const auto time = wire::to_utc_timestamp(text);
  if (!time) return std::nullopt;
  return *time;
}

std::expected<MessageFilter, std::string> filter_of(const ShowOptions& options,
                                                    const std::string& session) {
  MessageFilter filter;
  filter.first = options.first;
  if (!session.empty()) filter.session = session;
  if (options.last > 0) filter.last = options.last;
  if (options.epoch > 0) filter.epoch = options.epoch;
  filter.has_sent = options.direction != "in";
  filter.has_received = options.direction != "out";
  filter.text = options.text;
  std::ranges::replace(filter.text, '|', '\x01');
  for (const auto& [option, text, time] : {std::tuple{"--since", &options.since, &filter.since},
                                           std::tuple{"--until", &options.until, &filter.until}}) {
    if (text->empty()) continue;
    *time = read_time(*text);
    if (*time) continue;
    return std::unexpected{fmt::format(
        "{} {}: a date or a time in UTC was expected, such as 20261124 or 20261124-07:30:00",
        option, printable(*text))};
  }
  return filter;
}

int show_changes(Disk& disk, const LogPlace& place) {
  if (!place.is_journal()) {
    return refuse_database(place, "Its view number_change_list shows the changes");
  }
  const auto check = store::verify_journal(disk, place.folder);
  if (!check) return fail("journal", check.error().text);
  fmt::print("{}", changes_text(*check));
  return kSuccess;
}

int show_messages(store::Store& store, const ShowOptions& options, const std::string& session) {
  const auto filter = filter_of(options, session);
  if (!filter) {
    fmt::print(stderr, "nexusfix journal: {}\n", filter.error());
    return kUsage;
  }
  const MessageLook look{.form = options.decode ? MessageForm::Decoded
                                 : options.json ? MessageForm::Json
                                                : MessageForm::Line,
                         .has_times = options.times};
  const auto printed = print_messages(stdout, store, *filter, look);
  if (!printed) return fail("journal", printed.error());
  return *printed > 0 ? kSuccess : fail("journal", "there is no such message");
}

int show_unsent(store::Store& store, const ShowOptions& options, const std::string& session) {
  const auto found = find_unsent(store, session);
  if (!found) return fail("journal", found.error());
  fmt::print("{}", options.json ? unsent_json(*found) : unsent_text(*found));
  return kSuccess;
}

}  // namespace

int refuse_database(const LogPlace& place, std::string_view instead) {
  return fail("journal",
              fmt::format("{}: this needs the files of a journal. {}", place.name, instead));
}

CLI::Range any_number() { return {std::uint64_t{1}, kNumberMax, "NUMBER"}; }

CLI::Option* add_folder(CLI::App& app, std::string& folder) {
  return app
      .add_option("LOG", folder,
                  "the configuration file of the engine, or the folder of a journal "
                  "(FileStorePath)")
      ->required();
}

int show(const ShowOptions& options) {
  PosixDisk posix;
  const auto place = find_log(posix, options.folder);
  if (!place) return fail("journal", place.error());
  WholeJournalDisk whole{posix, place->folder};
  Disk& disk = options.archived ? static_cast<Disk&>(whole) : posix;
  if (options.changes) return show_changes(disk, *place);
  if (options.unsent && !place->is_journal()) {
    return refuse_database(*place, "JournalInbound=Y, which records what has left, is for them");
  }
  auto log = look_into(disk, *place, postgres_opener());
  if (!log) return fail("journal", log.error());
  const std::string session = stored_name(*log->store, options.session);
  if (options.unsent) return show_unsent(*log->store, options, session);
  if (options.wants_messages()) return show_messages(*log->store, options, session);
  const bool is_whole =
      !log->report || (log->report->damages.empty() && log->report->lost_end.empty());
  auto summary = summarize_log(*log->store, std::move(log->report), place->name);
  if (!summary) return fail("journal", summary.error());
  if (!session.empty()) {
    if (const auto key = find_session(*log->store, session); !key) {
      return fail("journal", key.error());
    }
    std::erase_if(summary->sessions,
                  [&](const SessionSummary& one) { return one.name != session; });
  }
  fmt::print("{}", options.json ? summary_json(*summary) : summary_text(*summary));
  return is_whole ? kSuccess : kFailure;
}

CLI::App* add_show(CLI::App& app, ShowOptions& options) {
  CLI::App* show = app.add_subcommand("show",
                                      "print sessions, sequence numbers and messages\n"
                                      "It only reads, also while an engine runs.");
  add_folder(*show, options.folder);
  CLI::Option* json =
      show->add_flag("--json", options.json, "print JSON; messages are one object a line");
  CLI::Option* session = show->add_option("--session", options.session,
                                          "only this session: its name, or a part that only it has")
                             ->option_text("NAME");
  CLI::Option* messages =
      show->add_flag("--messages", options.messages, "print the stored messages, one a line");
  show->add_option("--from", options.first, "only messages from this MsgSeqNum on")
      ->check(any_number())
      ->option_text("N");
  show->add_option("--to", options.last, "only messages up to this MsgSeqNum")
      ->check(any_number())
      ->option_text("N");
  show->add_option("--epoch", options.epoch, "only messages of this epoch, which counts resets")
      ->check(any_number())
      ->option_text("E");
  show->add_option("--direction", options.direction,
                   "only received messages (in), or sent ones (out)")
      ->check(CLI::IsMember({"in", "out", "both"}))
      ->option_text("in|out|both");
  show->add_option("--since", options.since, "only messages recorded at or after this time, UTC")
      ->option_text("TIME");
  show->add_option("--until", options.until, "only messages recorded before this time, UTC")
      ->option_text("TIME");
  show->add_option("--find", options.text, "only messages with this text; | stands for SOH")
      ->option_text("TEXT");
  show->add_flag("--times", options.times, "print when each message was recorded, UTC");
  show->add_flag("--decode", options.decode, "print messages field by field, with names")
      ->excludes(json);
  show->add_flag("--archived", options.archived, "also read retired segments and archives");
  CLI::Option* unsent =
      show->add_flag("--unsent", options.unsent, "print the messages that may not have left")
          ->excludes(messages);
  show->add_flag("--changes", options.changes,
                 "print who set sequence numbers or repaired the log, when, and why")
      ->excludes(json)
      ->excludes(session)
      ->excludes(unsent)
      ->excludes(messages);
  show->footer(
      "Examples:\n"
      "  $ nexusfix journal show store/venue\n"
      "  $ nexusfix journal show store/venue --messages --from 10 --to 20\n"
      "  $ nexusfix journal show store/venue --direction in --find '|11=ORDER-7|'\n\n"
      "Exit status:\n"
      "  0  success\n"
      "  1  LOG has damage, its end is missing, or there is no such message\n"
      "  2  the arguments are wrong");
  return show;
}

}  // namespace nexusfix::command
