#include "logs/grep/grep.hpp"

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "capture_builder.hpp"
#include "logs/grep/matcher.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"
#include "support/output_text.hpp"
#include "support/sanitized.hpp"

namespace nexusfix::command {
namespace {

using testing::bar;
using ::testing::EndsWith;
using testing::fix;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::soh;
using ::testing::StartsWith;

const std::string kOrder =
    fix("FIX.4.4",
        "35=D|34=2|49=T|52=20240115-10:30:00|56=V|11=A1|453=2|448=DESK|447=D|452=24|448=ANNA|447=D|"
        "452=12|55=AAPL|54=1|38=100|44=150.00|");
const std::string kReport =
    fix("FIX.4.4", "35=8|34=3|49=V|52=20240115-10:30:01|56=T|37=X|11=A1|39=8|55=AAPL|58=no price|");
const std::string kHeartbeat = fix("FIX.4.2", "35=0|34=4|49=V|52=20240115-10:30:02|56=T|");
// The bytes of RawData look like fields.
const std::string kRaw = fix("FIX.4.4", "35=B|34=5|148=news|95=17|96=x|55=FAKE|44=999||");

bool fulfils(const std::string& message, const std::string& expression) {
  const FieldNames names;
  const auto parsed = logs::parse_expression(expression, names);
  EXPECT_TRUE(parsed.has_value()) << expression << (parsed ? "" : parsed.error().text);
  if (!parsed) return false;
  logs::Matcher matcher{*parsed};
  const bool result = matcher.matches(message);
  EXPECT_EQ(matcher.matches_fields(message), result) << expression << "  " << bar(message);
  return result;
}

std::string error_of(const std::string& expression) {
  const FieldNames names;
  const auto parsed = logs::parse_expression(expression, names);
  return parsed ? "" : logs::underlined(expression, parsed.error());
}

TEST(Expression, compares_fields_by_name_and_by_tag) {
  for (const std::string expression :
       {"MsgType=D", "35=D", "msgtype == D", "Symbol=AAPL", "ClOrdID=\"A1\"", "11='A1'", "Symbol",
        "Symbol != MSFT", "BeginString=FIX.4.4", "8=FIX.4.4", "35=D and 55=AAPL", "35=8 or 55=AAPL",
        "not 35=8", "!(35=8)", "(35=8 or 35=D) && 11=A1", "9999 or 35=D"}) {
    EXPECT_TRUE(fulfils(kOrder, expression)) << expression;
  }
  for (const std::string expression :
       {"MsgType=8", "Symbol=AAP", "Symbol=APL", "Symbol!=AAPL", "Text", "Text!=x", "not 35=D",
        "35=D and 55=MSFT", "11=A", "1=A1", "BeginString=FIX.4.2"}) {
    EXPECT_FALSE(fulfils(kOrder, expression)) << expression;
  }
}

TEST(Expression, compares_numbers_as_numbers_and_times_as_texts) {
  for (const std::string expression :
       {"Price=150", "Price>149.99", "Price>=150.0", "Price<=150", "OrderQty<1000", "OrderQty>99",
        "Price!=151", "SendingTime>=20240115-10:30:00", "SendingTime<20240115-10:30:00.001",
        "SendingTime>20240115", "MsgSeqNum<10"}) {
    EXPECT_TRUE(fulfils(kOrder, expression)) << expression;
  }
  for (const std::string expression :
       {"Price>150", "Price<150.00", "Price!=150", "OrderQty>100", "SendingTime>20240116"}) {
    EXPECT_FALSE(fulfils(kOrder, expression)) << expression;
  }
  EXPECT_FALSE(fulfils(fix("FIX.4.4", "35=D|44=abc|"), "Price>1 or Price<1 or Price=1"));
  // As `%.20f` prints 150.1, and .NET 31/3.
  const std::string exact =
      fix("FIX.4.4", "35=D|44=150.10000000000000142109|6=-10.333333333333333333333333333|");
  EXPECT_TRUE(fulfils(exact, "Price>150.1 and Price<150.2 and Price!=150.1 and Price>=-150.2"));
  EXPECT_TRUE(fulfils(exact, "Price=0150.100000000000001421090 and AvgPx<-10.3 and AvgPx>-10.4"));
  EXPECT_FALSE(fulfils(exact, "Price>150.10000000000000142109 or Price<9 or AvgPx>-10"));
  EXPECT_FALSE(fulfils(exact, "AvgPx=-10.333333333333333333333333334 or AvgPx<-100.5"));
  EXPECT_TRUE(fulfils(fix("FIX.4.4", "35=D|44=-0.00000000000000000000|"), "Price=0 and Price<1"));
  EXPECT_TRUE(fulfils(fix("FIX.4.4", "35=D|44=150.50|"), "Price=\"150.50\" and Price>\"99\""));
  EXPECT_FALSE(fulfils(fix("FIX.4.4", "35=D|44=150.50|"), "Price=\"150.5\""));
}

TEST(Expression, takes_names_of_values_and_of_messages) {
  EXPECT_TRUE(fulfils(kOrder, "Side=BUY"));
  EXPECT_TRUE(fulfils(kOrder, "Side=buy and MsgType=NewOrderSingle"));
  EXPECT_FALSE(fulfils(kOrder, "Side=SELL"));
  EXPECT_FALSE(fulfils(kOrder, "Side=\"BUY\""));
  EXPECT_TRUE(fulfils(kReport, "OrdStatus=REJECTED"));
  EXPECT_TRUE(fulfils(kHeartbeat, "MsgType=Heartbeat"));
}

TEST(Expression, matches_regular_expressions_anywhere_in_a_value) {
  EXPECT_TRUE(fulfils(kOrder, "Symbol~\"AAPL|MSFT\""));
  EXPECT_TRUE(fulfils(kReport, "Text ~ 'no\\s+price$'"));
  EXPECT_FALSE(fulfils(kOrder, "Symbol!~\"^AA\""));
  EXPECT_TRUE(fulfils(kOrder, "Symbol!~\"^MS\""));
  EXPECT_FALSE(fulfils(kHeartbeat, "Symbol!~\"^MS\""));
}

TEST(Expression, looks_into_groups_and_into_single_entries) {
  EXPECT_TRUE(fulfils(kOrder, "NoPartyIDs.PartyID=ANNA"));
  EXPECT_TRUE(fulfils(kOrder, "453.448=\"ANNA\" and 55=AAPL"));
  EXPECT_TRUE(fulfils(kOrder, "NoPartyIDs[PartyID=ANNA and PartyRole=12]"));
  EXPECT_FALSE(fulfils(kOrder, "NoPartyIDs[PartyID=ANNA and PartyRole=24]"));
  EXPECT_TRUE(fulfils(kOrder, "NoPartyIDs[not PartyID=ANNA]"));
  EXPECT_FALSE(fulfils(kOrder, "NoPartyIDs.Symbol=AAPL"));
  EXPECT_FALSE(fulfils(kReport, "NoPartyIDs.PartyID=ANNA"));
  EXPECT_FALSE(fulfils(kOrder, "NoPartyIDs.MsgType=D"));
  EXPECT_TRUE(fulfils(kOrder, "NoPartyIDs[not MsgType=D]"));
}

TEST(Expression, does_not_take_the_bytes_of_a_data_field_for_fields) {
  EXPECT_FALSE(fulfils(kRaw, "Symbol=FAKE"));
  EXPECT_FALSE(fulfils(kRaw, "Symbol"));
  EXPECT_FALSE(fulfils(kRaw, "Price>1"));
  EXPECT_TRUE(fulfils(kRaw, "not Symbol=FAKE"));
  EXPECT_TRUE(fulfils(kRaw, "RawData~FAKE"));
  EXPECT_TRUE(fulfils(kRaw, "RawDataLength=17 and MsgType=B"));
}

TEST(Expression, underlines_what_is_wrong_and_suggests_the_right_name) {
  EXPECT_EQ(error_of("MsgType=D and Sybmol=AAPL"),
            "Sybmol is no field of FIX. Did you mean Symbol?\n"
            "  MsgType=D and Sybmol=AAPL\n"
            "                ^~~~~~");
  EXPECT_THAT(error_of("OrdStatus=REJCTED"), HasSubstr("Did you mean REJECTED?"));
  EXPECT_THAT(error_of("OrdStatus=REJCTED"), EndsWith("\n            ^~~~~~~"));
  EXPECT_THAT(error_of("Symbol~\"(\""), StartsWith("the regular expression is wrong: "));
  EXPECT_THAT(error_of("Symbol="), StartsWith("a value was expected"));
  EXPECT_THAT(error_of("(35=D"), EndsWith("  (35=D\n  ^"));
  EXPECT_THAT(error_of("35=D 55=A"), StartsWith("`and` or `or` was expected"));
  EXPECT_THAT(error_of(""), StartsWith("the expression ends where a field was expected"));
  EXPECT_THAT(error_of("Symbol=\"A"), StartsWith("the quote has no end"));
  EXPECT_THAT(error_of("Symbol.PartyID=A"), StartsWith("Symbol counts no repeating group"));
  EXPECT_THAT(error_of(std::string(100, '(')), StartsWith("the expression is nested too deeply"));
  EXPECT_EQ(error_of("Price>1x"),
            "1x is no number. Write \"1x\" in quotes for exactly this text\n"
            "  Price>1x\n"
            "        ^~");
  EXPECT_THAT(error_of("MsgSeqNum=two"), StartsWith("two is no number."));
  EXPECT_THAT(error_of("SendingTime>10:30:00"), StartsWith("10:30:00 is no time such as 2024"));
  EXPECT_THAT(error_of("SendingTime>2024-01-15"), StartsWith("2024-01-15 is no time such as"));
  EXPECT_EQ(error_of("SendingTime>20240115"), "");
  EXPECT_EQ(error_of("Price=\"1x\" or MsgSeqNum=-2"), "");
  EXPECT_EQ(error_of("Side=\"BYU\""), "");
  EXPECT_EQ(error_of("123456=x"), "");
}

// Each message of these files is found like one that stands alone. The result: the number found.
int found_in(testing::FakeDisk& disk, const logs::LogRequest& request,
             const std::string& expression) {
  const auto parsed = logs::parse_expression(expression, FieldNames{});
  logs::Matcher matcher{*parsed};
  logs::Matcher alone{*parsed};
  int found = 0;
  const auto each = [&](const logs::LogMessage& message) {
    const bool is_found = matcher.matches(message);
    EXPECT_EQ(is_found, alone.matches(message.bytes)) << expression << bar(message.bytes);
    found += is_found ? 1 : 0;
    return logs::AfterMessage::Continue;
  };
  logs::read_logs(disk, request, {each, [] {}, [](std::string_view) {}});
  return found;
}

TEST(Matcher, finds_the_messages_of_a_text_like_single_ones) {
  std::mt19937 random{3};
  const std::vector<std::string> lines{kOrder,
                                       kReport,
                                       kHeartbeat,
                                       kRaw,
                                       "text " + soh("|55=AAPL|448=ANNA|") + " text",
                                       kOrder.substr(0, kOrder.size() - 30),
                                       bar(kOrder),
                                       soh("|55=AAPL") + kHeartbeat,
                                       "10:30 : " + kReport + kOrder,
                                       kHeartbeat + soh("55=AAPL|")};
  testing::FakeDisk disk;
  testing::Pcap pcap;
  std::vector<std::string> files;
  for (const std::string name : {"/one", "/two", "/three"}) {
    std::string text;
    while (text.size() < 700'000 / case_step(2)) {
      text += lines[random() % lines.size()] + (random() % 9 == 0 ? "" : "\n");
    }
    disk.set_contents(name, text);
    files.push_back(name);
  }
  std::uint32_t sequence = 1000;
  for (int i = 0; i < 3000 / static_cast<int>(case_step(5)); ++i) {
    const std::string& payload = lines[random() % 4];
    pcap.add(testing::ethernet(testing::ipv4({.sequence = sequence, .payload = payload})));
    sequence += static_cast<std::uint32_t>(payload.size());
  }
  disk.set_contents("/pcap", pcap.bytes());
  files.emplace_back("/pcap");
  for (const std::string expression :
       {"Symbol=AAPL", "NoPartyIDs.PartyID=ANNA", "ClOrdID=A1 and Price=150", "not Symbol=AAPL",
        "Symbol=AAPL or MsgType=0", "Symbol=FAKE", "BeginString=FIX.4.2", "MsgType=0"}) {
    const int found = found_in(disk, {.files = files}, expression);
    EXPECT_EQ(found_in(disk, {.files = files, .is_merged = true}, expression), found);
    EXPECT_EQ(found > 1000, expression != "Symbol=FAKE") << expression;
  }
}

// Most reads of the file have none of the messages that are found.
TEST(Matcher, finds_rare_messages_of_a_long_text) {
  const std::string rare = fix("FIX.4.4", "35=D|34=2|49=T|52=20240115-10:30:00|56=V|55=RARE|");
  std::string text;
  for (int i = 1; i <= 50'000; ++i) text += (i % 2'500 == 0 ? rare : kOrder) + "\n";
  testing::FakeDisk disk;
  disk.set_contents("/log", text);
  EXPECT_EQ(found_in(disk, {.files = {"/log"}}, "Symbol=RARE"), 20);
}

// The bytes decide as the fields do, for any message and any expression.
TEST(Matcher, decides_by_bytes_as_by_fields) {
  constexpr std::uint32_t kSeed = 20240115;
  std::mt19937 random{kSeed};
  const auto any = [&](std::initializer_list<const char*> choices) {
    return std::string{*(choices.begin() + random() % choices.size())};
  };
  const FieldNames names;
  const auto expression = [&](auto&& self, int depth) -> std::string {
    const auto kind = random() % 8;
    if (depth > 0 && kind == 0) return "not (" + self(self, depth - 1) + ")";
    if (depth > 0 && kind <= 2) {
      return "(" + self(self, depth - 1) + any({" and ", " or "}) + self(self, depth - 1) + ")";
    }
    if (depth > 0 && kind == 3) return any({"453[", "555["}) + self(self, depth - 1) + "]";
    return any({"35", "55", "44", "448", "96", "8", "58"}) +
           any({"=", "!=", "<", ">=", "~", "!~", ""}) + any({"", "\"A\"", "\"1\"", "\"D\""});
  };
  int decided = 0;
  constexpr int kExpressions = 4000 / static_cast<int>(case_step(10));
  for (int i = 0; i < kExpressions; ++i) {
    const auto parsed = logs::parse_expression(expression(expression, 3), names);
    if (!parsed) continue;
    logs::Matcher matcher{*parsed};
    for (int j = 0; j < 8; ++j) {
      std::string body = any({"35=D|", "35=A|", "34=1|", ""});
      for (auto fields = random() % 8; fields > 0; --fields) {
        body += any({"55=A|", "55=B|", "44=1|", "44=2.5|", "453=2|448=A|447=D|448=1|", "58=A|",
                     "95=5|96=A|55=|", "95=9|96=x|", "555=1|600=A|", "nonsense|", "35=D|", "=A|"});
      }
      const std::string message = fix("FIX.4.4", body);
      ASSERT_EQ(matcher.matches(message), matcher.matches_fields(message)) << bar(message);
      ++decided;
    }
  }
  EXPECT_GT(decided, kExpressions * 5 / 2);
}

class Grep : public ::testing::Test {
 protected:
  int run(GrepOptions options) {
    if (options.input.files.empty()) options.input.files = {"log"};
    return grep_files(options, disk_, {out_.stream(), err_.stream()});
  }
  void SetUp() override {
    disk_.set_contents("log", "1 " + kOrder + "\n2 " + kReport + "\n3 " + kHeartbeat + "\n");
  }

  testing::FakeDisk disk_;
  testing::OutputText out_;
  testing::OutputText err_;
};

TEST_F(Grep, prints_the_lines_of_the_messages_found) {
  EXPECT_EQ(run({.expression = "ClOrdID=A1"}), kSuccess);
  EXPECT_EQ(out_.text(), "1 " + bar(kOrder) + "\n2 " + bar(kReport) + "\n");
  EXPECT_THAT(err_.text(), IsEmpty());
}

TEST_F(Grep, fails_if_no_message_is_found) {
  EXPECT_EQ(run({.expression = "ClOrdID=A2"}), kFailure);
  EXPECT_THAT(out_.text(), IsEmpty());
}

TEST_F(Grep, counts_the_messages_of_each_file) {
  GrepOptions options{.expression = "MsgType=0", .only_count = true};
  EXPECT_EQ(run(options), kSuccess);
  EXPECT_EQ(out_.text(), "1\n");
  disk_.set_contents("other", kOrder);
  options.input.files = {"log", "other"};
  EXPECT_EQ(run(options), kSuccess);
  EXPECT_THAT(out_.text(), EndsWith("log:1\nother:0\n"));
}

TEST_F(Grep, inverts_limits_and_is_quiet) {
  EXPECT_EQ(run({.expression = "11", .is_inverted = true}), kSuccess);
  EXPECT_EQ(out_.text(), "3 " + bar(kHeartbeat) + "\n");
  EXPECT_EQ(run({.expression = "35", .count_max = 1}), kSuccess);
  EXPECT_THAT(out_.text(), EndsWith("1 " + bar(kOrder) + "\n"));
  const std::string before = out_.text();
  EXPECT_EQ(run({.expression = "35", .is_quiet = true}), kSuccess);
  EXPECT_EQ(out_.text(), before);
}

TEST_F(Grep, prints_context_with_a_mark_between_parts) {
  std::string text;
  std::vector<std::string> lines;
  for (int i = 0; i < 9; ++i) {
    const std::string message = fix("FIX.4.4", "35=0|34=" + std::to_string(i) + "|");
    lines.push_back(bar(message) + "\n");
    text += message + "\n";
  }
  disk_.set_contents("log", text);
  EXPECT_EQ(run({.expression = "34=1 or 34=2 or 34=7", .before = 1, .after = 1}), kSuccess);
  EXPECT_EQ(out_.text(),
            lines[0] + lines[1] + lines[2] + lines[3] + "--\n" + lines[6] + lines[7] + lines[8]);
}

TEST_F(Grep, ends_after_the_context_of_the_last_message_wanted) {
  EXPECT_EQ(run({.expression = "35", .count_max = 1, .after = 1}), kSuccess);
  EXPECT_EQ(out_.text(), "1 " + bar(kOrder) + "\n2 " + bar(kReport) + "\n");
}

TEST_F(Grep, reports_wrong_arguments_with_2) {
  EXPECT_EQ(run({.expression = "Sybmol=A"}), kUsage);
  EXPECT_THAT(err_.text(), StartsWith("nexusfix grep: Sybmol is no field"));
  EXPECT_EQ(run({.expression = "35", .fields = "11,Sybmol"}), kUsage);
  GrepOptions missing{.expression = "35"};
  missing.input.files = {"log", "missing"};
  EXPECT_EQ(run(missing), kUsage);
  EXPECT_THAT(out_.text(), HasSubstr("log:1 "));
}

TEST_F(Grep, prints_no_byte_that_a_terminal_obeys) {
  disk_.set_contents("log", "\x1b[2J " + fix("FIX.4.4", "35=B|58=\x1b]0;x\x07\xc2\x9b|"));
  for (const auto form : {logs::OutputForm::Line, logs::OutputForm::Ndjson, logs::OutputForm::Json,
                          logs::OutputForm::Table}) {
    EXPECT_EQ(run({.expression = "35", .form = form, .fields = "58"}), kSuccess);
  }
  for (const char c : out_.text()) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= ' ');
  EXPECT_THAT(out_.text(), ::testing::Not(HasSubstr("\xc2\x9b")));
}

}  // namespace
}  // namespace nexusfix::command
