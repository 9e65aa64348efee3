// For any fields and any buffer, the result of encoding is an error or one frame that parses back
// to the same fields, and so is its resent copy.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

#include "random/fuzz/harness/target.hpp"

namespace {

using namespace nexusfix;
using namespace nexusfix::wire;

void require(bool condition) {
  if (!condition) std::abort();
}

// Takes numbers and texts from the front of the fuzzer's bytes; zeros at the end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : rest_{reinterpret_cast<const char*>(data), size} {}
  std::uint8_t byte() { return rest_.empty() ? std::uint8_t{0} : take(); }
  std::uint32_t word() {
    std::uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word = word << 8U | byte();
    return word;
  }
  std::string_view text() {
    const std::string_view text = rest_.substr(0, byte());
    rest_.remove_prefix(text.size());
    return text;
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::uint8_t take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return static_cast<std::uint8_t>(c);
  }
  std::string_view rest_;
};

// Writes a field whose value is not text. Returns its text.
std::string write_converted(Encoder& encoder, Input& input, unsigned kind, Tag tag) {
  const auto number = static_cast<std::int64_t>(std::uint64_t{input.word()} << 32U | input.word());
  const std::int64_t value = number >> input.byte() % 64;
  char text[64];
  if (kind == 4) {
    encoder.field(tag, value);
    return std::to_string(value);
  }
  if (kind == 5) {
    const Decimal decimal{value, input.byte() % (Decimal::kScaleMax + 1)};
    encoder.field(tag, decimal);
    return {text, from_decimal(decimal, text)};
  }
  if (kind == 6) {
    const WallTime time{std::chrono::nanoseconds{value}};
    encoder.field(tag, time, TimePrecision::Nanos);
    return {text, from_utc_timestamp(time, TimePrecision::Nanos, text)};
  }
  const auto c = static_cast<char>(input.byte());
  encoder.field(tag, c);
  return {c};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input{data, size};
  std::vector<char> buffer(std::size_t{input.byte()} * 8);
  MessageHeader header;
  header.msg_type = "D";
  header.msg_seq_num = input.word();
  HeaderTemplate session = *HeaderTemplate::make({"FIX.4.4", "S", "T"});
  Encoder encoder{buffer, session, header};
  std::vector<std::pair<Tag, std::string>> fields;
  const DataFieldTable lengths = DataFieldTable::standard();
  bool wrote_bare_length = false;  // by field() instead of data()
  while (!input.empty()) {
    const unsigned kind = input.byte() % 8;
    const bool is_data = kind == 0;
    const Tag tag = is_data ? 96 : input.word();
    std::string value{kind < 4 ? input.text() : std::string_view{}};
    if (kind >= 4) {
      value = write_converted(encoder, input, kind, tag);
      wrote_bare_length |= lengths.data_tag_for(tag).has_value();
    } else if (is_data) {
      encoder.data(95, tag, value);
      fields.emplace_back(95, std::to_string(value.size()));
    } else {
      encoder.field(tag, value);
      wrote_bare_length |= lengths.data_tag_for(tag).has_value();
    }
    fields.emplace_back(tag, value);
  }
  const auto bytes = encoder.finish();
  if (!bytes) return 0;
  const FrameResult frame = next_frame(*bytes, {});
  require(frame.status == FrameResult::Status::Complete && frame.size == bytes->size());
  Parser parser;
  const auto message = parser.parse(*bytes);
  require(message.has_value());
  if (wrote_bare_length) return 0;  // it may hide the next field, or be wrong
  constexpr std::size_t kHeaderFields = 7;
  require(message->field_count() == kHeaderFields + fields.size() + 1 && !message->fault());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const FieldView field = message->field(kHeaderFields + i);
    require(field.tag == fields[i].first && field.value == fields[i].second);
  }
  std::vector<char> copy(bytes->size() + kResendGrowthBytesMax);
  const auto resent = resend_copy(*bytes, WallTime{}, TimePrecision::Nanos, copy);
  require(resent.has_value() || resent.error().code == EncodeErrorCode::MessageMalformed);
  if (resent) require(parser.parse(*resent).has_value());
  return 0;
}
