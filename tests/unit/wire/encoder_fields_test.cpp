// Fields and groups on the fast path of an Encoder.
#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/field.hpp>

#include "unit/wire/kernels/guarded_bytes.hpp"
#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

using namespace nexusfix::literals;
using test::message_of;
using test::with_pipes;

constexpr WallTime kTime{std::chrono::milliseconds{1705314600123}};
constexpr MessageHeader kHeader{.msg_type = "D", .msg_seq_num = 7, .sending_time = kTime};

class EncoderFieldsTest : public testing::Test {
 protected:
  Encoder encoder() { return Encoder{buffer_, session_, kHeader}; }
  static std::string text_of(Encoder& encoder) {
    const auto message = encoder.finish();
    EXPECT_TRUE(message) << (message ? "" : to_string(message.error().code));
    return message ? with_pipes(*message) : "";
  }
  static std::string wanted(std::string_view body) {
    return with_pipes(
        message_of("35=D|34=7|49=S|52=20240115-10:30:00.123|56=T|" + std::string{body}));
  }
  static EncodeError error_of(Encoder& encoder) {
    const auto message = encoder.finish();
    EXPECT_FALSE(message);
    return message ? EncodeError{} : message.error();
  }

  std::array<char, 8192> buffer_;
  HeaderTemplate session_ = *HeaderTemplate::make({"FIX.4.4", "S", "T"});
};

TEST_F(EncoderFieldsTest, a_field_without_a_value_is_written_only_on_request) {
  // FIX Session Layer, "Field and value": no field is empty, but some counterparties send empty
  // ones.
  Encoder a = encoder();
  a.field(55, "AAPL").field_without_value(112).field(58, "x");
  EXPECT_EQ(text_of(a), wanted("55=AAPL|112=|58=x|"));
  Encoder b = encoder();
  b.field_without_value(tag::CheckSum);
  EXPECT_EQ(error_of(b).code, EncodeErrorCode::TagInvalid);
}

TEST_F(EncoderFieldsTest, a_password_is_noted_on_request_and_nothing_else_is) {
  bool noted = false;
  Encoder others = encoder();
  others.record_passwords_in(noted);
  for (const Tag tag : {96U, 553U, 555U, 924U, 926U, 1400U, 1401U, 1403U, 1405U, 5554U}) {
    others.field(tag, "x");
  }
  others.field<553>("x").data(95, 96, "x");
  EXPECT_FALSE(noted);
  const auto notes = [&](auto write) {
    Encoder one = encoder();
    noted = false;
    one.record_passwords_in(noted);
    write(one);
    return noted;
  };
  for (const Tag tag : {554U, 925U, 1402U, 1404U}) {
    EXPECT_TRUE(notes([&](Encoder& one) { one.field(tag, "secret"); })) << tag;
    EXPECT_TRUE(notes([&](Encoder& one) { one.field(tag, 4711); })) << tag;
    EXPECT_TRUE(notes([&](Encoder& one) { one.field(tag, 's'); })) << tag;
    EXPECT_TRUE(notes([&](Encoder& one) { one.data(1401, tag, "secret"); })) << tag;
  }
  EXPECT_TRUE(notes([](Encoder& one) { one.field<554>("secret"); }));
  EXPECT_TRUE(notes([](Encoder& one) { one.data<1403, 1404>("secret"); }));
  // Without a request, it is written like any other field.
  Encoder plain = encoder();
  plain.field<554>("secret").field(925, 7);
  EXPECT_EQ(text_of(plain), wanted("554=secret|925=7|"));
}

TEST_F(EncoderFieldsTest, a_tag_of_the_type_is_the_same_as_a_tag_of_the_call) {
  Encoder a = encoder();
  a.field<1>("x").field<55>("AAPL").field<150>('F').field<1079>(true).field<20'000>(-5);
  a.field<999'999>(7U).field<1'000'000>(8U).field<kTagMax>(Decimal{15, 1});
  a.field<60>(kTime).field<61>(kTime, TimePrecision::Micros).data<95, 96>("d");
  const std::string first = text_of(a);
  Encoder b = encoder();
  // volatile, so that the compiler does not know the tags.
  const auto tag = [](Tag known) {
    volatile Tag unknown = known;
    return Tag{unknown};
  };
  b.field(tag(1), "x").field(tag(55), "AAPL").field(tag(150), 'F').field(tag(1079), true);
  b.field(tag(20'000), -5).field(tag(999'999), 7U).field(tag(1'000'000), 8U);
  b.field(tag(kTagMax), Decimal{15, 1}).field(tag(60), kTime);
  b.field(tag(61), kTime, TimePrecision::Micros).data(tag(95), tag(96), "d");
  EXPECT_EQ(text_of(b), first);
  EXPECT_EQ(first, wanted("1=x|55=AAPL|150=F|1079=Y|20000=-5|999999=7|1000000=8|2147483647=1.5|"
                          "60=20240115-10:30:00.123|61=20240115-10:30:00.123000|95=1|96=d|"));
}

TEST_F(EncoderFieldsTest, texts_of_every_length_are_copied_whole_and_no_byte_more_is_read) {
  test::GuardedBytes memory{256};
  for (std::size_t size = 1; size < 100; ++size) {
    std::string value(size, ' ');
    for (std::size_t i = 0; i < size; ++i) value[i] = static_cast<char>('!' + i % 90);
    for (const std::string_view guarded : {memory.at_end(value), memory.at_begin(value)}) {
      Encoder e = encoder();
      e.field<58>(guarded).field<11>("A");
      ASSERT_EQ(text_of(e), wanted("58=" + value + "|11=A|"));
    }
  }
}

TEST_F(EncoderFieldsTest, bytes_of_any_value_are_summed) {
  for (int c = 2; c < 256; ++c) {
    if (c == '|') continue;  // stands for SOH
    const std::string value(37, static_cast<char>(c));
    Encoder e = encoder();
    e.field<58>(value.substr(0, 16)).field<11>(value.substr(0, 5)).field<354>(value);
    e.field<54>(static_cast<char>(c));
    const std::string body = "58=" + value.substr(0, 16) + "|11=" + value.substr(0, 5) +
                             "|354=" + value + "|54=" + static_cast<char>(c) + "|";
    ASSERT_EQ(text_of(e), wanted(body));
  }
}

TEST_F(EncoderFieldsTest, integers_of_every_length_have_their_text) {
  const auto check = [&](auto value) {
    Encoder e = encoder();
    e.field(38, value).field(58, "suffix");
    ASSERT_EQ(text_of(e), wanted("38=" + std::to_string(value) + "|58=suffix|"));
  };
  for (std::int64_t value = 0; value < 2'000; ++value) check(value);
  for (std::int64_t power = 1; power < 1'000'000'000'000'000'000; power *= 10) {
    for (const std::int64_t near : {-1, 0, 1}) {
      check(power + near);
      check(-power + near);
      check(static_cast<std::uint64_t>(power + near));
    }
  }
  check(std::numeric_limits<std::int64_t>::min());
  check(std::numeric_limits<std::int64_t>::max());
  check(std::numeric_limits<std::uint64_t>::max());
  check(std::numeric_limits<std::int32_t>::min());
  check(std::numeric_limits<std::uint32_t>::max());
}

TEST_F(EncoderFieldsTest, decimals_of_every_scale_and_length_have_their_text) {
  std::mt19937_64 random{7};
  const auto check = [&](Decimal value) {
    char text[kDecimalBytesMax];
    const std::string expected{text, from_decimal(value, text)};
    Encoder e = encoder();
    e.field<44>(value).field<58>("suffix");
    ASSERT_EQ(text_of(e), wanted("44=" + expected + "|58=suffix|"));
  };
  for (unsigned scale = 0; scale <= Decimal::kScaleMax; ++scale) {
    for (std::int64_t power = 1; power < 1'000'000'000'000'000'000; power *= 10) {
      for (const std::int64_t near : {-1, 0, 1}) {
        check({power + near, scale});
        check({-power + near, scale});
      }
      check({static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(power)), scale});
    }
    check({std::numeric_limits<std::int64_t>::min(), scale});
    check({std::numeric_limits<std::int64_t>::max(), scale});
  }
}

TEST_F(EncoderFieldsTest, times_of_any_minute_have_their_text_in_every_precision) {
  std::mt19937_64 random{7};
  for (int i = 0; i < 3'000; ++i) {
    // Around the message's own minute, and at any other time.
    const auto offset = static_cast<std::int64_t>(random()) >> (random() % 40);
    const WallTime time = i % 2 == 0 ? kTime + std::chrono::nanoseconds{offset >> 10}
                                     : WallTime{std::chrono::nanoseconds{offset}};
    for (const TimePrecision precision :
         {TimePrecision::Seconds, TimePrecision::Millis, TimePrecision::Micros,
          TimePrecision::Nanos, TimePrecision::Picos}) {
      char text[kUtcTimestampBytesMax];
      const std::string expected{text, from_utc_timestamp(time, precision, text)};
      Encoder e = encoder();
      e.field<60>(time, precision).field<58>("suffix");
      ASSERT_EQ(text_of(e), wanted("60=" + expected + "|58=suffix|"));
    }
  }
}

TEST_F(EncoderFieldsTest, a_fixed_price_has_its_text_without_trailing_zeros) {
  Encoder e = encoder();
  e.field<44>(150.25_fp).field<31>(FixedPrice::from_units(0)).field<6>(100_fp);
  e.field<99>(FixedPrice::from_units(-1));
  e.field<140>(FixedPrice::from_units(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(text_of(e), wanted("44=150.25|31=0|6=100|99=-0.00000001|140=-92233720368.54775808|"));
}

TEST_F(EncoderFieldsTest, picoseconds_are_written_or_cut_off) {
  Encoder e = encoder();
  e.field<60>(PicoTime{kTime, 7}, TimePrecision::Picos).field<61>(PicoTime{kTime, 7});
  EXPECT_EQ(text_of(e), wanted("60=20240115-10:30:00.123000000007|61=20240115-10:30:00.123|"));
  Encoder wrong = encoder();
  wrong.field<60>(PicoTime{kTime, 1'000});
  EXPECT_EQ(error_of(wrong).code, EncodeErrorCode::ValueOutOfRange);
}

TEST_F(EncoderFieldsTest, body_length_is_right_from_two_digits_to_six) {
  std::vector<char> large(300'000);
  HeaderTemplate small = *HeaderTemplate::make({"FIX.4.4", "S", "T"});
  for (std::size_t size = 1; size < 200'000; size = size < 1'200 ? size + 1 : size * 5 / 4) {
    const std::string value(size, 'x');
    Encoder e{large, small, kHeader};
    e.field<58>(value);
    ASSERT_EQ(text_of(e), wanted("58=" + value + "|"));
  }
}

TEST_F(EncoderFieldsTest, a_group_writes_its_count_and_its_entries) {
  Encoder e = encoder();
  {
    auto parties = e.group(453, 2);
    parties.entry().field<448>("A").field<452>(1);
    Encoder& second = parties.entry();
    second.field<448>("B");
    auto subs = second.group(802, 1);
    subs.entry().field<523>("sub").field<803>(4);
  }
  e.field<58>("suffix");
  EXPECT_EQ(text_of(e), wanted("453=2|448=A|452=1|448=B|802=1|523=sub|803=4|58=suffix|"));
}

TEST_F(EncoderFieldsTest, a_group_of_a_range_has_an_entry_for_each_element) {
  const std::vector<std::string> ids{"A", "B", "C"};
  Encoder e = encoder();
  e.group(453, ids, [](Encoder& entry, const std::string& id) { entry.field<448>(id); });
  e.group(555, std::vector<int>{}, [](Encoder& entry, int leg) { entry.field<600>(leg); });
  EXPECT_EQ(text_of(e), wanted("453=3|448=A|448=B|448=C|555=0|"));
}

TEST_F(EncoderFieldsTest, a_group_with_too_few_entries_is_an_error) {
  for (std::size_t entries = 0; entries < 3; ++entries) {
    Encoder e = encoder();
    {
      auto parties = e.group(453, 3);
      for (std::size_t i = 0; i < entries; ++i) parties.entry().field<448>("A");
    }
    const EncodeError error = error_of(e);
    EXPECT_EQ(error.code, EncodeErrorCode::GroupCountWrong);
    EXPECT_EQ(error.tag, 453U);
  }
}

TEST_F(EncoderFieldsTest, a_group_with_too_many_entries_is_an_error) {
  for (std::size_t count = 0; count < 3; ++count) {
    Encoder e = encoder();
    auto parties = e.group(453, count);
    for (std::size_t i = 0; i <= count; ++i) parties.entry().field<448>("A");
    parties.close();
    EXPECT_EQ(error_of(e).code, EncodeErrorCode::GroupCountWrong);
  }
}

TEST_F(EncoderFieldsTest, an_empty_entry_is_an_error) {
  Encoder first = encoder();
  {
    auto parties = first.group(453, 2);
    parties.entry();
    parties.entry().field<448>("A");
  }
  EXPECT_EQ(error_of(first).code, EncodeErrorCode::GroupCountWrong);
  Encoder last = encoder();
  {
    auto parties = last.group(453, 1);
    parties.entry();
  }
  EXPECT_EQ(error_of(last).code, EncodeErrorCode::GroupCountWrong);
}

TEST_F(EncoderFieldsTest, a_message_finished_within_a_group_with_missing_entries_is_an_error) {
  Encoder e = encoder();
  auto parties = e.group(453, 2);
  parties.entry().field<448>("A");
  const EncodeError error = error_of(e);
  EXPECT_EQ(error.code, EncodeErrorCode::GroupCountWrong);
  EXPECT_EQ(error.tag, 453U);
}

TEST_F(EncoderFieldsTest, an_error_within_a_group_sticks) {
  Encoder e = encoder();
  {
    auto parties = e.group(453, 2);
    parties.entry().field<448>("A\x01");
    parties.entry().field<448>("B");
  }
  const EncodeError error = error_of(e);
  EXPECT_EQ(error.code, EncodeErrorCode::SohInValue);
  EXPECT_EQ(error.tag, 448U);
}

TEST_F(EncoderFieldsTest, a_data_field_of_any_length_may_hold_any_byte) {
  for (const std::size_t size : {1U, 15U, 16U, 17U, 100U, 5000U}) {
    std::string value(size, '\x01');
    value.back() = '\0';
    Encoder e = encoder();
    e.data<95, 96>(value).field<58>("suffix");
    const std::string length = std::to_string(size);
    ASSERT_EQ(text_of(e), wanted("95=" + length + "|96=" + value + "|58=suffix|"));
  }
}

// With every kind of field last, close to and at the end of the buffer.
TEST_F(EncoderFieldsTest, an_exact_fit_is_encoded_and_one_byte_less_is_an_error) {
  const auto write = [&](Encoder& e, int kind) {
    switch (kind) {
      case 0:
        return static_cast<void>(e.field<58>("text"));
      case 1:
        return static_cast<void>(e.field<58>("a text that is longer than a block"));
      case 2:
        return static_cast<void>(e.field<54>('1'));
      case 3:
        return static_cast<void>(e.field<38>(12345));
      case 4:
        return static_cast<void>(e.field<44>(Decimal{15025, 2}));
      case 5:
        return static_cast<void>(e.field<60>(kTime));
      case 6:
        return static_cast<void>(e.field<75>(Date{std::chrono::year{2024} / 2 / 29}));
      case 7:
        return static_cast<void>(e.field<79>(TimeOfDay{std::chrono::hours{1}}));
      case 8:
        return static_cast<void>(e.data<95, 96>("data"));
      case 9:
        return static_cast<void>(e.group(453, 1).entry().field<448>("A"));
      default:
        return static_cast<void>(e.field<123'456>(-1));
    }
  };
  for (int kind = 0; kind < 11; ++kind) {
    for (std::size_t filler = 1; filler < 140; ++filler) {
      const std::string text(filler, 'f');
      Encoder roomy = encoder();
      roomy.field<58>(text);
      write(roomy, kind);
      const std::string whole = text_of(roomy);
      test::GuardedBytes memory{1024};
      for (const std::size_t size : {whole.size() - 1, whole.size(), whole.size() + 1}) {
        const std::string_view room = memory.at_end(std::string(size, '#'));
        Encoder e{{const_cast<char*>(room.data()), size}, session_, kHeader};
        e.field<58>(text);
        write(e, kind);
        const auto message = e.finish();
        ASSERT_EQ(message.has_value(), size >= whole.size()) << kind << ' ' << filler;
        if (message) {
          ASSERT_EQ(with_pipes(*message), whole);
        }
      }
    }
  }
}

}  // namespace
}  // namespace nexusfix::wire
