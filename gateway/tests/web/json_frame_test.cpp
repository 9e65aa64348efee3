// The JSON of docs/reference/gateway-json.md, and the frames of the other doors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "gateway/json/json_reader.hpp"
#include "gateway/json/json_writer.hpp"
#include "gateway/protocol/greeting.hpp"
#include "support/disks/fake_disk.hpp"

namespace nexusfix::gateway {
namespace {

using ::testing::HasSubstr;

const FieldNames& names() {
  static const FieldNames kNames = FieldNames::builtin();
  return kNames;
}

// The body of the frame with '|' for SOH; a fault begins with "fault: ".
std::string read(std::string_view json, FrameHeader* header = nullptr) {
  std::vector<char> bytes;
  const auto made = append_frame_of(bytes, json, names());
  if (!made) {
    EXPECT_TRUE(bytes.empty());
    return "fault: " + made.error().text;
  }
  const auto frame = read_frame(bytes);
  EXPECT_TRUE(frame);
  if (header != nullptr) *header = frame->header;
  std::string body{frame->body};
  for (char& one : body) {
    if (one == '\x01') one = '|';
  }
  return body;
}

std::string message(std::string_view object) {
  return read(R"({"type":"send","session":0,"number":1,"message":)" + std::string{object} + "}");
}

std::string written(const FrameHeader& header, std::string_view body) {
  std::string text;
  append_json_of(text, {header, body});
  return text;
}

TEST(GatewayJsonTest, hello_has_name_token_and_cursors) {
  FrameHeader header;
  EXPECT_EQ(read(R"({"type":"hello","name":"desk","token":"t","cursors":[)"
                 R"({"session":"FIX.4.4:A->B","epoch":1,"msgSeqNum":7},)"
                 R"({"session":"FIX.4.4:A->B","epoch":1,"msgSeqNum":9,"sent":true}]})",
                 &header),
            "name=desk\ntoken=t\ncursor=1 7 FIX.4.4:A->B\nsent=1 9 FIX.4.4:A->B\n");
  EXPECT_EQ(header.kind, FrameKind::Hello);
  EXPECT_THAT(read(R"({"type":"hello","name":"a\nring=1","token":"t"})"), HasSubstr("line feed"));
  EXPECT_THAT(read(R"({"type":"hello","name":"a"})"), HasSubstr("\"token\": a text"));
  EXPECT_THAT(read(R"({"type":"hello","name":"a","token":"t","ring":1})"),
              HasSubstr("\"ring\": no such member"));
}

TEST(GatewayJsonTest, send_has_a_message_by_names_by_tags_or_as_fix) {
  FrameHeader header;
  EXPECT_EQ(read(R"({"type":"send","session":2,"number":7,"message":)"
                 R"({"ClOrdID":"A1","MsgType":"D","54":"1","OrderQty":100,"Price":"10.50"}})",
                 &header),
            "35=D|11=A1|54=1|38=100|44=10.50|");
  EXPECT_EQ(header, (FrameHeader{.kind = FrameKind::Send, .session = 2, .number = 7}));
  EXPECT_EQ(read(R"({"type":"send","session":0,"number":1,"fix":"35=D\u000111=A1\u0001"})"),
            "35=D|11=A1|");
  EXPECT_EQ(read(R"({"type":"send","session":0,"number":1,"latin1":"35=D\u000158=\u00e9\u0001"})"),
            "35=D|58=\xe9|");
}

TEST(GatewayJsonTest, groups_are_arrays_of_objects) {
  EXPECT_EQ(message(R"({"MsgType":"D","NoPartyIDs":[{"PartyID":"A","NoPartySubIDs":)"
                    R"([{"PartySubID":"x"}]},{"PartyID":"B"}],"Text":"t"})"),
            "35=D|453=2|448=A|802=1|523=x|448=B|58=t|");
}

TEST(GatewayJsonTest, length_of_a_data_field_follows_from_its_value) {
  EXPECT_EQ(message(R"({"MsgType":"B","RawDataLength":99,"RawData":"a\u0001é"})"),
            "35=B|95=4|96=a|\xc3\xa9|");
}

TEST(GatewayJsonTest, fault_of_a_message_refuses_that_send_alone) {
  for (const auto& [object, what] : std::vector<std::pair<std::string, std::string>>{
           {R"({"ClOrdID":"A1"})", "no MsgType"},
           {R"({"MsgType":"D","Nonsense":"1"})", "no dictionary has the field Nonsense"},
           {R"({"MsgType":"D","Text":""})", "Text: the value is empty"},
           {R"({"MsgType":"D","Text":"a\u000138=9"})", "Text: the value has SOH"},
           {R"({"MsgType":"D","Text":true})", "Text: a text, an integer"},
           {R"({"MsgType":"D","NoPartyIDs":["A"]})", "NoPartyIDs: the entries"},
           {R"({"MsgType":"D","NoPartyIDs":[{}]})", "NoPartyIDs: the entries"},
           {R"({"MsgType":"D","0":"x"})", "no dictionary has the field 0"},
           {R"("35=D")", "an object was expected"}}) {
    std::vector<char> bytes;
    const auto made = append_frame_of(
        bytes, R"({"type":"send","session":3,"number":9,"message":)" + object + "}", names());
    ASSERT_FALSE(made) << object;
    EXPECT_THAT(made.error().text, HasSubstr(what)) << object;
    EXPECT_TRUE(made.error().is_of_message) << object;
    EXPECT_EQ(made.error().session, 3U);
    EXPECT_EQ(made.error().number, 9U);
  }
}

TEST(GatewayJsonTest, text_that_is_no_frame_is_a_fault_of_the_client) {
  for (const auto& [json, what] : std::vector<std::pair<std::string, std::string>>{
           {"[]", "an object was expected"},
           {"{}", "\"type\": a text"},
           {R"({"type":"order"})", "no frame has the type order"},
           {R"({"type":"send","session":0,"number":-1,"fix":""})", "\"number\": a number of 0"},
           {R"({"type":"send","session":4294967296,"number":1,"fix":""})", "\"session\": a number"},
           {R"({"type":"send","session":"0","number":1,"fix":""})", "\"session\": a number"},
           {R"({"type":"send","session":0,"number":1,"fix":"","more":1})", "\"more\": no such"},
           {R"({"type":"send","session":0,"number":1,"fix":7})", "\"fix\": a text"},
           {R"({"type":"closed","code":"x"})", "\"code\": a number"}}) {
    std::vector<char> bytes;
    const auto made = append_frame_of(bytes, json, names());
    ASSERT_FALSE(made) << json;
    EXPECT_THAT(made.error().text, HasSubstr(what)) << json;
    EXPECT_FALSE(made.error().is_of_message) << json;
  }
}

TEST(GatewayJsonTest, message_that_is_longer_than_a_frame_is_refused) {
  const std::string fits(kFrameBytesMax - kHeaderBytes, 'x');
  EXPECT_EQ(read(R"({"type":"send","session":0,"number":1,"fix":")" + fits + "\"}"), fits);
  EXPECT_THAT(read(R"({"type":"send","session":0,"number":1,"fix":")" + fits + "x\"}"),
              HasSubstr("too long"));
}

TEST(GatewayJsonTest, frames_of_the_gateway_are_objects_of_one_line) {
  EXPECT_EQ(written({.kind = FrameKind::Welcome, .number = 6},
                    write_welcome({.gateway = "1",
                                   .role = "trader",
                                   .sessions = {{0, 1, 4, 5, true, "FIX.4.4:A->B"}}})),
            R"({"type":"welcome","gateway":"1","role":"trader","lastAccepted":6,"sessions":[)"
            R"({"session":0,"name":"FIX.4.4:A->B","epoch":1,"received":4,"sent":5,)"
            R"("loggedOn":true}]})");
  EXPECT_EQ(
      written({.kind = FrameKind::Message, .flags = 1, .epoch = 1, .msg_seq_num = 9}, "35=8\x01"),
      R"({"type":"message","session":0,"epoch":1,"msgSeqNum":9,"fromJournal":true,)"
      R"("fix":"35=8\u0001"})");
  EXPECT_EQ(
      written({.kind = FrameKind::Refused, .code = 4, .msg_seq_num = 20, .number = 7}, "later\n"),
      R"({"type":"refused","session":0,"number":7,"code":4,"waitMs":20,)"
      R"("reason":"later\n"})");
  EXPECT_EQ(written({.kind = FrameKind::CaughtUp}, ""), R"({"type":"caughtUp"})");
}

TEST(GatewayJsonTest, bytes_that_are_no_utf8_are_characters_of_latin1) {
  EXPECT_EQ(written({.kind = FrameKind::Message, .epoch = 1, .msg_seq_num = 2}, "58=\xe9\x80\x01"),
            "{\"type\":\"message\",\"session\":0,\"epoch\":1,\"msgSeqNum\":2,"
            "\"latin1\":\"58=\xc3\xa9\xc2\x80\\u0001\"}");
}

TEST(FieldNamesTest, own_dictionary_comes_first_and_two_tags_of_a_name_are_no_guess) {
  testing::FakeDisk disk;
  const auto dictionary = [](std::string_view fields) {
    return "<fix major='4' minor='4'><header/><trailer/><messages><message name='VenueOrder' "
           "msgtype='UX' msgcat='app'><field name='Own' required='N'/></message></messages>"
           "<fields>" +
           std::string{fields} + "</fields></fix>";
  };
  disk.set_contents("/a.xml", dictionary("<field number='6001' name='Own' type='CHAR'/>"
                                         "<field number='6002' name='Side' type='CHAR'/>"));
  disk.set_contents("/b.xml", dictionary("<field number='7001' name='Own' type='CHAR'/>"));
  config::Settings settings;
  for (const char* const file : {"", "/a.xml", "/b.xml", "/absent.xml"}) {
    settings.sessions.emplace_back().dictionary.file = file;
  }
  const FieldNames own = FieldNames::of(settings, disk);
  EXPECT_EQ(own.tag_of("Side"), 6002U);
  EXPECT_EQ(own.tag_of("ClOrdID"), 11U);
  EXPECT_THAT(own.tag_of("Own").error(), HasSubstr("several tags"));
  EXPECT_EQ(names().tag_of("Side"), 54U);
  EXPECT_EQ(names().tag_of("5001"), 5001U);
  EXPECT_FALSE(names().tag_of("1x"));
  EXPECT_FALSE(names().tag_of("99999999999"));
}

}  // namespace
}  // namespace nexusfix::gateway
