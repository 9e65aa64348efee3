#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/parser.hpp>

#include "unit/wire/kernels/kernel_parameters.hpp"
#include "unit/wire/message_text.hpp"
#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::wire {
namespace {

using test::message_of;
using test::with_check_sum;
using test::with_pipes;
using test::with_soh;

// Every test runs with every kernel that this CPU supports.
class ParserTest : public testing::TestWithParam<const kernels::KernelTable*> {
 protected:
  std::expected<MessageView, ParseError> parse(std::string_view frame) {
    return parser_.parse(frame);
  }
  // The message as `tag=value|...` from the index, or the reason why it is not a message.
  std::string indexed(std::string_view frame) {
    const auto message = parse(frame);
    if (!message) return std::string{to_string(message.error().reason)};
    std::string text;
    for (const FieldView field : *message) {
      text += std::to_string(field.tag) + "=" + with_pipes(field.value) + "|";
    }
    return text;
  }
  std::optional<Fault> fault_of(std::string_view body) {
    frame_ = message_of(body);
    const auto message = parse(frame_);
    EXPECT_TRUE(message.has_value());
    return message ? message->fault() : std::nullopt;
  }
  GarbledReason reason_of(const std::string& frame) {
    const auto message = parse(frame);
    EXPECT_FALSE(message.has_value()) << with_pipes(frame);
    return message ? GarbledReason::NoBeginString : message.error().reason;
  }

  detail::ParserIndex parser_{DataFieldTable::standard(), *GetParam()};
  std::string frame_;
};

TEST_P(ParserTest, all_fields_are_indexed_in_wire_order) {
  const std::string frame = message_of(test::kExecutionReportBody);
  EXPECT_EQ(indexed(frame), with_pipes(frame));
  const auto message = parse(frame);
  EXPECT_EQ(message->field_count(), 22U);
  EXPECT_EQ(message->begin_string(), "FIX.4.4");
  EXPECT_EQ(message->msg_type(), "8");
  EXPECT_FALSE(message->fault());
  EXPECT_EQ(message->bytes().data(), frame.data());
}

TEST_P(ParserTest, values_are_views_into_the_frame) {
  const std::string frame = message_of("35=D|55=AAPL|");
  const auto message = parse(frame);
  const auto symbol = message->find(55);
  ASSERT_TRUE(symbol);
  EXPECT_EQ(symbol->value.data(), frame.data() + symbol->offset);
  EXPECT_EQ(symbol->offset, frame.find("AAPL"));
}

// See FrameShape. The scalar kernel has none.
TEST_P(ParserTest, a_frame_with_the_bytes_of_the_shape_of_its_size_fits_it) {
  const auto fits = [&](const std::string& frame) {
    const auto message = parse(frame);
    EXPECT_EQ(indexed(frame), with_pipes(frame));
    return message && message->shape() != nullptr;
  };
  const bool has_shapes = GetParam()->fits != nullptr;
  const std::string header = "35=D|49=SENDER|56=TARGET|34=12|52=20240115-10:30:00.123|";
  const std::string order = message_of(header + "55=AAPL|38=100|");
  EXPECT_FALSE(fits(order));  // and then parsed again by indexed()
  EXPECT_EQ(fits(order), has_shapes);
  EXPECT_EQ(fits(message_of(header + "55=MSFT|38=999|")), has_shapes);
  EXPECT_FALSE(fits(message_of(header + "55=AAPLE|38=10|")));
  EXPECT_FALSE(fits(message_of(header + "54=AAPL|38=100|")));
  // Also a CheckSum that differs from the sum by a multiple of 256.
  const std::size_t digits = order.size() - 4;
  const int check_sum = std::stoi(order.substr(digits, 3));
  for (const int other : {check_sum ^ 1, check_sum + 256, check_sum + 512}) {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(indexed(order), with_pipes(order));
    const std::string wrong =
        order.substr(0, digits) + std::to_string(1'000 + other).substr(1) + "\x01";
    EXPECT_EQ(reason_of(wrong), GarbledReason::CheckSumWrong) << other;
  }
}

TEST_P(ParserTest, a_frame_with_a_length_field_has_no_shape) {
  const std::string news =
      message_of("35=B|49=SENDER|56=TARGET|34=12|52=20240115-10:30:00.123|95=2|96=ab|58=more|");
  for (int i = 0; i < 600; ++i) ASSERT_EQ(parse(news)->shape(), nullptr) << i;
}

// Orders with other values, and with other tags than the one that was learned.
constexpr std::string_view kHeader = "35=D|49=SENDER|56=TARGET|34=12|52=20240115-10:30:00.123|";
std::string order_of(std::string_view cl_ord_id, std::string_view symbol, std::string_view price) {
  return message_of(std::string{kHeader} + "11=" + std::string{cl_ord_id} +
                    "|55=" + std::string{symbol} + "|54=1|38=100|44=" + std::string{price} +
                    "|447=D|5001=x|20001=y|");
}

std::string heartbeat_of(std::string_view msg_seq_num, std::string_view more,
                         std::string_view version = "FIX.4.4") {
  return message_of("35=0|49=SEND|56=TARGET|34=" + std::string{msg_seq_num} +
                        "|52=20240115-10:30:00.123|" + std::string{more},
                    version);
}

TEST_P(ParserTest, a_frame_with_the_tags_of_earlier_frames_has_their_sequence) {
  const auto is_known = [&](const std::string& frame) {
    const auto message = parse(frame);
    const bool has_sequence = message && message->sequence() != nullptr;
    EXPECT_EQ(indexed(frame), with_pipes(frame));
    return has_sequence;
  };
  const bool has_sequences = GetParam()->find_sequence != nullptr;
  EXPECT_FALSE(is_known(order_of("1", "AAPL", "150.5")));  // and then parsed again by indexed()
  EXPECT_EQ(is_known(order_of("22", "MSFT", "99")), has_sequences);
  EXPECT_EQ(is_known(order_of("4f2c0a11-5b1c-4d7e-a001-0123456789ab", "X", "1")), has_sequences);
  const std::string other_type = message_of(
      "35=F|49=SENDER|56=TARGET|34=12|"
      "52=20240115-10:30:00.123|11=1|55=AAPL|54=1|38=100|"
      "44=1|447=D|5001=x|20001=y|");
  EXPECT_FALSE(is_known(other_type));
  const std::string long_order = order_of("1", std::string(300, 'x'), "1");
  EXPECT_FALSE(is_known(long_order));
  const std::string order = order_of("333", "AAPL", "150.5");
  EXPECT_EQ(is_known(order), has_sequences);
  const std::size_t digits = order.size() - 4;
  const int check_sum = std::stoi(order.substr(digits, 3));
  for (const int other : {check_sum ^ 1, check_sum + 256}) {
    const std::string wrong =
        order.substr(0, digits) + std::to_string(1'000 + other).substr(1) + "\x01";
    EXPECT_EQ(reason_of(wrong), GarbledReason::CheckSumWrong) << other;
  }
}

// Each byte of a frame with a known sequence is replaced, removed and doubled.
TEST_P(ParserTest, a_frame_that_differs_from_a_known_sequence_is_indexed_as_by_a_new_parser) {
  const auto described = [](detail::ParserIndex& parser, const std::string& frame) {
    const auto message = parser.parse(frame);
    if (!message) return std::string{to_string(message.error().reason)};
    std::string text = message->fault() ? "fault " : "";
    for (const FieldView field : *message) {
      text += std::to_string(field.tag) + '@' + std::to_string(field.offset) + '=' +
              with_pipes(field.value) + '|';
    }
    return text;
  };
  for (const std::string& like : {order_of("333", "AAPL", "150.5"), heartbeat_of("12", ""),
                                  heartbeat_of("3", "112=T|6=7|")}) {
    const std::string known{like, like.find("35="), like.size() - like.find("35=") - 7};
    constexpr std::string_view kBytes = "=\x01|01234567D";
    for (std::size_t at = 3; at < known.size(); ++at) {
      std::vector<std::string> changed;
      for (const char byte : kBytes) changed.push_back(std::string{known}.replace(at, 1, 1, byte));
      changed.push_back(std::string{known}.erase(at, 1));
      changed.push_back(std::string{known}.insert(at, 1, known[at]));
      for (const std::string& one : changed) {
        const std::string frame = message_of(with_pipes(one));
        for (int i = 0; i < 3; ++i) static_cast<void>(parse(like));
        detail::ParserIndex fresh{DataFieldTable::standard(), *GetParam()};
        ASSERT_EQ(described(parser_, frame), described(fresh, frame)) << with_pipes(one);
      }
    }
  }
}

// Whatever its version and its MsgSeqNum are.
TEST_P(ParserTest, a_heartbeat_with_the_tags_of_an_earlier_one_has_their_sequence) {
  for (const std::string_view more : {"", "112=T|", "112=T|369=7|", "43=Y|97=N|", "1=2|3=4|5=6|"}) {
    for (const std::string_view version : {"FIX.4.4", "FIX.4.2", "FIXT.1.1"}) {
      for (std::size_t digits = 1; digits < 12; ++digits) {
        const std::string learned = heartbeat_of("7", more, version);
        const std::string frame = heartbeat_of(std::string(digits + 1, '8'), more, version);
        detail::ParserIndex parser{DataFieldTable::standard(), *GetParam()};
        for (int i = 0; i < 2; ++i) ASSERT_TRUE(parser.parse(learned).has_value());
        const auto message = parser.parse(frame);
        ASSERT_TRUE(message.has_value());
        if (!detail::TagSequence::is_short(frame.size())) continue;
        EXPECT_EQ(message->sequence() != nullptr, GetParam()->find_sequence != nullptr) << frame;
        std::string text;
        for (const FieldView field : *message)
          text += std::to_string(field.tag) + '=' + std::string{field.value} + '|';
        EXPECT_EQ(text, with_pipes(frame));
      }
    }
  }
}

// Both have the same place in the parser's memory, and the first four bytes of their last tags.
TEST_P(ParserTest, a_short_frame_is_not_taken_for_a_longer_one_with_long_tags) {
  const auto logon = [](std::size_t sender_bytes, std::string_view last) {
    return message_of("35=A|49=" + std::string(sender_bytes, 'S') +
                      "|56=TARGET|34=7|52=20240115-10:30:00.123|" + std::string{last});
  };
  for (const auto& [known, other] : {std::pair{"5001=x|", "50012=x|"}, {"50012=x|", "5001=xy|"}}) {
    detail::ParserIndex parser{DataFieldTable::standard(), *GetParam()};
    for (std::size_t i = 0; i < 6; ++i) static_cast<void>(parser.parse(logon(60 + i, known)));
    const std::string frame = logon(4, other);
    ASSERT_TRUE(detail::TagSequence::has_size(frame.size()) &&
                detail::TagSequence::is_short(frame.size()));
    const auto message = parser.parse(frame);
    ASSERT_TRUE(message.has_value());
    const std::string_view text{other};
    EXPECT_EQ(message->field(7).tag, std::stoul(std::string{text.substr(0, text.find('='))}));
    EXPECT_EQ(message->field(7).value,
              text.substr(text.find('=') + 1, text.size() - 1 - text.find('=') - 1));
  }
}

TEST_P(ParserTest, a_frame_with_a_length_field_has_no_sequence) {
  for (int i = 0; i < 600; ++i) {
    const std::string news =
        message_of(std::string{kHeader} +
                   "95=2|96=ab|58=" + std::string(static_cast<std::size_t>(1 + i % 40), 'x') + "|");
    ASSERT_EQ(parse(news)->sequence(), nullptr) << i;
  }
}

TEST_P(ParserTest, messages_of_every_length_are_indexed) {
  for (std::size_t size = 1; size < 400; ++size) {
    const std::string frame = message_of("35=0|58=" + std::string(size, 'x') + "|1=2|");
    ASSERT_EQ(indexed(frame), with_pipes(frame)) << size;
  }
}

// Some kernels store the entries of a short message by one vector, with that of the CheckSum.
TEST_P(ParserTest, messages_with_every_number_of_fields_are_indexed) {
  std::string body = "35=0|";
  for (std::size_t fields = 4; fields < 70; ++fields, body += "1=2|") {
    const std::string frame = message_of(body);
    EXPECT_EQ(indexed(frame), with_pipes(frame));
    const auto message = parse(frame);
    ASSERT_TRUE(message.has_value());
    EXPECT_EQ(message->field_count(), fields);
    EXPECT_EQ((*message)[tag::CheckSum], frame.substr(frame.size() - 4, 3));
  }
}

TEST_P(ParserTest, tags_up_to_the_largest_are_read) {
  const std::string body =
      "35=0|1=a|12=b|123=c|1234=d|12345=e|123456=f|1234567=g|12345678=h|123456789=i|1234567890=j|"
      "2147483647=k|9=l|99=m|9999999=n|99999999=o|";
  const std::string frame = message_of(body);
  EXPECT_EQ(indexed(frame), with_pipes(frame));
  EXPECT_FALSE(parse(frame)->fault());
}

TEST_P(ParserTest, more_fields_than_ever_before_grow_the_index) {
  std::string body = "35=W|";
  for (int i = 1; i <= 5000; ++i) body += std::to_string(i + 1000) + "=" + std::to_string(i) + "|";
  const std::string frame = message_of(body);
  EXPECT_EQ(indexed(frame), with_pipes(frame));
  const std::string small = message_of("35=0|");
  EXPECT_EQ(indexed(small), with_pipes(small));
}

TEST_P(ParserTest, a_message_beyond_64_kilobytes_keeps_its_offsets) {
  const std::string frame = message_of("35=B|58=" + std::string(200'000, 'x') + "|55=END|");
  const auto message = parse(frame);
  ASSERT_TRUE(message);
  EXPECT_EQ((*message)[55], "END");
  EXPECT_EQ(message->find(55)->offset, frame.find("END"));
}

TEST_P(ParserTest, equals_inside_a_value_belongs_to_it) {
  const std::string frame = message_of("35=D|58=a=b==c=|55==|11=X|");
  const auto message = parse(frame);
  EXPECT_EQ((*message)[58], "a=b==c=");
  EXPECT_EQ((*message)[55], "=");
  EXPECT_EQ((*message)[11], "X");
  EXPECT_FALSE(message->fault());
}

TEST_P(ParserTest, bytes_above_127_and_nul_are_ordinary) {
  const std::string frame = message_of("35=D|58=\xff\x80\x81|55=" + std::string("a\0b", 3) + "|");
  const auto message = parse(frame);
  ASSERT_TRUE(message);
  EXPECT_EQ((*message)[58], "\xff\x80\x81");
  EXPECT_EQ((*message)[55], std::string_view("a\0b", 3));
}

TEST_P(ParserTest, malformed_tags_are_faults_and_the_rest_is_indexed) {
  for (const std::string tag : {"0",
                                "-1",
                                "+55",
                                "055",
                                "00035",
                                "5a",
                                "a",
                                " 55",
                                "55 ",
                                "garbled",
                                "2147483648",
                                "4294967351",
                                "99999999999",
                                "18446744073709551671",
                                "1.5",
                                "5:",
                                "5/",
                                "\xb5"
                                "5",
                                "x234567",
                                "123456x",
                                "1234567x",
                                "12345678x",
                                ""}) {
    const auto fault = fault_of("35=0|34=2|" + tag + "=HI|112=T|");
    ASSERT_TRUE(fault) << tag;
    EXPECT_EQ(fault->rule, Fault::Rule::TagMalformed) << tag;
    EXPECT_EQ(fault->tag_text, tag);
    EXPECT_EQ(fault->offset, frame_.find("34=2") + 5);
    const auto message = parse(frame_);
    EXPECT_EQ(message->field_count(), 6U) << tag;
    EXPECT_EQ((*message)[34], "2");
    EXPECT_EQ((*message)[112], "T");
    EXPECT_FALSE(message->has(55)) << tag;
  }
}

TEST_P(ParserTest, a_field_without_equals_is_a_fault) {
  for (const std::string field : {"55", "", "5", "1234567", "12345678", "longer than a word"}) {
    const auto fault = fault_of("35=0|34=2|" + field + "|112=T|");
    ASSERT_TRUE(fault) << field;
    EXPECT_EQ(fault->rule, Fault::Rule::TagWithoutValue) << field;
    EXPECT_EQ(fault->tag_text, field);
    EXPECT_EQ((*parse(frame_))[112], "T");
  }
}

// FIX test case 14d.
TEST_P(ParserTest, an_empty_value_is_a_fault_and_in_the_index) {
  const auto fault = fault_of("35=0|34=2|56=|112=T|");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->rule, Fault::Rule::ValueEmpty);
  EXPECT_EQ(fault->tag_text, "56");
  const auto message = parse(frame_);
  ASSERT_TRUE((*message)[56]);
  EXPECT_TRUE((*message)[56]->empty());
  EXPECT_EQ(message->get<std::string_view>(56).error().code, FieldErrorCode::Empty);
  EXPECT_FALSE(message->fault_but_empty());
}

TEST_P(ParserTest, the_first_fault_and_the_first_that_is_not_an_empty_value_are_kept) {
  const auto fault = fault_of("35=0|56=|-1=x|garbage|");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->rule, Fault::Rule::ValueEmpty);
  const auto message = parse(frame_);
  ASSERT_TRUE(message->fault_but_empty());
  EXPECT_EQ(message->fault_but_empty()->rule, Fault::Rule::TagMalformed);
  EXPECT_EQ(message->fault_but_empty()->tag_text, "-1");
}

TEST_P(ParserTest, a_fault_of_an_earlier_message_is_forgotten) {
  EXPECT_TRUE(fault_of("35=0|56=|"));
  EXPECT_FALSE(fault_of("35=0|56=A|"));
}

TEST_P(ParserTest, a_data_field_may_hold_soh_and_fields) {
  for (const std::string value :
       {"|", "||", "55=EVIL", "|55=EVIL|", "10=000|", "=", "a|b=c|d", "x"}) {
    const std::string frame =
        message_of("35=D|55=GOOD|95=" + std::to_string(value.size()) + "|96=" + value + "|11=A|");
    const auto message = parse(frame);
    ASSERT_TRUE(message) << value;
    EXPECT_FALSE(message->fault()) << value;
    EXPECT_EQ(with_pipes((*message)[96].value_or("absent")), value);
    EXPECT_EQ((*message)[55], "GOOD");
    EXPECT_FALSE(message->find_index(55, *message->find_index(95))) << value;
    EXPECT_EQ((*message)[11], "A");
    EXPECT_EQ(message->field_count(), 8U);
  }
}

TEST_P(ParserTest, a_data_field_longer_than_several_blocks_is_one_field) {
  const std::string value(1000, '|');
  const std::string frame =
      message_of("35=B|354=1000|355=" + value + "|58=after|1=2|1402=|1401=3|1402=|||" + "|2=3|");
  const auto message = parse(frame);
  ASSERT_TRUE(message);
  EXPECT_EQ((*message)[355]->size(), 1000U);
  EXPECT_EQ((*message)[58], "after");
  EXPECT_EQ((*message)[2], "3");
}

TEST_P(ParserTest, a_data_field_may_be_the_last_before_the_trailer) {
  const std::string frame = message_of("35=D|93=3|89=a|b|");
  const auto message = parse(frame);
  ASSERT_TRUE(message);
  EXPECT_FALSE(message->fault());
  EXPECT_EQ(with_pipes(*(*message)[89]), "a|b");
}

TEST_P(ParserTest, a_length_that_leads_to_no_soh_is_a_fault_of_only_its_own_field) {
  for (const std::string length :
       {"2", "4", "9999", "2147483648", "4294967299", "18446744073709551619", "-1", "abc", "3 ",
        "1.5", "24", "25", "26", "31", "32"}) {
    const auto fault = fault_of("35=D|55=A|95=" + length + "|96=abc|11=AFTER|");
    ASSERT_TRUE(fault) << length;
    EXPECT_EQ(fault->rule, Fault::Rule::DataLengthWrong) << length;
    EXPECT_EQ(fault->tag_text, "95");
    EXPECT_EQ(fault->offset, frame_.find("95="));
    const auto message = parse(frame_);
    EXPECT_EQ((*message)[96], "abc") << length;
    EXPECT_EQ((*message)[11], "AFTER") << length;
    EXPECT_EQ(message->field_count(), 8U) << length;
  }
}

TEST_P(ParserTest, a_length_cannot_include_the_trailer) {
  // 10=ddd and SOH end at a SOH, too, but do not belong to a data field.
  const auto fault = fault_of("35=D|95=10|96=abc|");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->rule, Fault::Rule::DataLengthWrong);
  EXPECT_EQ((*parse(frame_))[96], "abc");
}

TEST_P(ParserTest, a_length_that_happens_to_lead_to_a_later_soh_governs) {
  EXPECT_FALSE(fault_of("35=D|95=8|96=abc|11=A|12=B|"));
  const auto message = parse(frame_);
  EXPECT_EQ(with_pipes(*(*message)[96]), "abc|11=A");
  EXPECT_FALSE(message->has(11));
  EXPECT_EQ((*message)[12], "B");
}

TEST_P(ParserTest, a_data_field_without_its_length_before_it_ends_at_its_first_soh) {
  const std::string frame = message_of("35=D|96=abc|95=3|11=A|96=d|");
  EXPECT_EQ(indexed(frame), with_pipes(frame));
  EXPECT_FALSE(parse(frame)->fault());
}

TEST_P(ParserTest, an_empty_data_field_is_an_empty_value) {
  const auto fault = fault_of("35=D|95=0|96=|11=A|");
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->rule, Fault::Rule::ValueEmpty);
  EXPECT_EQ(fault->tag_text, "96");
}

TEST_P(ParserTest, a_data_field_that_is_a_length_field_elsewhere_announces_nothing) {
  DataFieldTable table;
  table.add({.length = 95, .data = 96});
  table.add({.length = 96, .data = 97});
  detail::ParserIndex parser{table, *GetParam()};
  const std::string frame = message_of("35=D|95=1|96=3|97=a|b|");
  const auto message = parser.parse(frame);
  ASSERT_TRUE(message);
  EXPECT_EQ((*message)[97], "a");
  EXPECT_EQ(message->fault()->rule, Fault::Rule::TagWithoutValue);
}

TEST_P(ParserTest, a_data_field_may_end_in_any_window) {
  for (std::size_t bytes = 1; bytes < 2200; bytes += 7) {
    const std::string value(bytes, '|');
    const std::string frame = message_of("35=B|55=A|95=" + std::to_string(bytes) + "|96=" + value +
                                         "|1=2|58=after|12345=x|");
    const auto message = parse(frame);
    ASSERT_TRUE(message) << bytes;
    ASSERT_FALSE(message->fault()) << bytes;
    ASSERT_EQ(message->field_count(), 10U) << bytes;
    ASSERT_EQ((*message)[96]->size(), bytes);
    ASSERT_EQ((*message)[58], "after") << bytes;
    ASSERT_EQ((*message)[12345], "x") << bytes;
  }
}

TEST_P(ParserTest, four_digit_tags_are_read_at_every_place_of_a_group) {
  for (std::size_t place = 0; place < 20; ++place) {
    std::string body = "35=D|";
    for (std::size_t i = 0; i < 20; ++i) body += i == place ? "1128=9|" : "54=1|";
    const std::string frame = message_of(body);
    ASSERT_EQ(indexed(frame), with_pipes(frame)) << place;
    ASSERT_FALSE(parse(frame)->fault()) << place;
  }
}

TEST_P(ParserTest, tags_that_share_a_bit_with_a_length_tag_are_ordinary) {
  // 95 + 2048 * n, 95 + 6400, 354 + 4096, and all other tags that a quick test may let pass.
  const std::string frame =
      message_of("35=D|2143=3|96=abc|4191=1|96=a|6495=1|96=a|4450=1|355=a|55=A|");
  EXPECT_EQ(indexed(frame), with_pipes(frame));
  for (int tag = 1; tag < 10'000; ++tag) {
    if (DataFieldTable::standard().data_tag_for(static_cast<Tag>(tag))) continue;
    const std::string text = std::to_string(tag);
    const std::string other = message_of("35=D|" + text + "=x|96=abc|");
    ASSERT_EQ(indexed(other), with_pipes(other));
  }
}

TEST_P(ParserTest, pairs_added_by_the_user_are_data_fields) {
  DataFieldTable table = DataFieldTable::standard();
  table.add({.length = 5001, .data = 9'000'001});
  detail::ParserIndex parser{table, *GetParam()};
  const std::string frame = message_of("35=U1|5001=5|9000001=a|b=c|55=A|");
  const auto message = parser.parse(frame);
  ASSERT_TRUE(message);
  EXPECT_EQ(with_pipes(*(*message)[9'000'001]), "a|b=c");
  EXPECT_EQ((*message)[55], "A");
}

TEST_P(ParserTest, the_first_three_tags_are_8_9_and_35) {
  for (const char* text : {"", "8", "8=", "8=FIX.4.4", "8=FIX.4.4|", "8=FIX.4.4|35=0|9=5|10=000|",
                           "9=5|8=FIX.4.4|35=0|10=000|", "8=FIX.4.4|9=5|34=1|10=000|",
                           "8=FIX.4.4|9=5|355=|10=000|", "8=FIX.4.4|99=5|35=0|10=000|",
                           "88=FIX.4.4|9=5|35=0|10=000|", "08=FIX.4.4|9=5|35=0|10=000|"}) {
    EXPECT_EQ(reason_of(with_soh(text)), GarbledReason::FirstFieldsOutOfOrder) << text;
  }
}

TEST_P(ParserTest, body_length_is_a_number) {
  for (const std::string length : {"", "a", "-5", "+5", "5x", " 5"}) {
    EXPECT_EQ(reason_of(with_soh("8=FIX.4.4|9=" + length + "|35=0|10=000|")),
              GarbledReason::BodyLengthMalformed)
        << length;
  }
  EXPECT_EQ(reason_of(with_soh("8=FIX.4.4|9=5")), GarbledReason::BodyLengthMalformed);
}

TEST_P(ParserTest, body_length_that_would_wrap_is_too_large) {
  for (const char* length : {"4294967301", "18446744073709551621", "99999999999999999999999999"}) {
    EXPECT_EQ(reason_of(with_soh("8=FIX.4.4|9=" + std::string{length} + "|35=0|10=000|")),
              GarbledReason::BodyLengthTooLarge)
        << length;
  }
}

TEST_P(ParserTest, body_length_is_compared_whole_at_every_size) {
  for (std::size_t size = 1; size < 1200; ++size) {
    const std::string body = "35=0|58=" + std::string(size, 'x') + "|";
    const std::string length = std::to_string(body.size());
    for (const std::string& written :
         {length, "0" + length, "000" + length, "1" + length, length + "0", length.substr(1),
          "9=" + length, length + "|9=" + length, std::string{"x"} + length}) {
      const std::string frame = with_check_sum(with_soh("8=FIX.4.4|9=" + written + "|" + body));
      const bool is_valid =
          written == length || written == "0" + length || written == "000" + length;
      ASSERT_EQ(parse(frame).has_value(), is_valid) << written << " for " << length;
    }
  }
}

// FIX test case 2m.
TEST_P(ParserTest, body_length_off_by_one_is_wrong) {
  for (const char* length : {"4", "6", "0", "5000"}) {
    const std::string frame =
        with_check_sum(with_soh("8=FIX.4.4|9=" + std::string{length} + "|35=0|"));
    EXPECT_EQ(reason_of(frame), GarbledReason::BodyLengthWrong) << length;
  }
  EXPECT_TRUE(parse(with_check_sum(with_soh("8=FIX.4.4|9=005|35=0|"))).has_value());
}

// FIX test cases 3b and 3c.
TEST_P(ParserTest, check_sum_is_exactly_three_digits_and_last) {
  const std::string good = message_of("35=0|34=2|");
  const std::string head = good.substr(0, good.size() - 7);
  for (const char* trailer :
       {"10=0|", "10=08A|", "10=-01|", "10=0123|", "10= 12|", "10=12|", "010=12|", "10=123",
        "10=123|58=x|", "11=123|", "1=0123|", "10:123|", "10=12=|", ""}) {
    EXPECT_EQ(reason_of(head + with_soh(trailer)), GarbledReason::CheckSumMalformed) << trailer;
  }
}

TEST_P(ParserTest, check_sum_follows_a_soh) {
  const std::string frame = with_check_sum(with_soh("8=FIX.4.4|9=7|35=0|58="));
  EXPECT_EQ(reason_of(frame), GarbledReason::CheckSumMalformed);
}

TEST_P(ParserTest, a_wrong_check_sum_is_found_for_every_wrong_number) {
  const std::string good = message_of("35=0|34=2|");
  int accepted = 0;
  for (int sum = 0; sum < 1000; ++sum) {
    std::string frame = good;
    frame.replace(frame.size() - 4, 3, std::to_string(1000 + sum).substr(1));
    const auto message = parse(frame);
    if (message) {
      ++accepted;
      EXPECT_EQ(frame, good);
    } else {
      ASSERT_EQ(message.error().reason, GarbledReason::CheckSumWrong);
    }
  }
  EXPECT_EQ(accepted, 1);
}

TEST_P(ParserTest, a_change_of_any_byte_is_found) {
  const std::string good = message_of(test::kExecutionReportBody);
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string frame = good;
    frame[at] = static_cast<char>(frame[at] ^ 0x04);
    ASSERT_FALSE(parse(frame).has_value()) << at;
  }
}

TEST_P(ParserTest, sums_of_many_high_bytes_do_not_overflow) {
  const std::string frame = message_of("35=B|58=" + std::string(70'000, '\xff') + "|");
  EXPECT_TRUE(parse(frame).has_value());
}

TEST_P(ParserTest, a_message_of_nothing_but_soh_is_indexed_without_harm) {
  const std::string frame = message_of("35=0|" + std::string(10'000, '|'));
  const auto message = parse(frame);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->field_count(), 4U);
  EXPECT_EQ(message->fault()->rule, Fault::Rule::TagWithoutValue);
}

TEST_P(ParserTest, an_error_names_the_byte_where_the_rule_is_broken) {
  const std::string good = message_of("35=0|34=2|");
  std::string wrong = good;
  wrong[wrong.find("9=") + 2] = '9';
  EXPECT_EQ(parse(wrong).error().offset, good.find("9=") + 2);
  wrong = good;
  wrong[wrong.size() - 2] ^= 1;
  EXPECT_EQ(parse(wrong).error().offset, good.find("10="));
}

INSTANTIATE_TEST_SUITE_P(Kernels, ParserTest, testing::ValuesIn(test::every_kernel()),
                         test::kernel_name);

TEST(Parser, moving_it_keeps_the_views_that_it_made) {
  const std::string frame = message_of("35=0|55=|");
  Parser parser;
  const auto message = parser.parse(frame);
  const Parser moved = std::move(parser);
  EXPECT_EQ(message->msg_type(), "0");
  ASSERT_TRUE(message->fault());
  EXPECT_EQ(message->fault()->tag_text, "55");
}

TEST(Parser, a_user_table_is_copied) {
  DataFieldTable table;
  table.add({.length = 95, .data = 96});
  Parser parser{table};
  table.add({.length = 95, .data = 97});
  const std::string frame = message_of("35=0|95=3|96=a|b|");
  EXPECT_FALSE(parser.parse(frame)->fault());
}

}  // namespace
}  // namespace nexusfix::wire
