// Who may log on by the settings alone, as tables.
#include <string>
#include <string_view>
#include <vector>

#include "engine/session/registry/dynamic_sessions.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class AdmissionRules : public testing::FloorsTest {
 protected:
  [[nodiscard]] SessionSettings with(std::string_view keys) const {
    return settings_of(session_text("TRADER", keys)).sessions.front();
  }
};

TEST_F(AdmissionRules, address_is_one_of_the_allowed_ones_or_all_are) {
  struct Row {
    std::string_view allowed;  // empty: the key is not set
    std::string_view peer;
    bool may_come;
  };
  for (const Row& row : {
           Row{"", "10.1.2.3:50000", true},
           Row{"", "[2001:db8::1]:50000", true},
           Row{"10.1.2.3", "10.1.2.3:50000", true},
           Row{"10.1.2.3", "10.1.2.4:50000", false},
           Row{"10.1.2.3", "10.1.2.33:50000", false},
           Row{"10.1.2.0/24", "10.1.2.255:1", true},
           Row{"10.1.2.0/24", "10.1.3.0:1", false},
           Row{"10.9.9.9,10.1.2.3", "10.1.2.3:1", true},
           Row{"2001:db8::/32", "[2001:db8::1]:1", true},
           Row{"2001:db8::/32", "[2001:db9::1]:1", false},
       }) {
    const std::string key = "AllowedRemoteAddresses=" + std::string{row.allowed} + "\n";
    EXPECT_EQ(may_come_from(with(row.allowed.empty() ? "" : key), row.peer), row.may_come)
        << row.allowed << " " << row.peer;
  }
}

TEST(AdmissionRule, user_is_the_comp_id_or_one_of_the_allowed_usernames) {
  struct Row {
    std::vector<std::string> allowed;
    std::string_view username;
    bool is_users;
  };
  for (const Row& row : {
           Row{{}, "TRADER", true},
           Row{{}, "trader", false},
           Row{{}, "", false},
           Row{{"anna", "bert"}, "bert", true},
           Row{{"anna", "bert"}, "TRADER", true},
           Row{{"anna", "bert"}, "carl", false},
           Row{{"ann*"}, "anna", false},
           Row{{"*"}, "carl", true},
       }) {
    SessionSettings settings;
    settings.credentials.allowed_usernames = row.allowed;
    EXPECT_EQ(is_users_session(settings, "TRADER", row.username), row.is_users) << row.username;
  }
}

}  // namespace
}  // namespace nexusfix::engine
