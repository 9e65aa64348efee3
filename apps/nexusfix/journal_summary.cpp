#include "nexusfix/journal_summary.hpp"

#include <fmt/format.h>
#include <string_view>
#include <unordered_map>

#include "nexusfix/text.hpp"

namespace nexusfix::command {

std::expected<store::OpenedJournal, std::string> look_into_journal(Disk& disk,
                                                                   const std::string& folder) {
  auto found = store::inspect_journal(disk, folder);
  if (!found) return std::unexpected{std::move(found.error().text)};
  return std::move(*found);
}

std::expected<JournalSummary, std::string> summarize_journal(store::OpenedJournal& journal,
                                                             const std::string& folder) {
  JournalSummary summary{folder, journal.report, {}};
  std::unordered_map<std::string_view, std::size_t> places;
  for (store::SessionKey key = 0; key < journal.store->session_count(); ++key) {
    const std::string_view name = journal.store->session_name(key);
    summary.sessions.push_back({std::string{name}, journal.store->session(key), 0});
    places.emplace(name, key);
  }
  const auto count = [&](const store::Store::LogMessage& message) {
    ++summary.sessions[places.at(message.session)].messages;
  };
  if (auto scanned = journal.store->scan(count); !scanned) {
    return std::unexpected{scanned.error().text};
  }
  return summary;
}

std::string summary_text(const JournalSummary& summary) {
  std::string text =
      fmt::format("journal {}: {} records, {} messages, {} bytes\n", summary.folder,
                  with_thousands(summary.report.records), with_thousands(summary.report.messages),
                  with_thousands(summary.report.bytes));
  if (summary.report.torn_bytes > 0) {
    text += fmt::format(
        "  behind them {} bytes that are no whole record: the end of a write that "
        "{}\n",
        with_thousands(summary.report.torn_bytes),
        summary.report.in_use ? "is not done" : "was interrupted");
  }
  if (summary.report.in_use) {
    text += "  a running process has it open: this is what was on the disk a moment ago\n";
  }
  for (const std::string& damage : summary.report.damages) {
    text += fmt::format("  DAMAGE {}\n", damage);
  }
  for (const store::RefusedSession& refused : summary.report.refused) {
    text += fmt::format("  REFUSED {}\n", refused.text);
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
      R"("in_use": {}, "sessions": [)",
      json_text(summary.folder), summary.report.records, summary.report.messages,
      summary.report.bytes, summary.report.torn_bytes, summary.report.in_use);
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
