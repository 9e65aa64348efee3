// Values survive the conversion to text and back, and a Parser reads what an Encoder writes.
#include <array>
#include <charconv>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <string>
#include <variant>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

namespace nexusfix::wire {
namespace {

constexpr std::uint64_t kValues = 200'000;

// More than rapidcheck's 100 cases, unless the environment sets another number.
const bool kConfigured = setenv("RC_PARAMS", "max_success=2000", 0) == 0;

// Numbers of every length are equally likely, so that short and extreme ones both occur.
std::int64_t any_int(SeededRandom& random) {
  switch (random.below(32)) {
    case 0:
      return std::numeric_limits<std::int64_t>::min();
    case 1:
      return std::numeric_limits<std::int64_t>::max();
    default:
      return static_cast<std::int64_t>(random.next()) >> random.below(64);
  }
}

TEST(ValueProperty, integers_survive_the_round_trip_and_match_the_standard_library) {
  for (std::uint64_t seed = 0; seed < kValues; ++seed) {
    SeededRandom random{seed};
    const std::int64_t value = any_int(random);
    char out[kIntBytesMax];
    const std::string text{out, from_int(value, out)};
    ASSERT_EQ(text, std::to_string(value)) << "seed " << seed;
    ASSERT_EQ(to_int(text), value) << "seed " << seed;
    ASSERT_EQ(to_decimal(text), Decimal::from_int(value)) << "seed " << seed;
    const auto bits = static_cast<std::uint64_t>(value);
    const std::string unsigned_text{out, from_uint(bits, out)};
    ASSERT_EQ(unsigned_text, std::to_string(bits)) << "seed " << seed;
    ASSERT_EQ(to_uint(unsigned_text), bits) << "seed " << seed;
  }
}

TEST(ValueProperty, decimals_survive_the_round_trip_digit_by_digit) {
  for (std::uint64_t seed = 0; seed < kValues; ++seed) {
    SeededRandom random{seed};
    const Decimal value{any_int(random), static_cast<unsigned>(random.below(19))};
    char out[kDecimalBytesMax];
    const std::string text{out, from_decimal(value, out)};
    const auto back = to_decimal(text);
    ASSERT_TRUE(back) << "seed " << seed;
    ASSERT_EQ(back->mantissa(), value.mantissa()) << "seed " << seed;
    ASSERT_EQ(back->scale(), value.scale()) << "seed " << seed;
  }
}

TEST(ValueProperty, timestamps_survive_the_round_trip) {
  for (std::uint64_t seed = 0; seed < kValues; ++seed) {
    SeededRandom random{seed};
    const WallTime time{std::chrono::nanoseconds{any_int(random)}};
    char out[kUtcTimestampBytesMax];
    const std::size_t bytes = from_utc_timestamp(time, TimePrecision::Nanos, out);
    ASSERT_EQ(bytes, 27U);
    ASSERT_EQ(to_utc_timestamp({out, bytes}), time) << "seed " << seed;
  }
}

TEST(ValueProperty,
     text_similar_to_a_number_is_accepted_exactly_if_the_standard_library_accepts_it) {
  ASSERT_TRUE(kConfigured);
  EXPECT_TRUE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string{"0129-+. "}));
    std::int64_t wanted = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wanted);
    const bool whole = !text.empty() && end == text.data() + text.size();
    const auto got = to_int(text);
    RC_ASSERT((got.has_value() == (whole && error == std::errc{})));
    if (got) RC_ASSERT((*got == wanted));
    if (whole && error == std::errc::result_out_of_range) {
      RC_ASSERT((got.error() == FieldErrorCode::OutOfRange));
    }
  }));
}

struct TestField {
  Tag tag = 0;
  std::string value;
  bool is_data = false;
};

TestField any_field() {
  TestField field;
  field.is_data = *rc::gen::inRange(0, 8) == 0;
  field.tag = field.is_data ? 96 : *rc::gen::inRange<Tag>(2000, kTagMax);
  field.value = *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(
      std::string{field.is_data ? "\x01\x01=10abc" : "ABC=|abc 0123456789\xff"})));
  return field;
}

TEST(ValueProperty, an_encoded_message_is_one_frame_with_the_same_fields) {
  EXPECT_TRUE(rc::check([] {
    std::vector<TestField> fields(*rc::gen::inRange<std::size_t>(0, 60));
    for (TestField& field : fields) field = any_field();
    std::vector<char> buffer(20'000);
    MessageHeader header;
    header.msg_type = "D";
    header.msg_seq_num = *rc::gen::arbitrary<std::uint64_t>();
    header.sending_time = WallTime{std::chrono::nanoseconds{*rc::gen::arbitrary<std::int64_t>()}};
    header.precision = TimePrecision::Nanos;
    Encoder encoder{buffer, {"FIX.4.4", "SENDER", "TARGET"}, header};
    for (const TestField& field : fields) {
      if (field.is_data) {
        encoder.data(95, field.tag, field.value);
      } else {
        encoder.field(field.tag, field.value);
      }
    }
    const auto bytes = encoder.finish();
    RC_ASSERT(bytes.has_value());
    const FrameResult frame = next_frame(*bytes, {});
    RC_ASSERT((frame.status == FrameResult::Status::Complete && frame.size == bytes->size()));

    Parser parser;
    std::array<std::string, 2> versions{std::string{*bytes}, {}};
    std::vector<char> copy(bytes->size() + kResendGrowthBytesMax);
    const auto resent = resend_copy(*bytes, WallTime{}, TimePrecision::Nanos, copy);
    RC_ASSERT(resent.has_value());
    versions[1] = *resent;
    for (const std::string& version : versions) {
      const auto message = parser.parse(version);
      RC_ASSERT(message.has_value());
      RC_ASSERT(!message->fault());
      RC_ASSERT((message->get<std::uint64_t>(34) == header.msg_seq_num));
      std::size_t at = *message->find_index(&version == &versions[1] ? 122 : 56) + 1;
      for (const TestField& field : fields) {
        if (field.is_data) RC_ASSERT(message->get<std::uint64_t>(95).has_value());
        if (field.is_data) ++at;
        RC_ASSERT((message->field(at).tag == field.tag));
        RC_ASSERT((message->field(at).value == field.value));
        ++at;
      }
      RC_ASSERT((message->field(at).tag == 10U));
    }
    RC_ASSERT((parser.parse(versions[1])->get<WallTime>(122) == header.sending_time));
  }));
}

}  // namespace
}  // namespace nexusfix::wire
