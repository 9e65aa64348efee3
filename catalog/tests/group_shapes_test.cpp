#include <gtest/gtest.h>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/catalog.hpp>
#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/group_view.hpp>
#include <nexusfix/wire/parser.hpp>

#include "unit/wire/message_text.hpp"

namespace nexusfix::dictionary {
namespace {

constexpr Version kVersions[] = {Version::Fix40,    Version::Fix41,    Version::Fix42,
                                 Version::Fix43,    Version::Fix44,    Version::Fix50,
                                 Version::Fix50Sp1, Version::Fix50Sp2, Version::Fixt11};

GroupShapes shapes_of(const Dictionary& dictionary) {
  auto shapes = GroupShapes::make(dictionary);
  EXPECT_TRUE(shapes.has_value());
  return std::move(*shapes);
}

void add_tags(const Dictionary& dictionary, const std::vector<Member>& members,
              std::set<wire::Tag>& tags) {
  for (const FlatMember& member : flatten(dictionary, members)) {
    tags.insert(dictionary.fields[member.field].tag);
    if (member.group) add_tags(dictionary, dictionary.groups[*member.group].members, tags);
  }
}

TEST(GroupShapes, of_every_version_have_the_members_of_the_group_and_of_nested_groups) {
  for (const Version version : kVersions) {
    const Dictionary& dictionary = builtin_dictionary(version);
    const GroupShapes shapes = shapes_of(dictionary);
    for (Index i = 0; i < dictionary.groups.size(); ++i) {
      const GroupDefinition& group = dictionary.groups[i];
      const wire::GroupShape& shape = shapes.of(i);
      std::set<wire::Tag> members;
      add_tags(dictionary, group.members, members);
      EXPECT_EQ(shape.count_tag(), dictionary.fields[group.count_field].tag);
      EXPECT_EQ(shape.delimiter(),
                dictionary.fields[flatten(dictionary, group.members).front().field].tag);
      for (const FieldDefinition& field : dictionary.fields) {
        ASSERT_EQ(shape.has(field.tag), members.contains(field.tag)) << field.tag;
      }
    }
  }
}

TEST(GroupShapes, of_every_message_are_found_by_their_count_field) {
  for (const Version version : kVersions) {
    const Dictionary& dictionary = builtin_dictionary(version);
    const GroupShapes shapes = shapes_of(dictionary);
    for (const MessageDefinition& message : dictionary.messages) {
      for (const FlatMember& member : flatten(dictionary, message.members)) {
        const wire::Tag tag = dictionary.fields[member.field].tag;
        const wire::GroupShape& shape = shapes.of(message.msg_type, tag);
        if (!member.group) continue;
        EXPECT_EQ(&shape, &shapes.of(*member.group)) << message.name << " " << tag;
        EXPECT_EQ(&shape, &shapes.of(message.msg_type, {tag}));
        for (const FlatMember& inner :
             flatten(dictionary, dictionary.groups[*member.group].members)) {
          if (!inner.group) continue;
          const wire::Tag inner_tag = dictionary.fields[inner.field].tag;
          EXPECT_EQ(&shapes.of(message.msg_type, {tag, inner_tag}), &shapes.of(*inner.group));
          EXPECT_EQ(shapes.of(message.msg_type, inner_tag).count_tag(), inner_tag);
        }
      }
    }
    EXPECT_LT(shapes.size_bytes(), std::size_t{1} << 20U);
  }
}

TEST(GroupShapes, walk_nested_groups_of_a_message_by_tag) {
  const GroupShapes shapes = shapes_of(builtin_dictionary(Version::Fix44));
  wire::Parser parser;
  const std::string frame = test::message_of(
      "35=AE|49=A|56=B|627=1|628=H|34=1|571=R|570=N|55=X|552=2|54=1|37=A|453=2|448=P1|447=D|452=1|"
      "802=1|523=S1|803=4|448=P2|54=2|37=B|");
  const auto message = parser.parse(frame);
  std::string seen;
  for (const auto side : message->group(shapes.of("AE", 552))) {
    seen += "[" + std::string{*side[54]};
    for (const auto party : side.group(shapes.of("AE", 453))) {
      seen += " " + std::string{*party[448]};
      for (const auto sub : party.group(shapes.of("AE", {552, 453, 802}))) {
        seen += "/" + std::string{*sub[523]};
      }
    }
    seen += "]";
  }
  EXPECT_EQ(seen, "[1 P1/S1 P2][2]");
  EXPECT_EQ(message->group(shapes.of("AE", 627)).size(), 1U);
  EXPECT_EQ(message->group(shapes.of("no type", 627)).size(), 1U);
}

TEST(GroupShapes, that_do_not_exist_have_no_entries) {
  const GroupShapes shapes = shapes_of(builtin_dictionary(Version::Fix44));
  wire::Parser parser;
  const std::string frame = test::message_of("35=W|268=1|269=0|");
  const auto message = parser.parse(frame);
  EXPECT_EQ(message->group(shapes.of("W", 268)).size(), 1U);
  for (const wire::GroupShape* shape :
       {&shapes.of("W", 269), &shapes.of("W", 453), &shapes.of("D", 268), &shapes.of("?", 268),
        &shapes.of("", 0), &shapes.of("W", {268, 268}), &shapes.of("AE", {453, 552}),
        &shapes.of("W", std::initializer_list<wire::Tag>{})}) {
    EXPECT_EQ(shape->count_tag(), 0U);
    EXPECT_TRUE(message->group(*shape).empty());
  }
}

TEST(GroupShapes, stay_valid_when_their_owner_is_moved) {
  GroupShapes first = shapes_of(builtin_dictionary(Version::Fix44));
  const wire::GroupShape& shape = first.of("W", 268);
  const GroupShapes second = std::move(first);
  EXPECT_EQ(&second.of("W", 268), &shape);
  EXPECT_TRUE(shape.has(270));
}

constexpr std::string_view kCustom = R"(<fix major="4" minor="4" type="FIX">
  <header><field name="BeginString" required="Y"/></header>
  <trailer><field name="CheckSum" required="Y"/></trailer>
  <messages><message name="Custom" msgtype="U1" msgcat="app">
    <group name="NoAs" required="N"><component name="C" required="N"/><field name="X" required="N"/>
    </group>
    <group name="NoBs" required="N"><field name="Y" required="N"/>
      <group name="NoAs" required="N"><field name="Z" required="N"/></group>
    </group>
  </message></messages>
  <components><component name="C"><field name="W" required="N"/></component></components>
  <fields>
    <field number="8" name="BeginString" type="STRING"/>
    <field number="10" name="CheckSum" type="STRING"/>
    <field number="20001" name="NoAs" type="NUMINGROUP"/>
    <field number="70001" name="NoBs" type="NUMINGROUP"/>
    <field number="65535" name="W" type="STRING"/>
    <field number="70003" name="X" type="STRING"/>
    <field number="70004" name="Y" type="STRING"/>
    <field number="20005" name="Z" type="STRING"/>
  </fields></fix>)";

TEST(GroupShapes, one_count_field_of_two_groups_is_distinguished_by_the_enclosing_groups) {
  const auto dictionary = load_quickfix_xml(kCustom, "custom.xml");
  ASSERT_TRUE(dictionary) << dictionary.error().what();
  const GroupShapes shapes = shapes_of(*dictionary);
  const wire::GroupShape& outer = shapes.of("U1", 20'001);
  EXPECT_EQ(outer.delimiter(), 65'535U);
  EXPECT_TRUE(outer.has(70'003) && !outer.has(20'005));
  EXPECT_EQ(&shapes.of("U1", {20'001}), &outer);
  const wire::GroupShape& inner = shapes.of("U1", {70'001, 20'001});
  EXPECT_EQ(inner.delimiter(), 20'005U);
  EXPECT_TRUE(shapes.of("U1", 70'001).has(20'005));

  wire::Parser parser;
  const std::string frame = test::message_of("35=U1|70001=2|70004=a|20001=1|20005=b|70004=c|");
  const auto message = parser.parse(frame);
  EXPECT_EQ(message->group(shapes.of("U1", 70'001)).size(), 2U);
  EXPECT_EQ(message->group(shapes.of("U1", 70'001)).entry(0)->group(inner).size(), 1U);
}

// A file of a few megabytes could need terabytes, because every group may contain every component.
TEST(GroupShapes, of_a_dictionary_that_expands_too_much_are_refused) {
  Dictionary dictionary;
  constexpr Index kFields = 20'000;
  for (Index i = 0; i < kFields; ++i) {
    dictionary.fields.push_back({.tag = i + 1, .name = {}, .type = {}, .values = {}});
  }
  dictionary.components.emplace_back();
  for (Index i = 1; i < kFields; ++i) {
    dictionary.components[0].members.push_back({Member::Kind::Field, i, false});
  }
  for (Index i = 0; i < 300; ++i) {
    dictionary.groups.push_back({0, {{Member::Kind::Component, 0, false}}});
  }
  const auto shapes = GroupShapes::make(dictionary);
  ASSERT_FALSE(shapes);
  EXPECT_EQ(shapes.error(), "the groups have more than 4194304 members together");
}

// A dictionary that no loader has made or checked.
TEST(GroupShapes, of_a_dictionary_that_contradicts_itself_are_refused) {
  Dictionary dictionary;
  dictionary.fields = {{.tag = 1, .name = "A", .values = {}}};
  dictionary.messages = {{.name = "M", .msg_type = "U", .members = {{Member::Kind::Field, 0}}}};
  EXPECT_TRUE(GroupShapes::make(dictionary));
  dictionary.messages[0].members[0].index = 1;
  const auto shapes = GroupShapes::make(dictionary);
  ASSERT_FALSE(shapes);
  EXPECT_EQ(shapes.error(),
            "the structure of the dictionary is invalid: message \"M\" has a member that the "
            "dictionary does not have");
}

}  // namespace
}  // namespace nexusfix::dictionary
