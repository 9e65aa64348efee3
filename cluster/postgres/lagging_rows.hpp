// The rows of `sessions` and `message_places` on the server that are older than the log. Most
// batches write neither: such a row is written once for several of them. An opening finds what the
// rows lack in the chunks of the log, from the oldest change on that they lack.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nexusfix/base/language.hpp>
#include <nexusfix/store.hpp>

namespace nexusfix::store::postgres {

class LaggingRows {
 public:
  // Messages of a session's epoch, in the chunks from the first to the last.
  struct Place {
    SessionKey session = 0;
    std::uint64_t epoch = 0;  // 0: there is no message
    std::uint64_t first_number = 0;
    LogPosition first_chunk = 0;
    LogPosition last_chunk = 0;
    std::uint64_t bytes = 0;  // of its messages
  };

  // So that the calls for this number of sessions, and of messages more, need no memory.
  void make_room(std::size_t sessions, std::size_t messages) {
    if (by_key_.size() < sessions) by_key_.resize(sessions);
    const std::size_t places = ended_.size() + messages;
    if (places > ended_.capacity()) ended_.reserve(std::max(places, 2 * ended_.capacity()));
  }
  // The session changes in the chunk that begins there.
  void touch(SessionKey session, LogPosition chunk) noexcept {
    Session& one = by_key_[session];
    if (one.is_listed) return;
    one = {.is_listed = true, .since = chunk, .before = newest_, .after = kNone, .place = {}};
    (newest_ == kNone ? oldest_ : by_key_[newest_].after) = session;
    newest_ = session;
    ++count_;
  }
  // After touch().
  void add_message(SessionKey session, std::uint64_t epoch, std::uint64_t number,
                   std::size_t size_bytes, LogPosition chunk) noexcept {
    Place& place = by_key_[session].place;
    const bool is_full = place.bytes >= kPlaceBytes && place.last_chunk != chunk;
    if (place.epoch != 0 && (place.epoch != epoch || is_full)) {
      ended_.push_back(place);
      place = {};
    }
    if (place.epoch == 0) {
      place = {.session = session, .epoch = epoch, .first_number = number, .first_chunk = chunk};
    }
    place.last_chunk = chunk;
    place.bytes += size_bytes;
  }

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  // How many places there are, at most.
  [[nodiscard]] std::size_t places() const noexcept { return count_ + ended_.size(); }
  // The session that lags longest, and since when. Before both, not empty().
  [[nodiscard]] SessionKey oldest() const noexcept { return oldest_; }
  [[nodiscard]] LogPosition since() const noexcept { return by_key_[oldest_].since; }
  // The session's row is written with these places, and lags no more. Before, touch().
  template <class Visitor>
  void take(SessionKey session, Visitor visit) {
    Session& one = by_key_[session];
    NEXUSFIX_ASSERT(one.is_listed);
    std::erase_if(ended_, [&](const Place& place) {
      if (place.session != session) return false;
      visit(place);
      return true;
    });
    if (one.place.epoch != 0) visit(one.place);
    (one.before == kNone ? oldest_ : by_key_[one.before].after) = one.after;
    (one.after == kNone ? newest_ : by_key_[one.after].before) = one.before;
    one = {};
    --count_;
  }

 private:
  // A reader of one message reads the chunks of its place.
  static constexpr std::uint64_t kPlaceBytes = 64U << 10U;
  static constexpr SessionKey kNone = ~SessionKey{0};
  // In a list by `since`.
  struct Session {
    bool is_listed = false;
    LogPosition since = 0;
    SessionKey before = kNone;
    SessionKey after = kNone;
    Place place{};  // the last one
  };
  std::vector<Session> by_key_;
  SessionKey oldest_ = kNone;
  SessionKey newest_ = kNone;
  std::size_t count_ = 0;
  std::vector<Place> ended_;  // places before the sessions' last ones, in the order of the log
};

}  // namespace nexusfix::store::postgres
