// SessionTemplates without an EventLoop: which template stands for which client.
#include <memory>
#include <string>

#include "engine/session/registry/dynamic_sessions.hpp"
#include "unit/engine/support/floors_fixture.hpp"

namespace nexusfix::engine {
namespace {

class SessionTemplatesComponent : public testing::FloorsTest {
 protected:
  SessionTemplatesComponent() {
    sessions_text = session_text("TRADER") + session_text("*", "AcceptorTemplate=Y\n");
  }
  [[nodiscard]] SessionTemplates& templates() { return sessions().templates; }
  [[nodiscard]] static session::SessionId client(std::string begin_string,
                                                 std::string target_comp_id) {
    return {.begin_string = std::move(begin_string),
            .sender_comp_id = "VENUE",
            .target_comp_id = std::move(target_comp_id)};
  }
};

TEST_F(SessionTemplatesComponent, template_stands_for_every_client_of_its_port_and_version) {
  open();
  ASSERT_EQ(templates().all().size(), 1U);
  EXPECT_EQ(templates().find(0, client("FIX.4.4", "ANYONE")), &templates().all().front());
  EXPECT_EQ(templates().find(1, client("FIX.4.4", "ANYONE")), nullptr) << "another port";
  EXPECT_EQ(templates().find(0, client("FIX.4.2", "ANYONE")), nullptr) << "another version";
}

TEST_F(SessionTemplatesComponent, template_is_known_by_its_identity_and_its_port) {
  open();
  const auto other = [&](std::string_view keys) {
    return settings_of(session_text("*", "AcceptorTemplate=Y\n" + std::string{keys}))
        .sessions.front();
  };
  EXPECT_TRUE(templates().has(other("")));
  EXPECT_FALSE(templates().has(other("SocketAcceptPort=5002\n")));
  EXPECT_FALSE(templates().has(other("BeginString=FIX.4.2\n")));
}

TEST_F(SessionTemplatesComponent, file_without_a_template_drops_it_unless_the_program_added_it) {
  open();
  const Settings fresh = settings_of(session_text("TRADER"));
  templates().drop_missing(fresh);
  EXPECT_EQ(templates().all().size(), 1U) << "it comes from no file";
  templates().all().front().origin = std::make_shared<const std::string>("the file");
  templates().drop_missing(settings_of(sessions_text));
  EXPECT_EQ(templates().all().size(), 1U);
  templates().drop_missing(fresh);
  EXPECT_TRUE(templates().all().empty());
}

TEST_F(SessionTemplatesComponent, port_stays_open_for_a_template_alone) {
  open();
  sessions().registry.deactivate(entry());
  close_unused(io().listeners, sessions().registry, templates());
  EXPECT_TRUE(io().listeners.all().front().is_listening());
  templates().drop(0);
  close_unused(io().listeners, sessions().registry, templates());
  EXPECT_FALSE(io().listeners.all().front().is_listening());
}

}  // namespace
}  // namespace nexusfix::engine
