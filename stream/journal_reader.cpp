#include "stream/journal_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "nexusfix/text/text.hpp"

namespace nexusfix::stream {
namespace {

using Failed = std::unexpected<std::string>;

constexpr std::size_t kRangesShown = 50;
// About a second of a follower's calls.
constexpr unsigned kBetweenLooks = 50;

}  // namespace

JournalReader::JournalReader(Disk& disk, std::string folder, const store::FollowOptions& options,
                             store::JournalFollower follower)
    : disk_{&disk}, folder_{std::move(folder)}, options_{options}, follower_{std::move(follower)} {}

std::expected<JournalReader, std::string> JournalReader::open(Disk& disk, const std::string& folder,
                                                              const store::FollowOptions& options) {
  auto follower = store::JournalFollower::open(disk, folder, options);
  if (!follower) return Failed{follower.error()};
  return JournalReader{disk, folder, options, std::move(*follower)};
}

std::expected<std::unique_ptr<store::LogFollower>, std::string> JournalReader::open_log(
    Disk& disk, const std::string& folder, const store::FollowOptions& options) {
  auto reader = open(disk, folder, options);
  if (!reader) return Failed{reader.error()};
  return std::make_unique<JournalReader>(std::move(*reader));
}

std::expected<std::unique_ptr<store::LogFollower>, std::string> JournalReader::fork() const {
  auto follower = follower_.fork();
  if (!follower) return Failed{follower.error()};
  std::unique_ptr<JournalReader> reader{
      new JournalReader{*disk_, folder_, options_, std::move(*follower)}};
  reader->is_certain_ = is_certain_;
  reader->tried_segment_ = tried_segment_;
  return reader;
}

std::expected<bool, std::string> JournalReader::next(Visitor visit) {
  for (;;) {
    Skipped skipped;
    const auto read = follower_.next([&](const store::FollowedMessage& message) {
      see_gaps();
      if (is_certain_) return visit(message);
      Range& range = skipped[{std::string{message.session}, message.is_received}];
      const std::uint64_t number = message.msg_seq_num;
      range.first = range.count == 0 ? number : std::min(range.first, number);
      range.last = std::max(range.last, number);
      ++range.count;
    });
    see_gaps();
    if (!read) {
      const auto passed = pass_unknown(read.error());
      if (!passed || !*passed) return passed;
      continue;
    }
    // The record is read again if its sessions are certain now.
    if (!is_certain_ && *read && become_certain()) continue;
    keep(skipped);
    return read;
  }
}

void JournalReader::see_gaps() {
  while (auto gap = follower_.consume_gap()) {
    gaps_.push_back(std::move(*gap));
    is_certain_ = false;
    tried_segment_ = 0;
  }
}

// A follower that is opened at this record reads the checkpoint of the segment, and what is between
// them. Without a gap on that way, all sessions are certain.
bool JournalReader::become_certain() {
  store::FollowOptions options = options_;
  options.cursor = follower_.cursor();
  if (options.cursor->segment == tried_segment_) return false;
  tried_segment_ = options.cursor->segment;
  options.cursor->position = options.cursor->last;
  options.cursor->last_crc = 0;
  auto follower = store::JournalFollower::open(*disk_, folder_, options);
  if (!follower || follower->consume_gap()) return false;
  follower_ = std::move(*follower);
  is_certain_ = true;
  report_skipped();
  return true;
}

// The follower cannot pass a message of a session that it does not know. True: the next segment is
// read. False: there is none at the moment.
std::expected<bool, std::string> JournalReader::pass_unknown(const std::string& error) {
  if (is_certain_ || !error.ends_with("a message is of an unknown session")) return Failed{error};
  if (looks_++ % kBetweenLooks != 0) return false;
  const std::uint64_t segment = follower_.cursor().segment;
  if (skip_segment()) {
    looks_ = 0;
    gaps_.push_back(
        fmt::format("{}: the rest of segment {} is not sent, and its messages are not "
                    "counted",
                    error, segment));
    return true;
  }
  if (!options_.is_followed) {
    return Failed{error + ". The stream can go on when the journal has another segment"};
  }
  if (looks_ == 1) {
    gaps_.push_back(error + ": the stream waits for the next segment, and sends nothing before it");
  }
  return false;
}

bool JournalReader::skip_segment() {
  store::FollowOptions options = options_;
  options.cursor = follower_.cursor();
  const std::uint64_t wanted = ++options.cursor->segment;
  // Not a place of that segment: so the follower begins at the first record.
  options.cursor->position = options.cursor->last = 0;
  auto follower = store::JournalFollower::open(*disk_, folder_, options);
  if (!follower || follower->cursor().segment != wanted) return false;
  static_cast<void>(follower->consume_gap());  // of that place
  follower_ = std::move(*follower);
  tried_segment_ = 0;
  return true;
}

void JournalReader::keep(const Skipped& skipped) {
  if (!skipped.empty() && skipped_.empty()) {
    gaps_.push_back(fmt::format(
        "journal {}: messages from log position {} on are skipped until the next segment that has "
        "a checkpoint: the damaged part may hide the name or a reset of their session",
        folder_, cursor().last));
  }
  for (const auto& [name, range] : skipped) {
    Range& all = skipped_[name];
    all.first = all.count == 0 ? range.first : std::min(all.first, range.first);
    all.last = std::max(all.last, range.last);
    all.count += range.count;
  }
}

void JournalReader::report_skipped() {
  if (skipped_.empty()) return;
  std::uint64_t count = 0;
  std::string text;
  std::size_t shown = 0;
  for (const auto& [name, range] : skipped_) {
    count += range.count;
    if (++shown > kRangesShown) continue;
    fmt::format_to(std::back_inserter(text), "{}{} {} MsgSeqNum {} to {} ({})",
                   shown == 1 ? "" : ", ", name.first.empty() ? "an unknown session" : name.first,
                   name.second ? "in" : "out", range.first, range.last, range.count);
  }
  if (shown > kRangesShown) text += fmt::format(" and {} more ranges", shown - kRangesShown);
  gaps_.push_back(fmt::format("journal {}: {} after a gap skipped, up to log position {}: {}",
                              folder_, command::counted(count, "message"), cursor().last, text));
  skipped_.clear();
}

std::optional<store::StoreEvent> JournalReader::next_event() {
  auto gap = consume_gap();
  if (!gap) return std::nullopt;
  return store::StoreEvent{.id = EventId::StreamGap, .text = std::move(*gap)};
}

std::optional<std::string> JournalReader::consume_gap() {
  see_gaps();
  if (gaps_.empty()) return std::nullopt;
  std::string text = std::move(gaps_.front());
  gaps_.pop_front();
  return text;
}

}  // namespace nexusfix::stream
