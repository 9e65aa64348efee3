#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include <nexusfix/wire/digits.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/parser.hpp>

namespace nexusfix::wire {

namespace {

constexpr unsigned kBitsPerByte = 8;
constexpr std::uint8_t kNoField = 255;  // of TagTexts::more
constexpr std::uint8_t kAnySize = kNoField - 1;

constexpr std::uint64_t low_bytes(std::size_t bytes) noexcept {
  return ~std::uint64_t{0} >> (kBitsPerByte * (sizeof(std::uint64_t) - bytes));
}

}  // namespace

void detail::FrameShape::forget() noexcept {
  const bool has_paid = fits_ >= kFitsLeast;
  next_wait_ =
      has_paid ? std::uint16_t{1} : std::min(static_cast<std::uint16_t>(2 * next_wait_), kWaitMax);
  wait_ = next_wait_;
  candidate_ = kNone;
  bytes_ = kNone;
  fits_ = 0;
  fits_seen_ = 0;
}

// Called for one frame, and for the next one.
bool detail::FrameShape::is_repeated(std::size_t bytes) noexcept {
  wait_ = 1;
  const bool fits_still = std::exchange(fits_seen_, fits_) != fits_;
  if (fits_still || candidate_ == kNone) {
    candidate_ = fits_still ? kNone : bytes;
    return false;
  }
  const bool is_same = candidate_ == bytes;
  candidate_ = kNone;
  if (is_same && bytes_ == kNone) return true;
  forget();  // or frames of another size have taken over
  return false;
}

bool detail::FrameShape::learn(std::string_view frame, const detail::FieldIndex& index) noexcept {
  constexpr std::size_t kHeadFields = 3;  // BeginString, BodyLength, MsgType
  constexpr std::uint8_t kAfterSoh = 2;
  constexpr std::uint8_t kAny = 255;
  if (frame.size() < kBytesMin || frame.size() > kBytesMax || index.count > kFieldsMax)
    return false;
  std::memset(ranges_.lowest, kAfterSoh, frame.size());
  std::memset(ranges_.width, kAny - kAfterSoh, frame.size());
  std::memset(ranges_.lowest + frame.size(), 0, detail::ByteRanges::kBytes - frame.size());
  std::memset(ranges_.width + frame.size(), kAny, detail::ByteRanges::kBytes - frame.size());
  const auto fix = [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      narrow(at, static_cast<std::uint8_t>(frame[at]), static_cast<std::uint8_t>(frame[at]));
    }
  };
  std::size_t begin = 0;  // of the field
  for (std::size_t i = 0; i < index.count; ++i) {
    const detail::FieldPlace value = index.place(i);
    fix(begin, i < kHeadFields ? value.end : value.begin);
    fix(value.end, value.end + 1);
    begin = value.end + 1;
    keys_[i] = index.keys[i];
    places_[i] = {static_cast<std::uint8_t>(value.begin),
                  static_cast<std::uint8_t>(value.end - value.begin)};
  }
  // The digits of CheckSum.
  const detail::FieldPlace check_sum = index.place(index.count - 1);
  for (std::size_t at = check_sum.begin; at < check_sum.end; ++at) narrow(at, '0', '9');
  bytes_ = frame.size();
  count_ = index.count;
  proof_ = {};
  return true;
}

bool detail::TagSequence::awaits(const detail::FieldIndex& index) noexcept {
  constexpr std::uint64_t kMultiplier = 0x9e37'79b9'7f4a'7c15;
  std::uint64_t keys = index.count;
  for (std::size_t i = 0; i < index.count; ++i) keys = (keys ^ index.keys[i]) * kMultiplier;
  const bool is_repeated = std::exchange(candidate_, keys) == keys;
  if (patience_ != 0) {
    --patience_;
    return false;
  }
  return is_repeated;
}

bool detail::TagSequence::learn(std::string_view frame, const detail::FieldIndex& index,
                                detail::NarrowPlace* places) noexcept {
  constexpr std::size_t kMsgTypeField = 2;
  texts_ = {};
  proof_ = {};
  changes_ = 0;
  places_ = places;
  const auto word_at = [&](std::size_t at) { return detail::load_word<std::uint64_t>(&frame[at]); };
  constexpr std::uint32_t kAny = ~std::uint32_t{0};
  std::ranges::fill(texts_.width, kAny);
  std::ranges::fill(texts_.more, kNoField);
  std::fill_n(texts_.more, index.count, kAnySize);
  std::size_t begin = 0;  // of the field
  for (std::size_t i = 0; i < index.count; ++i) {
    const detail::FieldPlace value = index.place(i);
    const std::size_t bytes = value.begin - begin;
    keys_[i] = index.keys[i];
    texts_.bytes[i] = static_cast<std::uint8_t>(bytes);
    if (i == kMsgTypeField) {
      const std::size_t whole = value.end + 1 - begin;
      if (whole > sizeof(std::uint64_t)) return false;
      texts_.msg_type_bits = low_bytes(whole);
      texts_.msg_type = word_at(begin) & texts_.msg_type_bits;
    } else if (i > kMsgTypeField && i + 1 != index.count) {
      if (bytes > detail::TagTexts::kBytesMax) return false;
      const std::uint64_t bits = low_bytes(bytes);
      const std::uint64_t text = word_at(begin) & bits;
      texts_.lowest[i] = static_cast<std::uint32_t>(text);
      texts_.width[i] = ~static_cast<std::uint32_t>(bits);
      texts_.tag_bits[i] = static_cast<std::uint32_t>(bits);
      if (bits >> (kBitsPerByte * sizeof(std::uint32_t)) != 0) {
        if (texts_.long_count == detail::TagTexts::kLongMax) return false;
        texts_.longs[texts_.long_count++] = {text, bits, static_cast<std::uint16_t>(i), 0, false};
      }
    }
    begin = value.end + 1;
  }
  if (is_short(frame.size()) &&
      (texts_.long_count != 0 || index.count < kShortFieldsMin || index.count > kShortFieldsMax))
    return false;
  texts_.fields = index.count;
  return true;
}

void detail::TagSequence::set_proof(const detail::ShapeProof& proof) noexcept {
  proof_ = proof;
  is_narrow_ = false;
  is_complete_ = true;
  texts_.value_count = 0;
  for (std::size_t i = 0; i < texts_.fields; ++i) {
    if (std::exchange(texts_.more[i], kAnySize) != 0) continue;
    texts_.lowest[i] &= texts_.tag_bits[i];
    texts_.width[i] = ~texts_.tag_bits[i];
  }
}

void detail::TagSequence::narrow(std::size_t field, std::uint8_t lowest,
                                 std::uint8_t highest) noexcept {
  constexpr std::uint32_t kByte = 0xff;
  constexpr std::size_t kCompared = sizeof(std::uint32_t);
  const auto width = static_cast<std::uint8_t>(highest - lowest);
  if (texts_.bytes[field] >= kCompared) {
    constexpr std::uint64_t kSohAfter = std::uint64_t{kSoh} << kBitsPerByte;
    texts_.values[texts_.value_count++] = {lowest | kSohAfter, low_bytes(2),
                                           static_cast<std::uint16_t>(field), width, false};
    return;
  }
  const unsigned shift = kBitsPerByte * texts_.bytes[field];
  texts_.lowest[field] |= std::uint32_t{lowest} << shift;
  texts_.width[field] &= ~(kByte << shift) | std::uint32_t{width} << shift;
  texts_.more[field] = 0;
}

void detail::TagSequence::fix(std::size_t field, std::string_view value) noexcept {
  if (value.size() >= sizeof(std::uint64_t) || texts_.value_count == detail::TagTexts::kValuesMax) {
    is_complete_ = false;
    return;
  }
  const std::uint64_t bits = low_bytes(value.size() + 1);
  texts_.values[texts_.value_count++] = {detail::load_word<std::uint64_t>(value.data()) & bits,
                                         bits, static_cast<std::uint16_t>(field), 0, true};
}

void detail::TagSequence::adapt(std::string_view frame) noexcept {
  for (detail::TagTexts::Word& one : std::span{texts_.values, texts_.value_count}) {
    if (!one.is_fixed) continue;
    const detail::NarrowPlace place = places_[one.field];
    const std::uint64_t word = detail::load_word<std::uint64_t>(&frame[place.begin]);
    if (((word ^ one.text) & one.bits) == 0) continue;
    const bool is_kept = place.size < sizeof word && ++changes_ < kChangesMax;
    is_complete_ = is_complete_ && is_kept;
    one.bits = is_kept ? low_bytes(place.size + std::size_t{1}) : 0;
    one.text = word & one.bits;
  }
}

}  // namespace nexusfix::wire
