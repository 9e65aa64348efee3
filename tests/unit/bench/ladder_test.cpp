// All seven parsers give the same answers, because the report compares them at the same job.
#include <algorithm>
#include <gtest/gtest.h>

#include <nexusfix/wire/field.hpp>

#include "bench/ladder/aligned_parser.hpp"
#include "bench/ladder/header_parser.hpp"
#include "bench/ladder/map_parser.hpp"
#include "bench/ladder/nexusfix_parser.hpp"
#include "bench/ladder/scan_parser.hpp"
#include "bench/ladder/table_parser.hpp"
#include "bench/ladder/view_parser.hpp"
#include "bench/messages/messages.hpp"
#include "random/property/wire/wire_reference.hpp"
#include "unit/wire/message_text.hpp"

namespace nexusfix::bench::ladder {
namespace {

template <class Parser>
class LadderTest : public testing::Test {
 protected:
  // The parser's fields are those of the slow reference, tag by tag, and absent tags are absent.
  void expect_same_as_reference(const std::string& text) {
    const test::ReferenceMessage reference =
        test::ReferenceParser{wire::DataFieldTable::standard()}.parse(text);
    ASSERT_FALSE(reference.garbled) << text;
    ASSERT_TRUE(parser.parse(text)) << text;
    ASSERT_EQ(parser.field_count(), reference.fields.size()) << text;
    for (const test::ReferenceField& field : reference.fields) {
      const auto first =
          std::find_if(reference.fields.begin(), reference.fields.end(),
                       [&](const test::ReferenceField& other) { return other.tag == field.tag; });
      EXPECT_EQ(parser.find(static_cast<Tag>(field.tag)), first->value) << field.tag;
    }
    for (const Tag tag : {1U, 7U, 1023U, 1024U, 2047U, 2048U, 99'999U}) {
      const bool there =
          std::any_of(reference.fields.begin(), reference.fields.end(),
                      [&](const test::ReferenceField& other) { return other.tag == tag; });
      EXPECT_EQ(parser.find(tag).has_value(), there) << tag;
    }
  }

  Parser parser;
};

using Rungs = testing::Types<MapParser, ViewParser, TableParser, ScanParser, HeaderParser,
                             AlignedParser, NexusFixParser>;
TYPED_TEST_SUITE(LadderTest, Rungs);

TYPED_TEST(LadderTest, every_rung_gives_the_fields_of_the_reference) {
  for (const Messages& messages :
       {execution_reports(), heartbeats(), new_order_singles(), unusual_execution_reports()}) {
    for (const std::string& text : messages.texts) this->expect_same_as_reference(text);
  }
}

TYPED_TEST(LadderTest, a_message_with_many_fields_does_not_disturb_the_one_after_it) {
  const Messages reports = execution_reports();
  const Messages snapshots = market_data_snapshots(100);
  for (std::size_t i = 0; i < 4; ++i) {
    this->expect_same_as_reference(snapshots.texts[i]);
    this->expect_same_as_reference(reports.texts[i]);
  }
}

TYPED_TEST(LadderTest, other_versions_and_lengths_are_parsed_too) {
  this->expect_same_as_reference(test::message_of("35=0|49=A|56=B|", "FIX.4.2"));
  this->expect_same_as_reference(test::message_of("35=0|", "FIXT.1.1"));
  this->expect_same_as_reference(test::message_of("35=0|"));  // BodyLength of one digit
  this->expect_same_as_reference(test::message_of("35=0|58=" + std::string(12'000, 'x') + "|"));
  this->expect_same_as_reference(test::message_of("35=0|1024=a|2047=b|2048=c|"));
}

// Every length, so that each field once crosses the end of a block.
TYPED_TEST(LadderTest, fields_may_cross_the_ends_of_blocks) {
  for (std::size_t size = 1; size < 140; ++size) {
    this->expect_same_as_reference(
        test::message_of("35=8|58=" + std::string(size, '=') + "|37=A|150=F|6=1.5|"));
  }
}

TYPED_TEST(LadderTest, what_is_no_message_is_refused) {
  const std::string good = test::message_of("35=8|37=A|55=AAPL|");
  ASSERT_TRUE(this->parser.parse(good));
  std::string wrong_sum = good;
  wrong_sum[wrong_sum.size() - 2] = wrong_sum[wrong_sum.size() - 2] == '0' ? '1' : '0';
  const std::string bad[] = {
      "",
      "8=FIX.4.4",
      wrong_sum,
      good.substr(0, good.size() - 1),
      good + "58=x\x01",
      test::with_check_sum(test::with_soh("8=FIX.4.4|9=6|35=8|37=A|")),   // BodyLength short
      test::with_check_sum(test::with_soh("8=FIX.4.4|9=99|35=8|37=A|")),  // BodyLength long
      test::with_check_sum(test::with_soh("9=10|8=FIX.4.4|35=8|37=A|")),  // order
      test::with_check_sum(test::with_soh("8=FIX.4.4|9=10|37=A|35=8|")),  // order
      test::with_check_sum(test::with_soh("8=FIX.4.4|9=1x|35=8|37=A|")),  // no number
      test::message_of("35=8|3x=A|"),
      test::message_of("35=8|037=A|"),
      test::message_of("35=8|0=A|"),
      test::message_of("35=8|=A|"),
      test::message_of("35=8|37=|"),
      test::message_of("35=8|37|"),
      test::message_of("35=8||"),
  };
  for (const std::string& text : bad) {
    EXPECT_FALSE(this->parser.parse(text)) << test::with_pipes(text);
    EXPECT_TRUE(this->parser.parse(good)) << "after " << test::with_pipes(text);
  }
}

}  // namespace
}  // namespace nexusfix::bench::ladder
