#include <algorithm>
#include <cstring>
#include <utility>

#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::wire {

void FrameShape::forget() noexcept {
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
bool FrameShape::is_repeated(std::size_t bytes) noexcept {
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

bool FrameShape::learn(std::string_view frame, const FieldIndex& index) noexcept {
  constexpr std::size_t kHeadFields = 3;  // BeginString, BodyLength, MsgType
  constexpr std::uint8_t kAfterSoh = 2;
  constexpr std::uint8_t kAny = 255;
  if (frame.size() < kBytesMin || frame.size() > kBytesMax || index.count > kFieldsMax)
    return false;
  std::memset(ranges_.lowest, kAfterSoh, frame.size());
  std::memset(ranges_.width, kAny - kAfterSoh, frame.size());
  std::memset(ranges_.lowest + frame.size(), 0, ByteRanges::kBytes - frame.size());
  std::memset(ranges_.width + frame.size(), kAny, ByteRanges::kBytes - frame.size());
  const auto fix = [&](std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      narrow(at, static_cast<std::uint8_t>(frame[at]), static_cast<std::uint8_t>(frame[at]));
    }
  };
  std::size_t begin = 0;  // of the field
  for (std::size_t i = 0; i < index.count; ++i) {
    const FieldPlace value = index.place(i);
    fix(begin, i < kHeadFields ? value.end : value.begin);
    fix(value.end, value.end + 1);
    begin = value.end + 1;
    keys_[i] = index.keys[i];
    places_[i] = {static_cast<std::uint8_t>(value.begin),
                  static_cast<std::uint8_t>(value.end - value.begin)};
  }
  // The digits of CheckSum.
  const FieldPlace check_sum = index.place(index.count - 1);
  for (std::size_t at = check_sum.begin; at < check_sum.end; ++at) narrow(at, '0', '9');
  bytes_ = frame.size();
  count_ = index.count;
  proof_ = {};
  return true;
}

}  // namespace nexusfix::wire
