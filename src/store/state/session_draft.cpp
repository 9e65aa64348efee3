#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "store/api/entry.hpp"
#include "store/format/byte_order.hpp"
#include "store/state/checkpoint.hpp"

namespace nexusfix::store {
namespace {

constexpr std::size_t kShortBytesMax = 9;
constexpr std::size_t kSessionBytesMax = 2 + 3 * 8 + 8 + 1 + 8 + 4 + 4;  // and name, ranges, groups

template <class Number>
[[nodiscard]] char* put(char* out, Number number) noexcept {
  store_little_endian(out, number);
  return out + sizeof number;
}

// Encodes seven bits a byte, lowest first, at a place of kShortBytesMax, and returns its end. It
// handles all bytes at once: messages wait while a segment ends, and there may be 100,000 numbers.
[[nodiscard]] char* put_short(char* out, std::uint64_t number) noexcept {
  if (number >> 56U != 0) {
    for (; number >= 0x80; number >>= 7U) *out++ = static_cast<char>(number | 0x80U);
    *out++ = static_cast<char>(number);
    return out;
  }
  const auto bytes = static_cast<unsigned>(std::bit_width(number | 1U) + 6) / 7;
  std::uint64_t spread = number;
  spread = (spread & 0x000000000FFFFFFFU) | ((spread & 0x00FFFFFFF0000000U) << 4U);
  spread = (spread & 0x00003FFF00003FFFU) | ((spread & 0x0FFFC0000FFFC000U) << 2U);
  spread = (spread & 0x007F007F007F007FU) | ((spread & 0x3F803F803F803F80U) << 1U);
  // All bytes but the last say that another one follows.
  spread |= 0x8080808080808080U & ((std::uint64_t{1} << (8 * (bytes - 1))) - 1);
  store_little_endian(out, spread);
  return out + bytes;
}

}  // namespace

void SessionDraft::encode(std::vector<char>& out, SessionKey key, LogPosition index_from) const {
  const SessionTable::Session& session = state_.sessions.session(key);
  const std::span<const MessageIndex::Group> groups = state_.indexes[key].after_fence();
  const std::size_t at = out.size();
  out.resize(at + kSessionBytesMax + session.name.size() + session.lost.size() * 16 +
             groups.size() * 3 * kShortBytesMax);
  char* end = put(out.data() + at, static_cast<std::uint16_t>(session.name.size()));
  end = std::ranges::copy(session.name, end).out;
  end = put(end, session.record.next_inbound);
  end = put(end, session.record.next_outbound);
  end = put(end, session.record.epoch);
  end = put(end, std::int64_t{session.record.created.time_since_epoch().count()});
  *end++ = session.is_unfinished ? 1 : 0;
  end = put(end, session.reserved);
  end = put(end, static_cast<std::uint32_t>(session.lost.size()));
  for (const NumberRange& range : session.lost) end = put(put(end, range.first), range.last);
  end = put(end, static_cast<std::uint32_t>(groups.size()));
  std::uint64_t number = 0;
  LogPosition begin = index_from;
  for (const MessageIndex::Group& group : groups) {
    end = put_short(end, group.first - std::exchange(number, group.first));
    end = put_short(end, group.begin - std::exchange(begin, group.begin));
    end = put_short(end, group.end - group.begin);
  }
  out.resize(static_cast<std::size_t>(end - out.data()));
}

void SessionDraft::advance(std::size_t count, LogPosition index_from) {
  // One more session changes the indexes of all.
  if (sessions_ != state_.sessions.size()) discard();
  sessions_ = state_.sessions.size();
  while (ends_.size() < std::min(count, sessions_)) {
    encode(bytes_, static_cast<SessionKey>(ends_.size()), index_from);
    ends_.push_back(bytes_.size());
    is_stale_.push_back(0);
  }
}

void SessionDraft::touch(std::span<const char> entries) {
  if (ends_.empty()) return;
  EntryReader reader{entries};
  Entry entry;
  while (reader.next(entry)) {
    if (entry.session < ends_.size()) is_stale_[entry.session] = 1;
  }
}

void SessionDraft::discard() noexcept {
  bytes_.clear();
  ends_.clear();
  is_stale_.clear();
}

void SessionDraft::finish(std::vector<char>& out, LogPosition index_from) {
  if (sessions_ != state_.sessions.size()) discard();
  const auto count = static_cast<SessionKey>(state_.sessions.size());
  for (SessionKey key = 0; key < count;) {
    if (!is_good(key)) {
      encode(out, key++, index_from);
      continue;
    }
    const std::size_t begin = key == 0 ? 0 : ends_[key - 1];
    while (is_good(key)) ++key;
    const std::span run = std::span{bytes_}.subspan(begin, ends_[key - 1] - begin);
    out.insert(out.end(), run.begin(), run.end());
  }
  discard();
}

}  // namespace nexusfix::store
