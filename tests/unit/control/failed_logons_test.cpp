// What an initiator says when its Logon is not accepted.
#include "control/api/failed_logons.hpp"

#include <gmock/gmock.h>
#include <string>
#include <string_view>

namespace nexusfix::testing {
namespace {

using engine::AttemptEnd;
using engine::FailedAttempt;
using std::chrono::milliseconds;

TEST(FailedLogons, text_has_the_end_the_fields_the_causes_and_the_next_step) {
  struct Case {
    FailedAttempt attempt;
    std::string_view begin;
    std::string_view part;
  };
  const std::string_view sent = "8=FIX.4.4 49=A 56=B";
  for (const auto& [attempt, begin, part] : {
           Case{{.end = AttemptEnd::Closed, .sent = sent, .after = milliseconds{3}},
                "no answer to our Logon: the counterparty closed the connection 3 ms after it. "
                "Sent: 8=FIX.4.4 49=A 56=B. Likely causes, the first one first: (1) BeginString "
                "(8), a CompID (49, 56)",
                "(2) the counterparty wants a Username and a Password"},
           Case{{.end = AttemptEnd::Closed, .sent = sent, .has_password = true, .has_tls = true},
                "no answer to our Logon",
                "(2) the Username or the Password is wrong"},
           Case{{.end = AttemptEnd::Closed, .sent = sent, .was_logged_on = true},
                "no answer to our Logon",
                "(1) another connection of this session is logged on; (2) the session is closed by "
                "the counterparty's schedule"},
           Case{{.end = AttemptEnd::Lost, .said = "receive: reset", .sent = sent},
                "no answer to our Logon: the connection broke 0 ms after it (receive: reset)",
                "(1) the counterparty expects TLS"},
           Case{{.end = AttemptEnd::Lost, .said = "receive: reset", .sent = sent, .has_tls = true},
                "no answer to our Logon",
                "(1) the counterparty's process ended"},
           Case{{.end = AttemptEnd::TlsAnswer, .sent = sent},
                "no answer to our Logon: the counterparty sent bytes of TLS",
                "(1) the counterparty expects TLS (SocketUseSSL=Y here)"},
           Case{{.end = AttemptEnd::TimedOut, .sent = sent, .after = milliseconds{30'500}},
                "no answer to our Logon for 30 s (LogonTimeout)",
                "openssl s_client"},
           Case{{.end = AttemptEnd::Refused,
                 .said = "no",
                 .sent = sent,
                 .after = milliseconds{9'999}},
                "our Logon was refused 9999 ms after it: no. Sent: ",
                "the counterparty's text says what to change"},
           Case{{.end = AttemptEnd::Refused, .sent = sent},
                "our Logon was refused 0 ms after it: without a text. Sent: ",
                ""},
           Case{{.end = AttemptEnd::Invalid, .said = "HeartBtInt is wrong", .sent = sent},
                "the answer to our Logon breaks a rule: HeartBtInt is wrong. Sent: ",
                "compare both configurations"},
       }) {
    const std::string text = engine::describe(attempt);
    EXPECT_TRUE(text.starts_with(begin)) << text;
    EXPECT_THAT(text, ::testing::HasSubstr(std::string{part}));
  }
}

TEST(FailedLogons, count_begins_again_with_a_logon) {
  engine::FailedLogons failed;
  const WallTime at{std::chrono::sys_days{std::chrono::January / 15 / 2024} +
                    std::chrono::hours{10}};
  failed.count("first", at);
  EXPECT_EQ(failed.row_text(), "1 failure, since 2024-01-15 10:00:00 UTC");
  failed.count("second", at + std::chrono::hours{1});
  EXPECT_EQ(failed.row_text(), "2 failures in a row, since 2024-01-15 10:00:00 UTC");
  EXPECT_EQ(failed.last(), "second");
  failed.forget();
  EXPECT_EQ(failed.in_a_row(), 0U);
  failed.count("third", at + std::chrono::hours{2});
  EXPECT_EQ(failed.row_text(), "1 failure, since 2024-01-15 12:00:00 UTC");
}

}  // namespace
}  // namespace nexusfix::testing
