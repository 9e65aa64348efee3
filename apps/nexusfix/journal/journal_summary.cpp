#include "nexusfix/journal/journal_summary.hpp"

#include <fmt/format.h>
#include <string_view>
#include <unordered_map>

#include "nexusfix/text/text.hpp"

namespace nexusfix::command {

std::expected<store::OpenedJournal, std::string> look_into_journal(Disk& disk,
                                                                   const std::string& folder) {
  auto found = store::inspect_journal(disk, folder);
  if (!found) return std::unexpected{std::move(found.error().text)};
  return std::move(*found);
}

std::expected<JournalSummary, std::string> summarize_log(store::Store& store,
                                                         std::optional<store::JournalReport> report,
                                                         const std::string& name) {
  JournalSummary summary{name, std::move(report), {}};
  std::unordered_map<std::string_view, std::size_t> places;
  for (store::SessionKey key = 0; key < store.session_count(); ++key) {
    const std::string_view session = store.session_name(key);
    summary.sessions.push_back(
        {std::string{session}, store.session(key), 0, store.retired_until(key)});
    places.emplace(session, key);
  }
  const auto count = [&](const store::Store::LogMessage& message) {
    ++summary.sessions[places.at(message.session)].messages;
  };
  if (auto scanned = store.scan(count); !scanned) {
    return std::unexpected{scanned.error().text};
  }
  return summary;
}

namespace {

std::string journal_text(const store::JournalReport& report, const std::string& folder) {
  std::string text = fmt::format("journal {}: {}, {}, {}\n", folder,
                                 counted(report.records - report.retired_records, "record"),
                                 counted(report.messages - report.retired_messages, "message"),
                                 counted(report.bytes - report.retired_bytes, "byte"));
  if (report.retired_segments > 0) {
    text += fmt::format(
        "  retired before them: {} with {}, {}, {}\n", counted(report.retired_segments, "segment"),
        counted(report.retired_records, "record"), counted(report.retired_messages, "message"),
        counted(report.retired_bytes, "byte"));
  }
  if (report.torn_bytes > 0) {
    text += fmt::format(
        "  behind them {} bytes that are no whole record: the end of a write that "
        "{}\n",
        with_thousands(report.torn_bytes), report.in_use ? "is not done" : "was interrupted");
  }
  if (report.in_use) {
    text += "  a running process has it open: this is what was on the disk a moment ago\n";
  }
  for (const std::string& fault : report.checkpoint_faults) {
    text += fmt::format("  CHECKPOINT {}\n", fault);
  }
  text += power_loss_text(report);
  for (const std::string& damage : report.damages) text += fmt::format("  DAMAGE {}\n", damage);
  if (!report.lost_end.empty()) {
    text += fmt::format("  LOST {}; opening refuses the journal\n", report.lost_end);
  }
  for (const store::RefusedSession& refused : report.refused) {
    text += fmt::format("  REFUSED {}\n", refused.text);
  }
  return text;
}

// The rest of an object, behind what is always there.
std::string findings_json(const store::JournalReport& report) {
  std::string json = power_loss_json(report) + R"("damages": [)";
  std::string_view separator;
  for (const std::string& damage : report.damages) {
    json += fmt::format("{}{}", separator, json_text(damage));
    separator = ", ";
  }
  json += R"(], "refused": [)";
  separator = {};
  for (const store::RefusedSession& refused : report.refused) {
    json += fmt::format(R"({}{{"session": {}, "text": {}}})", separator, json_text(refused.session),
                        json_text(refused.text));
    separator = ", ";
  }
  json += "], ";
  if (!report.lost_end.empty()) {
    json += fmt::format(R"("lost_end": {}, )", json_text(report.lost_end));
  }
  return json;
}

std::uint64_t message_count(const JournalSummary& summary) {
  std::uint64_t count = 0;
  for (const SessionSummary& session : summary.sessions) count += session.messages;
  return count;
}

}  // namespace

std::string power_loss_text(const store::JournalReport& report) {
  if (!report.power_lost) return {};
  std::string text = fmt::format("  POWER LOST: {}", store::describe(report.loss));
  if (report.cut_bytes > 0) {
    text += fmt::format("; opening will cut off {} bytes that had not reached the disk",
                        with_thousands(report.cut_bytes));
  }
  text += '\n';
  for (const store::SkippedNumbers& skipped : report.skipped) {
    text += fmt::format(
        "  POWER LOST {}: opening will skip MsgSeqNum {} to {}, under which messages may have been "
        "sent\n",
        skipped.session, skipped.first, skipped.last);
  }
  return text;
}

std::string power_loss_json(const store::JournalReport& report) {
  std::string json = fmt::format(R"("power_lost": {}, "loss": {}, "skipped": [)", report.power_lost,
                                 json_text(store::to_word(report.loss)));
  std::string_view separator;
  for (const store::SkippedNumbers& skipped : report.skipped) {
    json += fmt::format(R"({}{{"session": {}, "first": {}, "last": {}}})", separator,
                        json_text(skipped.session), skipped.first, skipped.last);
    separator = ", ";
  }
  return json + "], ";
}

std::string summary_text(const JournalSummary& summary) {
  std::string text = summary.report ? journal_text(*summary.report, summary.name)
                                    : fmt::format("{}: {}\n", summary.name,
                                                  counted(message_count(summary), "message"));
  for (const SessionSummary& session : summary.sessions) {
    text += fmt::format("  {}\n    next inbound {}, next outbound {}, epoch {}, {} kept\n",
                        session.name, session.record.next_inbound, session.record.next_outbound,
                        session.record.epoch, counted(session.messages, "message"));
    if (session.retired_until > 0) {
      text += fmt::format("    messages up to number {} of this epoch were retired\n",
                          session.retired_until);
    }
  }
  return text;
}

std::string summary_json(const JournalSummary& summary) {
  std::string json =
      summary.report
          ? fmt::format(
                R"({{"folder": {}, "records": {}, "messages": {}, "bytes": {}, )"
                R"("retired_segments": {}, "torn_bytes": {}, "owner_epoch": {}, )"
                R"("in_use": {}, {}"sessions": [)",
                json_text(summary.name), summary.report->records - summary.report->retired_records,
                summary.report->messages - summary.report->retired_messages,
                summary.report->bytes - summary.report->retired_bytes,
                summary.report->retired_segments, summary.report->torn_bytes,
                summary.report->owner_epoch, summary.report->in_use, findings_json(*summary.report))
          : fmt::format(R"({{"store": {}, "messages": {}, "sessions": [)", json_text(summary.name),
                        message_count(summary));
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
