#include "store/state/message_places.hpp"

#include <algorithm>
#include <utility>

#include <nexusfix/base/language.hpp>

#include "store/api/session_table.hpp"
#include "store/state/even_search.hpp"

namespace nexusfix::store {

static_assert(kSessionsMax - 1 <= UINT16_MAX, "a part names its session so");

MessagePlaces::Run MessagePlaces::Run::from(std::uint64_t begin, std::uint64_t end,
                                            std::uint64_t msg_seq_num) const noexcept {
  const auto index_of = [&](std::uint64_t offset) {
    return static_cast<std::size_t>(std::ranges::lower_bound(offsets_, offset) - offsets_.begin());
  };
  const std::uint64_t wanted = std::min(msg_seq_num, kNumberMax);
  // Mostly all lie there, and the place of a number is known.
  if (numbers_.empty() && begin == 0 && !offsets_.empty() && end > offsets_.back()) {
    const auto before = static_cast<std::size_t>(
        std::min<std::uint64_t>(wanted - std::min(wanted, first_), offsets_.size()));
    return {offsets_.subspan(before), first_ + before, {}};
  }
  std::size_t low = index_of(begin);
  const std::size_t last = index_of(end);
  for (std::size_t high = last; low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    if (number(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {offsets_.subspan(low, last - low), first_ + low,
          numbers_.empty() ? numbers_ : numbers_.subspan(low, last - low)};
}

MessagePlaces::Run MessagePlaces::Run::up_to(std::uint64_t msg_seq_num) const noexcept {
  const std::uint64_t wanted = std::min(msg_seq_num, kNumberMax);
  std::size_t count = 0;
  while (count < size() && (offsets_[count] == offsets_.front() || number(count) <= wanted))
    ++count;
  return {offsets_.first(count), first_, numbers_.empty() ? numbers_ : numbers_.first(count)};
}

MessagePlaces::Run MessagePlaces::Block::of(SessionKey session) const noexcept {
  const auto part = std::ranges::lower_bound(parts, session, {}, &Part::session);
  if (part == parts.end() || part->session != session) return {};
  const std::size_t last = part + 1 == parts.end() ? offsets.size() : (part + 1)->first;
  const std::size_t count = last - part->first;
  const auto own = std::span{offsets}.subspan(part->first, count);
  if (part->has_gaps) return {own, 0, std::span{numbers}.subspan(part->number, count)};
  return {own, part->number, {}};
}

std::size_t MessagePlaces::Block::memory_bytes() const noexcept {
  return sizeof(Block) + parts.capacity() * sizeof(Part) +
         (offsets.capacity() + numbers.capacity()) * sizeof(std::uint32_t);
}

// The index of the first block after the position.
std::size_t MessagePlaces::index_after(LogPosition position) const noexcept {
  return count_not_above(position, begins_.size(),
                         [this](std::size_t index) { return begins_[index]; });
}

const MessagePlaces::Block* MessagePlaces::find(LogPosition position) noexcept {
  const std::size_t after = index_after(position);
  if (after == 0) return nullptr;
  Kept& kept = *blocks_[after - 1];
  if (kept.block.end <= position) return nullptr;
  kept.is_used = true;
  return &kept.block;
}

LogPosition MessagePlaces::next_begin(LogPosition position) const noexcept {
  const std::size_t after = index_after(position);
  return after == begins_.size() ? kNoPosition : begins_[after];
}

// A small block is mostly what holds it.
std::size_t MessagePlaces::memory_bytes_of(const Block& block) noexcept {
  return sizeof(LogPosition) + sizeof(void*) + sizeof(Kept) - sizeof(Block) + block.memory_bytes();
}

void MessagePlaces::add(Block block) {
  NEXUSFIX_ASSERT(find(block.begin) == nullptr);
  NEXUSFIX_ASSERT(block.end <= next_begin(block.begin));
  const LogPosition begin = block.begin;
  const std::size_t bytes = memory_bytes_of(block);
  const auto index = static_cast<std::ptrdiff_t>(index_after(begin));
  auto kept = std::make_unique<Kept>(Kept{.block = std::move(block)});
  // So that both grow, or none.
  if (begins_.size() == begins_.capacity()) begins_.reserve(2 * begins_.size() + 16);
  blocks_.insert(blocks_.begin() + index, std::move(kept));
  begins_.insert(begins_.begin() + index, begin);
  memory_bytes_ += bytes;
  while (memory_bytes_ > memory_bytes_max_ && blocks_.size() > 1) forget_one_but(begin);
}

// The caller reads the block that begins there now.
void MessagePlaces::forget_one_but(LogPosition begin) noexcept {
  for (;; ++hand_) {
    if (hand_ >= blocks_.size()) hand_ = 0;
    if (begins_[hand_] == begin) continue;
    if (!std::exchange(blocks_[hand_]->is_used, false)) return forget(hand_);
  }
}

void MessagePlaces::forget(std::size_t index) noexcept {
  memory_bytes_ -= memory_bytes_of(blocks_[index]->block);
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(index));
  begins_.erase(begins_.begin() + static_cast<std::ptrdiff_t>(index));
}

void MessagePlaces::forget_before(LogPosition position) noexcept {
  std::size_t count = 0;
  while (count < blocks_.size() && blocks_[count]->block.end <= position) ++count;
  for (std::size_t index = 0; index < count; ++index) {
    memory_bytes_ -= memory_bytes_of(blocks_[index]->block);
  }
  blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(count));
  begins_.erase(begins_.begin(), begins_.begin() + static_cast<std::ptrdiff_t>(count));
}

void PlacesDraft::add(SessionKey session, std::uint64_t msg_seq_num, std::uint64_t offset) {
  const auto number = static_cast<std::uint32_t>(std::min(msg_seq_num, MessagePlaces::kNumberMax));
  messages_.push_back({session, static_cast<std::uint32_t>(offset), number});
  if (session >= ends_.size()) ends_.resize(session + 1U);
  ++ends_[session];
}

// By session, each in the order of the log.
void PlacesDraft::finish(MessagePlaces::Block& block) {
  block.offsets.resize(messages_.size());
  numbers_.resize(messages_.size());
  std::uint32_t begin = 0;
  for (std::uint32_t& end : ends_) begin += std::exchange(end, begin);
  for (const Message& message : messages_) {
    const std::uint32_t at = ends_[message.session]++;
    block.offsets[at] = message.offset;
    numbers_[at] = message.number;
  }
  block.parts.reserve(std::min<std::size_t>(ends_.size(), messages_.size()));
  begin = 0;
  for (SessionKey session = 0; session < ends_.size(); ++session) {
    if (begin < ends_[session]) finish_part(block, session, begin, ends_[session]);
    begin = ends_[session];
  }
  block.parts.shrink_to_fit();
  block.numbers.shrink_to_fit();
  clear();
}

void PlacesDraft::clear() noexcept {
  messages_.clear();
  ends_.clear();
}

void PlacesDraft::finish_part(MessagePlaces::Block& block, SessionKey session, std::size_t begin,
                              std::size_t end) const {
  const auto numbers = std::span{numbers_}.subspan(begin, end - begin);
  const bool has_gaps = std::ranges::adjacent_find(numbers, [](auto one, auto next) {
                          return next != std::uint64_t{one} + 1;
                        }) != numbers.end();
  block.parts.push_back(
      {.session = static_cast<std::uint16_t>(session),
       .has_gaps = has_gaps,
       .first = static_cast<std::uint32_t>(begin),
       .number = has_gaps ? static_cast<std::uint32_t>(block.numbers.size()) : numbers.front()});
  if (has_gaps) block.numbers.insert(block.numbers.end(), numbers.begin(), numbers.end());
}

}  // namespace nexusfix::store
