// Which session a received Logon names.
#include "session/api/logon_identity.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <string>

#include <nexusfix/wire/parser.hpp>

#include "support/fix_text.hpp"

namespace nexusfix::session {
namespace {

SessionId id_of(const char* sender, const char* target) {
  return {.begin_string = "FIX.4.4", .sender_comp_id = sender, .target_comp_id = target};
}

TEST(LogonIdentity, the_counterparty_of_a_logon_is_the_target_of_the_session) {
  wire::Parser parser;
  const auto named = [&](std::string_view fields) -> std::optional<SessionId> {
    const std::string bytes = testing::fix("FIX.4.4", "35=A|34=1|" + std::string{fields});
    const auto message = parser.parse(bytes);
    EXPECT_TRUE(message);
    return session_of(*message);
  };
  EXPECT_EQ(named("49=ALICE|50=DESK|142=LDN|52=20240115-10:30:00|56=VENUE|57=FX|143=NY|"),
            (SessionId{.begin_string = "FIX.4.4",
                       .sender_comp_id = "VENUE",
                       .target_comp_id = "ALICE",
                       .sender_sub_id = "FX",
                       .sender_location_id = "NY",
                       .target_sub_id = "DESK",
                       .target_location_id = "LDN"}));
  EXPECT_EQ(named("49=ALICE|52=20240115-10:30:00|"), std::nullopt);
  EXPECT_EQ(named("52=20240115-10:30:00|56=VENUE|"), std::nullopt);
}

TEST(LogonIdentity, a_template_stands_for_its_version_and_comp_ids) {
  const SessionId pattern = id_of("VENUE", "*");
  SessionId id = id_of("VENUE", "NEW");
  id.target_sub_id = "DESK";
  EXPECT_TRUE(stands_for(pattern, id));
  SessionId other = id;
  other.begin_string = "FIX.4.2";
  EXPECT_FALSE(stands_for(pattern, other));
  EXPECT_FALSE(stands_for(pattern, id_of("OTHER", "NEW")));
  EXPECT_FALSE(stands_for(id, pattern));
  EXPECT_EQ(without_sub_ids(id), id_of("VENUE", "NEW"));
}

}  // namespace
}  // namespace nexusfix::session
