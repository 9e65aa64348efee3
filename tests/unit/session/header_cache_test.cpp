// Messages on the fast path, and similar ones. Each follows a processed message whose cached header
// could mislead.
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "support/sanitized.hpp"
#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Logged on, with one message received; the next number is 3.
void establish_with_a_message(Side& acceptor) {
  acceptor.establish();
  acceptor.in("35=D|34=2|11=ID");
  ASSERT_EQ(acceptor.delivered.size(), 1U);
  ASSERT_THAT(acceptor.sent(), IsEmpty());
}

// With the header fields in the order of the message before.
std::string in_usual_order(std::string_view number, std::string_view time) {
  return "35=D|" + std::string{number} + "|49=TRADER|52=" + std::string{time} + "|56=VENUE|11=ID";
}

TEST(HeaderCache, messages_in_order_are_delivered_without_an_answer) {
  // TC 2a.
  Side acceptor{acceptor_config()};
  establish_with_a_message(acceptor);
  acceptor.advance(1s);
  acceptor.in("35=D|34=3|11=ID");
  acceptor.in("35=AE|34=4|571=1");
  EXPECT_EQ(acceptor.delivered.size(), 3U);
  EXPECT_EQ(acceptor.next_in(), 5U);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

TEST(HeaderCache, header_in_another_order_than_before_is_accepted) {
  // TC 15.
  Side acceptor{acceptor_config()};
  establish_with_a_message(acceptor);
  acceptor.in("35=D|56=VENUE|49=TRADER|34=3|52=20240115-10:30:00.000|11=ID");
  acceptor.in("35=D|34=4|11=ID|49=TRADER|56=VENUE|52=20240115-10:30:00.000");
  acceptor.in("35=D|34=5|11=ID");
  EXPECT_EQ(acceptor.delivered.size(), 4U);
  EXPECT_THAT(acceptor.sent(), IsEmpty());
}

TEST(HeaderCache, sending_time_of_the_same_minute_must_still_be_a_time) {
  // FIX 4.4 volume 1, "FIX Datatypes", UTCTimestamp.
  for (const char* time :
       {"20240115-10:30:61.000", "20240115-10:30:5x.000", "20240115-10:30:05,000",
        "20240115-10:30:05.00x", "20240115-10:30.05.000"}) {
    Side acceptor{acceptor_config()};
    establish_with_a_message(acceptor);
    acceptor.in(in_usual_order("34=3", time));
    EXPECT_THAT(acceptor.sent(),
                ElementsAre("35=3|34=2|45=3|58=Incorrect data format for value|371=52|372=D|373=6"))
        << time;
    EXPECT_EQ(acceptor.delivered.size(), 1U) << time;
  }
}

TEST(HeaderCache, sending_time_of_the_same_minute_is_too_old_when_time_has_passed) {
  // TC 2o: 120 seconds either way, to the second.
  SessionConfig config = acceptor_config();
  Side acceptor{config};
  establish_with_a_message(acceptor);
  Now now = acceptor.now();
  now.wall += 125s;
  acceptor.set_now(now);
  acceptor.in(in_usual_order("34=3", "20240115-10:30:05.000"));
  EXPECT_EQ(acceptor.delivered.size(), 2U);
  acceptor.in(in_usual_order("34=4", "20240115-10:30:04.999"));
  EXPECT_EQ(acceptor.delivered.size(), 2U);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=3|34=2|45=4|58=SendingTime accuracy problem|372=D|"
                                           "373=10"));
}

TEST(HeaderCache, comp_ids_that_differ_in_one_byte_are_found_whatever_their_length) {
  // TC 2k.
  for (const std::string id : {"T", "TRA", "TRADER", "TRADERTRADER", "A TRADER WITH A LONG NAME"}) {
    for (std::size_t at = 0; at < id.size(); ++at) {
      SessionConfig config = acceptor_config();
      config.id.target_comp_id = id;
      Side acceptor{config};
      establish_with_a_message(acceptor);
      std::string wrong = id;
      wrong[at] = 'x';
      acceptor.in("35=D|34=3|11=ID|49=" + wrong);
      EXPECT_EQ(acceptor.delivered.size(), 1U) << wrong;
      EXPECT_TRUE(acceptor.has_notice(NoticeCode::CompIdWrong)) << wrong;
    }
  }
}

TEST(HeaderCache, poss_dup_and_poss_resend_are_passed_to_the_application) {
  // TC 2e, 19b.
  Side acceptor{acceptor_config()};
  establish_with_a_message(acceptor);
  acceptor.in("35=D|34=3|43=Y|122=20240115-10:30:00.000|11=ID");
  acceptor.in("35=D|34=4|97=Y|11=ID");
  acceptor.in("35=D|34=5|11=ID");
  ASSERT_EQ(acceptor.delivered.size(), 4U);
  EXPECT_TRUE(acceptor.delivered[1].poss_dup);
  EXPECT_FALSE(acceptor.delivered[1].poss_resend);
  EXPECT_TRUE(acceptor.delivered[2].poss_resend);
  EXPECT_FALSE(acceptor.delivered[2].poss_dup);
  EXPECT_FALSE(acceptor.delivered[3].poss_dup || acceptor.delivered[3].poss_resend);
}

TEST(HeaderCache, numbers_are_followed_as_the_counterparty_writes_them) {
  // FIX 4.4 volume 1, "FIX Datatypes", int: leading zeros are allowed.
  for (const std::uint64_t first :
       std::array<std::uint64_t, 5>{8, 95, 997, 99'999'994, 9'999'999'994}) {
    for (const std::size_t width : {1U, 4U, 8U, 9U, 12U, 16U, 17U, 20U}) {
      Side acceptor{acceptor_config(), {.next_inbound = first, .next_outbound = 1}};
      acceptor.connect();
      acceptor.in("35=A|34=" + std::to_string(first) + "|98=0|108=30");
      static_cast<void>(acceptor.sent());
      for (std::uint64_t number = first + 1; number < first + 9; ++number) {
        std::string text = std::to_string(number);
        if (text.size() < width) text.insert(0, width - text.size(), '0');
        acceptor.in("35=D|34=" + text + "|11=ID");
        ASSERT_THAT(acceptor.sent(), IsEmpty()) << text;
        ASSERT_EQ(acceptor.next_in(), number + 1) << text;
      }
    }
  }
}

TEST(HeaderCache, character_after_the_last_digit_is_no_number) {
  // FIX Session Layer, "MsgSeqNum missing": what cannot be read is as good as missing.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  for (int n = 2; n <= 9; ++n) acceptor.in("35=D|34=" + std::to_string(n) + "|11=ID");
  ASSERT_EQ(acceptor.next_in(), 10U);
  acceptor.in("35=D|34=:|11=ID");
  EXPECT_EQ(acceptor.delivered.size(), 8U);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=5|34=2|58=MsgSeqNum missing or malformed"));
}

TEST(HeaderCache, number_that_was_received_is_too_low_and_one_beyond_the_next_is_a_gap) {
  // TC 2b, 2c, after messages on the fast path.
  for (const std::uint64_t last : {3U, 8U, 9U, 10U, 11U}) {
    for (const std::uint64_t number : {last - 1, last, last + 2, last + 10}) {
      Side acceptor{acceptor_config()};
      acceptor.establish();
      for (std::uint64_t n = 2; n <= last; ++n) {
        acceptor.in("35=D|34=" + std::to_string(n) + "|11=ID");
      }
      ASSERT_EQ(acceptor.next_in(), last + 1);
      acceptor.in("35=D|34=" + std::to_string(number) + "|11=ID");
      EXPECT_EQ(acceptor.delivered.size(), last - 1) << number;
      EXPECT_TRUE(acceptor.has_notice(number > last ? NoticeCode::GapDetected
                                                    : NoticeCode::MsgSeqNumTooLow))
          << number;
    }
  }
}

// A message whose header does not come first takes the slow path: with an unrelated field before
// it, every rule is checked.
constexpr std::string_view kSlowPath = "50=DESK|";

std::string message_of(std::string_view begin_string, std::string_view msg_type,
                       std::string_view rest) {
  std::string body = "35=" + std::string{msg_type} + '|' + std::string{rest};
  std::string text =
      "8=" + std::string{begin_string} + "|9=" + std::to_string(body.size()) + '|' + body;
  for (char& byte : text) {
    if (byte == '|') byte = '\x01';
  }
  unsigned sum = 0;
  for (const char byte : text) sum += static_cast<unsigned char>(byte);
  std::string digits = std::to_string(sum % 256);
  digits.insert(0, 3 - digits.size(), '0');
  return text + "10=" + digits + '\x01';
}

// Makes correct messages, most of them with a few changes.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_{seed} {}

  struct Made {
    std::string begin_string = "FIX.4.4";
    std::string msg_type;
    std::string rest;
  };
  Made make(std::uint64_t number) {
    Made made;
    made.msg_type =
        pick(std::array{"D", "D", "D", "D", "8", "AE", "B", "0", "0", "0", "1", "A", "j", ""});
    std::vector<std::string> fields{"49=TRADER", "56=VENUE", "34=" + std::to_string(number),
                                    "52=" + time()};
    if (random_.below(3) == 0) std::swap(fields[random_.below(4)], fields[random_.below(4)]);
    const std::uint64_t body = random_.below(4) == 0 ? random_.below(60) : random_.below(4);
    for (std::uint64_t i = 0; i < body; ++i) fields.push_back("58=text" + std::to_string(i));
    for (std::uint64_t changes = random_.below(3); changes > 0; --changes) change(fields);
    for (const std::string& field : fields) made.rest += field + '|';
    if (random_.below(8) == 0) change_byte(made.rest);
    if (random_.below(30) == 0) change_byte(made.begin_string);
    return made;
  }

 private:
  template <std::size_t kCount>
  const char* pick(const std::array<const char*, kCount>& from) {
    return from[random_.below(kCount)];
  }
  std::string time() {
    return pick(
        std::array{"20240115-10:30:00.000", "20240115-10:30:00.000", "20240115-10:30:59.999",
                   "20240115-10:30:60.000", "20240115-10:30:00", "20240115-10:30:00.000123",
                   "20240115-10:28:00.000", "20240115-10:27:59.999", "20240115-10:32:00.000",
                   "20240115-10:32:00.001", "20240115-10:31:00.000", "20240116-10:30:00.000"});
  }
  void change(std::vector<std::string>& fields) {
    const std::size_t at = random_.below(fields.size());
    const auto place = fields.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random_.below(5)) {
      case 0:
        if (fields.size() > 1) fields.erase(place);
        break;
      case 1:
        fields.insert(place, pick(std::array{"43=Y",
                                             "43=N",
                                             "43=",
                                             "97=Y",
                                             "97=N",
                                             "97=x",
                                             "122=20240115-10:30:00.000",
                                             "122=20240115-10:30:01.000",
                                             "49=OTHER",
                                             "56=OTHER",
                                             "34=1",
                                             "34=4",
                                             "369=1",
                                             "115=CLIENT",
                                             "70000=LARGE",
                                             "0=BAD",
                                             "58=",
                                             "58",
                                             "10=000",
                                             "9=5"}));
        break;
      case 2:
        fields.insert(place, fields[at]);
        break;
      case 3:
        fields[at] = pick(std::array{"49=TRADERS", "49=TRADE", "49=XRADER", "56=VENUES", "56=VENU",
                                     "34=2", "34=3", "34=4", "34=5", "34=003", "34=3x", "34=-3",
                                     "34=00000000000000000003", "52=", "49=", "56=", "34="});
        break;
      default:
        std::swap(fields[at], fields[random_.below(fields.size())]);
    }
  }
  void change_byte(std::string& text) {
    text[random_.below(text.size())] = pick(std::array{"0", "9", "=", "|", "x", " ", ".", ":"})[0];
  }

  SeededRandom random_;
};

// All visible effects of a side.
std::string seen_of(Side& side) {
  std::string text;
  for (const Delivered& one : side.delivered) {
    std::string shown = one.text;
    if (const auto at = shown.find(kSlowPath); at != std::string::npos) {
      shown.erase(at, kSlowPath.size());
    }
    text += "delivered " + std::to_string(one.msg_seq_num) + (one.poss_dup ? " dup " : " ") +
            (one.poss_resend ? "again " : "") + shown + '\n';
  }
  for (const std::string& one : side.sent_in_full()) text += "sent " + one + '\n';
  for (std::size_t i = 0; i < side.notices.size(); ++i) {
    const Notice& one = side.notices[i];
    text += "notice " + std::string{to_string(one.code)} + ' ' + std::to_string(one.expected) +
            ' ' + std::to_string(one.received) + ' ' + side.notice_texts[i] + '\n';
  }
  return text + std::to_string(side.next_in()) + ' ' + std::to_string(side.next_out()) + ' ' +
         std::to_string(static_cast<int>(side.state())) + (side.is_connected() ? "" : " gone");
}

TEST(HeaderCache, fast_path_does_what_the_slow_path_does) {
  // TC 2, 14 and 15 on both paths, whose answers must be equal.
  Mutator mutator{20'260'115};
  int in_order = 0;
  int otherwise = 0;
  constexpr int kRounds = 20'000 / static_cast<int>(case_step(8));
  for (int i = 0; i < kRounds; ++i) {
    const Mutator::Made made = mutator.make(3);
    // The cached minute may be one that is only just near enough.
    constexpr std::array kMinutes{"20240115-10:30:00.000", "20240115-10:32:00.000",
                                  "20240115-10:28:00.000"};
    const std::string before =
        message_of("FIX.4.4", "D",
                   std::string{"49=TRADER|56=VENUE|34=2|52="} +
                       kMinutes[static_cast<std::size_t>(i) % kMinutes.size()] + "|11=ID|");
    std::array<std::string, 2> seen;
    for (std::size_t way = 0; way < 2; ++way) {
      Side side{acceptor_config()};
      side.establish();
      side.receive(before);
      ASSERT_EQ(side.delivered.size(), 1U);
      const std::string front = way == 0 ? "" : std::string{kSlowPath};
      const std::string text = message_of(made.begin_string, made.msg_type, front + made.rest);
      side.receive(text);
      // A message on one path must not affect the next message on the other.
      const std::string next = message_of(
          "FIX.4.4", "D", front + "49=TRADER|56=VENUE|34=4|52=20240115-10:30:00.000|11=ID|");
      side.receive(next);
      if (way == 0) ++(side.delivered.size() > 2 ? in_order : otherwise);
      seen[way] = seen_of(side);
    }
    ASSERT_EQ(seen[0], seen[1]) << made.begin_string << ' ' << made.msg_type << ' ' << made.rest;
  }
  EXPECT_GT(in_order, kRounds / 4);
  EXPECT_GT(otherwise, kRounds / 4);
}

}  // namespace
}  // namespace nexusfix::session::test
