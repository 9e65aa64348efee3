// No kernel and no other reader of received bytes touches a byte outside of its input.
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

#include "unit/wire/kernels/guarded_bytes.hpp"
#include "unit/wire/kernels/kernel_parameters.hpp"
#include "unit/wire/message_text.hpp"
#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::wire {
namespace {

using test::GuardedBytes;
using test::message_of;
using test::with_check_sum;
using test::with_soh;

constexpr std::size_t kSizesMax = 600;  // more than two of the widest windows

class KernelTest : public testing::TestWithParam<const kernels::KernelTable*> {
 protected:
  // Parses the bytes directly against either guard.
  void parse_at_both_ends(std::string_view bytes) {
    const bool first = parser_.parse(guarded_.at_begin(bytes)).has_value();
    const bool second = parser_.parse(guarded_.at_end(bytes)).has_value();
    ASSERT_EQ(first, second);
  }

  detail::ParserIndex parser_{DataFieldTable::standard(), *GetParam()};
  GuardedBytes guarded_{4096};
};

TEST_P(KernelTest, messages_of_every_length_are_read_within_their_bytes) {
  for (std::size_t size = 1; size < kSizesMax; ++size) {
    parse_at_both_ends(message_of("35=0|58=" + std::string(size, 'x') + "|"));
    parse_at_both_ends(message_of("35=0|" + std::string(size, '|')));
    parse_at_both_ends(message_of("35=0|58=x|" + std::string(size, '=') + "|"));
  }
}

TEST_P(KernelTest, messages_that_are_compared_with_a_shape_are_read_within_their_bytes) {
  for (std::size_t size = 1; size <= detail::FrameShape::kBytesMax; ++size) {
    const std::string message = message_of("35=0|58=" + std::string(size, 'x') + "|");
    detail::ParserIndex parser{DataFieldTable::standard(), *GetParam()};
    const auto fits = [&](std::string_view bytes) {
      return parser.parse(bytes)->shape() != nullptr;
    };
    for (int i = 0; i < 2; ++i) EXPECT_FALSE(fits(message));
    const bool has_shape = GetParam()->fits != nullptr &&
                           message.size() >= detail::FrameShape::kBytesMin &&
                           message.size() <= detail::FrameShape::kBytesMax;
    EXPECT_EQ(fits(guarded_.at_begin(message)), has_shape) << message.size();
    EXPECT_EQ(fits(guarded_.at_end(message)), has_shape) << message.size();
  }
}

TEST_P(KernelTest, messages_that_are_compared_with_a_sequence_are_read_within_their_bytes) {
  for (std::size_t size = 1; size <= detail::FrameShape::kBytesMax; ++size) {
    const auto message = [size](char value, std::size_t more) {
      return message_of("35=0|58=" + std::string(size + more, value) + "|112=1|5=2|6=3|");
    };
    detail::ParserIndex parser{DataFieldTable::standard(), *GetParam()};
    for (int i = 0; i < 3; ++i) static_cast<void>(parser.parse(message('x', i == 1 ? 1 : 0)));
    const std::string one = message('y', 2);
    const std::size_t first = message('x', 0).size();
    if (detail::TagSequence::has_size(first) != detail::TagSequence::has_size(one.size()) ||
        detail::TagSequence::is_short(first) != detail::TagSequence::is_short(one.size()))
      continue;
    const bool is_known =
        GetParam()->find_sequence != nullptr && detail::TagSequence::has_size(one.size());
    const auto has_sequence = [&](std::string_view bytes) {
      return parser.parse(bytes)->sequence() != nullptr;
    };
    EXPECT_EQ(has_sequence(guarded_.at_begin(one)), is_known) << one.size();
    EXPECT_EQ(has_sequence(guarded_.at_end(one)), is_known) << one.size();
  }
}

TEST_P(KernelTest, messages_of_many_windows_are_read_within_their_bytes) {
  const std::string fields = "1=2|20=abc|300=0123456789|4000=x|50000=y|58=a=b|";
  for (std::size_t size = 900; size < 1300; ++size) {
    std::string body = "35=0|";
    while (body.size() + fields.size() < size) body += fields;
    body += "58=" + std::string(size - body.size(), 'z') + "|";
    parse_at_both_ends(message_of(body));
    // A data field that begins in one window and ends in another, or at the trailer.
    const std::string value(size - 40, '|');
    parse_at_both_ends(
        message_of("35=0|95=" + std::to_string(value.size()) + "|96=" + value + "|"));
  }
}

TEST_P(KernelTest, tags_of_every_length_before_the_trailer_are_read_within_their_bytes) {
  for (const char* tag : {"1", "22", "333", "4444", "55555", "666666", "7777777", "95", "20001"}) {
    for (std::size_t before = 0; before < 80; ++before) {
      const std::string body = "35=0|58=" + std::string(before + 1, 'x') + "|" + tag;
      parse_at_both_ends(message_of(body + "=|"));
      parse_at_both_ends(message_of(body + "=1|"));
      parse_at_both_ends(message_of(body + "|"));
    }
  }
}

TEST_P(KernelTest, short_fields_before_the_trailer_are_read_within_their_bytes) {
  for (const char* end : {"|", "=|", "1=|", "1=2|", "12|", "1234567|", "12345678|", "95=1|", "95=|",
                          "95=1|96=|", "95=99|96=a|", "95=1|96=a|", "95=1|9|", "93=0|89=|"}) {
    parse_at_both_ends(message_of(std::string{"35=0|"} + end));
  }
}

// A pair that begins like the one before is found by its bytes, also as the first or the last thing
// in the frame.
TEST_P(KernelTest, data_fields_that_follow_each_other_are_read_within_their_bytes) {
  std::string pairs;
  for (std::size_t size = 1; size < 130; ++size) {
    const std::string value = "a|" + std::string(size % 13, 'b');
    pairs += "95=" + std::to_string(value.size()) + "|96=" + value + "|";
    const std::string message = message_of("35=0|" + pairs);
    parse_at_both_ends(message);
    ASSERT_TRUE(parser_.parse(guarded_.at_end(message)).has_value()) << size;
    parse_at_both_ends(with_check_sum(with_soh(pairs)));
  }
}

TEST_P(KernelTest, every_prefix_and_suffix_of_a_message_is_read_within_its_bytes) {
  const std::string message = message_of("35=D|55=AAPL|95=5|96=a|b=c|58=hello world|");
  for (std::size_t size = 0; size <= message.size(); ++size) {
    parse_at_both_ends(std::string_view{message}.substr(0, size));
    parse_at_both_ends(std::string_view{message}.substr(size));
    const std::string_view prefix = guarded_.at_end(std::string_view{message}.substr(0, size));
    EXPECT_EQ(next_frame(prefix, {}).status == FrameResult::Status::Complete,
              size == message.size());
    static_cast<void>(next_frame(guarded_.at_end(std::string_view{message}.substr(size)), {}));
  }
}

// The fields of a message without data fields, one after the other.
std::vector<std::pair<Tag, std::string>> fields_of(std::string_view message) {
  std::vector<std::pair<Tag, std::string>> fields;
  while (!message.empty()) {
    const std::string_view field = message.substr(0, message.find(kSoh));
    const std::size_t equals = field.find('=');
    fields.emplace_back(std::stoul(std::string{field.substr(0, equals)}), field.substr(equals + 1));
    message.remove_prefix(field.size() + 1);
  }
  return fields;
}

std::vector<std::pair<Tag, std::string>> fields_of(const MessageView& message) {
  std::vector<std::pair<Tag, std::string>> fields;
  for (const FieldView field : message) fields.emplace_back(field.tag, field.value);
  return fields;
}

// Short fields and tags of every length move through all places of a block, and the end of the
// frame with them.
TEST_P(KernelTest, fields_that_end_at_any_place_of_a_block_are_indexed) {
  for (std::size_t size = 1; size < 400; ++size) {
    for (const char* fields : {"54=1|40=2|59=0|1=A|11=B|60=C|6=0|14=7|151=0|", "1128=9|55=AAPL|",
                               "20001=x|453=2|448=a=b|58=x=|", ""}) {
      const std::string message =
          message_of("35=D|58=" + std::string(size, 'x') + "|" + fields + "44=1.5|");
      detail::ParserIndex parser{DataFieldTable::standard(), *GetParam()};
      const auto parsed = parser.parse(guarded_.at_end(message));
      ASSERT_TRUE(parsed.has_value()) << message;
      ASSERT_FALSE(parsed->fault().has_value()) << message;
      ASSERT_EQ(fields_of(*parsed), fields_of(std::string_view{message})) << message;
    }
  }
}

TEST_P(KernelTest, an_empty_value_is_a_fault_at_any_place_of_a_block) {
  for (std::size_t size = 1; size < 140; ++size) {
    const std::string before = "35=D|58=" + std::string(size, 'x') + "|";
    const std::string message = message_of(before + "11=|44=1.5|");
    const auto parsed = parser_.parse(guarded_.at_end(message));
    ASSERT_TRUE(parsed.has_value());
    ASSERT_TRUE(parsed->fault().has_value()) << size;
    EXPECT_EQ(parsed->fault()->rule, Fault::Rule::ValueEmpty);
    EXPECT_EQ(parsed->fault()->offset, message.find("11="));
    EXPECT_EQ(fields_of(*parsed), fields_of(std::string_view{message}));
  }
}

TEST_P(KernelTest, a_data_field_that_holds_soh_is_indexed_at_any_place_of_a_block) {
  for (std::size_t size = 1; size < 140; ++size) {
    for (const char* pair : {"95=4|96=a|1=|", "1184=3|1185=|b||", "618=1|619=||"}) {
      const std::string before = "35=D|58=" + std::string(size, 'x') + "|";
      for (const char* after : {"44=1.5|", ""}) {
        const std::string message = message_of(before + pair + after);
        const auto parsed = parser_.parse(guarded_.at_end(message));
        ASSERT_TRUE(parsed.has_value());
        ASSERT_FALSE(parsed->fault().has_value()) << message;
        const std::string text = with_soh(pair);
        const std::size_t data = text.find('=', text.find(kSoh));
        EXPECT_EQ(parsed->field(5).value, text.substr(data + 1, text.size() - data - 2)) << message;
        EXPECT_EQ(parsed->field_count(), *after == '\0' ? 7U : 8U) << message;
      }
    }
  }
}

// The digits of BodyLength are compared with those of the frame's size, of which a thousand has
// one more. The character after the 9 is no digit.
TEST_P(KernelTest, only_the_right_body_length_is_accepted) {
  for (const std::size_t body : {98U, 99U, 100U, 101U, 255U, 256U, 998U, 999U, 1000U, 1001U}) {
    const std::string text = with_soh("35=D|58=" + std::string(body - 9, 'x') + "|");
    ASSERT_EQ(text.size(), body);
    const auto is_message = [&](const std::string& version, const std::string& length) {
      const std::string frame = with_check_sum("8=" + version + kSoh + "9=" + length + kSoh + text);
      return parser_.parse(guarded_.at_end(frame)).has_value();
    };
    for (const char* version : {"FIX.4.0", "FIX.4.4", "FIXT.1.1"}) {
      EXPECT_TRUE(is_message(version, std::to_string(body))) << body;
      EXPECT_TRUE(is_message(version, "0" + std::to_string(body))) << body;
      for (const std::string& wrong :
           {std::to_string(body - 1), std::to_string(body + 1), std::to_string(body + 1000),
            std::string{":00"}, std::string{":01"}, std::string{"9:"}, std::string{"00"}}) {
        EXPECT_FALSE(is_message(version, wrong)) << body << ' ' << wrong;
      }
    }
  }
}

TEST_P(KernelTest, check_sum_is_no_length_field_whatever_the_table_says) {
  DataFieldTable table = DataFieldTable::standard();
  table.add({10, 8});
  detail::ParserIndex parser{table, *GetParam()};
  for (std::size_t size = 1; size < 140; ++size) {
    const std::string message = message_of("35=D|58=" + std::string(size, 'x') + "|");
    const auto parsed = parser.parse(guarded_.at_end(message));
    ASSERT_TRUE(parsed.has_value());
    EXPECT_FALSE(parsed->fault().has_value());
    EXPECT_EQ(fields_of(*parsed), fields_of(std::string_view{message}));
  }
}

TEST_P(KernelTest, arrays_that_are_too_short_are_reported_and_never_overrun) {
  constexpr std::uint16_t kUntouched = 0x5a5a;
  const std::string frame = message_of("35=0|" + std::string(1000, '|'));
  const std::string fields = message_of("35=0|" + [] {
    std::string body;
    for (int i = 0; i < 300; ++i) body += "1=2|";
    return body;
  }());
  for (const std::string& bytes : {frame, fields}) {
    for (std::uint32_t capacity = 0; capacity < 400; ++capacity) {
      const std::size_t entries = capacity + kernels::kEntriesAtOnce;
      std::vector<std::uint16_t> keys(entries + 1, kUntouched);
      std::vector<detail::FieldPlace> places(entries + 1,
                                             detail::FieldPlace{kUntouched, kUntouched});
      std::array<detail::NarrowPlace, kernels::kEntriesAtOnce> narrow{};
      kernels::IndexWork work{};
      work.arrays = {keys.data(), places.data(), narrow.data(), capacity};
      const std::uint32_t count = GetParam()->index_frame[0](bytes.data(), bytes.size(), work);
      ASSERT_EQ(count == 0, work.more_capacity != 0) << capacity;
      ASSERT_EQ(keys.back(), kUntouched) << capacity;
      ASSERT_EQ(places.back().begin, kUntouched) << capacity;
      if (capacity >= 304 + kernels::kEntriesAtOnce) {
        ASSERT_NE(count, 0U) << capacity;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, KernelTest, testing::ValuesIn(test::every_kernel()),
                         test::kernel_name);

TEST(GuardedReads, conversions_stay_within_their_text) {
  GuardedBytes guarded{4096};
  for (const std::string_view text :
       {"", "-", "1", "-1", "12345678", "123456789012345678901", "1.5", ".",
        "0.0000000000000000001", "20240115", "20240115-10:30:00", "20240115-10:30:00.",
        "20240115-10:30:00.123", "10:30:00", "10:30:00.123456789", "Y", "x"}) {
    for (const std::string_view placed : {guarded.at_end(text), guarded.at_begin(text)}) {
      static_cast<void>(to_int(placed));
      static_cast<void>(to_uint(placed));
      static_cast<void>(to_decimal(placed));
      static_cast<void>(to_bool(placed));
      static_cast<void>(to_char(placed));
      static_cast<void>(to_utc_timestamp(placed));
      static_cast<void>(to_date(placed));
      static_cast<void>(to_time_of_day(placed));
    }
  }
}

TEST(GuardedReads, resend_copy_stays_within_the_stored_bytes) {
  GuardedBytes guarded{4096};
  const std::string stored =
      message_of("35=D|34=7|49=S|52=20240115-10:30:00|56=T|212=3|213=a|b|11=A|");
  char out[512];
  for (std::size_t size = 0; size <= stored.size(); ++size) {
    const auto copy = resend_copy(guarded.at_end(std::string_view{stored}.substr(0, size)),
                                  WallTime{}, TimePrecision::Millis, out);
    EXPECT_EQ(copy.has_value(), size == stored.size());
  }
}

}  // namespace
}  // namespace nexusfix::wire
