#include "nexusfix/journal_summary.hpp"

#include <fmt/format.h>

#include <nexusfix/base/clock.hpp>

#include "nexusfix/text.hpp"

namespace nexusfix::command {

std::expected<store::OpenedJournal, std::string> open_existing_journal(Disk& disk,
                                                                       const std::string& folder) {
  const auto files = disk.list(folder);
  if (!files) return std::unexpected{files.error().what()};
  if (files->empty()) return std::unexpected{folder + ": there is no journal in this folder"};
  SystemClock clock;
  store::JournalOptions options;
  options.folder = folder;
  auto opened = store::open_journal(disk, options, clock.now().wall);
  if (!opened) return std::unexpected{opened.error().text};
  return std::move(*opened);
}

std::expected<JournalSummary, std::string> summarize_journal(store::OpenedJournal& journal,
                                                             const std::string& folder) {
  JournalSummary summary{folder, journal.report, {}};
  const auto count = [&](const store::Store::LogMessage& message) {
    for (SessionSummary& session : summary.sessions) {
      if (session.name == message.session) {
        ++session.messages;
        return;
      }
    }
    summary.sessions.push_back({std::string{message.session}, {}, 1});
  };
  if (auto scanned = journal.store->scan(count); !scanned) {
    return std::unexpected{scanned.error().text};
  }
  SystemClock clock;
  for (SessionSummary& session : summary.sessions) {
    const auto key = journal.store->open_session(session.name, clock.now().wall);
    if (!key) return std::unexpected{key.error().text};
    session.record = journal.store->session(*key);
  }
  return summary;
}

std::string summary_text(const JournalSummary& summary) {
  std::string text =
      fmt::format("journal {}: {} records, {} messages, {} bytes\n", summary.folder,
                  with_thousands(summary.report.records), with_thousands(summary.report.messages),
                  with_thousands(summary.report.bytes));
  if (summary.report.torn_bytes > 0) {
    text += fmt::format("  the last record was not whole: {} bytes were cut\n",
                        with_thousands(summary.report.torn_bytes));
  }
  for (const SessionSummary& session : summary.sessions) {
    text += fmt::format("  {}\n    next inbound {}, next outbound {}, epoch {}, {} messages kept\n",
                        session.name, session.record.next_inbound, session.record.next_outbound,
                        session.record.epoch, with_thousands(session.messages));
  }
  return text;
}

std::string summary_json(const JournalSummary& summary) {
  std::string json = fmt::format(
      R"({{"folder": {}, "records": {}, "messages": {}, "bytes": {}, "torn_bytes": {}, )"
      R"("sessions": [)",
      json_text(summary.folder), summary.report.records, summary.report.messages,
      summary.report.bytes, summary.report.torn_bytes);
  std::string_view separator = "\n";
  for (const SessionSummary& session : summary.sessions) {
    json +=
        fmt::format(R"({}  {{"name": {}, "next_inbound": {}, "next_outbound": {}, "epoch": {}, )"
                    R"("messages": {}}})",
                    separator, json_text(session.name), session.record.next_inbound,
                    session.record.next_outbound, session.record.epoch, session.messages);
    separator = ",\n";
  }
  return json + "\n]}\n";
}

}  // namespace nexusfix::command
