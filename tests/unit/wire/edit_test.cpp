#include <array>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/parser.hpp>

#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

using test::message_of;
using test::with_pipes;

constexpr std::string_view kOrder = "35=D|49=S|56=T|34=7|52=20240115-10:30:00|11=A|55=X|44=1.5|";

std::string edited(std::string_view body, const FieldEdits& edits) {
  const std::string bytes = message_of(body);
  Parser parser;
  const auto message = parser.parse(bytes);
  if (!message) return "not a message";
  std::array<char, 512> out;
  const auto copy =
      edited_copy(*message, edits, std::span{out}.first(bytes.size() + edits.growth_bytes()));
  if (!copy) {
    return std::string{to_string(copy.error().code)} + " " + std::to_string(copy.error().tag);
  }
  return with_pipes(*copy);
}

std::string whole(std::string_view body) { return with_pipes(message_of(body)); }

TEST(EditedCopy, without_edits_is_the_message) { EXPECT_EQ(edited(kOrder, {}), whole(kOrder)); }

TEST(FieldEdits, know_whether_they_set_a_password) {
  FieldEdits edits;
  edits.remove(tag::Password);
  edits.set(11, "A");
  EXPECT_FALSE(edits.has_password());
  edits.set(tag::NewPassword, "secret");
  EXPECT_TRUE(edits.has_password());
}

TEST(EditedCopy, value_is_replaced_at_the_fields_position) {
  FieldEdits edits;
  edits.set(55, "LONGER");
  EXPECT_EQ(edited(kOrder, edits),
            whole("35=D|49=S|56=T|34=7|52=20240115-10:30:00|11=A|55=LONGER|44=1.5|"));
}

TEST(EditedCopy, last_field_of_the_body_can_be_replaced_and_removed) {
  FieldEdits edits;
  edits.set(44, "2");
  EXPECT_EQ(edited(kOrder, edits),
            whole("35=D|49=S|56=T|34=7|52=20240115-10:30:00|11=A|55=X|44=2|"));
  edits.remove(44);
  EXPECT_EQ(edited(kOrder, edits), whole("35=D|49=S|56=T|34=7|52=20240115-10:30:00|11=A|55=X|"));
}

TEST(EditedCopy, new_field_is_added_at_the_end_of_header_or_body_according_to_its_tag) {
  FieldEdits edits;
  edits.set(1, "ACC");
  edits.set(50, "DESK");
  EXPECT_EQ(edited(kOrder, edits),
            whole("35=D|49=S|56=T|34=7|52=20240115-10:30:00|50=DESK|11=A|55=X|44=1.5|1=ACC|"));
}

TEST(EditedCopy, new_fields_find_their_place_in_a_message_without_body) {
  FieldEdits edits;
  edits.set(58, "t");
  edits.set(57, "SUB");
  EXPECT_EQ(edited("35=B|49=S|56=T|34=7|52=20240115-10:30:00|", edits),
            whole("35=B|49=S|56=T|34=7|52=20240115-10:30:00|57=SUB|58=t|"));
}

TEST(EditedCopy, new_field_precedes_a_signature) {
  FieldEdits edits;
  edits.set(58, "t");
  EXPECT_EQ(edited("35=B|49=S|56=T|34=7|52=20240115-10:30:00|148=h|93=2|89=ab|", edits),
            whole("35=B|49=S|56=T|34=7|52=20240115-10:30:00|148=h|58=t|93=2|89=ab|"));
}

TEST(EditedCopy, removing_an_absent_field_changes_nothing) {
  FieldEdits edits;
  edits.remove(9999);
  EXPECT_EQ(edited(kOrder, edits), whole(kOrder));
}

TEST(EditedCopy, last_edit_of_a_tag_counts) {
  FieldEdits edits;
  edits.remove(55);
  edits.set(55, "A");
  edits.set(55, "B");
  EXPECT_EQ(edited(kOrder, edits),
            whole("35=D|49=S|56=T|34=7|52=20240115-10:30:00|11=A|55=B|44=1.5|"));
}

TEST(EditedCopy, only_the_first_of_repeated_fields_is_edited) {
  FieldEdits edits;
  edits.set(448, "B");
  EXPECT_EQ(edited("35=D|49=S|56=T|34=7|52=20240115-10:30:00|453=2|448=A|448=A|", edits),
            whole("35=D|49=S|56=T|34=7|52=20240115-10:30:00|453=2|448=B|448=A|"));
}

TEST(EditedCopy, data_fields_are_copied_with_their_content) {
  FieldEdits edits;
  edits.set(58, "t");
  const std::string body = "35=B|49=S|56=T|34=7|52=20240115-10:30:00|148=h|95=9|96=a|58=b|xy|";
  EXPECT_EQ(edited(body, edits), whole(body + "58=t|"));
}

TEST(EditedCopy, values_of_every_kind_are_written_as_an_encoder_writes_them) {
  FieldEdits edits;
  edits.set(54, '1');
  edits.set(43'000, true);
  edits.set(38, std::int64_t{-100});
  edits.set(44, Decimal{15025, 2});
  edits.set(60, WallTime{std::chrono::milliseconds{1705318200456}});
  edits.set(Field<110, std::uint64_t>{7});
  EXPECT_EQ(edited("35=B|49=S|56=T|34=7|52=20240115-10:30:00|", edits),
            whole("35=B|49=S|56=T|34=7|52=20240115-10:30:00|54=1|43000=Y|38=-100|44=150.25|"
                  "60=20240115-11:30:00.456|110=7|"));
}

TEST(EditedCopy, fields_of_the_session_and_invalid_fields_are_refused) {
  for (const Tag tag : {8U, 9U, 10U, 34U, 35U, 43U, 49U, 52U, 56U, 122U, 369U, 0U, 0x8000'0000U}) {
    FieldEdits edits;
    edits.set(tag, "1");
    EXPECT_EQ(edited(kOrder, edits),
              std::string{to_string(EncodeErrorCode::TagInvalid)} + " " + std::to_string(tag));
    edits.remove(tag);
    EXPECT_TRUE(edited(kOrder, edits).starts_with(to_string(EncodeErrorCode::TagInvalid)));
  }
  FieldEdits data;
  data.set(96, "x");
  EXPECT_EQ(edited(kOrder, data), std::string{to_string(EncodeErrorCode::TagInvalid)} + " 96");
  FieldEdits soh;
  soh.set(58,
          "a\x01"
          "49=EVIL");
  EXPECT_EQ(edited(kOrder, soh), std::string{to_string(EncodeErrorCode::SohInValue)} + " 58");
  FieldEdits empty;
  empty.set(58, "");
  EXPECT_EQ(edited(kOrder, empty), std::string{to_string(EncodeErrorCode::EmptyValue)} + " 58");
}

TEST(EditedCopy, every_buffer_that_is_too_small_is_refused) {
  const std::string bytes = message_of(kOrder);
  Parser parser;
  const auto message = parser.parse(bytes);
  ASSERT_TRUE(message.has_value());
  FieldEdits edits;
  edits.set(58, "text");
  const std::size_t needed = bytes.size() + edits.growth_bytes();
  bool fits = false;
  for (std::size_t size = 0; size <= needed; ++size) {
    const std::string guarded(size, '\0');
    std::string out = guarded;
    const auto copy = edited_copy(*message, edits, std::span{out});
    EXPECT_FALSE(fits && !copy) << "fitted into less than " << size;
    fits = copy.has_value();
    if (copy) {
      EXPECT_EQ(with_pipes(*copy), edited(kOrder, edits)) << size;
    } else {
      EXPECT_EQ(copy.error().code, EncodeErrorCode::BufferFull) << size;
    }
  }
  EXPECT_TRUE(fits);
}

TEST(EditedCopy, message_with_a_fault_is_refused) {
  FieldEdits edits;
  EXPECT_EQ(edited("35=D|49=S|56=T|34=7|52=20240115-10:30:00|nonsense|", edits),
            std::string{to_string(EncodeErrorCode::MessageMalformed)} + " 35");
}

}  // namespace
}  // namespace nexusfix::wire
