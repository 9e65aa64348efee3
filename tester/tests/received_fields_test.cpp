// FIX TagValue Encoding, "Data fields": their length, not SOH, ends them.
#include "tester/script/received_fields.hpp"

#include <gtest/gtest.h>

#include "support/fix_text.hpp"

namespace nexusfix::tester {
namespace {

// A CheckSum field and SOH inside of RawData (96).
const std::string kNews =
    testing::fix("FIX.4.4", "35=B|34=2|49=V|52=20240115-10:30:00|56=T|148=x|95=10|96=a|10=123|b|");

TEST(ReceivedFields, a_data_field_is_read_whole_although_its_value_contains_soh) {
  const auto fields = fields_of(kNews);
  EXPECT_EQ(value_of(fields, "96"), testing::soh("a|10=123|b"));
  EXPECT_EQ(fields.back().tag, "10");
  EXPECT_EQ(fields.size(), 11U);
  const std::string signature = testing::soh("35=A|93=3|89=a|b|34=1|");
  EXPECT_EQ(value_of(fields_of(signature), "89"), testing::soh("a|b"));
  const std::string xml = testing::soh("213=a|212=3|213=<|>|1184=4|1185=|||||355=c|d|");
  EXPECT_EQ(value_of(fields_of(xml), "213", 2), testing::soh("<|>"));
  EXPECT_EQ(value_of(fields_of(xml), "1185"), testing::soh("||||"));
  EXPECT_EQ(value_of(fields_of(xml), "355"), "c");  // without its length
}

TEST(ReceivedFields, a_length_that_is_wrong_is_not_used) {
  for (const std::string_view length : {"2", "4", "999", "x", "-1", "99999999999999999999"}) {
    const std::string bytes = testing::soh("95=" + std::string{length} + "|96=abc|58=d|");
    EXPECT_EQ(value_of(fields_of(bytes), "96"), "abc") << length;
    EXPECT_EQ(value_of(fields_of(bytes), "58"), "d") << length;
  }
}

TEST(ReceivedFields, a_message_ends_after_its_check_sum_wherever_the_bytes_are_split) {
  for (std::size_t size = 0; size < kNews.size(); ++size) {
    EXPECT_EQ(message_size(kNews.substr(0, size)), std::nullopt) << size;
  }
  EXPECT_EQ(message_size(kNews), kNews.size());
  EXPECT_EQ(message_size(kNews + kNews), kNews.size());
}

TEST(ReceivedFields, a_message_with_a_wrong_data_length_ends_by_its_body_length) {
  const std::string bytes = testing::fix("FIX.4.4", "35=B|34=2|95=999|96=a|58=b|");
  EXPECT_EQ(message_size(bytes), bytes.size());
  EXPECT_EQ(message_size(bytes.substr(0, bytes.size() - 1)), std::nullopt);
}

TEST(ReceivedFields, bytes_that_are_no_message_end_after_the_next_check_sum) {
  const std::string garbage = testing::soh("gar|bage|=|10=1|");
  EXPECT_EQ(message_size(garbage + kNews), garbage.size());
  EXPECT_EQ(message_size(testing::soh("10=123|")), std::nullopt);
}

}  // namespace
}  // namespace nexusfix::tester
