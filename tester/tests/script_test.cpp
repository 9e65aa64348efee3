// The language of the scripts: docs/guide/test-scripts.md.
#include "tester/script/script.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "support/fix_text.hpp"
#include "tester/script/condition.hpp"
#include "tester/script/message_text.hpp"

namespace nexusfix::tester {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::size_t kFix40 = 0;
constexpr std::size_t kFix44 = 4;
constexpr std::string_view kBegin = "# A scenario of this test\nlanguage 1\n";

class ScriptTest : public ::testing::Test {
 protected:
  std::expected<Script, std::string> read(const std::string& text) {
    ReadOptions options;
    options.parts = [this](const std::string& name) -> std::expected<std::string, std::string> {
      const auto part = parts_.find(name);
      if (part == parts_.end()) return std::unexpected{name + ".part: there is no such part"};
      return part->second;
    };
    options.names = names_;
    return parse_script("folder/a.scenario", text, options);
  }
  std::string error_of(std::string_view lines) {
    const auto script = read(std::string{kBegin}.append(lines));
    return script ? "no error" : script.error();
  }

  std::map<std::string, std::string> parts_;
  std::set<std::string, std::less<>> names_;
};

TEST_F(ScriptTest, script_that_does_not_name_its_source_or_language_is_refused) {
  EXPECT_THAT(read("connect\n").error(), StartsWith("a.scenario:1:1: the first line must be"));
  EXPECT_THAT(read("#\nconnect\n").error(), StartsWith("a.scenario:1:1: the first line must be"));
  EXPECT_EQ(read("# Only a source\n").error(), "a: the file is empty");
  EXPECT_THAT(read("# Only a source\nconnect\n").error(), HasSubstr("\"language 1\" is missing"));
  EXPECT_THAT(read("# Only a source\nlanguage 2\nconnect\n").error(),
              HasSubstr("this program plays language 1, and the script is of language 2"));
}

TEST_F(ScriptTest, script_and_its_parts_may_begin_with_a_byte_order_mark) {
  const std::string mark = "\xEF\xBB\xBF";
  parts_["one"] = mark + "# A part of this test\nlet order = 35=D\n";
  const auto script = read(mark + std::string{kBegin} + "include one\nconnect\nsend <order>\n");
  EXPECT_TRUE(script.has_value()) << script.error();
}

TEST_F(ScriptTest, typo_is_named_with_line_column_and_the_nearest_word) {
  EXPECT_EQ(error_of("  exepct 35=0\n"),
            "a.scenario:3:3: unknown statement: exepct 35=0; did you mean expect?");
  EXPECT_EQ(error_of("let order = 35=D\nconnect\nsend <ordr>\n"),
            "a.scenario:5:6: <ordr> means nothing; did you mean order?, in: send <ordr>");
  EXPECT_EQ(error_of("session b 49=B\nc: connect\n"),
            "a.scenario:4:1: there is no session \"c\" above; did you mean b?");
}

TEST_F(ScriptTest, second_word_with_a_typo_is_named_with_its_column_and_the_nearest_word) {
  struct Typo {
    std::string_view line;
    std::string_view column;
    std::string_view meant;
  };
  for (const Typo& typo : {Typo{"send garbge 5000", "6", "garbage"},
                           {"send fist 30 35=0", "6", "first"},
                           {"send byts 8=FIX", "6", "bytes"},
                           {"send altred 3 35=0", "6", "altered"},
                           {"a: send rst", "9", "rest"},
                           {"expect conect", "8", "connect"},
                           {"expect disconnet", "8", "disconnect"},
                           {"expect exacty 35=0", "8", "exactly"},
                           {"expect witin 3s 35=0", "8", "within"},
                           {"expect connect wihtin 3s", "16", "within"},
                           {"expect exactly withn 3s 35=0", "16", "within"},
                           {"if silnt 3s", "4", "silent"},
                           {"if disconect", "4", "disconnect"},
                           {"ignore nothng", "8", "nothing"},
                           {"pieces of", "8", "off"},
                           {"reading of", "9", "off"},
                           {"raeding off", "1", "reading"},
                           {"checks onn", "8", "on"},
                           {"signing of", "9", "off"},
                           {"log uot", "5", "out"},
                           {"[aceptor] connect", "2", "acceptor"},
                           {"expect 35=8|58 presnt", "13", "present"},
                           {"expect 35=8|37 sa id", "13", "as"},
                           {"elapsed strat 1s-2s", "9", "start"}}) {
    const auto error = error_of("session a 49=A\nmark start\n" + std::string{typo.line} + "\n");
    EXPECT_THAT(error, StartsWith("a.scenario:5:" + std::string{typo.column} + ": ")) << typo.line;
    EXPECT_THAT(error, HasSubstr("; did you mean " + std::string{typo.meant} + "?")) << typo.line;
  }
  EXPECT_THAT(
      error_of("if 35=3\nelse fi 35=5\nend\n"),
      StartsWith("a.scenario:4:6: after \"else\" comes nothing, or \"if\"; did you mean if?"));
  EXPECT_EQ(error_of("send MsgType=0"),
            "a.scenario:3:6: unknown word: MsgType=0; a field begins with its tag, as in 35=0");
  EXPECT_EQ(error_of("send 35=4|34=2|36=<NextOt+5>"),
            "a.scenario:3:19: <NextOt+5> means nothing; did you mean NextOut?, in: "
            "send 35=4|34=2|36=<NextOt+5>");
  EXPECT_THAT(error_of("include alve"), StartsWith("a.scenario:3:9: alve.part: there is no such"));
  EXPECT_EQ(error_of("wait 1s\n  [4.2+] repeat 3\n  wait 1s\n"),
            "a.scenario:4:10: \"end\" is missing for: repeat 3");
}

TEST_F(ScriptTest, mistakes_are_named_with_file_line_and_column) {
  EXPECT_EQ(error_of("wait"), "a.scenario:3:1: \"wait\" needs an argument");
  EXPECT_EQ(error_of("disconnect now"), "a.scenario:3:12: \"disconnect\" takes no argument");
  EXPECT_EQ(error_of("[4.2 wait 1s"), "a.scenario:3:1: \"]\" is missing");
  EXPECT_THAT(error_of("[4.5] wait 1s"), StartsWith("a.scenario:3:2: unknown version \"4.5\""));
  EXPECT_EQ(error_of("[4.4-4.2] wait 1s"), "a.scenario:3:2: no version is in 4.4-4.2");
  EXPECT_EQ(error_of("wait 1s\nversions 4.0"), "a.scenario:4:1: \"versions\" must come first");
  EXPECT_THAT(error_of("include nothing"), HasSubstr("nothing.part: there is no such part"));
  EXPECT_THAT(error_of("wait soon"), HasSubstr("\"soon\" is not a time like 30s"));
  EXPECT_THAT(error_of("repeat many"), HasSubstr("\"many\" is not a number from 0 to 1000000"));
  EXPECT_THAT(error_of("elapsed start 1s-2s"), HasSubstr("there is no \"mark start\" above"));
  EXPECT_EQ(error_of("elapsed zork 2s-3s"), "a.scenario:3:9: there is no \"mark zork\" above");
  EXPECT_THAT(error_of("  versions"), StartsWith("a.scenario:3:3: "));
  EXPECT_THAT(error_of("let x"), HasSubstr("let NAME = TEXT"));
  EXPECT_THAT(error_of("app logged on"), HasSubstr("unknown statement"));
}

TEST_F(ScriptTest, time_limit_at_the_end_is_an_error_that_shows_its_place) {
  constexpr std::string_view kPlace = "the time limit stands before the fields: ";
  EXPECT_EQ(error_of("expect 35=0 within 3s"),
            "a.scenario:3:13: " + std::string{kPlace} + "expect within 3s 35=0");
  EXPECT_EQ(error_of("if 35=0|112=A witin 3s\nend"),
            "a.scenario:3:15: " + std::string{kPlace} + "if within 3s 35=0|112=A");
  EXPECT_THAT(error_of("expect exactly 35=0 within 500ms"), HasSubstr(kPlace));
  EXPECT_EQ(error_of("expect within 3s 35=0"), "no error");
  EXPECT_EQ(error_of("expect 35=3|58~answer within 3s"), "no error");
  EXPECT_EQ(error_of("expect 35=3|58=answer after 3s"), "no error");
}

TEST_F(ScriptTest, title_is_the_first_comment_to_the_end_of_its_sentence) {
  parts_["b"] = "# A part that waits\n# for a second.\nwait 1s\n";
  const auto title_of = [&](const std::string& comment) {
    const auto script = read(comment + "language 1\ninclude b\n# A comment\nwait 1s\n");
    return script ? script->title : script.error();
  };
  EXPECT_EQ(title_of("# One line of a title.\n# A comment.\n"), "One line of a title.");
  EXPECT_EQ(title_of("# A title of\n# two lines.\n# A comment.\n"), "A title of two lines.");
  EXPECT_EQ(title_of("# A title of\n#\n# one line\n"), "A title of");
  EXPECT_EQ(title_of("# A title of\n\n# one line\n"), "A title of");
}

TEST_F(ScriptTest, blocks_have_their_statements_and_must_be_ended) {
  const auto script = read(std::string{kBegin} +
                           "connect\nif 35=3\n  stop\nelse if 35=5\n  wait 1s\nelse\n  wait 2s\n"
                           "end\nrepeat 3\n  send 35=0\nend\n");
  ASSERT_TRUE(script.has_value()) << script.error();
  ASSERT_EQ(script->statements.size(), 3U);
  const Statement& branch = script->statements[1];
  ASSERT_EQ(branch.otherwise.size(), 1U);
  EXPECT_EQ(branch.body.front().verb, Verb::Stop);
  EXPECT_EQ(branch.otherwise.front().body.front().text, "wait 1s");
  EXPECT_EQ(branch.otherwise.front().otherwise.front().text, "wait 2s");
  EXPECT_EQ(script->statements[2].count, 3U);
  const auto scoped = read(std::string{kBegin} + "[acceptor] if 35=3\n  connect\nend\n");
  ASSERT_TRUE(scoped.has_value()) << scoped.error();
  EXPECT_EQ(scoped->connects.to_string(), "01");
  EXPECT_EQ(error_of("if 35=3\n"), "a.scenario:3:1: \"end\" is missing for: if 35=3");
  EXPECT_THAT(error_of("end\n"), HasSubstr("\"end\" without \"if\" or \"repeat\""));
  EXPECT_THAT(error_of("repeat 2\nelse\nend\n"), HasSubstr("\"else\" without \"if\""));
}

TEST_F(ScriptTest, included_lines_keep_their_place_and_have_the_scope_of_the_include) {
  parts_["b"] = "# A part of this test\nwait 1s\n[4.0-4.1] wait 2s\n[initiator] expect connect\n";
  const auto script = read(std::string{kBegin} + "versions 4.0+\n[4.1+] include b\n");
  ASSERT_TRUE(script.has_value()) << script.error();
  ASSERT_EQ(script->statements.size(), 3U);
  EXPECT_EQ(script->statements[1].place, "b.part:3");
  EXPECT_EQ(script->statements[0].scope.versions, *parse_versions("4.1+"));
  EXPECT_EQ(script->statements[1].scope.versions, *parse_versions("4.1"));
  EXPECT_EQ(script->listens.to_string(), "10");
  EXPECT_TRUE(script->connects.none());
  parts_["c"] = "# A part that includes itself\ninclude c\n";
  EXPECT_THAT(error_of("include c\n"), HasSubstr("too many includes"));
}

TEST_F(ScriptTest, names_of_the_command_line_are_known) {
  EXPECT_THAT(error_of("send <symbol>\n"), HasSubstr("<symbol> means nothing"));
  EXPECT_THAT(read(std::string{kBegin} + "let order = 35=D\nsend 35=1|112=<now>\n")->names,
              ElementsAre("now", "order"));
  names_.emplace("symbol");
  EXPECT_EQ(error_of("send <symbol>\n"), "no error");
}

TEST(MessageText, fields_are_those_of_the_version_with_names_replaced) {
  Meaning meaning;
  meaning.version = kFix40;
  meaning.now = WallTime{std::chrono::seconds{1'705'314'600}};
  meaning.lets["twice"] = "7=1|<once>";
  meaning.lets["once"] = "[4.0]16=999999|[4.2+]16=0";
  meaning.lets["endless"] = "<endless>";
  meaning.values["captured"] = "a|<b>";
  meaning.values["NextOut"] = "7";
  EXPECT_THAT(*expand("35=2|<twice>", meaning), ElementsAre("35=2", "7=1", "16=999999"));
  EXPECT_THAT(*expand("60=<now-90s>", meaning), ElementsAre("60=20240115-10:28:30"));
  meaning.version = kFix44;
  EXPECT_THAT(*expand("60=<now+1500ms>", meaning), ElementsAre("60=20240115-10:30:01.500"));
  EXPECT_THAT(*expand("58=<captured>|34=<NextOut+5>", meaning), ElementsAre("58=a|<b>", "34=12"));
  EXPECT_THAT(*expand("58=a\\|b|34<10", meaning), ElementsAre("58=a|b", "34<10"));
  EXPECT_EQ(with_names("silent <captured>", meaning), "silent a|<b>");
  EXPECT_EQ(with_names("silent <unknown>", meaning), "silent <unknown>");
  EXPECT_EQ(expand("<unknown>", meaning).error(), "<unknown> means nothing");
  EXPECT_EQ(expand("<now-soon>", meaning).error(), "<now-soon> means nothing");
  EXPECT_EQ(expand("<endless>", meaning).error(), "<endless> has no end");
  EXPECT_EQ(expand("[4.0]1=2", meaning).error(), "no field is left for this version");
  EXPECT_EQ(*raw_bytes("8=FIX||a\\x00", meaning), std::string("8=FIX\x01\x01"
                                                              "a\0",
                                                              9));
}

TEST(MessageText, header_is_completed_in_the_order_of_its_tags) {
  Meaning meaning;
  meaning.version = kFix44;
  const Writer writer{"A", "B", 7};
  EXPECT_THAT(*complete({"35=0", "112=x", "43=Y", "34=2", "-52"}, writer, meaning),
              ElementsAre("35=0", "34=2", "43=Y", "49=A", "56=B", "112=x"));
  const Writer with_header{"A", "B", 7, {"50=S", "57=T", "142=L"}};
  EXPECT_THAT(*complete({"35=0", "50=own", "-57", "-52"}, with_header, meaning),
              ElementsAre("35=0", "34=7", "49=A", "56=B", "142=L", "50=own"));
  EXPECT_EQ(complete({"112=x"}, writer, meaning).error(), "35= must come first");
  EXPECT_THAT(complete({"35=0", "43=Y"}, writer, meaning).error(), HasSubstr("must be given"));
  EXPECT_EQ(testing::bar(frame({"35=0", "9=99", "8=X", "10=1"}, meaning)), "8=X|9=99|35=0|10=1|");
}

// What the condition says of a message; "holds" if it is fulfilled.
std::string judged(std::string_view condition, std::string_view message) {
  const std::string bytes = testing::soh(message);
  const auto parsed = Condition::parse(condition);
  if (!parsed) return parsed.error();
  return parsed->difference(fields_of(bytes)).value_or("holds");
}

TEST(ConditionTest, each_comparison_holds_or_names_what_the_message_has) {
  constexpr std::string_view kMessage = "35=8|39=2|34=9|448=A|448=B|58=MsgSeqNum too low|";
  for (const std::string_view holds :
       {"39=2", "39!=8", "34<10", "34<=9", "34>8.5", "34>=9", "58~too (low|high)$", "39 in 1,2",
        "58 present", "60 absent", "60!=1", "448#2=B", "37 absent", "34 as number"}) {
    EXPECT_EQ(judged(holds, kMessage), "holds") << holds;
  }
  EXPECT_EQ(judged("39=1", kMessage), "39=2");
  EXPECT_EQ(judged("34>9", kMessage), "34=9");
  EXPECT_EQ(judged("39 in 0,12", kMessage), "39=2");
  EXPECT_EQ(judged("58 absent", kMessage), "58=MsgSeqNum too low");
  EXPECT_EQ(judged("37 present", kMessage), "there is no 37");
  EXPECT_EQ(judged("448#3=C", kMessage), "there is no 448#3");
  EXPECT_EQ(judged("37 as id", kMessage), "there is no 37");
}

TEST(ConditionTest, mistakes_say_what_was_expected) {
  EXPECT_THAT(judged("=8", ""), HasSubstr("a condition begins with a tag"));
  EXPECT_THAT(judged("39 is 8", ""), HasSubstr("after the tag comes ="));
  EXPECT_THAT(judged("39#0=8", ""), HasSubstr("#1 is the first"));
  EXPECT_THAT(judged("58~(", ""), HasSubstr("missing )"));
}

}  // namespace
}  // namespace nexusfix::tester
