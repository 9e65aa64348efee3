#include <array>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/field.hpp>

#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

using test::message_of;
using test::with_pipes;

constexpr WallTime kNow{std::chrono::milliseconds{1705318200456}};  // 20240115-11:30:00.456

std::string resent(std::string_view stored, TimePrecision precision = TimePrecision::Millis) {
  std::array<char, 2048> out;
  const auto copy = resend_copy(stored, kNow, precision, out);
  if (!copy) return std::string{to_string(copy.error().code)};
  return with_pipes(*copy);
}

TEST(ResendCopy, inserts_PossDupFlag_and_OrigSendingTime_where_an_encoder_puts_them) {
  EXPECT_EQ(resent(message_of("35=D|34=7|49=S|52=20240115-10:30:00.123|56=T|11=A|55=X|")),
            with_pipes(message_of("35=D|34=7|43=Y|49=S|52=20240115-11:30:00.456|56=T|"
                                  "122=20240115-10:30:00.123|11=A|55=X|")));
}

TEST(ResendCopy, OrigSendingTime_precedes_the_first_larger_tag_after_SendingTime) {
  EXPECT_EQ(resent(message_of("35=8|34=7|49=S|50=D|52=20240115-10:30:00|56=T|57=E|97=Y|115=O|116=P|"
                              "128=Q|129=R|144=L|145=M|369=4|37=1|"),
                   TimePrecision::Seconds),
            with_pipes(message_of("35=8|34=7|43=Y|49=S|50=D|52=20240115-11:30:00|"
                                  "56=T|57=E|97=Y|115=O|116=P|122=20240115-10:30:00|128=Q|129=R|"
                                  "144=L|145=M|369=4|37=1|")));
}

TEST(ResendCopy, a_copy_has_the_form_that_an_encoder_writes) {
  std::array<char, 512> buffers[2];
  MessageHeader header{.msg_type = "8", .msg_seq_num = 7, .sending_time = kNow};
  header.poss_resend = true;
  const HeaderFields session{"FIX.4.4", "S", "T"};
  Encoder first{buffers[0], session, header};
  const auto stored = first.field(tag::DeliverToCompID, "D").field(tag::Text, "x").finish();
  ASSERT_TRUE(stored);
  header.poss_dup = true;
  header.orig_sending_time = "20240115-11:30:00.456";
  header.sending_time = kNow + std::chrono::hours{1};
  Encoder again{buffers[1], session, header};
  const auto wanted = again.field(tag::DeliverToCompID, "D").field(tag::Text, "x").finish();
  ASSERT_TRUE(wanted);
  std::array<char, 512> out;
  const auto copy = resend_copy(*stored, header.sending_time, TimePrecision::Millis, out);
  ASSERT_TRUE(copy);
  EXPECT_EQ(with_pipes(*copy), with_pipes(*wanted));
}

// Catalogue D21.
TEST(ResendCopy, a_message_with_a_byte_changed_since_it_was_encoded_is_not_resent) {
  const std::string stored =
      message_of("35=D|34=7|49=S|52=20240115-10:30:00.123|56=T|11=A|38=100|");
  ASSERT_NE(resent(stored), to_string(EncodeErrorCode::MessageMalformed));
  for (std::size_t at = 0; at < stored.size(); ++at) {
    std::string changed = stored;
    changed[at] ^= 4;
    EXPECT_EQ(resent(changed), to_string(EncodeErrorCode::MessageMalformed)) << at;
  }
}

TEST(ResendCopy, a_message_without_body_gets_its_fields_before_the_trailer) {
  EXPECT_EQ(resent(message_of("35=D|34=7|49=S|52=20240115-10:30:00|56=T|")),
            with_pipes(message_of("35=D|34=7|43=Y|49=S|52=20240115-11:30:00.456|56=T|"
                                  "122=20240115-10:30:00|")));
}

TEST(ResendCopy, a_copy_of_a_copy_keeps_the_first_sending_time) {
  const std::string once =
      message_of("35=D|34=7|43=Y|49=S|52=20240115-10:31:00|56=T|122=20240115-10:30:00|11=A|");
  EXPECT_EQ(resent(once), with_pipes(message_of("35=D|34=7|43=Y|49=S|52=20240115-11:30:00.456|56=T|"
                                                "122=20240115-10:30:00|11=A|")));
}

// TC 2g: a receiver rejects an OrigSendingTime that is later than SendingTime, and counts the
// message as received. A clock that was set back must not lose the earlier messages.
TEST(ResendCopy, a_clock_that_went_back_does_not_make_the_copy_older_than_the_message) {
  EXPECT_EQ(resent(message_of("35=D|34=7|49=S|56=T|52=20240115-11:30:00.457|11=A|")),
            with_pipes(message_of("35=D|34=7|43=Y|49=S|56=T|52=20240115-11:30:00.457|"
                                  "122=20240115-11:30:00.457|11=A|")));
  EXPECT_EQ(resent(message_of("35=D|34=7|49=S|56=T|52=20240116-00:00:00|11=A|")),
            with_pipes(message_of("35=D|34=7|43=Y|49=S|56=T|52=20240116-00:00:00|"
                                  "122=20240116-00:00:00|11=A|")));
  EXPECT_EQ(resent(message_of("35=D|34=7|49=S|56=T|52=20240115-11:30:00.456|11=A|")),
            with_pipes(message_of("35=D|34=7|43=Y|49=S|56=T|52=20240115-11:30:00.456|"
                                  "122=20240115-11:30:00.456|11=A|")));
}

TEST(ResendCopy, PossDupFlag_N_becomes_Y_in_its_place) {
  EXPECT_EQ(resent(message_of("35=D|34=7|43=N|49=S|52=20240115-10:30:00|56=T|11=A|")),
            with_pipes(message_of("35=D|34=7|43=Y|49=S|52=20240115-11:30:00.456|"
                                  "56=T|122=20240115-10:30:00|11=A|")));
}

TEST(ResendCopy, only_the_first_SendingTime_is_that_of_the_message) {
  EXPECT_EQ(resent(message_of("35=D|34=7|49=S|52=20240115-10:30:00|56=T|128=U|52=x|52=y|11=A|")),
            with_pipes(message_of("35=D|34=7|43=Y|49=S|52=20240115-11:30:00.456|"
                                  "56=T|122=20240115-10:30:00|128=U|52=x|52=y|11=A|")));
}

TEST(ResendCopy, the_body_is_copied_byte_for_byte) {
  const std::string body =
      "11=A|43=N|52=body|122=body|95=14|96=10=000|52=EVIL|453=2|448=A|447=D|448=B|447=D|58=a=b|";
  EXPECT_EQ(resent(message_of("35=D|34=7|49=S|52=20240115-10:30:00|56=T|" + body)),
            with_pipes(message_of("35=D|34=7|43=Y|49=S|52=20240115-11:30:00.456|"
                                  "56=T|122=20240115-10:30:00|" +
                                  body)));
}

TEST(ResendCopy, data_fields_of_the_header_are_skipped_by_their_length) {
  EXPECT_EQ(resent(message_of("35=D|34=7|49=S|52=20240115-10:30:00|56=T|90=8|91=a|52=EVI|212=3|"
                              "213=|||"
                              "|11=A|")),
            with_pipes(message_of("35=D|34=7|43=Y|49=S|52=20240115-11:30:00.456|"
                                  "56=T|90=8|91=a|52=EVI|122=20240115-10:30:00|212=3|213=||||"
                                  "11=A|")));
  EXPECT_EQ(resent(message_of("35=D|34=7|49=S|52=20240115-10:30:00|56=T|212=8|213=a|43=NEV|11=A|")),
            with_pipes(message_of("35=D|34=7|43=Y|49=S|52=20240115-11:30:00.456|56=T|"
                                  "122=20240115-10:30:00|212=8|213=a|43=NEV|11=A|")));
}

TEST(ResendCopy, a_body_length_that_gains_a_digit_is_right) {
  const std::string text(40, 'x');
  EXPECT_EQ(resent(message_of("35=D|34=7|49=S|52=20240115-10:30:00|56=T|58=" + text + "|")),
            with_pipes(message_of("35=D|34=7|43=Y|49=S|52=20240115-11:30:00.456|"
                                  "56=T|122=20240115-10:30:00|58=" +
                                  text + "|")));
}

TEST(ResendCopy, bytes_that_are_not_a_message_are_an_error) {
  const std::string good = message_of("35=D|34=7|49=S|52=20240115-10:30:00|56=T|11=A|");
  for (std::size_t size = 0; size < good.size(); ++size) {
    ASSERT_EQ(resent(good.substr(0, size)), to_string(EncodeErrorCode::MessageMalformed)) << size;
  }
  for (const char* body : {"34=7|35=D|52=20240115-10:30:00|", "35=D|34=7|49=S|56=T|11=A|",
                           "35=D|34=7|52=|", "35=D|garbage|52=20240115-10:30:00|",
                           "35=D|11=A|52=20240115-10:30:00|", "35=D|91=x|52=20240115-10:30:00|"}) {
    EXPECT_EQ(resent(message_of(body)), to_string(EncodeErrorCode::MessageMalformed)) << body;
  }
}

TEST(ResendCopy, room_for_the_growth_suffices_and_less_is_an_error_that_overruns_nothing) {
  const std::string stored = message_of("35=D|34=7|49=S|52=20240115-10:30:00|56=T|11=A|");
  std::array<char, 512> large;
  const auto whole = resend_copy(stored, kNow, TimePrecision::Nanos, large);
  ASSERT_TRUE(whole);
  bool fitted = false;
  for (std::size_t size = 0; size <= stored.size() + kResendGrowthBytesMax; ++size) {
    std::string memory(1000, '#');
    const auto copy =
        resend_copy(stored, kNow, TimePrecision::Nanos, std::span{memory.data() + 100, size});
    EXPECT_FALSE(fitted && !copy);
    fitted = copy.has_value();
    if (copy) {
      EXPECT_EQ(*copy, *whole) << size;
    } else {
      EXPECT_EQ(copy.error().code, EncodeErrorCode::BufferFull);
    }
    ASSERT_EQ(memory.substr(0, 100), std::string(100, '#'));
    ASSERT_EQ(memory.substr(100 + size), std::string(900 - size, '#'));
  }
  EXPECT_TRUE(fitted);
}

}  // namespace
}  // namespace nexusfix::wire
