#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {
namespace {

struct Parts {
  std::string root = R"(name="Venue" version="FIX.4.4")";
  std::string code_sets = "";
  std::string fields = "";
  std::string components = "";
  std::string groups = "";
  std::string messages = "";
};

constexpr std::string_view kFields = R"(<fixr:field id="8" name="BeginString" type="String"/>
<fixr:field id="10" name="CheckSum" type="String"/>
<fixr:field id="55" name="Symbol" type="String"/>
<fixr:field id="11" name="ClOrdID" type="String"/>
<fixr:field id="453" name="NoPartyIDs" type="NumInGroup"/>
<fixr:field id="448" name="PartyID" type="String"/>
<fixr:field id="802" name="NoPartySubIDs" type="NumInGroup"/>
<fixr:field id="523" name="PartySubID" type="String"/>)";

// The parts begin in lines 3, 4, ...
std::string document(const Parts& parts) {
  return R"(<fixr:repository xmlns:fixr="http://fixprotocol.io/2020/orchestra/repository" )" +
         parts.root +
         ">\n<fixr:datatypes><fixr:datatype name=\"Tenor\" baseType=\"Pattern\"/>"
         "<fixr:datatype name=\"Pattern\"/><fixr:datatype name=\"Fee\" baseType=\"Amt\"/>"
         "</fixr:datatypes>\n<fixr:codeSets>" +
         parts.code_sets + "</fixr:codeSets>\n<fixr:fields>" +
         (parts.fields.empty() ? std::string{kFields} : parts.fields) +
         "</fixr:fields>\n<fixr:components>" + parts.components +
         "</fixr:components>\n<fixr:groups>" + parts.groups + "</fixr:groups>\n<fixr:messages>" +
         parts.messages + "</fixr:messages></fixr:repository>\n";
}

std::string message(const std::string& members, const std::string& attributes = {}) {
  return "<fixr:message id=\"1\" name=\"Order\" msgType=\"D\" " + attributes + "><fixr:structure>" +
         members + "</fixr:structure></fixr:message>";
}

Dictionary load(const std::string& text, std::string_view scenario = "base") {
  auto loaded = load_orchestra(text, "test.xml", scenario);
  EXPECT_TRUE(loaded) << loaded.error().what();
  return loaded ? std::move(*loaded) : Dictionary{};
}

std::string error_of(const Parts& parts) {
  const auto loaded = load_orchestra(document(parts), "test.xml");
  return loaded ? "no error" : loaded.error().what();
}

TEST(Orchestra, reads_fields_by_tag_with_the_codes_of_their_set) {
  const Dictionary dictionary = load(document({
      .code_sets = R"(<fixr:codeSet id="54" name="SideCodeSet" type="char">
<fixr:code id="1" name="Buy" value="1"><fixr:annotation/></fixr:code>
<fixr:code id="2" name="SellShort" value="5"/></fixr:codeSet>)",
      .fields = R"(<fixr:field id="54" name="Side" type="SideCodeSet"/>
<fixr:field id="624" name="LegSide" type="SideCodeSet" unionDataType="Reserved100Plus"/>
<fixr:field id="1" name="Account" type="String"/>
<fixr:field id="12" name="Commission" type="Fee"/>
<fixr:field id="6215" name="Tenor" type="Tenor"/>)",
  }));
  ASSERT_EQ(dictionary.fields.size(), 5U);
  EXPECT_EQ(dictionary.fields[0].name, "Account");
  const FieldDefinition& side = *dictionary.field(54);
  EXPECT_EQ(side.type, FieldType::Char);
  EXPECT_EQ(side.other_values, FieldDefinition::OtherValues::None);
  ASSERT_EQ(side.values.size(), 2U);
  EXPECT_EQ(side.values[1].value, "5");
  EXPECT_EQ(side.values[1].name, "SELL_SHORT");
  EXPECT_EQ(dictionary.field(624)->values, side.values);
  EXPECT_EQ(dictionary.field(624)->other_values, FieldDefinition::OtherValues::Reserved100Plus);
  EXPECT_EQ(dictionary.field(12)->type, FieldType::Amt);
  EXPECT_EQ(dictionary.field(6215)->type, FieldType::String);
  EXPECT_TRUE(dictionary.warnings.empty()) << dictionary.warnings.front();
}

TEST(Orchestra, reads_messages_with_components_and_nested_groups) {
  const Dictionary dictionary = load(document({
      .components = R"(<fixr:component id="1000" name="Instrument">
<fixr:fieldRef id="55" presence="required"/></fixr:component>)",
      .groups = R"(<fixr:group id="1012" name="Parties"><fixr:numInGroup id="453"/>
<fixr:fieldRef id="448"/><fixr:groupRef id="1013"/></fixr:group>
<fixr:group id="1013" name="PtysSubGrp"><fixr:numInGroup id="802"/>
<fixr:fieldRef id="523"/></fixr:group>)",
      .messages = message(R"(<fixr:componentRef id="1000" presence="required"/>
<fixr:fieldRef id="11"/><fixr:groupRef id="1012" presence="required"/>
<fixr:annotation><fixr:documentation>Text</fixr:documentation></fixr:annotation>)"),
  }));
  ASSERT_EQ(dictionary.messages.size(), 1U);
  const MessageDefinition& order = dictionary.messages[0];
  EXPECT_EQ(order.name, "Order");
  EXPECT_EQ(order.msg_type, "D");
  EXPECT_FALSE(order.admin);
  const std::vector<FlatMember> flat = flatten(dictionary, order.members);
  ASSERT_EQ(flat.size(), 3U);
  EXPECT_EQ(dictionary.fields[flat[0].field].tag, 55U);
  EXPECT_TRUE(flat[0].required);
  EXPECT_FALSE(flat[1].required);
  ASSERT_TRUE(flat[2].group);
  EXPECT_EQ(dictionary.fields[flat[2].field].tag, 453U);
  const GroupDefinition& parties = dictionary.groups[*flat[2].group];
  ASSERT_EQ(parties.members.size(), 2U);
  EXPECT_EQ(parties.members[1].kind, Member::Kind::Group);
  EXPECT_EQ(dictionary.fields[dictionary.groups[parties.members[1].index].count_field].tag, 802U);
}

// Release candidate 2 of Orchestra: groups are among the components, and an attribute names the
// field that counts them.
TEST(Orchestra, reads_the_groups_of_the_edition_of_2016) {
  const Dictionary dictionary = load(document({
      .components = R"(<fixr:component id="1" name="Owner"><fixr:groupRef id="1012"/>
</fixr:component><fixr:group id="1012" name="Parties" numInGroupId="453"
numInGroupName="NoPartyIDs"><fixr:fieldRef id="448"/><fixr:componentRef id="1013"/></fixr:group>
<fixr:group id="1013" name="PtysSubGrp" numInGroupId="802"><fixr:fieldRef id="523"/></fixr:group>)",
      .messages = message(R"(<fixr:fieldRef id="11"/><fixr:componentRef id="1"/>)"),
  }));
  EXPECT_TRUE(dictionary.warnings.empty());
  ASSERT_EQ(dictionary.groups.size(), 2U);
  const GroupDefinition& parties = dictionary.groups[0];
  EXPECT_EQ(dictionary.fields[parties.count_field].tag, 453);
  ASSERT_EQ(parties.members.size(), 2U);
  EXPECT_EQ(parties.members[1].kind, Member::Kind::Group);
  EXPECT_EQ(dictionary.fields[dictionary.groups[parties.members[1].index].count_field].tag, 802);
  ASSERT_EQ(dictionary.components.at(0).members.size(), 1U);
  EXPECT_EQ(dictionary.components[0].members[0].kind, Member::Kind::Group);
  EXPECT_EQ(error_of({.components = R"(<fixr:group id="1" name="G" numInGroupId="77">
<fixr:fieldRef id="448"/></fixr:group>)"}),
            "test.xml:12: field 77 is not defined");
}

TEST(Orchestra, separates_header_and_trailer_from_the_messages) {
  const Dictionary dictionary = load(document({
      .components = R"(<fixr:component id="1024" name="StandardHeader">
<fixr:fieldRef id="8" presence="required"/></fixr:component>
<fixr:component id="1025" name="StandardTrailer">
<fixr:fieldRef id="10" presence="required"/></fixr:component>)",
      .messages = message(R"(<fixr:componentRef id="1024" presence="required"/>
<fixr:fieldRef id="11"/><fixr:componentRef id="1025" presence="required"/>)"),
  }));
  ASSERT_EQ(dictionary.header.size(), 1U);
  EXPECT_EQ(dictionary.fields[dictionary.header[0].index].tag, 8U);
  EXPECT_TRUE(dictionary.header[0].required);
  ASSERT_EQ(dictionary.trailer.size(), 1U);
  ASSERT_EQ(dictionary.messages[0].members.size(), 1U);
  EXPECT_EQ(dictionary.messages[0].members[0].kind, Member::Kind::Field);
}

TEST(Orchestra, knows_what_presence_means) {
  const Dictionary dictionary = load(document({
      .messages = message(R"(<fixr:fieldRef id="8" presence="required"/>
<fixr:fieldRef id="10" presence="forbidden"/><fixr:fieldRef id="11" presence="optional"/>
<fixr:fieldRef id="55" presence="ignored"/>
<fixr:fieldRef id="448" presence="constant" value="X"/>)"),
  }));
  const std::vector<Member>& members = dictionary.messages[0].members;
  ASSERT_EQ(members.size(), 4U);
  EXPECT_TRUE(members[0].required);
  for (std::size_t i = 1; i < members.size(); ++i) EXPECT_FALSE(members[i].required) << i;
  EXPECT_EQ(dictionary.fields[members[1].index].tag, 11U);
  EXPECT_EQ(error_of({.messages = message("<fixr:fieldRef id=\"8\" presence=\"maybe\"/>")}),
            "test.xml:14: presence is \"maybe\", expected \"required\", \"optional\", "
            "\"forbidden\", \"ignored\" or \"constant\"");
}

TEST(Orchestra, uses_the_requested_scenario) {
  const std::string text = document({
      .messages = message("<fixr:fieldRef id=\"11\"/>") +
                  message("<fixr:fieldRef id=\"55\"/>", "scenario=\"Market\"") +
                  "<fixr:message id=\"2\" name=\"Cancel\" msgType=\"F\" scenario=\"Only\">"
                  "<fixr:structure><fixr:fieldRef id=\"11\"/></fixr:structure></fixr:message>",
  });
  const auto first_tag = [&](std::string_view scenario) {
    const Dictionary dictionary = load(text, scenario);
    EXPECT_EQ(dictionary.messages.size(), 2U);
    return dictionary.fields[dictionary.messages[0].members[0].index].tag;
  };
  EXPECT_EQ(first_tag("base"), 11U);
  EXPECT_EQ(first_tag("Market"), 55U);
  EXPECT_EQ(first_tag("Unknown"), 11U);
}

TEST(Orchestra, knows_the_lengths_of_data_fields) {
  const Dictionary dictionary =
      load(document({.fields = R"(<fixr:field id="5001" name="SizeOfBlob" type="Length"/>
<fixr:field id="5002" name="Blob" type="data" lengthId="5001"/>)"}));
  EXPECT_EQ(dictionary.field(5002)->length_tag, 5001U);
  EXPECT_EQ(error_of({.fields = R"(
<fixr:field id="5002" name="Blob" type="data" lengthId="5001"/>)"}),
            "test.xml:5: lengthId of \"Blob\" is 5001, and no field has this id");
}

TEST(Orchestra, knows_the_messages_of_the_session) {
  for (const char* type : {"0", "1", "2", "3", "4", "5", "A", "6", "D", "n", "AA"}) {
    const std::string text =
        document({.messages = "<fixr:message id=\"1\" name=\"M\" msgType=\"" + std::string{type} +
                              "\"><fixr:structure/></fixr:message>"});
    EXPECT_EQ(load(text).messages[0].admin, std::string_view{"012345A"}.contains(type)) << type;
  }
}

TEST(Orchestra, reads_the_version) {
  const auto version = [](const std::string& root) {
    const Dictionary dictionary = load(document({.root = root}));
    return dictionary.begin_string + '+' + std::to_string(dictionary.service_pack) + ' ' +
           std::to_string(dictionary.warnings.size());
  };
  EXPECT_EQ(version(R"(name="FIX.4.2" version="FIX.4.2")"), "FIX.4.2+0 0");
  EXPECT_EQ(version(R"(name="FIX.Latest" version="FIX.Latest_EP269")"), "FIX.5.0+2 0");
  EXPECT_EQ(version(R"(name="Mine" version="FIX.5.0SP1_EP90")"), "FIX.5.0+1 0");
  EXPECT_EQ(version(R"(name="FIXT.1.1" version="7")"), "FIXT.1.1+0 0");
  EXPECT_EQ(version(R"(name="Mine" version="7")"), "FIX.5.0+2 1");
}

TEST(Orchestra, names_the_line_of_an_undefined_name) {
  EXPECT_EQ(error_of({.messages = message("\n<fixr:fieldRef id=\"99\"/>")}),
            "test.xml:15: field 99 is not defined");
  EXPECT_EQ(error_of({.messages = message("\n<fixr:componentRef id=\"99\"/>")}),
            "test.xml:15: component 99 is not defined");
  EXPECT_EQ(error_of({.messages = message("\n<fixr:groupRef id=\"99\"/>")}),
            "test.xml:15: group 99 is not defined");
  EXPECT_EQ(error_of({.fields = R"(<fixr:field id="1" name="A" type="Sting"/>)"}),
            "test.xml:4: type \"Sting\" of \"A\" is neither a data type nor a code set");
  EXPECT_EQ(error_of({.code_sets = R"(<fixr:codeSet id="1" name="SideCodeSet" type="char"/>)",
                      .fields = R"(<fixr:field id="1" name="A" type="SideCodeset2"/>)"}),
            "test.xml:4: type \"SideCodeset2\" of \"A\" is neither a data type nor a code set; "
            "did you mean \"SideCodeSet\"?");
}

TEST(Orchestra, refuses_duplicate_definitions) {
  EXPECT_EQ(error_of({.fields = R"(<fixr:field id="1" name="A" type="int"/>
<fixr:field id="1" name="B" type="int"/>)"}),
            "test.xml:5: field id \"1\" is defined twice: A and B");
  EXPECT_EQ(error_of({.fields = R"(<fixr:field id="1" name="A" type="int"/>
<fixr:field id="01" name="B" type="int"/>)"}),
            "test.xml:5: tag 1 is defined twice");
  EXPECT_EQ(error_of({.fields = R"(<fixr:field id="1" name="A" type="int"/>
<fixr:field id="2" name="A" type="int"/>)"}),
            "test.xml:5: field \"A\" is defined twice");
  EXPECT_EQ(error_of({.messages = message("") + '\n' + message("")}),
            "test.xml:15: message msgType \"D\" is defined twice: Order and Order");
}

TEST(Orchestra, refuses_impossible_groups) {
  EXPECT_EQ(error_of({.groups = R"(<fixr:group id="1" name="G"><fixr:fieldRef id="448"/>
</fixr:group>)"}),
            "test.xml:13: group \"G\" lacks <numInGroup>, the field that counts its entries");
  EXPECT_EQ(error_of({.groups = R"(<fixr:group id="1" name="G"><fixr:numInGroup id="453"/>
</fixr:group>)"}),
            "test.xml:13: group \"NoPartyIDs\" has no fields: its first field begins an entry");
  EXPECT_EQ(error_of({.groups = R"(<fixr:group id="1" name="G"><fixr:numInGroup id="453"/>
<fixr:fieldRef id="448"/><fixr:groupRef id="1"/></fixr:group>)"}),
            "test.xml:13: group \"NoPartyIDs\" contains itself: NoPartyIDs > NoPartyIDs");
}

TEST(Orchestra, refuses_an_element_without_a_required_attribute) {
  EXPECT_EQ(error_of({.fields = R"(<fixr:field id="1" type="int"/>)"}),
            "test.xml:4: <fixr:field> lacks the attribute \"name\"");
  EXPECT_EQ(error_of({.fields = R"(<fixr:field name="A" type="int"/>)"}),
            "test.xml:4: <fixr:field> lacks the attribute \"id\"");
  EXPECT_EQ(error_of({.fields = R"(<fixr:field id="0" name="A" type="int"/>)"}),
            "test.xml:4: id is 0, expected 1 to 2147483647");
  EXPECT_EQ(error_of({.messages = "<fixr:message id=\"1\" name=\"A\" msgType=\"B\"/>"}),
            "test.xml:14: message \"A\" lacks <structure>");
}

TEST(Orchestra, gives_two_codes_of_one_name_two_names) {
  const Dictionary dictionary =
      load(document({.code_sets = R"(<fixr:codeSet id="1" name="S" type="char">
<fixr:code id="1" name="One" value="1"/><fixr:code id="2" name="One" value="2"/>
<fixr:code id="3" name="Three" value="2"/></fixr:codeSet>)",
                     .fields = R"(<fixr:field id="1" name="A" type="S"/>)"}));
  ASSERT_EQ(dictionary.fields[0].values.size(), 2U);
  EXPECT_EQ(dictionary.fields[0].values[0].name, "ONE");
  EXPECT_EQ(dictionary.fields[0].values[1].name, "ONE_2");
  ASSERT_EQ(dictionary.warnings.size(), 1U);
  EXPECT_EQ(dictionary.warnings[0],
            "test.xml:5: \"2\" of \"S\" is defined twice, the first counts");
}

TEST(Orchestra, warns_of_a_field_that_a_component_repeats) {
  const Dictionary dictionary = load(document({
      .components = R"(<fixr:component id="1000" name="Instrument"><fixr:fieldRef id="55"/>
</fixr:component>)",
      .messages = message(R"(<fixr:fieldRef id="55"/><fixr:componentRef id="1000"/>)"),
  }));
  ASSERT_EQ(dictionary.warnings.size(), 1U);
  EXPECT_EQ(dictionary.warnings[0],
            "test.xml:15: field \"Symbol\" is listed twice in \"Order\", the first counts");
}

// A dictionary in the Orchestra format. The ids of components and groups are their positions.
class OrchestraText {
 public:
  explicit OrchestraText(const Dictionary& dictionary) : dictionary_{dictionary} {}

  std::string write() {
    std::string code_sets;
    std::string fields;
    for (const FieldDefinition& field : dictionary_.fields) add_field(field, code_sets, fields);
    std::string components = holder("component", 1024, "StandardHeader", dictionary_.header) +
                             holder("component", 1025, "StandardTrailer", dictionary_.trailer);
    for (std::size_t i = 0; i < dictionary_.components.size(); ++i) {
      const ComponentDefinition& component = dictionary_.components[i];
      components += holder("component", kFirstId + i, component.name, component.members);
    }
    std::string groups;
    for (std::size_t i = 0; i < dictionary_.groups.size(); ++i) {
      const GroupDefinition& group = dictionary_.groups[i];
      const FieldDefinition& count = dictionary_.fields[group.count_field];
      groups += holder("group", kFirstId + i, "G" + std::to_string(i), group.members,
                       "<numInGroup id=\"" + std::to_string(count.tag) + "\"/>");
    }
    std::string messages;
    for (const MessageDefinition& message : dictionary_.messages) {
      messages += "<message name=\"" + message.name + "\" msgType=\"" + message.msg_type +
                  "\"><structure><componentRef id=\"1024\"/>" + members(message.members) +
                  "<componentRef id=\"1025\"/></structure></message>";
    }
    return "<repository version=\"FIX.Latest\"><codeSets>" + code_sets + "</codeSets><fields>" +
           fields + "</fields><components>" + components + "</components><groups>" + groups +
           "</groups><messages>" + messages + "</messages></repository>";
  }

 private:
  static constexpr std::size_t kFirstId = 2000;

  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
    return out;
  }

  static void add_field(const FieldDefinition& field, std::string& code_sets, std::string& fields) {
    std::string type{to_string(field.type)};
    if (!field.values.empty()) {
      code_sets += "<codeSet name=\"" + field.name + "CodeSet\" type=\"" + type + "\">";
      for (const FieldDefinition::EnumValue& value : field.values) {
        code_sets += "<code name=\"" + value.name + "\" value=\"" + escaped(value.value) + "\"/>";
      }
      code_sets += "</codeSet>";
      type = field.name + "CodeSet";
    }
    fields += "<field id=\"" + std::to_string(field.tag) + "\" name=\"" + field.name +
              "\" type=\"" + type + '"';
    if (field.other_values != FieldDefinition::OtherValues::None) {
      fields += " unionDataType=\"" + std::string{to_string(field.other_values)} + '"';
    }
    if (field.length_tag != 0) fields += " lengthId=\"" + std::to_string(field.length_tag) + '"';
    fields += "/>";
  }

  std::string holder(const std::string& kind, std::size_t id, const std::string& name,
                     const std::vector<Member>& held, const std::string& first = {}) const {
    return '<' + kind + " id=\"" + std::to_string(id) + "\" name=\"" + name + "\">" + first +
           members(held) + "</" + kind + '>';
  }

  std::string members(const std::vector<Member>& members) const {
    std::string text;
    for (const Member& member : members) {
      const char* const kind = member.kind == Member::Kind::Field       ? "fieldRef"
                               : member.kind == Member::Kind::Component ? "componentRef"
                                                                        : "groupRef";
      const std::size_t id = member.kind == Member::Kind::Field
                                 ? dictionary_.fields[member.index].tag
                                 : kFirstId + member.index;
      text += '<' + std::string{kind} + " id=\"" + std::to_string(id) + '"' +
              (member.required ? " presence=\"required\"/>" : "/>");
    }
    return text;
  }

  const Dictionary& dictionary_;
};

TEST(Orchestra, reads_the_largest_dictionary_as_quickfix_xml_is_read) {
  const Dictionary& expected = builtin_dictionary(Version::Fix50Sp2);
  Dictionary loaded = load(OrchestraText{expected}.write());
  ASSERT_GT(loaded.components.size(), 2U);
  // The first two are the header and the trailer.
  EXPECT_EQ(loaded.components.size(), expected.components.size() + 2);
  EXPECT_EQ(loaded.fields, expected.fields);
  EXPECT_EQ(loaded.groups.size(), expected.groups.size());
  ASSERT_EQ(loaded.messages.size(), expected.messages.size());
  for (std::size_t i = 0; i < expected.messages.size(); ++i) {
    const auto ours = flatten(loaded, loaded.messages[i].members);
    const auto theirs = flatten(expected, expected.messages[i].members);
    EXPECT_EQ(loaded.messages[i].msg_type, expected.messages[i].msg_type);
    EXPECT_TRUE(std::ranges::equal(ours, theirs, [](const FlatMember& a, const FlatMember& b) {
      return a.field == b.field && a.group == b.group && a.required == b.required;
    })) << expected.messages[i].name;
  }
  EXPECT_TRUE(loaded.warnings.empty()) << loaded.warnings.front();
}

// A code set occurs once in the text and counts for each field that uses it.
TEST(Orchestra, limits_the_number_of_values_of_fields) {
  std::string codes;
  std::string fields;
  for (int i = 0; i < 2'000; ++i) {
    const std::string number = std::to_string(i + 1);
    codes += "<code name=\"N" + number + "\" value=\"" + number + "\"/>";
    fields += "<field id=\"" + number + "\" name=\"F" + number + "\" type=\"S\"/>";
  }
  EXPECT_EQ(error_of({.code_sets = "<codeSet name=\"S\" type=\"int\">" + codes + "</codeSet>",
                      .fields = fields}),
            "test.xml:3: the fields' code sets hold more than 1000000 values");
}

// Base types may refer to each other.
TEST(Orchestra, ends_when_data_types_are_based_on_each_other) {
  const std::string text =
      "<repository version=\"FIX.4.4\"><datatypes><datatype name=\"P\" baseType=\"Q\"/>"
      "<datatype name=\"Q\" baseType=\"P\"/></datatypes>"
      "<fields><field id=\"1\" name=\"A\" type=\"P\"/></fields><messages/></repository>";
  const auto loaded = load_orchestra(text, "test.xml");
  ASSERT_FALSE(loaded);
  EXPECT_TRUE(loaded.error().text.starts_with("type \"P\" of \"A\" is neither"))
      << loaded.error().text;
}

}  // namespace
}  // namespace nexusfix::dictionary
