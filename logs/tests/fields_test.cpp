#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logs/fields/field_begins.hpp"
#include "logs/fields/field_slots.hpp"
#include "logs/fields/message_fields.hpp"
#include "logs/messages/find_bytes.hpp"
#include "nexusfix/messages/decoded_message.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::logs {
namespace {

using testing::fix;
using testing::soh;

// The reader for people reads the same fields.
TEST(MessageFields, are_those_that_decode_prints) {
  for (const std::string body :
       {"35=D|34=2|11=A1|", "35=B|95=5|96=a|b=c|58=x|", "35=B|95=99|96=abc|58=x|",
        "35=B|95=x|96=a|", "35=D|nonsense|=x|0=y|01=z|-1=a|99999999999=b|2147483647=c|55=|", "|||",
        "35=D|212=3|213=||||"}) {
    const std::string bytes = fix("FIX.4.4", body);
    MessageFields fields;
    fields.read(bytes);
    const printing::DecodedMessage decoded = printing::decode_message(bytes);
    ASSERT_EQ(fields.all().size(), decoded.fields.size()) << body;
    for (std::size_t i = 0; i < decoded.fields.size(); ++i) {
      EXPECT_EQ(fields.all()[i].tag, decoded.fields[i].tag) << body << ' ' << i;
      if (decoded.fields[i].tag == 0) continue;
      EXPECT_EQ(fields.all()[i].value, decoded.fields[i].value) << body << ' ' << i;
    }
  }
}

// Up to a Length field, both readers find the same values.
TEST(FieldSlots, finds_what_the_reader_of_all_fields_finds) {
  FieldSlots slots;
  constexpr wire::Tag kWanted[] = {1, 8, 9, 10, 11, 34, 35, 44, 54, 58, 96, 150, 999};
  unsigned slot = 0;
  for (const wire::Tag tag : kWanted) {
    ASSERT_TRUE(FieldSlots::can_want(tag));
    slots.want(tag, ++slot);
  }
  for (const wire::Tag tag : {wire::Tag{0}, wire::Tag{95}, wire::Tag{1000}, wire::Tag{5001}}) {
    EXPECT_FALSE(FieldSlots::can_want(tag)) << tag;
  }
  using Found = std::vector<std::pair<wire::Tag, std::string_view>>;
  const std::string whole = fix("FIX.4.4", "35=D|34=2|1=ACC|11=A1|44=|150=F|999=x|1000=y|5001=z|");
  for (const std::string& bytes :
       {whole, whole.substr(0, whole.size() - 7), whole.substr(0, whole.size() - 7) + soh("54=1|"),
        whole.substr(0, whole.size() - 7) + soh("1=a|"), soh("8=FIX.4.4|9=5|"),
        fix("FIX.4.4", "35=D|096=x|7=y|58=text|"), fix("FIX.4.4", "35=B|58=a|95=1|96=b|58=c|"),
        fix("FIX.4.4", "35=B||58=a|")}) {
    Found found;
    const bool is_whole = slots.each(bytes, [&](unsigned place, std::string_view value) {
      found.emplace_back(kWanted[place - 1], value);
    });
    MessageFields fields;
    fields.read(bytes);
    Found expected;
    for (const MessageField& field : fields.all()) {
      if (std::ranges::count(kWanted, field.tag) > 0) expected.emplace_back(field.tag, field.value);
    }
    EXPECT_EQ(is_whole, !bytes.contains("\x01"
                                        "95="));
    if (!is_whole) expected.resize(found.size());
    EXPECT_EQ(found, expected) << bytes;
  }
}

using Places = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

template <class Find>
Places places_of(std::string_view bytes, Find find) {
  Places all;
  FieldBegins::Places found;
  for (std::size_t at = 0; at < bytes.size();) {
    at = find(bytes, at, found);
    for (std::size_t i = 0; i < found.count; ++i) {
      all.emplace_back(found.all[i].begin, found.all[i].end);
    }
  }
  return all;
}

// Any bytes, of each length around the size of a block, and more fields than one call finds.
TEST(FieldBegins, finds_every_field_with_a_wanted_tag_with_and_without_wide_instructions) {
  const std::set<std::string> wanted{"8", "11", "35", "150", "95", "354", "1401"};
  FieldBegins begins;
  for (const std::string& tag : wanted) {
    begins.add(static_cast<wire::Tag>(std::stoi(tag)),
               tag.ends_with('5') ? FieldBegins::Kind::Length : FieldBegins::Kind::Value);
  }
  std::mt19937 random{7};
  constexpr std::string_view kBytes = "\x01\x01\x01\x01\x01===111353540895x";
  for (int run = 0; run < 20'000; ++run) {
    std::string bytes;
    const std::size_t size = run == 0 ? 5000 : random() % 300;
    for (std::size_t i = 0; i < size; ++i) {
      bytes += run == 0 ? "11=\x01"[i % 4] : kBytes[random() % kBytes.size()];
    }
    const Places places =
        places_of(bytes, [&](auto text, auto at, auto& to) { return begins.find(text, at, to); });
    const Places slowly = places_of(
        bytes, [&](auto text, auto at, auto& to) { return begins.find_each(text, at, to); });
    ASSERT_EQ(places, slowly) << run;
    for (std::size_t at = 0, end = 0; (end = bytes.find('\x01', at)) != bytes.npos; at = end + 1) {
      const std::string field = bytes.substr(at, end - at);
      if (!wanted.contains(field.substr(0, field.find('=')))) continue;
      if (!field.contains('=')) continue;
      ASSERT_EQ(std::ranges::count(places, std::pair<std::uint32_t, std::uint32_t>(at, end)), 1)
          << run << ' ' << at;
    }
  }
}

TEST(FieldBegins, finds_the_next_rare_field_with_and_without_wide_instructions) {
  FieldBegins begins;
  const std::set<std::string> wanted{"95", "554", "1401"};
  for (const std::string& tag : wanted) {
    begins.add(static_cast<wire::Tag>(std::stoi(tag)), FieldBegins::Kind::Rare);
  }
  constexpr std::size_t kShort = 34;  // fewer bytes than wide instructions look at
  std::mt19937 random{11};
  constexpr std::string_view kBytes = "\x01\x01\x01==1459x";
  for (int run = 0; run < 20'000; ++run) {
    std::string bytes;
    for (std::size_t size = random() % 300; size > 0; --size) {
      bytes += kBytes[random() % kBytes.size()];
    }
    std::set<std::size_t> places;
    for (std::size_t at = 0; (at = begins.next(bytes, at)) != bytes.npos;) places.insert(at);
    for (std::size_t soh = 0; (soh = bytes.find('\x01', soh)) != bytes.npos; ++soh) {
      const std::size_t begin = soh + 1;
      const std::string field = bytes.substr(begin, bytes.find('=', begin) - begin);
      ASSERT_TRUE(!wanted.contains(field) || field.size() + begin == bytes.size() ||
                  places.contains(begin))
          << run << ' ' << begin;
      const std::string piece = bytes.substr(soh, kShort);
      if (piece.size() < 4) continue;
      ASSERT_EQ(begins.next(piece, 0) == 1, places.contains(begin)) << run << ' ' << begin;
    }
  }
}

TEST(MessageFields, know_whether_one_is_a_password) {
  MessageFields fields;
  const auto has = [&](std::string_view body) {
    fields.read(fix("FIX.4.4", "35=D|" + std::string{body}));
    return fields.has_password();
  };
  for (const wire::Tag tag : kPasswordTags) {
    EXPECT_TRUE(has(std::to_string(tag) + "=x|11=A|")) << tag;
    EXPECT_TRUE(has("11=A|0" + std::to_string(tag) + "=x|" + std::to_string(tag) + "=|")) << tag;
    EXPECT_FALSE(has("11=" + std::to_string(tag) + "|1" + std::to_string(tag) + "=x|")) << tag;
  }
  EXPECT_FALSE(
      has("354=6|355=a\x01"
          "554=|11=A|"));
}

TEST(RareFields, are_lengths_of_data_and_passwords_at_any_place) {
  const RareFields none = rare_fields(
      fix("FIX.4.4", "35=D|34=2|11=A1|9=1|900=x|2120=1|35=x|140=1|5540=1|0554=x|14021=1|96|"));
  EXPECT_FALSE(none.has_length);
  EXPECT_FALSE(none.has_password);
  const auto in = [](std::size_t before, const std::string& field) {
    return rare_fields(fix("FIX.4.4", "35=D|58=" + std::string(before, 'x') + "|" + field));
  };
  for (std::size_t before = 0; before < 40; ++before) {
    for (const std::string field : {"90=1|", "93=1|", "95=1|", "212=1|", "1184=1|", "1468=1|"}) {
      EXPECT_TRUE(in(before, field).has_length) << field;
      EXPECT_FALSE(in(before, field + "11=A|").has_password) << field;
    }
    for (const std::string field : {"96=1|", "554=1|", "925=1|", "1402=1|", "1404=1|"}) {
      EXPECT_TRUE(in(before, field).has_password) << field;
      EXPECT_FALSE(in(before, field + "11=A|").has_length) << field;
    }
  }
}

TEST(MessageFields, knows_msg_type_only_in_its_place) {
  EXPECT_EQ(msg_type_of(fix("FIX.4.4", "35=D|34=2|")), "D");
  EXPECT_EQ(msg_type_of(fix("FIXT.1.1", "35=AE|34=2|")), "AE");
  EXPECT_EQ(msg_type_of(fix("FIX.4.4", "34=2|35=D|")), "");
  EXPECT_EQ(msg_type_of(soh("8=FIX.4.4|9=5|35=D")), "D");
  EXPECT_EQ(msg_type_of(""), "");
  EXPECT_EQ(msg_type_of("8=FIX"), "");
}

TEST(FindBytes, finds_what_a_string_finds_at_every_place_and_length) {
  for (const std::string_view wanted : {"8=FIX",
                                        "\x01"
                                        "55=",
                                        "aba", "abababab"}) {
    for (std::size_t size = 0; size < 70; ++size) {
      for (std::size_t at = 0; at + wanted.size() <= size; ++at) {
        std::string text(size, wanted.front());
        text.replace(at, wanted.size(), wanted);
        for (const std::size_t from : {std::size_t{0}, at, at + 1, size, size + 1}) {
          ASSERT_EQ(printing::find_bytes(text, wanted, from), text.find(wanted, from));
        }
      }
      const std::string without(size, 'x');
      ASSERT_EQ(printing::find_bytes(without, wanted), without.npos);
    }
  }
}

TEST(FindBytes, replaces_and_recognises_bytes_at_every_place) {
  for (std::size_t size = 1; size < 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string text(size, 'x');
      text[at] = '|';
      std::string expected(size, 'x');
      expected[at] = '\x01';
      printing::replace_bytes(text.data(), text.size(), '|', '\x01');
      EXPECT_EQ(text, expected);
      EXPECT_TRUE(printing::is_ascii(text));
      for (std::size_t place = 0; place < 4; ++place) {
        std::array bytes{'a', 'b', 'c', 'd'};
        bytes[place] = '\x01';
        EXPECT_TRUE(printing::contains_any(text, bytes));
        EXPECT_FALSE(printing::contains_any(text.substr(0, at), bytes));
        EXPECT_FALSE(printing::contains_any(text.substr(at + 1), bytes));
      }
      text[at] = '\x80';
      EXPECT_FALSE(printing::is_ascii(text));
    }
  }
}

}  // namespace
}  // namespace nexusfix::logs
