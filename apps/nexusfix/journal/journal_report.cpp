#include "nexusfix/journal/journal_report.hpp"

#include <chrono>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/api/printable_text.hpp"
#include "nexusfix/journal/journal_summary.hpp"
#include "nexusfix/text/json.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

std::string time_text(WallTime time) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(
                         std::chrono::time_point_cast<std::chrono::system_clock::duration>(time))));
}

// The last line of the report, after the counts and the damage.
std::string verdict(const store::JournalCheck& check, const std::string& folder) {
  if (!check.damages.empty()) {
    const store::FoundDamage& first = check.damages.front();
    return fmt::format(
        "damaged: first bad offset {} of {}\n  what a repair would do: nexusfix journal repair {} "
        "--dry-run\n",
        first.offset, first.file, folder);
  }
  if (!check.lost_end.empty()) {
    return fmt::format(
        "its end is missing: opening refuses it\n  what a repair would do: nexusfix journal repair "
        "{} --dry-run\n",
        folder);
  }
  if (!check.checkpoint_faults.empty()) {
    return fmt::format(
        "every record is sound; a checkpoint is not, and opening reads the log instead\n  what a "
        "repair would do: nexusfix journal repair {} --dry-run\n",
        folder);
  }
  if (check.torn_bytes == 0 && !check.unused.empty()) {
    return fmt::format(
        "sound; nexusfix journal repair {} would cut off the bytes after a segment's last record\n",
        folder);
  }
  if (check.torn_bytes == 0) return "sound\n";
  return fmt::format("sound up to offset {} of {}; the {} bytes after it are a write that {}\n",
                     check.torn_offset, check.segments.back().file,
                     with_thousands(check.torn_bytes),
                     check.in_use ? "is not done" : "was interrupted: opening will cut them off");
}

}  // namespace

std::string numbers_text(const store::NumbersChange::Numbers& numbers) {
  return fmt::format("next inbound {}, next outbound {}, epoch {}", numbers.next_inbound,
                     numbers.next_outbound, numbers.epoch);
}

bool is_sound(const store::JournalCheck& check) {
  return check.damages.empty() && check.checkpoint_faults.empty() && check.lost_end.empty();
}

std::string check_text(const store::JournalCheck& check, const std::string& folder,
                       const store::JournalReport* loss) {
  std::string text =
      fmt::format("journal {}: {}, {}, {}, {}\n", folder, counted(check.segments.size(), "segment"),
                  counted(check.records, "record"), counted(check.messages, "message"),
                  counted(check.bytes, "byte"));
  if (check.in_use) text += "  a running process has it open\n";
  if (check.retired_segments > 0) {
    text +=
        fmt::format("  {} before these {} retired\n", counted(check.retired_segments, "segment"),
                    check.retired_segments == 1 ? "was" : "were");
  }
  for (const store::CheckedSegment& segment : check.segments) {
    text += fmt::format("  {}: {}, {}\n", segment.file, counted(segment.records, "record"),
                        counted(segment.bytes, "byte"));
  }
  for (const store::CheckedSession& session : check.sessions) {
    text += fmt::format("  {}\n    next inbound {}, next outbound {}, epoch {}, {}\n",
                        printable(session.name), session.record.next_inbound,
                        session.record.next_outbound, session.record.epoch,
                        counted(session.messages, "message"));
  }
  for (const store::FoundDamage& damage : check.damages) {
    text += fmt::format("  DAMAGE {} offset {}, {}: {}\n", damage.file, damage.offset,
                        counted(damage.bytes, "byte"), damage.what);
    for (const std::string& loss : damage.losses) {
      text += fmt::format("    {}\n", printable(loss));
    }
  }
  if (!check.lost_end.empty()) {
    text += fmt::format("  LOST {}\n", printable(check.lost_end));
  }
  if (!check.record_fault.empty()) {
    text += fmt::format("  NOTE {}\n", printable(check.record_fault));
  }
  for (const store::UnusedBytes& unused : check.unused) {
    text += fmt::format(
        "  UNUSED {} offset {}, {}: not empty and no part of the log; nothing is missing\n",
        unused.file, unused.offset, counted(unused.bytes, "byte"));
  }
  for (const std::string& fault : check.checkpoint_faults) {
    text += fmt::format("  CHECKPOINT {}\n", printable(fault));
  }
  if (loss != nullptr) text += power_loss_text(*loss);
  return text + verdict(check, folder);
}

std::string check_json(const store::JournalCheck& check, const std::string& folder,
                       const store::JournalReport* loss) {
  Json json = Json::object({{"folder", folder},
                            {"segments", check.segments.size()},
                            {"records", check.records},
                            {"messages", check.messages},
                            {"bytes", check.bytes},
                            {"torn_bytes", check.torn_bytes},
                            {"in_use", check.in_use},
                            {"retired_segments", check.retired_segments},
                            {"sound", is_sound(check)}});
  if (!check.lost_end.empty()) json.set("lost_end", check.lost_end);
  set_power_loss(json, loss != nullptr ? *loss : store::JournalReport{});
  json.set("checkpoint_faults", Json::array(check.checkpoint_faults));
  json.set("damages", Json::array(check.damages, [](const store::FoundDamage& damage) {
             return Json::object({{"file", damage.file},
                                  {"offset", damage.offset},
                                  {"bytes", damage.bytes},
                                  {"what", damage.what},
                                  {"losses", Json::array(damage.losses)}});
           }));
  json.set("unused", Json::array(check.unused, [](const store::UnusedBytes& unused) {
             return Json::object(
                 {{"file", unused.file}, {"offset", unused.offset}, {"bytes", unused.bytes}});
           }));
  return json.document();
}

std::string changes_text(const store::JournalCheck& check) {
  if (check.changes.empty())
    return "no sequence numbers were set by hand, and nothing was repaired\n";
  std::string text;
  for (const store::FoundChange& change : check.changes) {
    if (change.session.empty()) {
      text += fmt::format("{}  repair\n  {}\n", time_text(change.time), printable(change.text));
      continue;
    }
    if (change.before == change.after) {  // an operator's act
      text += fmt::format("{}  {}\n  {}\n", time_text(change.time), printable(change.session),
                          printable(change.text));
      continue;
    }
    text += fmt::format("{}  {}\n  before: {}\n  after:  {}\n  {}\n", time_text(change.time),
                        printable(change.session), numbers_text(change.before),
                        numbers_text(change.after), printable(change.text));
  }
  return text;
}

std::string repair_text(const store::RepairReport& report, const std::string& folder,
                        store::RepairMode mode) {
  if (report.steps.empty()) return fmt::format("journal {}: nothing to repair\n", folder);
  const bool planned = mode == store::RepairMode::Plan;
  std::string text =
      fmt::format("journal {}: {}\n", folder, planned ? "this would be done" : "this was done");
  for (const std::string& step : report.steps) {
    text += fmt::format("  {}\n", printable(step));
  }
  for (const std::string& alarm : report.alarms) {
    text += fmt::format("ALARM {}\n", printable(alarm));
  }
  if (!report.alarms.empty()) {
    text +=
        "A counterparty that asks for lost messages gets a gap fill. Compare with its records the\n"
        "messages that were sent with them, above all orders and reports.\n";
  }
  if (planned) {
    text += "Nothing was changed.\n";
  } else {
    text += fmt::format("The original files are in {}\n", report.copy_folder);
  }
  return text;
}

}  // namespace nexusfix::command
