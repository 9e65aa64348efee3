#include <span>
#include <utility>

#include <nexusfix/store/journal_check.hpp>

#include "store/damaged_log.hpp"
#include "store/entry.hpp"
#include "store/journal_lock.hpp"
#include "store/log_walk.hpp"
#include "store/loss_text.hpp"

namespace nexusfix::store {
namespace {

class Check {
 public:
  Check(Disk& disk, const std::string& folder) : disk_{disk}, folder_{folder} {}

  StoreResult<JournalCheck> run() {
    const auto segments = walk_log(
        disk_, folder_,
        [&](const SegmentHeader& segment, const Record& record) { return add(segment, record); },
        [&](const DamagedBytes& bytes) { log_.damage(bytes); });
    if (!segments) return std::unexpected{segments.error()};
    log_.end();
    for (const WalkedSegment& segment : *segments) {
      check_.segments.push_back({.file = path_of_segment(folder_, segment.header.number),
                                 .bytes = segment.file_bytes,
                                 .records = segment.records});
      check_.records += segment.records;
      check_.bytes += segment.end;
    }
    check_.torn_bytes = segments->back().torn_bytes;
    check_.torn_offset = segments->back().end;
    check_.in_use = is_in_use(disk_, folder_);
    add_damages();
    for (SessionKey key = 0; key < log_.state().sessions.size(); ++key) {
      check_.sessions.push_back({.name = log_.state().sessions.name(key),
                                 .record = log_.state().sessions.record(key),
                                 .messages = key < messages_.size() ? messages_[key] : 0});
    }
    return std::move(check_);
  }

 private:
  StoreResult<void> add(const SegmentHeader& segment, const Record& record) {
    if (const auto applied = log_.record(segment, record); !applied) {
      return std::unexpected{contradiction(folder_, segment, record, applied.error())};
    }
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
                                  .session = log_.state().sessions.name(entry.session),
                                  .before = change.before,
                                  .after = change.after,
                                  .text = std::string{change.text}});
      }
    }
    return {};
  }

  void add_damages() {
    for (const DamagedBytes& damage : log_.damages()) {
      check_.damages.push_back({.file = path_of_segment(folder_, damage.segment),
                                .offset = damage.offset,
                                .bytes = damage.bytes,
                                .what = damage.is_header ? "the segment's header does not check"
                                                         : describe(damage.fault),
                                .losses = {}});
    }
    for (const SessionLoss& loss : log_.losses()) {
      check_.damages[loss.damage].losses.push_back(loss_text(log_.state().sessions, loss));
    }
  }

  Disk& disk_;
  const std::string& folder_;
  DamagedLog log_;
  JournalCheck check_;
  std::vector<std::uint64_t> messages_;  // by session key
};

}  // namespace

StoreResult<JournalCheck> verify_journal(Disk& disk, const std::string& folder) {
  return Check{disk, folder}.run();
}

}  // namespace nexusfix::store
