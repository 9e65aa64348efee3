// A dictionary without session messages gets those of the standard.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>

namespace nexusfix::dictionary {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kNoSession = R"(<fix type="FIX" major="4" minor="4">
<messages><message name="Logon" msgtype="U1" msgcat="app"><field name="HeartBtInt" required="Y"/>
  <group name="NoDesks" required="N"><field name="DeskID" required="Y"/></group>
</message></messages>
<fields><field number="108" name="HeartBtInt" type="STRING"/>
  <field number="5002" name="NoDesks" type="NUMINGROUP"/>
  <field number="5003" name="Text" type="STRING"/>
  <field number="5004" name="DeskID" type="STRING"/></fields></fix>)";

Dictionary without_session() {
  auto loaded = load_dictionary(kNoSession, "venue.xml");
  EXPECT_TRUE(loaded.has_value()) << loaded.error().what();
  return *std::move(loaded);
}

std::vector<std::string> members_of(const Dictionary& dictionary, std::string_view msg_type) {
  std::vector<std::string> names;
  const MessageDefinition* const message = dictionary.message(msg_type);
  if (message == nullptr) return names;
  for (const FlatMember& member : flatten(dictionary, message->members)) {
    names.push_back(dictionary.fields[member.field].name + (member.required ? "!" : ""));
  }
  return names;
}

TEST(CompleteSession, each_missing_message_is_that_of_the_standard) {
  for (const Version version : {Version::Fix40, Version::Fix41, Version::Fix42, Version::Fix43,
                                Version::Fix44, Version::Fixt11}) {
    const Dictionary& standard = builtin_dictionary(version);
    Dictionary bare = without_session();
    const auto added = complete_session(bare, standard);
    EXPECT_GE(added.size(), 7U) << to_string(version);
    for (const MessageDefinition& message : standard.messages) {
      if (!message.admin) continue;
      const MessageDefinition* const copy = bare.message(message.msg_type);
      ASSERT_NE(copy, nullptr) << message.name;
      EXPECT_EQ(copy->admin, true);
      const auto theirs = flatten(standard, message.members);
      const auto ours = flatten(bare, copy->members);
      ASSERT_EQ(ours.size(), theirs.size()) << message.name;
      for (std::size_t i = 0; i < ours.size(); ++i) {
        EXPECT_EQ(bare.fields[ours[i].field].tag, standard.fields[theirs[i].field].tag);
        EXPECT_EQ(ours[i].required, theirs[i].required);
        EXPECT_EQ(ours[i].group.has_value(), theirs[i].group.has_value());
      }
    }
    EXPECT_EQ(flatten(bare, bare.header).size(), flatten(standard, standard.header).size());
    EXPECT_TRUE(Validator::make(bare, {}).has_value()) << to_string(version);
    EXPECT_THAT(complete_session(bare, standard), IsEmpty());
  }
}

TEST(CompleteSession, what_the_dictionary_has_stays_as_it_is) {
  Dictionary own = without_session();
  const auto before = members_of(own, "U1");
  static_cast<void>(complete_session(own, builtin_dictionary(Version::Fix44)));
  EXPECT_EQ(members_of(own, "U1"), before);
  EXPECT_THAT(before, ElementsAre("HeartBtInt!", "NoDesks"));
  const GroupDefinition& desks = own.groups.at(*flatten(own, own.message("U1")->members)[1].group);
  EXPECT_EQ(own.fields[desks.count_field].name, "NoDesks");
  EXPECT_EQ(own.fields[desks.members.at(0).index].name, "DeskID");
  EXPECT_EQ(own.field(108)->type, FieldType::String);
  // Names stay unique.
  EXPECT_EQ(own.message("A")->name, "Logon_A");
  EXPECT_EQ(own.field(58)->name, "Text_58");
  EXPECT_TRUE(std::ranges::is_sorted(own.fields, {}, &FieldDefinition::tag));
}

TEST(CompleteSession, complete_dictionary_is_not_changed) {
  for (const Version version : {Version::Fix42, Version::Fix44, Version::Fixt11}) {
    Dictionary complete = builtin_dictionary(version);
    EXPECT_THAT(complete_session(complete, builtin_dictionary(version)), IsEmpty());
    EXPECT_EQ(complete, builtin_dictionary(version));
  }
}

}  // namespace
}  // namespace nexusfix::dictionary
