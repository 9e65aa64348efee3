// For any input and any buffer, the result of an Encoder is an error or one frame that parses back
// to the same fields, and it is an error exactly if the frame is longer than the buffer.
#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

#include "unit/wire/kernels/guarded_bytes.hpp"

namespace nexusfix::wire {
namespace {

enum class Kind { Text, Char, Bool, Int, Unsigned, Decimal, Time, TimeOfDay, Date, Data, Group };

struct Value {
  Kind kind = Kind::Text;
  Tag tag = 0;
  std::string text;  // of Text and Data; of a Group one character for the value of each entry
  std::int64_t number = 0;
  unsigned scale = 0;
  TimePrecision precision = TimePrecision::Millis;
};

using Fields = std::vector<std::pair<Tag, std::string>>;

// Numbers of every length.
std::int64_t any_number() {
  return *rc::gen::arbitrary<std::int64_t>() >> *rc::gen::inRange(0, 64);
}

WallTime any_time() { return WallTime{std::chrono::nanoseconds{any_number()}}; }

TimePrecision any_precision() {
  return *rc::gen::element(TimePrecision::Seconds, TimePrecision::Millis, TimePrecision::Micros,
                           TimePrecision::Nanos, TimePrecision::Picos);
}

std::string any_text(const std::string& alphabet) {
  const auto size = *rc::gen::weightedOneOf<std::size_t>(
      {{8, rc::gen::inRange<std::size_t>(1, 20)}, {1, rc::gen::inRange<std::size_t>(20, 300)}});
  return *rc::gen::container<std::string>(size, rc::gen::elementOf(alphabet));
}

Value any_value() {
  Value value;
  value.kind = static_cast<Kind>(*rc::gen::inRange(0, 11));
  value.tag = *rc::gen::weightedOneOf<Tag>(
      {{4, rc::gen::inRange<Tag>(2'000, 9'999)}, {1, rc::gen::inRange<Tag>(10'000, kTagMax)}});
  value.text = any_text(value.kind == Kind::Data ? "\x01\x01=10abc" : "ABC=|abc 0123456789\xff");
  value.number = any_number();
  value.scale = *rc::gen::inRange(0U, Decimal::kScaleMax + 1);
  value.precision = any_precision();
  return value;
}

constexpr Tag kEntryTag = 448;
constexpr std::int64_t kDayNs = 86'400'000'000'000;

TimeOfDay time_of_day(const Value& value) {
  return TimeOfDay{static_cast<std::int64_t>(static_cast<std::uint64_t>(value.number) %
                                             static_cast<std::uint64_t>(kDayNs))};
}

Date date(const Value& value) {
  return Date{std::chrono::sys_days{std::chrono::days{value.number % 30'000}}};
}

void write(Encoder& encoder, const Value& value) {
  switch (value.kind) {
    case Kind::Text:
      return static_cast<void>(encoder.field(value.tag, value.text));
    case Kind::Char:
      return static_cast<void>(encoder.field(value.tag, value.text.front()));
    case Kind::Bool:
      return static_cast<void>(encoder.field(value.tag, value.number < 0));
    case Kind::Int:
      return static_cast<void>(encoder.field(value.tag, value.number));
    case Kind::Unsigned:
      return static_cast<void>(encoder.field(value.tag, static_cast<std::uint64_t>(value.number)));
    case Kind::Decimal:
      return static_cast<void>(encoder.field(value.tag, Decimal{value.number, value.scale}));
    case Kind::Time:
      return static_cast<void>(encoder.field(
          value.tag, WallTime{std::chrono::nanoseconds{value.number}}, value.precision));
    case Kind::TimeOfDay:
      return static_cast<void>(encoder.field(value.tag, time_of_day(value), value.precision));
    case Kind::Date:
      return static_cast<void>(encoder.field(value.tag, date(value)));
    case Kind::Data:
      return static_cast<void>(encoder.data(95, 96, value.text));
    case Kind::Group:
      return static_cast<void>(encoder.group(value.tag, value.text,
                                             [](Encoder& e, char id) { e.field<kEntryTag>(id); }));
  }
}

std::string converted(const Value& value) {
  char text[64];
  switch (value.kind) {
    case Kind::Char:
      return value.text.substr(0, 1);
    case Kind::Bool:
      return value.number < 0 ? "Y" : "N";
    case Kind::Int:
      return std::to_string(value.number);
    case Kind::Unsigned:
      return std::to_string(static_cast<std::uint64_t>(value.number));
    case Kind::Decimal:
      return {text, from_decimal(Decimal{value.number, value.scale}, text)};
    case Kind::Time:
      return {text, from_utc_timestamp(WallTime{std::chrono::nanoseconds{value.number}},
                                       value.precision, text)};
    case Kind::TimeOfDay:
      return {text, from_time_of_day(time_of_day(value), value.precision, text)};
    case Kind::Date:
      return {text, from_date(date(value), text)};
    default:
      return value.text;
  }
}

void expect(Fields& fields, const Value& value) {
  if (value.kind == Kind::Data) {
    fields.emplace_back(95, std::to_string(value.text.size()));
    fields.emplace_back(96, value.text);
  } else if (value.kind == Kind::Group) {
    fields.emplace_back(value.tag, std::to_string(value.text.size()));
    for (const char id : value.text) fields.emplace_back(kEntryTag, std::string{id});
  } else {
    fields.emplace_back(value.tag, converted(value));
  }
}

Fields fields_of(const MessageView& message) {
  Fields fields;
  for (std::size_t i = 2; i + 1 < message.field_count(); ++i) {
    fields.emplace_back(message.field(i).tag, message.field(i).value);
  }
  return fields;
}

struct Message {
  HeaderTemplate session = *HeaderTemplate::make({"FIX.4.4", "S", "T"});
  MessageHeader header;
  std::vector<Value> values;
  Fields expected;  // without 8, 9 and 10

  auto encode(std::span<char> buffer) {
    Encoder encoder{buffer, session, header};
    for (const Value& value : values) write(encoder, value);
    return encoder.finish();
  }
};

Message any_message(const std::string& sender, const std::string& target,
                    const std::string& sub_id) {
  Message message;
  message.session = *HeaderTemplate::make({"FIX.4.4", sender, target}, {{50, sub_id}});
  message.header.msg_type = *rc::gen::element("D", "8", "AE");
  message.header.msg_seq_num = static_cast<std::uint64_t>(any_number());
  message.header.sending_time = any_time();
  message.header.precision = any_precision();
  message.header.poss_dup = *rc::gen::inRange(0, 4) == 0;
  message.values.resize(*rc::gen::inRange<std::size_t>(0, 30));
  std::ranges::generate(message.values, any_value);

  char time[kUtcTimestampBytesMax];
  const std::size_t bytes =
      from_utc_timestamp(message.header.sending_time, message.header.precision, time);
  message.expected = {{35, std::string{message.header.msg_type}},
                      {34, std::to_string(message.header.msg_seq_num)}};
  if (message.header.poss_dup) message.expected.emplace_back(43, "Y");
  message.expected.insert(message.expected.end(),
                          {{49, sender}, {50, sub_id}, {52, {time, bytes}}, {56, target}});
  for (const Value& value : message.values) expect(message.expected, value);
  return message;
}

TEST(EncoderProperty, a_written_message_parses_back_and_fits_exactly_if_it_is_not_too_long) {
  EXPECT_TRUE(rc::check([] {
    const std::string alphabet = "ABCabc0123456789";
    Message message = any_message(any_text(alphabet), any_text(alphabet), any_text(alphabet));
    std::vector<char> roomy(40'000);
    const auto bytes = message.encode(roomy);
    RC_ASSERT(bytes.has_value());
    const std::string whole{*bytes};

    const FrameResult frame = next_frame(whole, {});
    RC_ASSERT((frame.status == FrameResult::Status::Complete && frame.size == whole.size()));
    Parser parser;
    const auto parsed = parser.parse(whole);
    RC_ASSERT(parsed.has_value());
    RC_ASSERT(!parsed->fault());
    RC_ASSERT((fields_of(*parsed) == message.expected));

    std::vector<char> copy(whole.size() + kResendGrowthBytesMax);
    const auto resent = resend_copy(whole, WallTime{}, TimePrecision::Nanos, copy);
    RC_ASSERT(resent.has_value());
    RC_ASSERT(parser.parse(*resent).has_value());

    test::GuardedBytes memory{roomy.size()};
    const auto try_size = [&](std::size_t size) {
      const std::string_view room = memory.at_end(std::string(size, '#'));
      const auto again = message.encode({const_cast<char*>(room.data()), size});
      RC_ASSERT((again.has_value() == (size >= whole.size())));
      if (again) RC_ASSERT((*again == whole));
      if (!again) RC_ASSERT((again.error().code == EncodeErrorCode::BufferFull));
    };
    const std::size_t near = 150;
    for (std::size_t size = whole.size() - near / 2; size < whole.size() + near; ++size) {
      try_size(size);
    }
    for (std::size_t size = 0; size < whole.size(); size += 1 + size / 16) try_size(size);
  }));
}

}  // namespace
}  // namespace nexusfix::wire
