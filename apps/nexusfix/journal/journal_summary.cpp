#include "nexusfix/journal/journal_summary.hpp"

#include <fmt/format.h>
#include <string_view>
#include <unordered_map>

#include "nexusfix/text/text.hpp"

namespace nexusfix::command {

std::expected<store::OpenedJournal, std::string> open_for_reading(Disk& disk,
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
        "  after them {} bytes that are no complete record: the end of a write that "
        "{}\n",
        with_thousands(report.torn_bytes), report.in_use ? "is not done" : "was interrupted");
  }
  if (report.in_use) {
    text += "  a running process has it open: this is its state a moment ago\n";
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

Json json_of(const store::JournalReport& report, const std::string& folder) {
  Json json = Json::object({{"folder", folder},
                            {"records", report.records - report.retired_records},
                            {"messages", report.messages - report.retired_messages},
                            {"bytes", report.bytes - report.retired_bytes},
                            {"retired_segments", report.retired_segments},
                            {"torn_bytes", report.torn_bytes},
                            {"owner_epoch", report.owner_epoch},
                            {"in_use", report.in_use}});
  set_power_loss(json, report);
  json.set("damages", Json::array(report.damages));
  json.set("refused", Json::array(report.refused, [](const store::RefusedSession& refused) {
             return Json::object({{"session", refused.session}, {"text", refused.text}});
           }));
  if (!report.lost_end.empty()) json.set("lost_end", report.lost_end);
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

void set_power_loss(Json& json, const store::JournalReport& report) {
  json.set("power_lost", report.power_lost);
  json.set("loss", store::to_word(report.loss));
  json.set("skipped", Json::array(report.skipped, [](const store::SkippedNumbers& skipped) {
             return Json::object(
                 {{"session", skipped.session}, {"first", skipped.first}, {"last", skipped.last}});
           }));
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
  Json json = summary.report
                  ? json_of(*summary.report, summary.name)
                  : Json::object({{"store", summary.name}, {"messages", message_count(summary)}});
  json.set("sessions", Json::array(summary.sessions, [](const SessionSummary& session) {
             return Json::object({{"name", session.name},
                                  {"next_inbound", session.record.next_inbound},
                                  {"next_outbound", session.record.next_outbound},
                                  {"epoch", session.record.epoch},
                                  {"messages", session.messages}});
           }));
  return json.document();
}

}  // namespace nexusfix::command
