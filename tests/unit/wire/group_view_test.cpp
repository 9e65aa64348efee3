#include <algorithm>
#include <gtest/gtest.h>
#include <ranges>
#include <string>
#include <vector>

#include <nexusfix/base/arena.hpp>
#include <nexusfix/wire/group_view.hpp>
#include <nexusfix/wire/parser.hpp>

#include "unit/wire/kernels/guarded_bytes.hpp"
#include "unit/wire/message_text.hpp"
#include "wire/kernels/kernel_table.hpp"

namespace nexusfix::wire {
namespace {

using test::message_of;
using test::with_pipes;

constexpr const GroupShape& kMdEntries = kGroupShape<268, 269, 270, 271, 273>;
// NoSides with nested NoPartyIDs with nested NoPartySubIDs.
constexpr const GroupShape& kPartySubIds = kGroupShape<802, 523, 803>;
constexpr const GroupShape& kPartyIds = kGroupShape<453, 448, 447, 452, 802, 523, 803>;
constexpr const GroupShape& kSides =
    kGroupShape<552, 54, 37, 11, 453, 448, 447, 452, 802, 523, 803, 58>;

static_assert(kSides.has(54) && kSides.has(523) && !kSides.has(552) && !kSides.has(10));
static_assert(kGroupShape<1, 65'535, 5, 2'147'483'647>.has(2'147'483'647));
static_assert(kGroupShape<1, 65'535, 5>.has(65'535) && !kGroupShape<1, 65'535, 5>.has(65'536));
static_assert(std::ranges::forward_range<GroupView> && std::ranges::range<GroupEntry>);
static_assert(!std::ranges::sized_range<GroupView>);
static_assert(std::is_trivially_copyable_v<GroupView> && std::is_trivially_copyable_v<GroupEntry>);

class GroupViewTest : public testing::Test {
 protected:
  MessageView parse(std::string_view body) {
    frame_ = message_of(body);
    return *parser_.parse(frame_);
  }

  static std::vector<std::string> texts(const GroupView& group) {
    std::vector<std::string> found;
    for (const GroupEntry entry : group) found.push_back(with_pipes(entry.bytes()));
    EXPECT_EQ(found.size(), group.size());
    EXPECT_EQ(found.empty(), group.empty());
    return found;
  }

  std::string frame_;
  Parser parser_;
};

using Texts = std::vector<std::string>;

TEST_F(GroupViewTest, entries_end_at_the_next_delimiter_and_at_the_first_other_tag) {
  const MessageView message =
      parse("35=W|55=A|268=3|269=0|270=1.5|271=100|269=1|270=2|269=2|273=12:00:00|58=x|270=7|");
  const GroupView group = message.group(kMdEntries);
  EXPECT_EQ(texts(group), (Texts{"269=0|270=1.5|271=100|", "269=1|270=2|", "269=2|273=12:00:00|"}));
  EXPECT_EQ(group.announced(), 3U);
  EXPECT_EQ(group.count_field()->value, "3");
  EXPECT_TRUE(group.count_is_valid());
  EXPECT_EQ(message.field(group.end_index()).tag, 58U);
}

// It has no wide places: a sanitizer sees what is added to a null pointer.
TEST_F(GroupViewTest, an_entry_of_a_message_that_fits_a_shape_is_read) {
  MessageView message;
  for (int i = 0; i < 3; ++i) {
    message = parse("35=W|55=A|58=some text of a message|268=2|269=0|270=1.5|269=1|270=2|");
  }
  EXPECT_EQ(message.shape() != nullptr, kernels::selected().fits != nullptr);
  const GroupView group = message.group(kMdEntries);
  EXPECT_EQ(group.entry(0)->get<Decimal>(270), (Decimal{15, 1}));
  EXPECT_EQ(group.entry(1)->get<Decimal>(270), (Decimal{2, 0}));
  EXPECT_FALSE(group.entry(1)->get<Decimal>(271));
}

TEST_F(GroupViewTest, an_entry_is_read_like_a_message_and_sees_only_its_own_fields) {
  const MessageView message =
      parse("35=W|270=9|268=2|269=0|270=1.5|271=100|269=1|271=abc|273=|55=A|10000=x|");
  const GroupView group = message.group(kMdEntries);
  const GroupEntry first = *group.entry(0);
  EXPECT_EQ(first[270], "1.5");
  EXPECT_EQ(first.get<Decimal>(270), (Decimal{15, 1}));
  EXPECT_EQ(first.get<std::uint64_t>(271), 100U);
  EXPECT_EQ(first.field_count(), 3U);
  EXPECT_EQ(first.field(2).value, "100");
  EXPECT_EQ(first.find_index(271), 2U);
  EXPECT_FALSE(first.find_index(271, 3));
  EXPECT_FALSE(first.find(271, SIZE_MAX));
  EXPECT_EQ(first.find(271, 2)->offset, frame_.find("100\x01"
                                                    "269"));
  EXPECT_FALSE(first.has(273));
  EXPECT_FALSE(first.has(55));
  EXPECT_FALSE(first.has(35));

  const GroupEntry second = *group.entry(1);
  EXPECT_FALSE(second[270]);
  EXPECT_EQ(second[273], "");
  EXPECT_FALSE(second[10'000]);
  const auto malformed = second.get<std::uint64_t>(271);
  ASSERT_FALSE(malformed);
  EXPECT_EQ(malformed.error().code, FieldErrorCode::Malformed);
  EXPECT_EQ(malformed.error().offset, frame_.find("abc"));
  EXPECT_EQ(second.get<Decimal>(270).error().code, FieldErrorCode::Missing);
  EXPECT_EQ(second.get<Decimal>(270).error().tag, 270U);
  EXPECT_EQ(second.offset(), frame_.find("269=1"));
  EXPECT_EQ(second.first_index(), *message.find_index(269, 6));
  EXPECT_FALSE(group.entry(2));

  std::vector<Tag> tags;
  for (const FieldView field : second) tags.push_back(field.tag);
  EXPECT_EQ(tags, (std::vector<Tag>{269, 271, 273}));
}

TEST_F(GroupViewTest, groups_nest) {
  const MessageView message = parse(
      "35=AE|552=2|54=1|37=A|453=2|448=P1|447=D|452=1|802=2|523=S1|803=4|523=S2|448=P2|452=2|58=t|"
      "54=2|37=B|453=1|448=P3|802=1|523=S3|60=x|");
  std::string seen;
  for (const GroupEntry side : message.group(kSides)) {
    seen += "[" + std::string{*side[54]};
    for (const GroupEntry party : side.group(kPartyIds)) {
      seen += "(" + std::string{*party[448]};
      for (const GroupEntry sub : party.group(kPartySubIds)) seen += " " + std::string{*sub[523]};
      seen += ")";
    }
    seen += std::string{side[58].value_or("")} + "]";
  }
  EXPECT_EQ(seen, "[1(P1 S1 S2)(P2)t][2(P3 S3)]");
}

TEST_F(GroupViewTest, a_nested_group_is_searched_only_in_its_entry) {
  const MessageView message = parse("35=AE|453=1|448=OUT|552=2|54=1|37=A|54=2|453=1|448=IN|");
  const GroupView sides = message.group(kSides);
  EXPECT_TRUE(sides.entry(0)->group(kPartyIds).empty());
  EXPECT_FALSE(sides.entry(0)->group(kPartyIds).count_field());
  EXPECT_EQ(sides.entry(1)->group(kPartyIds).entry(0)->operator[](448), "IN");
  EXPECT_EQ(message.group(kPartyIds).entry(0)->operator[](448), "OUT");
}

TEST_F(GroupViewTest, a_group_that_is_absent_or_empty_has_no_entries) {
  for (const char* const body : {"35=W|55=A|", "35=W|268=0|55=A|", "35=W|268=0|"}) {
    const MessageView message = parse(body);
    const GroupView group = message.group(kMdEntries);
    EXPECT_TRUE(texts(group).empty()) << body;
    EXPECT_TRUE(group.begin() == group.end());
    EXPECT_TRUE(group.count_is_valid()) << body;
    EXPECT_FALSE(group.entry(0));
  }
  EXPECT_EQ(parse("35=W|55=A|").group(kMdEntries).announced().error().code,
            FieldErrorCode::Missing);
  EXPECT_TRUE(MessageView{}.group(kMdEntries).empty());
  EXPECT_TRUE(GroupView{}.empty());
  EXPECT_TRUE(parse("35=W|268=1|269=0|").group(GroupShape{}).empty());
  EXPECT_EQ(GroupEntry{}.field_count(), 0U);
  EXPECT_EQ(GroupEntry{}.bytes(), "");
  EXPECT_FALSE(GroupEntry{}[0]);
}

// A Reject with reason 16 answers a wrong count (FIX Session Layer, SessionRejectReason). A reader
// that trusts the count loops over missing entries or hides existing ones.
TEST_F(GroupViewTest, a_wrong_count_shows_and_changes_nothing_else) {
  for (const char* const count : {"0", "1", "3", "4294967298", "18446744073709551615",
                                  "99999999999999999999", "-2", "two", "", "2.0", "+2"}) {
    const MessageView message =
        parse("35=W|268=" + std::string{count} + "|269=0|270=1|269=1|270=2|55=A|");
    const GroupView group = message.group(kMdEntries);
    EXPECT_EQ(texts(group), (Texts{"269=0|270=1|", "269=1|270=2|"})) << count;
    EXPECT_FALSE(group.count_is_valid()) << count;
    EXPECT_EQ(group.count_field()->value, count);
  }
  EXPECT_TRUE(parse("35=W|268=02|269=0|269=1|").group(kMdEntries).count_is_valid());
  EXPECT_EQ(parse("35=W|268=-2|269=0|").group(kMdEntries).announced().error().code,
            FieldErrorCode::Malformed);
}

TEST_F(GroupViewTest, a_missing_delimiter_leaves_no_entry) {
  const MessageView message = parse("35=W|268=2|270=1|269=0|270=2|55=A|");
  const GroupView group = message.group(kMdEntries);
  EXPECT_TRUE(group.empty());
  EXPECT_FALSE(group.count_is_valid());
  EXPECT_EQ(message.field(group.end_index()).tag, 270U);
}

TEST_F(GroupViewTest, a_repeated_delimiter_begins_an_entry_of_its_own) {
  EXPECT_EQ(texts(parse("35=W|268=3|269=0|269=1|269=2|").group(kMdEntries)),
            (Texts{"269=0|", "269=1|", "269=2|"}));
}

TEST_F(GroupViewTest, an_outer_tag_ends_a_nested_group_and_what_follows_is_the_outer_entry_s) {
  const MessageView message =
      parse("35=AE|552=2|54=1|453=3|448=P1|37=A|448=P2|452=1|54=2|453=1|54=3|448=P3|");
  const GroupView sides = message.group(kSides);
  EXPECT_EQ(texts(sides),
            (Texts{"54=1|453=3|448=P1|37=A|448=P2|452=1|", "54=2|453=1|", "54=3|448=P3|"}));
  EXPECT_EQ(texts(sides.entry(0)->group(kPartyIds)), (Texts{"448=P1|"}));
  EXPECT_FALSE(sides.entry(0)->group(kPartyIds).count_is_valid());
  EXPECT_TRUE(sides.entry(1)->group(kPartyIds).empty());
  EXPECT_TRUE(sides.entry(2)->group(kPartyIds).empty());
}

TEST_F(GroupViewTest, the_same_count_field_twice_is_two_groups) {
  const MessageView message = parse("35=W|268=1|269=0|55=A|268=2|269=1|269=2|");
  EXPECT_EQ(texts(message.group(kMdEntries)), (Texts{"269=0|"}));
  const std::size_t after = message.group(kMdEntries).end_index();
  EXPECT_EQ(texts(message.group(kMdEntries, after)), (Texts{"269=1|", "269=2|"}));
  EXPECT_TRUE(message.group(kMdEntries, message.field_count()).empty());
  EXPECT_TRUE(message.group(kMdEntries, SIZE_MAX).empty());
  // Directly after each other, the second one ends the first.
  EXPECT_EQ(texts(parse("35=W|268=1|269=0|268=1|269=1|").group(kMdEntries)), (Texts{"269=0|"}));
  EXPECT_TRUE(parse("35=W|268=1|268=1|269=1|").group(kMdEntries).empty());
}

TEST_F(GroupViewTest, groups_of_header_and_trailer_are_groups_as_well) {
  constexpr const GroupShape& kHops = kGroupShape<627, 628, 629, 630>;
  const MessageView message =
      parse("35=D|49=A|56=B|627=2|628=H1|629=20240115-10:30:00|628=H2|630=7|34=1|11=X|");
  EXPECT_EQ(texts(message.group(kHops)), (Texts{"628=H1|629=20240115-10:30:00|", "628=H2|630=7|"}));
  // The last field of a message is CheckSum. A shape that claims it ends there, too.
  EXPECT_EQ(texts(parse("35=D|1=2|2=a|2=b|").group(kGroupShape<1, 2, 10>)).back().substr(0, 7),
            "2=b|10=");
}

TEST_F(GroupViewTest, tags_above_sixteen_bits_are_members_count_fields_and_delimiters) {
  constexpr const GroupShape& kLarge = kGroupShape<70'000, 65'535, 65'591, 55, 2'147'483'647>;
  const MessageView message = parse(
      "35=D|70000=3|65535=a|55=s|65591=x|65535=b|2147483647=y|65535=c|55=t|65592=no|65535=d|");
  const GroupView group = message.group(kLarge);
  EXPECT_EQ(texts(group),
            (Texts{"65535=a|55=s|65591=x|", "65535=b|2147483647=y|", "65535=c|55=t|"}));
  EXPECT_TRUE(group.count_is_valid());
  const GroupEntry first = *group.entry(0);
  EXPECT_EQ(first[65'591], "x");
  EXPECT_EQ(first[55], "s");
  EXPECT_FALSE(first[2'147'483'647]);
  EXPECT_EQ(first.find_index(65'591, 1), 2U);
  EXPECT_EQ(group.entry(1)->operator[](2'147'483'647), "y");
  EXPECT_EQ(group.entry(1)->offset(), frame_.find("65535=b"));
}

// Equal keys mean equal tags only as long as no key represents several tags.
TEST_F(GroupViewTest, a_large_tag_that_is_not_a_member_ends_the_group_after_an_entry_with_one) {
  constexpr const GroupShape& kLarge = kGroupShape<1, 2, 70'000>;
  EXPECT_EQ(texts(parse("35=D|1=2|2=a|70000=x|2=b|70001=x|2=c|").group(kLarge)),
            (Texts{"2=a|70000=x|", "2=b|"}));
  constexpr const GroupShape& kSmall = kGroupShape<1, 2, 3>;
  EXPECT_EQ(texts(parse("35=D|1=2|2=a|70000=x|2=b|70000=x|2=c|").group(kSmall)), (Texts{"2=a|"}));
}

TEST_F(GroupViewTest, entries_of_every_number_of_fields_end_at_their_last_field) {
  constexpr Tag kFirst = 1000;
  std::vector<Tag> members;
  for (Tag tag = kFirst; tag < kFirst + 80; ++tag) members.push_back(tag);
  std::vector<std::uint16_t> slots(group_slots_needed(members.size()));
  fill_group_slots(members, slots);
  const GroupShape shape{
      {.count_tag = 999, .delimiter = kFirst, .slots = slots, .large_members = {}}};
  for (unsigned first = 1; first <= 80; ++first) {
    for (const unsigned second : {1U, first - 1, first, first + 1, 80U}) {
      if (second == 0 || second > 80) continue;
      std::string body = "35=X|999=3|";
      std::vector<unsigned> sizes{first, second, first};
      for (const unsigned size : sizes) {
        for (unsigned i = 0; i < size; ++i) body += std::to_string(kFirst + i) + "=v|";
      }
      const MessageView message = parse(body + "1080=no|");
      std::vector<unsigned> found;
      for (const GroupEntry entry : message.group(shape)) {
        const auto size = static_cast<unsigned>(entry.field_count());
        found.push_back(size);
        EXPECT_EQ(entry.find_index(kFirst + size - 1), size - 1);
        EXPECT_FALSE(entry.has(kFirst + size));
      }
      ASSERT_EQ(found, sizes) << first << " " << second;
    }
  }
}

TEST_F(GroupViewTest, members_whose_slots_collide_are_all_found) {
  std::vector<Tag> members;
  for (Tag tag = 1; members.size() < 100; tag += 256) members.push_back(tag);
  std::vector<std::uint16_t> slots(group_slots_needed(members.size()));
  EXPECT_EQ(slots.size(), 256U);
  fill_group_slots(members, slots);
  const GroupShape shape{{.count_tag = 9, .delimiter = 1, .slots = slots, .large_members = {}}};
  for (const Tag tag : members) {
    EXPECT_TRUE(shape.has(tag)) << tag;
    EXPECT_FALSE(shape.has(tag + 1)) << tag;
  }
}

TEST_F(GroupViewTest, nothing_outside_of_the_message_is_read) {
  frame_ = message_of("35=W|268=2|269=0|269=1|");
  test::GuardedBytes guarded{4096};
  for (const std::string_view bytes : {guarded.at_begin(frame_), guarded.at_end(frame_)}) {
    const MessageView message = *parser_.parse(bytes);
    const GroupView group = message.group(kGroupShape<268, 269, 10>);
    EXPECT_EQ(group.size(), 2U);
    EXPECT_EQ(group.entry(1)->bytes().end(), bytes.end());
    EXPECT_EQ(message.group(kGroupShape<8, 9, 35>).entry(0)->offset(), 10U);
    EXPECT_EQ(message.group(kGroupShape<9, 35>).entry(0)->get<char>(35), 'W');
    EXPECT_EQ(message.group(kGroupShape<10, 11>).size(), 0U);
  }
}

// A number is read with the bytes before it. The first entry has too few before it, the second one
// as few as there may be.
TEST_F(GroupViewTest, nothing_before_a_long_message_is_read_for_a_number_in_an_early_entry) {
  const std::string filler = "58=" + std::string(300, 'x') + "|";
  test::GuardedBytes guarded{4096};

  frame_ = message_of("35=5|34=7|49=.5|" + filler, "A");
  const MessageView early = *parser_.parse(guarded.at_begin(frame_));
  const GroupEntry first = *early.group(kGroupShape<9, 35, 34, 49>).entry(0);
  EXPECT_EQ(first.offset(), 10U);
  EXPECT_EQ(first.get<std::int64_t>(35), 5);
  EXPECT_EQ(first.get<Decimal>(34), Decimal(7, 0));
  EXPECT_EQ(first.get<Decimal>(49), Decimal(5, 1));

  frame_ = message_of("35=|1=|2=1|3=5|4=.5|5=7|" + filler, "");
  const MessageView next = *parser_.parse(guarded.at_begin(frame_));
  const GroupEntry second = *next.group(kGroupShape<2, 3, 4, 5>).entry(0);
  EXPECT_EQ(second.first_index(), 5U);
  EXPECT_EQ(second.get<std::int64_t>(3), 5);
  EXPECT_EQ(second.get<Decimal>(4), Decimal(5, 1));
  EXPECT_EQ(second.get<std::uint64_t>(5), 7U);
}

TEST_F(GroupViewTest, a_field_after_an_entry_of_two_fields_in_a_long_message_is_not_found) {
  const MessageView message =
      parse("35=W|49=A|58=" + std::string(300, 'x') + "|268=2|269=0|270=1|269=1|270=2|55=A|");
  const GroupView group = message.group(kMdEntries);
  EXPECT_EQ(texts(group), (Texts{"269=0|270=1|", "269=1|270=2|"}));
  EXPECT_EQ(group.entry(1)->get<std::uint64_t>(270), 2U);
  EXPECT_FALSE((*group.entry(1))[55]);
  EXPECT_FALSE((*group.entry(0))[271]);
}

TEST_F(GroupViewTest, an_owned_message_has_the_same_groups) {
  Arena arena;
  const auto owned = to_owned(parse("35=W|268=2|269=0|270=1|269=1|270=2|55=A|"), arena);
  frame_.assign(frame_.size(), '?');
  EXPECT_EQ(texts(owned->view().group(kMdEntries)), (Texts{"269=0|270=1|", "269=1|270=2|"}));
}

TEST_F(GroupViewTest, entries_outlive_the_range_that_they_came_from) {
  const MessageView message = parse("35=W|268=2|269=0|270=1|269=1|270=2|55=A|");
  std::vector<GroupEntry> entries;
  for (const GroupEntry entry : message.group(kMdEntries)) entries.push_back(entry);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[1][270], "2");
  const auto asked = message.group(kMdEntries);
  EXPECT_EQ(std::ranges::count_if(asked, [](const GroupEntry& e) { return e[269] == "1"; }), 1);
}

TEST_F(GroupViewTest, thousands_of_entries_are_all_there) {
  std::string body = "35=W|268=5000|";
  for (int i = 0; i < 5000; ++i) {
    body += "269=" + std::to_string(i % 3) + "|270=" + std::to_string(i) + "|";
    if (i % 7 == 0) body += "271=5|";
  }
  const MessageView message = parse(body + "58=end|");
  std::uint64_t number = 0;
  for (const GroupEntry entry : message.group(kMdEntries)) {
    ASSERT_EQ(entry.get<std::uint64_t>(270), number);
    ASSERT_EQ(entry.has(271), number % 7 == 0);
    ++number;
  }
  EXPECT_EQ(number, 5000U);
  EXPECT_TRUE(message.group(kMdEntries).count_is_valid());
}

}  // namespace
}  // namespace nexusfix::wire
