#include "logs/stats/session_timeline.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "logs/fields/message_fields.hpp"
#include "logs/messages/find_bytes.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::logs {
namespace {

using EntryKind = TimelineEntry::Kind;

constexpr std::size_t kSessionsMax = 1000;
constexpr std::size_t kEntriesMax = 100'000;  // of all sessions
constexpr std::size_t kEntriesOfSessionMax = 10'000;
constexpr std::size_t kEntryTextBytesMax = 200;

// The first value of a field of a session message. begin: SOH, the tag and `=`.
std::string_view value_of(std::string_view bytes, std::string_view begin) {
  const std::size_t at = printing::find_bytes(bytes, begin);
  if (at == bytes.npos) return {};
  const std::string_view value = bytes.substr(at + begin.size());
  return value.substr(0, value.find('\x01'));
}

std::string range_text(std::uint64_t first, std::uint64_t last) {
  return first == last ? std::to_string(first) : fmt::format("{} to {}", first, last);
}

}  // namespace

std::string_view entry_name(EntryKind kind) noexcept {
  switch (kind) {
    case EntryKind::Connecting:
      return "connecting";
    case EntryKind::LoggedOn:
      return "logged_on";
    case EntryKind::Refused:
      return "refused";
    case EntryKind::Reset:
      return "reset";
    case EntryKind::Gap:
      return "gap";
    case EntryKind::ResendRequest:
      return "resend_request";
    case EntryKind::Resent:
      return "resent";
    case EntryKind::Silent:
      return "silent";
    case EntryKind::Reject:
      return "reject";
    case EntryKind::Logout:
      return "logout";
    case EntryKind::Off:
      return "off";
    case EntryKind::Lost:
      return "lost";
  }
  return {};
}

// tidy: flat switch
std::string entry_text(const TimelineEntry& entry) {
  using command::duration_text;
  const std::string said = entry.text.empty() ? "" : ": " + entry.text;
  switch (entry.kind) {
    case EntryKind::Connecting:
      return fmt::format("connected: Logon of {} with MsgSeqNum {}", entry.sender, entry.first);
    case EntryKind::LoggedOn:
      return fmt::format("logged on: {} answers after {}", entry.sender,
                         duration_text(entry.duration));
    case EntryKind::Refused:
      return fmt::format("refused by {}{}", entry.sender, said);
    case EntryKind::Reset:
      return fmt::format("{} resets its numbers to {}", entry.sender, entry.first);
    case EntryKind::Gap:
      return fmt::format("gap: {} of {} did not come", range_text(entry.first, entry.last),
                         entry.sender);
    case EntryKind::ResendRequest:
      return fmt::format("{} requests {} again", entry.sender,
                         entry.last == 0 ? fmt::format("{} and all later ones", entry.first)
                                         : range_text(entry.first, entry.last));
    case EntryKind::Resent:
      return fmt::format("{} resends {}, with {} in {}", entry.sender,
                         range_text(entry.first, entry.last),
                         command::counted(entry.count, "message"), duration_text(entry.duration));
    case EntryKind::Silent:
      return fmt::format("silent: no message of {} for {}", entry.sender,
                         duration_text(entry.duration));
    case EntryKind::Reject:
      return fmt::format("Reject of {}{}", entry.sender, said);
    case EntryKind::Logout:
      return fmt::format("Logout of {}{}", entry.sender, said);
    case EntryKind::Off:
      return "off: both sides have logged out";
    case EntryKind::Lost:
      return entry.duration.count() == 0
                 ? "the messages end without a Logout"
                 : fmt::format("off: no Logout; the next Logon comes after {}",
                               duration_text(entry.duration));
  }
  return {};
}

TimelineCollector::Session& TimelineCollector::session_of(std::string_view sender,
                                                          std::string_view target) {
  key_.first.assign(std::min(sender, target).substr(0, kEntryTextBytesMax));
  key_.second.assign(std::max(sender, target).substr(0, kEntryTextBytesMax));
  const auto known = sessions_.find(key_);
  if (known != sessions_.end()) return known->second;
  // Later sessions count together, without entries.
  if (sessions_.size() >= kSessionsMax) key_ = {};
  Session& session = sessions_[key_];
  if (session.timeline == nullptr && sessions_.size() <= kSessionsMax) {
    session.timeline = &timelines_.emplace_back();
    session.timeline->left = sender.substr(0, kEntryTextBytesMax);
    session.timeline->right = target.substr(0, kEntryTextBytesMax);
  }
  return session;
}

void TimelineCollector::put(Session& session, TimelineEntry entry) {
  if (session.timeline == nullptr) return;
  SessionTimeline& timeline = *session.timeline;
  if (entries_ >= kEntriesMax || timeline.entries.size() >= kEntriesOfSessionMax) {
    ++timeline.left_out;
    return;
  }
  ++entries_;
  // After those of the same time.
  const auto place =
      std::ranges::upper_bound(timeline.entries, entry.time, {}, &TimelineEntry::time);
  timeline.entries.insert(place, std::move(entry));
}

// A side that sends nothing for longer than HeartBtInt and half of it is silent: it should have
// sent a Heartbeat.
void TimelineCollector::check_silence(Session& session, std::size_t side, WallTime now) {
  const auto& last = session.sides[side].last;
  if (!session.is_on || !last || session.heart_bt_int.count() <= 0) return;
  const std::chrono::nanoseconds silent = now - *last;
  if (silent <= session.heart_bt_int + session.heart_bt_int / 2 + std::chrono::seconds{1}) return;
  const SessionTimeline& timeline = *session.timeline;
  put(session, {.kind = EntryKind::Silent,
                .time = *last,
                .sender = side == 0 ? timeline.left : timeline.right,
                .duration = silent});
}

void TimelineCollector::lose(Session& session, std::optional<WallTime> next) {
  const auto last = session.timeline->last;
  if (!session.is_on || !last) return;
  session.is_on = false;
  put(session, {.kind = EntryKind::Lost,
                .time = *last,
                .duration = next ? *next - *last : std::chrono::nanoseconds{0}});
}

void TimelineCollector::add_logon(Session& session, std::size_t side, const Message& message) {
  Side& own = session.sides[side];
  const Side& other = session.sides[1 - side];
  const bool answers = session.is_connecting && other.has_logon && !own.has_logon;
  // Within a session a Logon resets its numbers, which add_reset() has entered. A reconnection
  // takes longer.
  constexpr std::chrono::seconds kReconnectMin{1};
  const bool is_within = session.is_on && message.time - *session.timeline->last < kReconnectMin &&
                         value_of(message.bytes,
                                  "\x01"
                                  "141=") == "Y";
  if (is_within) return;
  if (!answers) {
    lose(session, message.time);
    for (Side& one : session.sides)
      one = {.last = one.last, .has_logon = false, .has_logout = false, .resent = {}};
    session.is_connecting = true;
    put(session, {.kind = EntryKind::Connecting,
                  .time = message.time,
                  .sender = std::string{message.sender},
                  .first = message.number,
                  .place = message.place});
  } else {
    session.is_on = true;
    session.is_connecting = false;
    put(session, {.kind = EntryKind::LoggedOn,
                  .time = message.time,
                  .sender = std::string{message.sender},
                  .first = message.number,
                  .duration = message.time - other.last.value_or(message.time),
                  .place = message.place});
  }
  own.has_logon = true;
  session.heart_bt_int =
      std::chrono::seconds{std::min<std::uint64_t>(number_of(value_of(message.bytes,
                                                                      "\x01"
                                                                      "108=")),
                                                   86'400)};
}

void TimelineCollector::add_logout(Session& session, std::size_t side, const Message& message) {
  TimelineEntry entry{.kind = session.is_connecting ? EntryKind::Refused : EntryKind::Logout,
                      .time = message.time,
                      .sender = std::string{message.sender},
                      .text = std::string{value_of(message.bytes,
                                                   "\x01"
                                                   "58=")
                                              .substr(0, kEntryTextBytesMax)},
                      .place = message.place};
  put(session, std::move(entry));
  session.sides[side].has_logout = true;
  const bool is_refused = std::exchange(session.is_connecting, false);
  if (is_refused || !session.is_on || !session.sides[1 - side].has_logout) return;
  session.is_on = false;
  put(session, {.kind = EntryKind::Off, .time = message.time});
}

void TimelineCollector::add_resend(Session& session, std::size_t side, const Message& message) {
  Side& own = session.sides[side];
  if (session.timeline == nullptr) return;
  auto& entries = session.timeline->entries;
  if (own.resent && *own.resent < entries.size() &&
      entries[*own.resent].last + 1 == message.number) {
    TimelineEntry& entry = entries[*own.resent];
    entry.last = message.last;
    ++entry.count;
    entry.duration = message.time - entry.time;
    return;
  }
  own.resent = entries.size();
  put(session, {.kind = EntryKind::Resent,
                .time = message.time,
                .sender = std::string{message.sender},
                .first = message.number,
                .last = message.last,
                .count = 1,
                .place = message.place});
}

void TimelineCollector::add_gap(const Message& message, std::uint64_t first, std::uint64_t last) {
  put(session_of(message.sender, message.target), {.kind = EntryKind::Gap,
                                                   .time = message.time,
                                                   .sender = std::string{message.sender},
                                                   .first = first,
                                                   .last = last,
                                                   .place = message.place});
}

void TimelineCollector::add_reset(const Message& message, std::uint64_t number) {
  put(session_of(message.sender, message.target), {.kind = EntryKind::Reset,
                                                   .time = message.time,
                                                   .sender = std::string{message.sender},
                                                   .first = number,
                                                   .place = message.place});
}

void TimelineCollector::add(const Message& message) {
  Session& session = session_of(message.sender, message.target);
  if (session.timeline == nullptr) return;
  SessionTimeline& timeline = *session.timeline;
  const std::size_t side = message.sender == timeline.left ? 0 : 1;
  const char type = message.type.size() == 1 ? message.type.front() : '\0';
  if (type != 'A') check_silence(session, side, message.time);
  if (message.is_resend) {
    add_resend(session, side, message);
  } else if (type == 'A') {
    add_logon(session, side, message);
  } else if (type == '5') {
    add_logout(session, side, message);
  } else if (type == '2') {
    put(session, {.kind = EntryKind::ResendRequest,
                  .time = message.time,
                  .sender = std::string{message.sender},
                  .first = number_of(value_of(message.bytes,
                                              "\x01"
                                              "7=")),
                  .last = number_of(value_of(message.bytes,
                                             "\x01"
                                             "16=")),
                  .place = message.place});
  } else if (type == '3') {
    put(session, {.kind = EntryKind::Reject,
                  .time = message.time,
                  .sender = std::string{message.sender},
                  .text = std::string{value_of(message.bytes,
                                               "\x01"
                                               "58=")
                                          .substr(0, kEntryTextBytesMax)},
                  .place = message.place});
  }
  session.sides[side].last = message.time;
  timeline.first = std::min(timeline.first.value_or(message.time), message.time);
  timeline.last = std::max(timeline.last.value_or(message.time), message.time);
}

void TimelineCollector::finish() {
  for (auto& [key, session] : sessions_) {
    if (session.timeline == nullptr || !session.timeline->last) continue;
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      check_silence(session, side, *session.timeline->last);
    }
    session.timeline->is_on = session.is_on;
  }
}

}  // namespace nexusfix::logs
