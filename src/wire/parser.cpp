#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <vector>

#include <nexusfix/wire/parser.hpp>

#include "base/api/full_path.hpp"
#include "wire/digits.hpp"
#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::wire {

namespace {

constexpr std::string_view kBeginStringStart = "8=";
constexpr std::string_view kBodyLengthStart = "9=";
constexpr std::string_view kMsgTypeStart = "35=";
constexpr std::uint32_t kCheckSumDigits = 3;
constexpr std::size_t kMsgTypeField = 2;
using kernels::kTrailerBytes;
static_assert(kKeysReadable <= kernels::kEntriesAtOnce);
// Enough for nearly all messages without growth; 3 KiB.
constexpr std::uint32_t kFieldsAtFirst = 256;

static_assert(kernels::kTagMalformed == static_cast<int>(Fault::Rule::TagMalformed) + 1);
static_assert(kernels::kTagWithoutValue == static_cast<int>(Fault::Rule::TagWithoutValue) + 1);
static_assert(kernels::kValueEmpty == static_cast<int>(Fault::Rule::ValueEmpty) + 1);
static_assert(kernels::kDataLengthWrong == static_cast<int>(Fault::Rule::DataLengthWrong) + 1);

[[nodiscard]] std::unexpected<ParseError> failure(GarbledReason reason,
                                                  std::size_t offset) noexcept {
  return std::unexpected{ParseError{reason, static_cast<std::uint32_t>(offset)}};
}

// BeginString, BodyLength and the start of MsgType.
struct Head {
  std::uint32_t length_begin = 0;  // of BodyLength's digits
  std::uint32_t body_begin = 0;    // after BodyLength's SOH
  std::uint64_t body_length = 0;
};

[[nodiscard]] std::expected<Head, ParseError> read_head(std::string_view frame,
                                                        Checks checks) noexcept {
  if (!frame.starts_with(kBeginStringStart)) {
    return failure(GarbledReason::FirstFieldsOutOfOrder, 0);
  }
  const std::size_t second = std::min(frame.find(kSoh), frame.size() - 1) + 1;
  if (!frame.substr(second).starts_with(kBodyLengthStart)) {
    return failure(GarbledReason::FirstFieldsOutOfOrder, second);
  }
  Head head;
  std::size_t at = second + kBodyLengthStart.size();
  head.length_begin = static_cast<std::uint32_t>(at);
  for (; at < frame.size() && is_digit(frame[at]); ++at) {
    head.body_length = head.body_length * 10 + static_cast<std::uint64_t>(frame[at] - '0');
    if (checks.body_length && head.body_length > kMessageBytesMax) {
      return failure(GarbledReason::BodyLengthTooLarge, head.length_begin);
    }
  }
  if (!checks.body_length) at = std::min(frame.find(kSoh, at), frame.size());
  if ((checks.body_length && at == head.length_begin) || at == frame.size() || frame[at] != kSoh) {
    return failure(GarbledReason::BodyLengthMalformed, at);
  }
  head.body_begin = static_cast<std::uint32_t>(at + 1);
  if (!frame.substr(head.body_begin).starts_with(kMsgTypeStart)) {
    return failure(GarbledReason::FirstFieldsOutOfOrder, head.body_begin);
  }
  return head;
}

// Whether the frame ends with a well-formed CheckSum field.
[[nodiscard]] bool has_good_trailer(std::string_view frame, std::uint32_t body_end) noexcept {
  const std::string_view trailer = frame.substr(body_end);
  return frame[body_end - 1] == kSoh && trailer.starts_with("10=") && is_digit(trailer[3]) &&
         is_digit(trailer[4]) && is_digit(trailer[5]) && trailer[3 + kCheckSumDigits] == kSoh;
}

void keep_fault(std::string_view frame, const kernels::RawFault& fault,
                std::optional<Fault>& kept) noexcept {
  kept.reset();
  if (fault.rule == kernels::kNoFault) return;
  kept = Fault{static_cast<Fault::Rule>(fault.rule - 1), fault.offset,
               frame.substr(fault.offset, fault.tag_bytes)};
}

[[nodiscard]] unsigned policy_of(Checks checks) noexcept {
  return (checks.check_sum ? 0 : kernels::kLeaveOutCheckSum) |
         (checks.body_length ? 0 : kernels::kLeaveOutBodyLength);
}

struct AlignedDelete {
  void operator()(std::byte* bytes) const noexcept {
    ::operator delete(bytes, std::align_val_t{kKeysAlignment});
  }
};

}  // namespace

struct detail::ParserIndex::Storage {
  alignas(kKeysAlignment) std::array<detail::NarrowPlace, kernels::kEntriesAtOnce> narrow_places{};
  std::array<detail::FrameShape, kShapes> shapes;
  std::array<detail::TagSequence, kernels::kSequences> sequences;
  kernels::IndexWork work{};
  Faults faults;
  std::vector<std::uint32_t> length_tags;
  std::vector<std::uint32_t> data_tags;
  std::unique_ptr<std::byte, AlignedDelete> entries;
};

detail::ParserIndex::ParserIndex(const DataFieldTable& data_fields,
                                 const kernels::KernelTable& kernel, Checks checks)
    : index_frame_{kernel.index_frame[policy_of(checks)]},
      fits_{FullPathOnly::is_on() ? nullptr : kernel.fits},
      find_sequence_{kernel.find_sequence},
      compared_bytes_max_{find_sequence_ == nullptr ? 0 : detail::TagSequence::kFrameBytesMax},
      checks_{checks},
      storage_{std::make_unique<Storage>()} {
  static_assert(kNarrowPlaces == kernels::kNarrowPlaces);
  shapes_ = storage_->shapes.data();
  sequences_ = storage_->sequences.data();
  const bool has_sequences = find_sequence_ != nullptr && checks_.check_sum &&
                             checks_.body_length && !FullPathOnly::is_on();
  if (!has_sequences) wait_ = kNever;
  work_ = &storage_->work;
  kernels::DataTags& data = work_->data;
  for (const DataFieldTable::Pair& pair : data_fields.pairs()) {
    // Tags that share their upper digits share a bit. So the Length tags of one hundred do not let
    // those of another hundred pass.
    const auto bit = static_cast<std::uint8_t>(1U << pair.length / 100 % 8);
    data.low_two[pair.length % 100] |= bit;
    data.high_two[pair.length / 100 % 100 % 64] |= bit;
    // With this bit, no other tag passes for the standard ones.
    const auto digits_bit = static_cast<std::uint8_t>(1U << pair.length / 10 % 21 % 8);
    for (std::uint32_t i = 0, digits = pair.length; i < 3 && pair.length < 1'000; ++i, digits /= 10)
      data.digits[i][digits % 10] |= digits_bit;
    storage_->length_tags.push_back(pair.length);
    storage_->data_tags.push_back(pair.data);
  }
  data.length_tags = storage_->length_tags.data();
  data.data_tags = storage_->data_tags.data();
  data.count = static_cast<std::uint32_t>(storage_->length_tags.size());
  reserve(kFieldsAtFirst);
}

detail::ParserIndex::ParserIndex(const DataFieldTable& data_fields, Checks checks)
    : detail::ParserIndex{data_fields, kernels::selected(), checks} {
  compared_bytes_max_ = kernels::selected().compared_bytes_max;
}
detail::ParserIndex::ParserIndex(detail::ParserIndex&& other) noexcept = default;
detail::ParserIndex& detail::ParserIndex::operator=(detail::ParserIndex&& other) noexcept = default;
detail::ParserIndex::~ParserIndex() = default;

void detail::ParserIndex::reserve(std::uint32_t fields) {
  // A multiple, so that the memory after the keys is aligned like the keys.
  const std::size_t entries =
      (std::size_t{fields} / kernels::kEntriesAtOnce + 2) * kernels::kEntriesAtOnce;
  const std::size_t bytes = entries * (sizeof(detail::FieldPlace) + sizeof(std::uint16_t));
  constexpr std::align_val_t kAlignment{kKeysAlignment};
  storage_->entries.reset(static_cast<std::byte*>(::operator new(bytes, kAlignment)));
  // Zeroed, because a lookup also compares entries after the last field before it discards them.
  std::memset(storage_->entries.get(), 0, bytes);
  auto* const keys = reinterpret_cast<std::uint16_t*>(storage_->entries.get());
  auto* const places = reinterpret_cast<detail::FieldPlace*>(keys + entries);
  work_->arrays = {keys, places, storage_->narrow_places.data(), fields};
  index_ = {keys, places, storage_->narrow_places.data(), 0, 0};
}

// Why a frame is not a message: checks the rules one after the other, in the documented order.
// Cold, because the kernel has already found that one of them is broken.
ParseError detail::ParserIndex::diagnosed(std::string_view frame) const noexcept {
  if (frame.size() > kMessageBytesMax) return {GarbledReason::TooLong, kMessageBytesMax};
  const std::expected<Head, ParseError> head = read_head(frame, checks_);
  if (!head) return head.error();
  // The head ends with `35=`. A frame of head and trailer only is too short to have both.
  if (frame.size() < head->body_begin + kMsgTypeStart.size() + 1 + kTrailerBytes) {
    return {GarbledReason::CheckSumMalformed, static_cast<std::uint32_t>(frame.size())};
  }
  const auto body_end = static_cast<std::uint32_t>(frame.size()) - kTrailerBytes;
  if (!has_good_trailer(frame, body_end)) return {GarbledReason::CheckSumMalformed, body_end};
  if (checks_.body_length && head->body_length != body_end - head->body_begin) {
    return {GarbledReason::BodyLengthWrong, head->length_begin};
  }
  return {GarbledReason::CheckSumWrong, body_end};
}

// The value of a Length field says where the next field ends: a shape or a sequence would not see
// it. Without a check of CheckSum, a frame with an invalid one must be a message, too.
bool detail::ParserIndex::can_be_learned(const detail::FieldIndex& index,
                                         const Faults& faults) const noexcept {
  return !faults.first && checks_.check_sum && checks_.body_length &&
         std::ranges::none_of(std::span{index.keys, index.count}, [&](std::uint16_t key) {
           return key == kLargeTagKey || std::ranges::binary_search(storage_->length_tags, key);
         });
}

void detail::ParserIndex::learn(detail::FrameShape& shape, std::string_view frame,
                                const detail::FieldIndex& index,
                                const Faults& faults) const noexcept {
  if (fits_ == nullptr || !can_be_learned(index, faults) || !shape.learn(frame, index))
    shape.put_off();
}

void detail::ParserIndex::learn(detail::FrameShape& shape, std::string_view frame,
                                Indexed indexed) const noexcept {
  learn(shape, frame, index_of(indexed.count), *indexed.faults);
}

// Called for each frame that was compared with the known sequences.
void detail::ParserIndex::learn_sequence(std::string_view frame, Indexed indexed) noexcept {
  constexpr std::uint32_t kMissesMax = 32;
  constexpr std::uint32_t kWaitMax = 1'024;
  constexpr std::uint32_t kFieldsLeast = 5;
  if (++misses_.count > kMissesMax) {
    misses_ = {0, std::min(std::max(2 * misses_.wait, kMissesMax), kWaitMax)};
    wait_ = misses_.wait;
    return;
  }
  const detail::FieldIndex index = index_of(indexed.count);
  if (index.count < kFieldsLeast || index.count > detail::TagSequence::kFieldsMax) return;
  const std::size_t last = index.place(index.count - 3).end + 1;
  const char msg_type = frame[index.place(kMsgTypeField).begin];
  detail::TagSequence& sequence =
      sequences_[detail::TagSequence::is_short(frame.size())
                     ? kernels::short_slot_of(msg_type)
                     : kernels::slot_of(index.count, msg_type, frame[last + 1])];
  if (!sequence.awaits(index)) return;
  if (!can_be_learned(index, *indexed.faults) ||
      !sequence.learn(frame, index, work_->arrays.narrow_places))
    sequence.put_off();
}

detail::ParserIndex::Indexed detail::ParserIndex::index_slow_path(std::string_view frame,
                                                                  std::uint32_t count) {
  while (count == 0 && work_->more_capacity != 0) {
    work_->more_capacity = 0;
    // A message has never more fields than bytes, so the doubling ends.
    reserve(std::min(2 * work_->arrays.capacity,
                     static_cast<std::uint32_t>(frame.size()) + kernels::kEntriesAtOnce));
    count = index_frame_(frame.data(), frame.size(), *work_);
  }
  if ((count & kernels::kFaultyMessage) == 0) return {count, &MessageView::kNoFaults};
  keep_fault(frame, work_->first, storage_->faults.first);
  keep_fault(frame, work_->first_but_empty, storage_->faults.first_but_empty);
  return {count & ~kernels::kFaultyMessage, &storage_->faults};
}

}  // namespace nexusfix::wire
