#include <optional>

#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/header_template.hpp>

#include "wire/bounded_writer.hpp"
#include "wire/envelope.hpp"

namespace nexusfix::wire {

namespace {

struct StoredField {
  Tag tag = 0;
  std::string_view value;
  std::string_view bytes;  // tag, `=`, value and SOH
};

// Reads the fields of a stored header one after the other.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view bytes) noexcept : rest_{bytes} {}

  // The next field, or nothing if no field follows.
  [[nodiscard]] std::optional<StoredField> peek() const noexcept {
    constexpr std::size_t kTagDigitsMax = 9;
    Tag tag = 0;
    std::size_t at = 0;
    for (; at < rest_.size() && is_digit(rest_[at]); ++at) {
      if (at == kTagDigitsMax) return std::nullopt;
      tag = tag * 10 + static_cast<Tag>(rest_[at] - '0');
    }
    if (at == 0 || at == rest_.size() || rest_[at] != '=') return std::nullopt;
    const std::size_t value = at + 1;
    // SecureData and XmlData are the data fields of a header. Their length governs.
    const bool is_data = tag == tag::SecureData || tag == tag::XmlData;
    const std::size_t end = is_data ? value + data_bytes_ : rest_.find(kSoh, value);
    if (end >= rest_.size() || rest_[end] != kSoh) return std::nullopt;
    return StoredField{tag, rest_.substr(value, end - value), rest_.substr(0, end + 1)};
  }

  void skip(const StoredField& field) noexcept {
    data_bytes_ = 0;
    if (field.tag == tag::SecureDataLen || field.tag == tag::XmlDataLen) {
      data_bytes_ = to_uint(field.value).value_or(0);
    }
    rest_.remove_prefix(field.bytes.size());
  }

  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

 private:
  std::string_view rest_;
  std::size_t data_bytes_ = 0;  // announced by the Length field before
};

// Writes the header of a resent message from the header of the stored one.
class HeaderPatch {
 public:
  // original: the stored SendingTime if it becomes OrigSendingTime, otherwise empty.
  HeaderPatch(BoundedWriter& writer, std::string_view sending_time,
              std::string_view original) noexcept
      : writer_{writer}, sending_time_{sending_time}, original_{original} {}

  void copy(const StoredField& field) noexcept {
    if (!poss_dup_written_ && field.tag >= tag::PossDupFlag) {
      write("43=", "Y");
      poss_dup_written_ = true;
    }
    if (field.tag == tag::PossDupFlag) return;
    if (field.tag != tag::SendingTime || sending_time_written_) {
      if (sending_time_written_ && field.tag > tag::OrigSendingTime) finish();
      writer_.append(field.bytes);
      return;
    }
    write("52=", sending_time_);
    sending_time_written_ = true;
  }
  // At the end of the header, if OrigSendingTime has not been written earlier.
  void finish() noexcept {
    if (!original_.empty()) write("122=", original_);
    original_ = {};
  }

 private:
  void write(std::string_view start, std::string_view value) noexcept {
    writer_.append(start);
    writer_.append(value);
    writer_.append({&kSoh, 1});
  }

  BoundedWriter& writer_;
  std::string_view sending_time_;
  std::string_view original_;
  bool poss_dup_written_ = false;
  bool sending_time_written_ = false;
};

// Whether the CheckSum of the message equals the sum of the bytes before it.
[[nodiscard]] bool has_own_check_sum(std::string_view message) noexcept {
  char digits[kTrailerBytes];
  write_check_sum(digits, check_sum(message.substr(0, message.size() - kTrailerBytes)));
  return message.ends_with(std::string_view{digits, sizeof digits});
}

[[nodiscard]] std::unexpected<EncodeError> failure(EncodeErrorCode code, Tag tag) noexcept {
  return std::unexpected{EncodeError{code, tag}};
}

}  // namespace

std::expected<std::string_view, EncodeError> resend_copy(std::string_view stored,
                                                         WallTime sending_time,
                                                         TimePrecision precision,
                                                         std::span<char> out) noexcept {
  if (stored.size() < kTrailerBytes || !has_own_check_sum(stored)) {
    return failure(EncodeErrorCode::MessageMalformed, tag::CheckSum);
  }
  HeaderReader reader{stored.substr(0, stored.size() - kTrailerBytes)};
  const Tag first_tags[] = {tag::BeginString, tag::BodyLength, tag::MsgType};
  StoredField first[std::size(first_tags)];
  for (std::size_t i = 0; i < std::size(first_tags); ++i) {
    const std::optional<StoredField> field = reader.peek();
    if (!field || field->tag != first_tags[i]) {
      return failure(EncodeErrorCode::MessageMalformed, first_tags[i]);
    }
    first[i] = *field;
    reader.skip(*field);
  }

  // Only the header's end shows whether OrigSendingTime is already there, so look first.
  std::string_view original;
  bool has_orig_sending_time = false;
  HeaderReader ahead = reader;
  for (auto field = ahead.peek(); field && is_header_tag(field->tag); field = ahead.peek()) {
    if (field->tag == tag::SendingTime && original.empty()) original = field->value;
    if (field->tag == tag::OrigSendingTime) has_orig_sending_time = true;
    ahead.skip(*field);
  }
  if (original.empty()) return failure(EncodeErrorCode::MessageMalformed, tag::SendingTime);

  const std::string_view begin_string = first[0].value;
  const std::size_t front_bytes = envelope_front_bytes(begin_string.size(), out.size());
  if (out.size() < front_bytes + kTrailerBytes) {
    return failure(EncodeErrorCode::BufferFull, tag::BeginString);
  }
  char* const body = out.data() + front_bytes;
  BoundedWriter writer{body, out.data() + out.size() - kTrailerBytes};
  char time[kUtcTimestampBytesMax];
  std::string_view now{time, from_utc_timestamp(sending_time, precision, time)};
  // Compared as texts, because the two forms differ only in their fractions.
  if (now < original) now = original;
  HeaderPatch patch{writer, now, has_orig_sending_time ? std::string_view{} : original};
  writer.append(first[2].bytes);
  while (reader.rest().size() > ahead.rest().size()) {
    const std::optional<StoredField> field = reader.peek();
    patch.copy(*field);
    reader.skip(*field);
  }
  patch.finish();
  writer.append(reader.rest());
  if (writer.full()) return failure(EncodeErrorCode::BufferFull, tag::CheckSum);
  return seal(body, writer.end(), begin_string);
}

}  // namespace nexusfix::wire
