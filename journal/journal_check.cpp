#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "journal/api/journal_tools.hpp"
#include "journal/log_walk.hpp"
#include "store/api/entry.hpp"
#include "store/api/log_account.hpp"

namespace nexusfix::store {
namespace {

class Check {
 public:
  Check(Disk& disk, const std::string& folder)
      : disk_{disk}, folder_{folder}, account_{disk, folder} {}

  StoreResult<JournalCheck> run() {
    const auto log = walk_log(
        disk_, folder_,
        [&](const SegmentHeader& segment, std::span<const char> checkpoint) {
          return start(segment, checkpoint);
        },
        [&](const SegmentHeader& segment, const Record& record) { return add(segment, record); },
        [&](const DamagedBytes& bytes) { account_.damage(bytes); });
    if (!log && log.error().code == StoreErrorCode::Missing) {
      return std::unexpected{account_.no_segment()};
    }
    if (!log) return std::unexpected{log.error()};
    const std::vector<WalkedSegment>& segments = log->segments;
    const LogEnd end = end_of(*log);
    auto ended = account_.end(segments.front().header, segments.back().header, end);
    if (!ended) return std::unexpected{std::move(ended.error())};
    name_changes();
    for (const WalkedSegment& segment : segments) {
      check_.segments.push_back({.file = path_of_segment(folder_, segment.header.number),
                                 .bytes = segment.file_bytes,
                                 .records = segment.records});
      check_.records += segment.records;
      check_.bytes += segment.end;
      if (segment.unused_bytes == 0) continue;
      check_.unused.push_back({.file = path_of_segment(folder_, segment.header.number),
                               .offset = segment.end,
                               .bytes = segment.unused_bytes});
    }
    for (const StraySegment& one : log->strays) {
      check_.unused.push_back({.file = path_of_segment(folder_, one.number),
                               .offset = one.stray.offset,
                               .bytes = one.stray.bytes});
    }
    check_.torn_bytes = segments.back().torn_bytes;
    check_.torn_offset = segments.back().end;
    check_.record_fault = account_.record_fault();
    check_.power_lost = account_.loss() != LossCause::None;
    if (!account_.explains_missing_end()) check_.lost_end = account_.missing_end(end);
    check_.in_use = is_in_use(disk_, folder_);
    add_damages();
    const SessionTable& sessions = account_.sessions();
    for (SessionKey key = 0; key < sessions.size(); ++key) {
      check_.sessions.push_back({.name = sessions.name(key),
                                 .record = sessions.record(key),
                                 .messages = key < messages_.size() ? messages_[key] : 0});
    }
    return std::move(check_);
  }

 private:
  StoreResult<void> start(const SegmentHeader& segment, std::span<const char> bytes) {
    if (std::exchange(is_first_, false)) check_.retired_segments = segment.number - 1;
    auto finding = account_.begin_segment(segment, bytes);
    if (!finding.fault.empty()) check_.checkpoint_faults.push_back(std::move(finding.fault));
    return {};
  }

  StoreResult<void> add(const SegmentHeader& segment, const Record& record) {
    if (auto applied = account_.record(segment, record); !applied) return applied;
    EntryReader reader{record.entries};
    Entry entry;
    while (reader.next(entry)) {
      if (entry.kind == EntryKind::OutboundMessage) {
        if (messages_.size() <= entry.session) messages_.resize(entry.session + std::size_t{1});
        ++messages_[entry.session];
        ++check_.messages;
      } else if (entry.kind == EntryKind::NumbersSet) {
        const NumbersChange change = *decode_numbers_change(entry.bytes);
        check_.changes.push_back({.time = record.time,
                                  .session = {},
                                  .before = change.before,
                                  .after = change.after,
                                  .text = std::string{change.text}});
        changed_.push_back(entry.session);
      } else if (entry.kind == EntryKind::Removed && !is_filler(entry.bytes)) {
        check_.changes.push_back({.time = record.time,
                                  .session = {},
                                  .before = {},
                                  .after = {},
                                  .text = std::string{entry.bytes}});
        changed_.push_back(std::nullopt);
      }
    }
    return {};
  }

  // A session that is not known when the log's state is known has no records that could say more.
  void name_changes() {
    const SessionTable& sessions = account_.sessions();
    for (std::size_t i = 0; i < changed_.size(); ++i) {
      if (!changed_[i]) continue;
      check_.changes[i].session = *changed_[i] < sessions.size()
                                      ? sessions.name(*changed_[i])
                                      : "session key " + std::to_string(*changed_[i]);
    }
  }

  void add_damages() {
    for (const DamagedBytes& damage : account_.damages()) {
      check_.damages.push_back({.file = path_of_segment(folder_, damage.segment),
                                .offset = damage.offset,
                                .bytes = damage.bytes,
                                .what = damage.is_header ? "the segment's header does not check"
                                                         : describe(damage.fault),
                                .losses = {}});
    }
    for (std::size_t i = 0; i < account_.damages_before_start(); ++i) {
      if (!account_.damages()[i].is_header) check_.damages[i].losses.push_back(unknown_loss_text());
    }
    for (const SessionLoss& loss : account_.losses()) {
      check_.damages[loss.damage].losses.push_back(loss_text(account_.sessions(), loss));
    }
  }

  Disk& disk_;
  const std::string& folder_;
  LogAccount account_;
  bool is_first_ = true;
  JournalCheck check_;
  std::vector<std::uint64_t> messages_;  // by session key
  // By index in check_.changes; nothing: a repair.
  std::vector<std::optional<SessionKey>> changed_;
};

}  // namespace

StoreResult<JournalCheck> verify_journal(Disk& disk, const std::string& folder) {
  return SecondLook{disk, folder}.repeat([&] { return Check{disk, folder}.run(); });
}

bool is_segment(std::span<const char> bytes) noexcept {
  return decode_segment_header(bytes.first(std::min(bytes.size(), kSegmentHeaderBytes)))
      .has_value();
}

}  // namespace nexusfix::store
