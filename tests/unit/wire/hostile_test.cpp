// Errors of other parsers, each a test of every kernel. tests/random/property sweeps defects over
// all positions of messages of all lengths; here each case has a name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/parser.hpp>

#include "unit/wire/kernels/kernel_parameters.hpp"
#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

using test::message_of;
using test::with_check_sum;
using test::with_pipes;
using test::with_soh;

constexpr std::string_view kText = "58=long enough that the head is the usual one|";

class HostileTest : public testing::TestWithParam<const kernels::KernelTable*> {
 protected:
  // Fields after paddings of every size up to several blocks: as the last ones, before a few bytes,
  // and before many.
  template <class Check>
  void in_every_place(std::string_view fields, Check check) {
    constexpr std::size_t kPaddingMax = 140;
    const std::string many = "11=AFTER|58=" + std::string(300, 'y') + "|";
    for (const std::string& after : {std::string{}, std::string{"11=AFTER|"}, many}) {
      for (std::size_t padding = 0; padding <= kPaddingMax; ++padding) {
        const std::string front = padding == 0 ? "" : "58=" + std::string(padding, 'x') + "|";
        frame_ = message_of("35=D|" + front + std::string{fields} + after);
        const auto message = parser_.parse(frame_);
        ASSERT_TRUE(message) << with_pipes(frame_);
        SCOPED_TRACE(with_pipes(frame_));
        check(*message);
        if (!after.empty()) {
          ASSERT_EQ((*message)[11], "AFTER");
        }
        if (HasFailure()) return;
      }
    }
  }
  std::string reason_of(std::string_view frame) {
    const auto message = parser_.parse(frame);
    return message ? "accepted" : std::string{to_string(message.error().reason)};
  }

  detail::ParserIndex parser_{DataFieldTable::standard(), *GetParam()};
  std::string frame_;
};

// Hostile values of BodyLength: zero, negative, around every power of two that can wrap, fifty
// digits, no digits.
TEST_P(HostileTest, only_the_right_number_is_accepted_as_body_length) {
  const std::string body = with_soh("35=0|34=2|" + std::string{kText});
  const std::size_t size = body.size();
  const auto plus = [size](unsigned long long base) { return std::to_string(base + size); };
  const std::string right = std::to_string(size);
  for (const std::string& text : {std::string{"0"},
                                  std::string{"00"},
                                  std::string{"1"},
                                  std::string{"5"},
                                  std::string{"9"},
                                  std::to_string(size - 1),
                                  std::to_string(size + 1),
                                  std::to_string(size - 7),
                                  std::to_string(size + 7),
                                  plus(100),
                                  plus(256),
                                  plus(1000),
                                  plus(65'536),
                                  plus(1U << 24U),
                                  plus(0x7fff'ffff),
                                  plus(0x8000'0000),
                                  plus(0xffff'ffff),
                                  plus(0x1'0000'0000),
                                  plus(0x1'0000'0000'0000),
                                  std::string{"18446744073709551615"},
                                  std::string{"18446744073709551616"},
                                  "184467440737095516" + std::to_string(16 + size),
                                  std::string(50, '9'),
                                  "1" + std::string(50, '0'),
                                  "-" + right,
                                  "+" + right,
                                  " " + right,
                                  right + " ",
                                  right + "x",
                                  "x" + right,
                                  right + ".0",
                                  "0x" + right,
                                  right + "e0",
                                  std::string{},
                                  std::string{"-1"},
                                  std::string{"-0"},
                                  std::string{"abc"},
                                  std::string{":"},
                                  std::string{"/"},
                                  right + ":",
                                  std::string{"1=2"}}) {
    const std::string frame = with_check_sum(with_soh("8=FIX.4.4|9=" + text + "|") + body);
    EXPECT_THAT(reason_of(frame), testing::StartsWith("BodyLength is")) << text;
  }
  for (const std::string& text : {right, "0" + right, "00" + right, std::string(50, '0') + right}) {
    EXPECT_EQ(reason_of(with_check_sum(with_soh("8=FIX.4.4|9=" + text + "|") + body)), "accepted");
  }
}

// BodyLength short or long by 1..n.
TEST_P(HostileTest, body_length_off_by_anything_is_wrong) {
  for (const std::size_t text_bytes : {20U, 60U, 85U, 200U, 400U}) {
    const std::string body = with_soh("35=0|58=" + std::string(text_bytes, 'x') + "|");
    for (std::size_t length = 0; length <= body.size() + 300; ++length) {
      const std::string frame =
          with_check_sum(with_soh("8=FIX.4.4|9=" + std::to_string(length) + "|") + body);
      ASSERT_EQ(reason_of(frame), length == body.size() ? "accepted" : "BodyLength is wrong");
    }
  }
}

// CheckSum of letters, with a sign, of four digits, followed by more fields; the last tag not 10.
TEST_P(HostileTest, a_check_sum_of_another_form_is_refused_at_every_length) {
  for (std::size_t bytes = 1; bytes < 300; ++bytes) {
    const std::string good = message_of("35=0|58=" + std::string(bytes, 'x') + "|");
    const std::string front = good.substr(0, good.size() - 7);
    for (const std::string_view trailer :
         {"10=08A|", "10=A80|", "10=0:0|",  "10=/00|",     "10=-01|",
          "10=+01|", "10= 01|", "10=0001|", "10=01|",      "10=|",
          "10|",     "11=000|", "00=000|",  "20=000|",     "10:000|",
          "1O=000|", "10=000",  "10=000||", "10=000|1=2|", "10=000|10=000|55=EVIL|"}) {
      ASSERT_THAT(reason_of(front + with_soh(trailer)), testing::StartsWith("CheckSum is not"))
          << trailer << " after " << bytes;
    }
    for (const char c : {'x', '0', '=', '\0'}) {
      std::string wrong = good;
      wrong[front.size() - 1] = c;  // the SOH before it
      ASSERT_NE(reason_of(wrong), "accepted");
    }
  }
}

// CheckSum `08A` accepted as its value: bytes other than digits whose sum is the right number.
TEST_P(HostileTest, check_sum_bytes_that_only_add_up_are_refused) {
  for (std::size_t bytes = 1; bytes < 300; ++bytes) {
    const std::string good = message_of("35=0|58=" + std::string(bytes, 'x') + "|");
    const std::size_t digits = good.size() - 4;
    const int sum = std::stoi(good.substr(digits, 3));
    for (int hundreds = 0; hundreds <= 2; ++hundreds) {
      for (int tens = 0; tens <= 25; ++tens) {
        const int ones = sum - 100 * hundreds - 10 * tens;
        if (ones < 0 || (tens <= 9 && ones <= 9)) continue;
        std::string wrong = good;
        wrong[digits] = static_cast<char>('0' ^ hundreds);
        wrong[digits + 1] = static_cast<char>('0' ^ tens);
        wrong[digits + 2] = static_cast<char>('0' ^ ones);
        ASSERT_THAT(reason_of(wrong), testing::StartsWith("CheckSum is not")) << with_pipes(wrong);
      }
    }
  }
}

// The first three fields out of order; the first tag never compared; MsgType not third.
TEST_P(HostileTest, other_first_fields_than_8_9_and_35_are_refused_at_every_size) {
  for (const std::string_view after : {"34=2|", "34=2|58=long enough for a usual head, it is|"}) {
    for (const std::string_view head :
         {"8=FIX.4.4|9=#|34=1|35=0|", "8=FIX.4.4|9=#|49=S|35=0|",    "8=FIX.4.4|9=#|335=0|",
          "8=FIX.4.4|9=#|3=0|35=0|",  "8=FIX.4.4|9=#|5=0|35=0|",     "8=FIX.4.4|9=#|53=0|35=0|",
          "8=FIX.4.4|9=#||35=0|",     "8=FIX.4.4|9=#|35|",           "8=FIX.4.4|9=#|035=0|",
          "8=FIX.4.4|9=#|65571=0|",   "8=FIX.4.4|9=#|4294967331=0|", "9=#|8=FIX.4.4|35=0|",
          "8=FIX.4.4|35=0|9=#|",      "7=FIX.4.4|9=#|35=0|",         "8=FIX.4.4|8=#|35=0|",
          "8:FIX.4.4|9=#|35=0|",      "08=FIX.4.4|9=#|35=0|",        "8=FIX.4.4|90=#|35=0|",
          "8=FIX.4.4|1=2|9=#|35=0|",  "1=2|8=FIX.4.4|9=#|35=0|",     "|8=FIX.4.4|9=#|35=0|"}) {
      std::string frame = with_soh(std::string{head} + std::string{after});
      const std::size_t hash = frame.find('#');
      frame.replace(hash, 1, std::to_string(frame.size() - frame.find('\x01', hash) - 1));
      EXPECT_THAT(reason_of(with_check_sum(frame)), testing::StartsWith("8, 9 and 35")) << head;
    }
  }
}

// A MsgType of two characters truncated to its first: AE read as a Logon.
TEST_P(HostileTest, a_msg_type_of_any_length_is_whole) {
  for (const std::string type :
       {"A", "AE", "A1", "U123", "A\x7f", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}) {
    for (const std::string_view after : {std::string_view{}, kText}) {
      const std::string frame = message_of("35=" + type + "|" + std::string{after});
      const auto message = parser_.parse(frame);
      ASSERT_TRUE(message);
      EXPECT_EQ(message->msg_type(), type);
      EXPECT_EQ(message->get<char>(35).has_value(), type.size() == 1);
    }
  }
}

// A data field whose payload is SOH and 55=EVIL, which then overrides Symbol.
TEST_P(HostileTest, a_payload_cannot_add_fields) {
  const std::string payload = "|55=EVIL|10=000|8=FIX.4.4|9=5|35=0|";
  in_every_place("95=" + std::to_string(payload.size()) + "|96=" + payload + "|55=GOOD|",
                 [&](const MessageView& message) {
                   ASSERT_FALSE(message.fault());
                   ASSERT_EQ(message[55], "GOOD");
                   ASSERT_EQ(with_pipes(*message[96]), payload);
                   ASSERT_EQ(message.begin_string(), "FIX.4.4");
                   ASSERT_EQ(message.msg_type(), "D");
                 });
}

// A data length of 9999 that reads past the buffer, one of -1 that loops forever, and lengths that
// wrap.
TEST_P(HostileTest, a_data_length_that_leads_nowhere_is_a_fault_of_only_its_field) {
  for (const std::string_view length :
       {"9999", "-1", "65540", "4294967295", "4294967300", "18446744073709551615",
        "18446744073709551620", "99999999999999999999999", "5", "2", "x", "4x", "+4"}) {
    in_every_place("95=" + std::string{length} + "|96=a=bc|55=GOOD|",
                   [](const MessageView& message) {
                     ASSERT_TRUE(message.fault());
                     ASSERT_EQ(message.fault()->rule, Fault::Rule::DataLengthWrong);
                     ASSERT_EQ(message.fault()->tag_text, "95");
                     ASSERT_EQ(message[96], "a=bc");
                     ASSERT_EQ(message[55], "GOOD");
                   });
  }
}

// Repeated tags: two accessors of one message return different fields.
TEST_P(HostileTest, every_accessor_returns_the_first_of_repeated_tags) {
  for (const Tag tag : {Tag{54}, Tag{5004}, Tag{20'000}, Tag{70'000}, kTagMax}) {
    const std::string text = std::to_string(tag) + "=";
    in_every_place(text + "1|" + text + "2|" + text + "3|", [tag](const MessageView& message) {
      ASSERT_FALSE(message.fault());
      ASSERT_TRUE(message.has(tag));
      const auto index = message.find_index(tag);
      ASSERT_TRUE(index);
      ASSERT_EQ(message[tag], "1");
      ASSERT_EQ(message.find(tag)->value, "1");
      ASSERT_EQ(message.field(*index).value, "1");
      ASSERT_EQ(message.get<std::int64_t>(tag), 1);
      ASSERT_EQ(message.get<char>(tag), '1');
      ASSERT_EQ(message.find(tag, *index + 1)->value, "2");
      ASSERT_EQ(message.find(tag, *index + 2)->value, "3");
      ASSERT_FALSE(message.find_index(tag, *index + 3));
      std::string iterated;
      for (const FieldView field : message) {
        if (field.tag == tag) iterated += field.value;
      }
      ASSERT_EQ(iterated, "123");
    });
  }
}

// A parser that rejects repeated tags also rejects a valid repeating group.
TEST_P(HostileTest, a_repeating_group_is_a_valid_message) {
  in_every_place("453=3|448=A|447=D|452=1|448=B|447=D|452=3|448=C|447=D|452=4|",
                 [](const MessageView& message) {
                   ASSERT_FALSE(message.fault());
                   ASSERT_EQ(message[448], "A");
                   const auto first = message.find_index(448);
                   ASSERT_EQ(message.find(448, *first + 1)->value, "B");
                   ASSERT_EQ(message.find(448, *first + 4)->value, "C");
                 });
}

// A parser that trusts group counts yields a million entries for 453=1000000.
TEST_P(HostileTest, a_claimed_number_of_entries_makes_no_fields) {
  for (const std::string_view count :
       {"1000000", "2147483648", "4294967298", "18446744073709551618", "-1", "0", "abc"}) {
    const std::string frame =
        message_of("35=D|453=" + std::string{count} + "|448=A|452=1|448=B|452=3|55=GOOD|");
    const auto message = parser_.parse(frame);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->field_count(), 10U) << count;
    EXPECT_EQ((*message)[453], count);
    EXPECT_EQ((*message)[55], "GOOD");
    EXPECT_EQ(std::distance(message->begin(), message->end()), 10);
  }
}

// Signed overflow: tag 4294967351 or 18446744073709551671 read as tag 55; tag 65591 as 16 bits.
TEST_P(HostileTest, a_tag_that_would_wrap_does_not_become_another_tag) {
  for (const std::string_view tag : {"4294967351", "18446744073709551671", "8589934647",
                                     "2147483703", "99999999999", "55000000000000000000000"}) {
    in_every_place(std::string{tag} + "=EVIL|", [tag](const MessageView& message) {
      ASSERT_FALSE(message.has(55));
      ASSERT_TRUE(message.fault());
      ASSERT_EQ(message.fault()->rule, Fault::Rule::TagMalformed);
      ASSERT_EQ(message.fault()->tag_text, tag);
    });
  }
  for (const Tag tag : {Tag{65'534}, Tag{65'535}, Tag{65'536}, Tag{65'591}, Tag{131'127}}) {
    in_every_place(std::to_string(tag) + "=EVIL|", [tag](const MessageView& message) {
      ASSERT_FALSE(message.has(55));
      ASSERT_FALSE(message.fault());
      ASSERT_EQ(message[tag], "EVIL");
    });
  }
}

// Tag 0, tag 00035, an empty value, a field without `=`: at every position, and the fields after it
// survive.
TEST_P(HostileTest, a_malformed_field_is_a_fault_at_every_position) {
  struct Malformed {
    std::string_view field;
    Fault::Rule rule;
    std::string_view tag_text;
  };
  for (const Malformed& test : {Malformed{"0=x|", Fault::Rule::TagMalformed, "0"},
                                Malformed{"00035=A|", Fault::Rule::TagMalformed, "00035"},
                                Malformed{"035=A|", Fault::Rule::TagMalformed, "035"},
                                Malformed{"=x|", Fault::Rule::TagMalformed, ""},
                                Malformed{"-35=A|", Fault::Rule::TagMalformed, "-35"},
                                Malformed{"3 5=A|", Fault::Rule::TagMalformed, "3 5"},
                                Malformed{"55=|", Fault::Rule::ValueEmpty, "55"},
                                Malformed{"20000=|", Fault::Rule::ValueEmpty, "20000"},
                                Malformed{"55|", Fault::Rule::TagWithoutValue, "55"},
                                Malformed{"5|", Fault::Rule::TagWithoutValue, "5"},
                                Malformed{"|", Fault::Rule::TagWithoutValue, ""}}) {
    in_every_place(test.field, [&](const MessageView& message) {
      ASSERT_TRUE(message.fault()) << test.field;
      ASSERT_EQ(message.fault()->rule, test.rule) << test.field;
      ASSERT_EQ(message.fault()->tag_text, test.tag_text) << test.field;
      ASSERT_EQ(message.msg_type(), "D");
    });
  }
}

// A field without `=` as the only, the last or the first field of a body that ends around the
// boundaries of blocks and windows.
TEST_P(HostileTest, a_field_without_equals_at_the_end_of_any_block_is_a_fault) {
  for (std::size_t text_bytes = 0; text_bytes < 560; ++text_bytes) {
    const std::string text = text_bytes == 0 ? "" : "58=" + std::string(text_bytes, 'x') + "|";
    for (const std::string_view field : {"37|", "|", "1|", "a field|"}) {
      for (const std::string& body : {text + std::string{field}, std::string{field} + text}) {
        frame_ = message_of("35=8|" + body);
        const auto message = parser_.parse(frame_);
        ASSERT_TRUE(message);
        ASSERT_TRUE(message->fault()) << with_pipes(frame_);
        ASSERT_EQ(message->fault()->rule, Fault::Rule::TagWithoutValue) << with_pipes(frame_);
        ASSERT_EQ(message->fault()->tag_text, field.substr(0, field.size() - 1));
        ASSERT_EQ(message->field_count(), text_bytes == 0 ? 4U : 5U);
      }
    }
  }
}

// The last SOH is missing.
TEST_P(HostileTest, a_message_without_its_last_soh_is_refused_at_every_length) {
  for (std::size_t bytes = 1; bytes < 300; ++bytes) {
    const std::string good = message_of("35=0|58=" + std::string(bytes, 'x') + "|");
    ASSERT_THAT(reason_of(good.substr(0, good.size() - 1)), testing::StartsWith("CheckSum is not"));
    ASSERT_NE(reason_of(good.substr(0, good.size() - 1) + "x"), "accepted");
  }
}

// NUL, control bytes and 0xFF within values.
TEST_P(HostileTest, a_value_may_contain_every_byte_except_soh) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) {
    if (byte != '\x01' && byte != '|') bytes += static_cast<char>(byte);
  }
  in_every_place("58=" + bytes + "|55=GOOD|", [&](const MessageView& message) {
    ASSERT_FALSE(message.fault());
    ASSERT_EQ(message[55], "GOOD");
    const auto text = message.find_index(55);
    ASSERT_EQ(message.field(*text - 1).value, bytes);
  });
}

// More `=` than expected write past an array, or one inside a text shifts all later fields.
TEST_P(HostileTest, any_number_of_equals_in_a_value_belongs_to_it) {
  for (std::size_t count = 1; count <= 600; ++count) {
    const std::string equals(count, '=');
    frame_ = message_of("35=D|58=" + equals + "|55=GOOD|1=a" + equals + "|11=X|");
    const auto message = parser_.parse(frame_);
    ASSERT_TRUE(message);
    ASSERT_FALSE(message->fault());
    ASSERT_EQ((*message)[58], equals);
    ASSERT_EQ((*message)[55], "GOOD");
    ASSERT_EQ((*message)[11], "X");
    ASSERT_EQ(message->field_count(), 8U);
  }
}

// 16-bit positions: a message over 65,535 bytes has wrong fields and counts as valid.
TEST_P(HostileTest, fields_around_65535_bytes_have_the_right_positions) {
  for (std::size_t bytes = 65'470; bytes < 65'560; ++bytes) {
    frame_ = message_of("35=B|58=" + std::string(bytes, 'x') + "|55=GOOD|38=100|");
    const auto message = parser_.parse(frame_);
    ASSERT_TRUE(message);
    ASSERT_EQ((*message)[58]->size(), bytes);
    ASSERT_EQ((*message)[55], "GOOD");
    ASSERT_EQ((*message)[38], "100");
    ASSERT_EQ(message->find(55)->offset, frame_.find("GOOD"));
  }
}

// Valid messages of more than 128 fields, or of more than eight tags above 512, are refused.
TEST_P(HostileTest, there_is_no_limit_of_fields_or_of_large_tags) {
  for (int fields = 1; fields <= 600; fields += fields < 300 ? 1 : 60) {
    for (const int first_tag : {100, 513, 9'000, 65'000, 2'000'000'000}) {
      // Downwards, so that no Length tag precedes its data field.
      std::string body = "35=W|";
      for (int i = fields - 1; i >= 0; --i) {
        body += std::to_string(first_tag + i) + "=" + std::to_string(i) + "|";
      }
      frame_ = message_of(body);
      const auto message = parser_.parse(frame_);
      ASSERT_TRUE(message);
      ASSERT_FALSE(message->fault());
      ASSERT_EQ(message->field_count(), static_cast<std::size_t>(fields) + 4);
      for (const int i : {0, fields / 2, fields - 1}) {
        ASSERT_EQ((*message)[static_cast<Tag>(first_tag + i)], std::to_string(i)) << fields;
      }
    }
  }
}

// Frames that break a rule have no effect on later ones.
TEST_P(HostileTest, a_good_message_after_any_bad_one_is_read_as_if_alone) {
  const std::string good = message_of("35=D|55=GOOD|11=A|58=some text and a bit more of it|");
  const std::string fields = with_pipes(good);
  const std::string evil = message_of("35=D|55=EVIL|37|0=x|95=9|96=x|58=" + std::string(400, '='));
  for (std::size_t size = 0; size <= evil.size(); ++size) {
    static_cast<void>(parser_.parse(std::string_view{evil}.substr(0, size)));
    static_cast<void>(parser_.parse(message_of(with_pipes(evil.substr(0, size)) + "|")));
    const auto message = parser_.parse(good);
    ASSERT_TRUE(message);
    ASSERT_FALSE(message->fault());
    std::string text;
    for (const FieldView field : *message) {
      text += std::to_string(field.tag) + "=" + std::string{field.value} + "|";
    }
    ASSERT_EQ(text, fields);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, HostileTest, testing::ValuesIn(test::every_kernel()),
                         test::kernel_name);

}  // namespace
}  // namespace nexusfix::wire
