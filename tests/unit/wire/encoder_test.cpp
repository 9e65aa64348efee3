#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <limits>
#include <string>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/parser.hpp>

#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

using test::message_of;
using test::with_pipes;

constexpr WallTime kTime{std::chrono::milliseconds{1705314600123}};
constexpr HeaderFields kSession{"FIX.4.4", "SENDER", "TARGET"};
constexpr std::string_view kHeaderText = "35=D|34=7|49=SENDER|52=20240115-10:30:00.123|56=TARGET|";

MessageHeader header() {
  MessageHeader header;
  header.msg_type = "D";
  header.msg_seq_num = 7;
  header.sending_time = kTime;
  return header;
}

class EncoderTest : public testing::Test {
 protected:
  Encoder encoder() { return Encoder{buffer_, kSession, header()}; }
  static std::string text_of(Encoder& encoder) {
    const auto message = encoder.finish();
    EXPECT_TRUE(message) << (message ? "" : to_string(message.error().code));
    return message ? with_pipes(*message) : "";
  }
  static std::string wanted(std::string_view body) {
    return with_pipes(message_of(std::string{kHeaderText} + std::string{body}));
  }
  static EncodeError error_of(Encoder& encoder) {
    const auto message = encoder.finish();
    EXPECT_FALSE(message);
    return message ? EncodeError{} : message.error();
  }

  std::array<char, 4096> buffer_;
};

TEST_F(EncoderTest, a_message_without_body_has_header_and_trailer) {
  Encoder e = encoder();
  EXPECT_EQ(text_of(e), wanted(""));
}

TEST_F(EncoderTest, header_fields_have_their_positions) {
  MessageHeader full = header();
  full.poss_dup = true;
  full.poss_resend = true;
  full.orig_sending_time = "20240115-10:29:00";
  full.precision = TimePrecision::Seconds;
  Encoder e{buffer_, kSession, full};
  EXPECT_EQ(text_of(e),
            with_pipes(message_of("35=D|34=7|43=Y|49=SENDER|52=20240115-10:30:00|56=TARGET|"
                                  "97=Y|122=20240115-10:29:00|")));
}

TEST_F(EncoderTest, views_of_the_header_need_to_live_only_during_construction) {
  std::string begin_string = "FIX.4.4", sender = "SENDER", target = "TARGET", msg_type = "D";
  MessageHeader with_views = header();
  with_views.msg_type = msg_type;
  Encoder e{buffer_, HeaderFields{begin_string, sender, target}, with_views};
  begin_string = "XXXXXXX";
  sender = target = "XXXXXX";
  msg_type = "X";
  EXPECT_EQ(text_of(e), wanted(""));
}

TEST_F(EncoderTest, each_type_of_value_has_its_text) {
  Encoder e = encoder();
  const std::string owned = "owned";
  const char* const pointer = "pointer";
  e.field(1, std::string_view{"view"}).field(2, "literal").field(3, owned).field(4, pointer);
  e.field(5, 'c').field(6, true).field(7, false);
  e.field(11, 100).field(12, -5).field(13, 7U).field(14, std::int64_t{-9}).field(15, 10LL);
  e.field(16, std::numeric_limits<std::int64_t>::min());
  e.field(17, std::numeric_limits<std::uint64_t>::max()).field(18, std::size_t{3});
  e.field(19, short{4}).field(20, std::uint8_t{200});
  e.field(44, Decimal{123'456'789, 2}).field(45, Decimal{12, 8});
  e.field(60, kTime).field(61, kTime, TimePrecision::Nanos);
  e.field(75, Date{std::chrono::year{2024} / 2 / 29});
  e.field(79, TimeOfDay{std::chrono::hours{1}}, TimePrecision::Seconds);
  EXPECT_EQ(text_of(e),
            wanted("1=view|2=literal|3=owned|4=pointer|5=c|6=Y|7=N|11=100|12=-5|13=7|14=-9|15=10|"
                   "16=-9223372036854775808|17=18446744073709551615|18=3|19=4|20=200|"
                   "44=1234567.89|45=0.00000012|60=20240115-10:30:00.123|"
                   "61=20240115-10:30:00.123000000|75=20240229|79=01:00:00|"));
}

TEST_F(EncoderTest, tags_of_every_length_are_written) {
  Encoder e = encoder();
  std::string body;
  for (Tag tag = 1; tag < 1'000'000'000; tag = tag * 10 + 1) {
    e.field(tag, "x");
    body += std::to_string(tag) + "=x|";
  }
  e.field(kTagMax, "y");
  EXPECT_EQ(text_of(e), wanted(body + "2147483647=y|"));
}

TEST_F(EncoderTest, a_data_field_may_hold_any_byte) {
  Encoder e = encoder();
  e.data(95, 96,
         std::string_view{"a\x01"
                          "55=EVIL\x01",
                          10})
      .field(11, "A");
  EXPECT_EQ(text_of(e), wanted("95=10|96=a|55=EVIL||11=A|"));
}

TEST_F(EncoderTest, soh_in_a_value_is_an_error_at_every_position) {
  for (std::size_t size = 1; size < 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string value(size, 'x');
      value[at] = kSoh;
      Encoder e = encoder();
      e.field(58, value);
      const EncodeError error = error_of(e);
      ASSERT_EQ(error.code, EncodeErrorCode::SohInValue);
      ASSERT_EQ(error.tag, 58U);
    }
  }
  Encoder e = encoder();
  e.field(54, '\x01');
  EXPECT_EQ(error_of(e).code, EncodeErrorCode::SohInValue);
}

TEST_F(EncoderTest, the_first_of_several_errors_is_reported) {
  Encoder e = encoder();
  e.field(58, "").field(59, "a\x01").field(60, "");
  EXPECT_EQ(error_of(e).tag, 58U);
  EXPECT_EQ(error_of(e).code, EncodeErrorCode::EmptyValue);
  std::array<char, 512> buffer;
  Encoder other{buffer, {"FIX.4.4", "S\x01", ""}, {.msg_type = "D", .msg_seq_num = 7}};
  EXPECT_EQ(error_of(other).tag, 49U);
  EXPECT_EQ(error_of(other).code, EncodeErrorCode::SohInValue);
}

TEST_F(EncoderTest, soh_or_nothing_in_a_header_value_is_an_error) {
  struct Case {
    HeaderFields session;
    EncodeErrorCode code;
    Tag tag;
  };
  for (const Case& test :
       {Case{{"FIX\x01", "S", "T"}, EncodeErrorCode::SohInValue, 8},
        Case{{"FIX.4.4", "S\x01", "T"}, EncodeErrorCode::SohInValue, 49},
        Case{{"FIX.4.4", "S", "\x01T"}, EncodeErrorCode::SohInValue, 56},
        Case{{"", "S", "T"}, EncodeErrorCode::EmptyValue, 8},
        Case{{"FIX.4.4", "", "T"}, EncodeErrorCode::EmptyValue, 49},
        Case{{"FIX.4.4", "S", ""}, EncodeErrorCode::EmptyValue, 56},
        Case{{"FIX.4.4.and.much.more", "S", "T"}, EncodeErrorCode::ValueOutOfRange, 8}}) {
    Encoder e{buffer_, test.session, header()};
    const EncodeError error = error_of(e);
    EXPECT_EQ(error.code, test.code);
    EXPECT_EQ(error.tag, test.tag);
  }
  MessageHeader wrong = header();
  wrong.msg_type = "";
  Encoder no_type{buffer_, kSession, wrong};
  EXPECT_EQ(error_of(no_type).tag, 35U);
  wrong.msg_type = "D\x01";
  Encoder soh_type{buffer_, kSession, wrong};
  EXPECT_EQ(error_of(soh_type).code, EncodeErrorCode::SohInValue);
  wrong = header();
  wrong.orig_sending_time = "2024\x01";
  Encoder soh_time{buffer_, kSession, wrong};
  EXPECT_EQ(error_of(soh_time).tag, 122U);
}

TEST_F(EncoderTest, empty_values_are_errors) {
  Encoder text = encoder();
  text.field(58, "");
  EXPECT_EQ(error_of(text).code, EncodeErrorCode::EmptyValue);
  Encoder data = encoder();
  data.data(95, 96, "");
  EXPECT_EQ(error_of(data).code, EncodeErrorCode::EmptyValue);
}

TEST_F(EncoderTest, invalid_tags_and_tags_of_the_encoder_are_errors) {
  for (const Tag tag : {Tag{0}, kTagMax + 1, Tag{0xffff'ffff}, Tag{8}, Tag{9}, Tag{10}, Tag{35}}) {
    Encoder text = encoder();
    text.field(tag, "x");
    EXPECT_EQ(error_of(text).code, EncodeErrorCode::TagInvalid) << tag;
    Encoder number = encoder();
    number.field(tag, 1);
    EXPECT_EQ(error_of(number).tag, tag);
    Encoder data_tag = encoder();
    data_tag.data(95, tag, "x");
    EXPECT_EQ(error_of(data_tag).tag, tag);
    Encoder length_tag = encoder();
    length_tag.data(tag, 96, "x");
    EXPECT_EQ(error_of(length_tag).tag, tag);
  }
}

TEST_F(EncoderTest, dates_and_times_without_text_are_errors) {
  Encoder date = encoder();
  date.field(75, Date{std::chrono::year{2023} / 2 / 29});
  EXPECT_EQ(error_of(date).code, EncodeErrorCode::ValueOutOfRange);
  Encoder year = encoder();
  year.field(75, Date{std::chrono::year{10'000} / 1 / 1});
  EXPECT_EQ(error_of(year).code, EncodeErrorCode::ValueOutOfRange);
  for (const TimeOfDay time : {TimeOfDay{-1}, TimeOfDay{std::chrono::seconds{86'401}}}) {
    Encoder e = encoder();
    e.field(79, time);
    EXPECT_EQ(error_of(e).code, EncodeErrorCode::ValueOutOfRange);
  }
}

TEST_F(EncoderTest, the_first_error_sticks) {
  Encoder e = encoder();
  e.field(58, "\x01").field(0, "x").field(55, "");
  const EncodeError error = error_of(e);
  EXPECT_EQ(error.code, EncodeErrorCode::SohInValue);
  EXPECT_EQ(error.tag, 58U);
}

// For every buffer size: a message that fits is complete, one that does not is an error, and no
// byte outside of the buffer changes.
TEST_F(EncoderTest, a_buffer_too_small_is_an_error_and_never_overrun) {
  std::size_t smallest = 0;
  for (std::size_t size = 0; size < 400; ++size) {
    std::string memory(600, '#');
    Encoder e{std::span{memory.data() + 100, size}, kSession, header()};
    e.field(58, "some text of some length")
        .field(38, 1'000'000)
        .field(44, Decimal{15025, 2})
        .field(60, kTime)
        .data(95, 96, "data");
    const auto message = e.finish();
    if (message) {
      if (smallest == 0) smallest = size;
      ASSERT_EQ(with_pipes(*message), wanted("58=some text of some length|38=1000000|44=150.25|"
                                             "60=20240115-10:30:00.123|95=4|96=data|"));
      ASSERT_GE(message->data(), memory.data() + 100);
      ASSERT_LE(message->data() + message->size(), memory.data() + 100 + size);
    } else {
      ASSERT_EQ(smallest, 0U) << "larger buffers must do";
      ASSERT_EQ(message.error().code, EncodeErrorCode::BufferFull);
    }
    ASSERT_EQ(memory.substr(0, 100), std::string(100, '#'));
    ASSERT_EQ(memory.substr(100 + size), std::string(500 - size, '#'));
  }
  const std::size_t message_bytes = wanted(
                                        "58=some text of some length|38=1000000|44=150.25|"
                                        "60=20240115-10:30:00.123|95=4|96=data|")
                                        .size();
  EXPECT_EQ(smallest, message_bytes);
}

TEST_F(EncoderTest, body_length_with_more_digits_moves_the_start_and_not_the_body) {
  std::string large(200'000, '\0');
  for (const std::size_t size : {1U, 20U, 40U, 50U, 900U, 940U, 950U, 9900U, 9950U, 99'940U}) {
    Encoder e{large, kSession, header()};
    const std::string value(size, 'x');
    e.field(58, value);
    EXPECT_EQ(text_of(e), wanted("58=" + value + "|"));
  }
}

TEST(EncodeErrorCode, each_has_a_text_of_its_own) {
  std::vector<std::string_view> texts;
  for (int i = 0; i <= static_cast<int>(EncodeErrorCode::GroupCountWrong); ++i) {
    texts.push_back(to_string(static_cast<EncodeErrorCode>(i)));
  }
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(std::adjacent_find(texts.begin(), texts.end()), texts.end());
}

}  // namespace
}  // namespace nexusfix::wire
