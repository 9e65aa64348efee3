#include <array>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>

#include "unit/wire/kernels/guarded_bytes.hpp"
#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

using test::message_of;
using test::with_pipes;

constexpr WallTime kTime{std::chrono::milliseconds{1705314600123}};
constexpr HeaderFields kSession{"FIX.4.4", "SENDER", "TARGET"};

HeaderTemplate made(const HeaderFields& fields,
                    std::initializer_list<detail::HeaderField> fixed = {}) {
  auto result = HeaderTemplate::make(fields, fixed);
  EXPECT_TRUE(result);
  return *std::move(result);
}

MessageHeader header(WallTime time = kTime) {
  return {.msg_type = "D", .msg_seq_num = 7, .sending_time = time};
}

std::string text_of(Encoder& encoder) {
  const auto message = encoder.finish();
  EXPECT_TRUE(message) << (message ? "" : to_string(message.error().code));
  return message ? with_pipes(*message) : "";
}

// A message without a template.
std::string plainly(const HeaderFields& fields, const MessageHeader& header) {
  std::array<char, 4096> buffer;
  Encoder encoder{buffer, fields, header};
  return text_of(encoder);
}

TEST(HeaderTemplate, a_message_is_the_same_as_without_a_template) {
  std::array<char, 4096> buffer;
  for (const std::string_view begin_string :
       {"F", "FIX", "FIX.4.4", "FIXT.1.1", "FIX.4.4.and.more"}) {
    for (const std::size_t comp_id_bytes : {1U, 6U, 16U, 30U, 250U}) {
      const std::string sender(comp_id_bytes, 'S');
      const std::string target(comp_id_bytes + 1, 'T');
      const HeaderFields fields{begin_string, sender, target};
      HeaderTemplate session = made(fields);
      for (const std::uint64_t msg_seq_num :
           {0ULL, 9ULL, 10ULL, 999ULL, 1'000ULL, 999'999ULL, 1'000'000ULL, 1'000'001ULL,
            12'000'345ULL, 987'654'321ULL, 999'999'999'999ULL, 1'000'000'000'000ULL}) {
        for (const std::string_view msg_type :
             {"D", "AE", "sixteen_bytes_16", "longer.than.a.block"}) {
          MessageHeader wanted = header();
          wanted.msg_seq_num = msg_seq_num;
          wanted.msg_type = msg_type;
          Encoder encoder{buffer, session, wanted};
          ASSERT_EQ(text_of(encoder), plainly(fields, wanted));
        }
      }
    }
  }
}

// The header of one message is that of the message before with another number and time.
TEST(HeaderTemplate, messages_with_ascending_numbers_are_the_same_as_without_a_template) {
  std::array<char, 4096> buffer;
  for (const std::size_t comp_id_bytes : {1U, 8U, 30U, 60U}) {
    const std::string sender(comp_id_bytes, 'S');
    const std::string target(comp_id_bytes, 'T');
    const HeaderFields fields{"FIX.4.4", sender, target};
    for (const std::uint64_t first : {1ULL, 95ULL, 989ULL, 999'990ULL, 12'999'989ULL}) {
      HeaderTemplate session = made(fields);
      for (std::uint64_t number = first; number < first + 25; ++number) {
        MessageHeader wanted = header(kTime + std::chrono::milliseconds{7 * number});
        wanted.msg_seq_num = number;
        wanted.msg_type = "AE";
        Encoder encoder{buffer, session, wanted};
        encoder.field<60>(wanted.sending_time).field<58>("text");
        std::array<char, 4096> other;
        Encoder expected{other, fields, wanted};
        expected.field<60>(wanted.sending_time).field<58>("text");
        ASSERT_EQ(text_of(encoder), text_of(expected));
      }
    }
  }
}

TEST(HeaderTemplate, whatever_changes_between_messages_is_in_the_next_one) {
  std::array<char, 4096> buffer;
  std::array<char, 2048> other_buffer;
  HeaderTemplate session = made(kSession, {{tag::TargetSubID, "desk"}});
  const auto expect = [&](const MessageHeader& wanted, std::span<char> into) {
    char time[kUtcTimestampBytesMax];
    const std::string sent{time, from_utc_timestamp(wanted.sending_time, wanted.precision, time)};
    Encoder encoder{into, session, wanted};
    encoder.field<58>("text");
    ASSERT_EQ(
        text_of(encoder),
        with_pipes(message_of(
            "35=" + std::string{wanted.msg_type} + "|34=" + std::to_string(wanted.msg_seq_num) +
            (wanted.poss_dup ? "|43=Y" : "") + "|49=SENDER|52=" + sent + "|56=TARGET|57=desk|" +
            (wanted.poss_resend ? "97=Y|" : "") + "58=text|")));
  };
  MessageHeader wanted = header();
  const auto run = [&] {  // From the third of them on, the header is known.
    for (int i = 0; i < 4; ++i) {
      ++wanted.msg_seq_num;
      expect(wanted, buffer);
    }
  };
  run();
  expect(wanted, buffer);  // the same number again, as after a failed send
  run();
  wanted.msg_seq_num -= 3;  // as after a callback that threw
  run();
  wanted.msg_seq_num += 2;
  run();
  wanted.sending_time += std::chrono::minutes{1};
  run();
  wanted.sending_time += std::chrono::days{1};
  run();
  wanted.msg_type = "8";
  run();
  wanted.msg_type = "three";
  run();
  wanted.msg_type = "8";
  run();
  wanted.poss_dup = true;
  run();
  wanted.poss_dup = false;
  wanted.poss_resend = true;
  run();
  wanted.poss_resend = false;
  run();
  wanted.precision = TimePrecision::Micros;
  run();
  wanted.precision = TimePrecision::Millis;
  run();
  expect(wanted, other_buffer);
  run();
  wanted.msg_seq_num = 9'998;  // becomes longer
  run();
  wanted.msg_seq_num = 0;
  run();
}

TEST(HeaderTemplate, flags_of_a_message_have_their_positions) {
  std::array<char, 4096> buffer;
  HeaderTemplate session = made(kSession, {{tag::SenderSubID, "7"}});
  MessageHeader full = header();
  full.poss_dup = true;
  full.poss_resend = true;
  full.orig_sending_time = "20240115-10:29:00";
  Encoder encoder{buffer, session, full};
  EXPECT_EQ(text_of(encoder),
            with_pipes(message_of("35=D|34=7|43=Y|49=SENDER|50=7|52=20240115-10:30:00.123|"
                                  "56=TARGET|97=Y|122=20240115-10:29:00|")));
}

TEST(HeaderTemplate, flags_of_a_message_stand_among_fixed_fields_by_their_tags) {
  std::array<char, 4096> buffer;
  HeaderTemplate session = made(kSession, {{tag::OnBehalfOfCompID, "C"}, {129, "D"}});
  MessageHeader full = header();
  full.poss_resend = true;
  full.orig_sending_time = "20240115-10:29:00";
  Encoder encoder{buffer, session, full};
  EXPECT_EQ(text_of(encoder),
            with_pipes(message_of("35=D|34=7|49=SENDER|52=20240115-10:30:00.123|56=TARGET|97=Y|"
                                  "115=C|122=20240115-10:29:00|129=D|")));
}

TEST(HeaderTemplate, constant_fields_keep_the_given_order_and_fields_of_the_message_follow) {
  std::array<char, 4096> buffer;
  HeaderTemplate session =
      made(kSession, {{tag::TargetSubID, "desk"}, {tag::SenderLocationID, "London"}});
  for (const char* const sub_id : {"a", "b"}) {
    Encoder encoder{buffer, session, header()};
    encoder.field<tag::SenderSubID>(sub_id).field<tag::DeliverToCompID>("X").field(11, "A");
    EXPECT_EQ(text_of(encoder),
              with_pipes(message_of("35=D|34=7|49=SENDER|52=20240115-10:30:00.123|"
                                    "56=TARGET|57=desk|142=London|50=" +
                                    std::string{sub_id} + "|128=X|11=A|")));
  }
}

TEST(HeaderTemplate, an_invalid_field_is_an_error_when_the_template_is_made) {
  struct Case {
    HeaderFields fields;
    detail::HeaderField fixed;
    EncodeErrorCode code;
    Tag tag;
  };
  const detail::HeaderField good{tag::SenderSubID, "x"};
  for (const Case& test :
       {Case{{"FIX\x01", "S", "T"}, good, EncodeErrorCode::SohInValue, 8},
        Case{{"FIX.4.4", "S\x01", "T"}, good, EncodeErrorCode::SohInValue, 49},
        Case{{"FIX.4.4", "S", "\x01T"}, good, EncodeErrorCode::SohInValue, 56},
        Case{{"", "S", "T"}, good, EncodeErrorCode::EmptyValue, 8},
        Case{{"FIX.4.4", "", "T"}, good, EncodeErrorCode::EmptyValue, 49},
        Case{{"FIX.4.4", "S", ""}, good, EncodeErrorCode::EmptyValue, 56},
        Case{{"FIX.4.4.and.much.more", "S", "T"}, good, EncodeErrorCode::ValueOutOfRange, 8},
        Case{kSession, {tag::SenderSubID, ""}, EncodeErrorCode::EmptyValue, 50},
        Case{kSession, {tag::SenderSubID, "a\x01"}, EncodeErrorCode::SohInValue, 50},
        Case{kSession, {tag::MsgSeqNum, "1"}, EncodeErrorCode::TagInvalid, 34},
        Case{kSession, {tag::PossDupFlag, "Y"}, EncodeErrorCode::TagInvalid, 43},
        Case{kSession, {tag::SecureData, "x"}, EncodeErrorCode::TagInvalid, 91},
        Case{kSession, {tag::Text, "x"}, EncodeErrorCode::TagInvalid, 58},
        Case{kSession, {tag::MsgType, "D"}, EncodeErrorCode::TagInvalid, 35},
        Case{kSession, {0, "x"}, EncodeErrorCode::TagInvalid, 0}}) {
    const auto result = HeaderTemplate::make(test.fields, {test.fixed});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, test.code);
    EXPECT_EQ(result.error().tag, test.tag);
  }
}

TEST(HeaderTemplate, views_need_to_live_only_while_it_is_made) {
  std::string begin_string = "FIX.4.4", sender = "SENDER", target = "TARGET", sub_id = "sub";
  HeaderTemplate session = made({begin_string, sender, target}, {{tag::SenderSubID, sub_id}});
  begin_string = "XXXXXXX";
  sender = target = "XXXXXX";
  sub_id = "xxx";
  std::array<char, 512> buffer;
  Encoder encoder{buffer, session, header()};
  EXPECT_EQ(text_of(encoder), with_pipes(message_of("35=D|34=7|49=SENDER|50=sub|"
                                                    "52=20240115-10:30:00.123|56=TARGET|")));
}

TEST(HeaderTemplate, the_date_follows_the_time_in_any_order) {
  std::array<char, 512> buffer;
  HeaderTemplate session = made(kSession);
  const std::chrono::nanoseconds day = std::chrono::hours{24};
  const WallTime midnight{std::chrono::sys_days{std::chrono::year{2024} / 2 / 29}};
  for (const WallTime time :
       {midnight, midnight - std::chrono::nanoseconds{1}, midnight + day,
        midnight + day - std::chrono::nanoseconds{1}, WallTime{}, WallTime{-day},
        WallTime{std::chrono::nanoseconds{-1}}, WallTime{}, WallTime::min(), WallTime::max(),
        WallTime::min() + day, WallTime::max() - day, WallTime::min() + std::chrono::hours{1},
        WallTime::min(), WallTime::max() - std::chrono::hours{1}, midnight}) {
    for (const TimePrecision precision : {TimePrecision::Seconds, TimePrecision::Millis,
                                          TimePrecision::Micros, TimePrecision::Nanos}) {
      MessageHeader wanted = header(time);
      wanted.precision = precision;
      char text[kUtcTimestampBytesMax];
      const std::string time_text{text, from_utc_timestamp(time, precision, text)};
      Encoder encoder{buffer, session, wanted};
      encoder.field<60>(time, precision).field<61>(WallTime::max()).field<62>(WallTime::min());
      ASSERT_EQ(text_of(encoder), with_pipes(message_of("35=D|34=7|49=SENDER|52=" + time_text +
                                                        "|56=TARGET|60=" + time_text +
                                                        "|61=22620411-23:47:16.854|62="
                                                        "16770921-00:12:43.145|")));
    }
  }
}

TEST(HeaderTemplate, the_minute_follows_the_time_in_any_order) {
  std::array<char, 512> buffer;
  HeaderTemplate session = made(kSession);
  const WallTime hour{std::chrono::sys_days{std::chrono::year{2024} / 2 / 29} +
                      std::chrono::hours{13}};
  constexpr std::chrono::nanoseconds kMinute = std::chrono::minutes{1};
  constexpr std::chrono::nanoseconds kNanosecond{1};
  for (const WallTime time :
       {hour, hour + kMinute - kNanosecond, hour + kMinute, hour + 2 * kMinute - kNanosecond, hour,
        hour - kNanosecond, hour - kMinute, hour + 59 * kMinute, hour + 60 * kMinute}) {
    char text[kUtcTimestampBytesMax];
    const std::string time_text{text, from_utc_timestamp(time, TimePrecision::Millis, text)};
    Encoder encoder{buffer, session, header(time)};
    encoder.field<60>(time);
    ASSERT_EQ(text_of(encoder), with_pipes(message_of("35=D|34=7|49=SENDER|52=" + time_text +
                                                      "|56=TARGET|60=" + time_text + "|")));
  }
}

// The buffers of consecutive messages may differ in size and position.
TEST(HeaderTemplate, every_size_of_buffer_holds_a_fitting_message_and_nothing_is_written_outside) {
  HeaderTemplate session = made(kSession, {{tag::SenderSubID, "desk"}});
  const std::string wanted =
      with_pipes(message_of("35=D|34=7|49=SENDER|50=desk|52=20240115-10:30:00.123|56=TARGET|"
                            "11=A|"));
  test::GuardedBytes memory{1024};
  for (std::size_t size = 0; size < 600; ++size) {
    const std::string_view room = memory.at_end(std::string(size, '#'));
    const std::span<char> buffer{const_cast<char*>(room.data()), room.size()};
    Encoder encoder{buffer, session, header()};
    const auto message = encoder.field(11, 'A').finish();
    ASSERT_EQ(message.has_value(), size >= wanted.size()) << size;
    if (message) {
      ASSERT_EQ(with_pipes(*message), wanted);
      ASSERT_GE(message->data(), buffer.data());
    } else {
      ASSERT_EQ(message.error().code, EncodeErrorCode::BufferFull);
    }
  }
}

TEST(HeaderTemplate, a_type_that_cannot_be_sent_is_an_error_of_the_message) {
  std::array<char, 512> buffer;
  HeaderTemplate session = made(kSession);
  for (const std::string_view msg_type : {"", "\x01", "D\x01"}) {
    MessageHeader wrong = header();
    wrong.msg_type = msg_type;
    Encoder encoder{buffer, session, wrong};
    const auto message = encoder.finish();
    ASSERT_FALSE(message);
    EXPECT_EQ(message.error().tag, tag::MsgType);
  }
}

}  // namespace
}  // namespace nexusfix::wire
