#include "console/json/session_names.hpp"

#include <gtest/gtest.h>

#include "console/json/message_json.hpp"
#include "support/disks/fake_disk.hpp"

namespace nexusfix::web {
namespace {

constexpr std::string_view kVenueDictionary =
    "<fix major='4' minor='4'><header/><trailer/><messages><message name='VenueOrder' "
    "msgtype='UX' msgcat='app'><field name='VenueSide' required='N'/></message></messages>"
    "<fields><field number='6001' name='VenueSide' type='CHAR'>"
    "<value enum='7' description='CROSS'/></field></fields></fix>";

class SessionNamesTest : public ::testing::Test {
 protected:
  void add(const std::string& target, const std::string& file, bool is_template = false) {
    config::SessionSettings session;
    session.session.id = {"FIX.4.4", "VENUE", target};
    session.dictionary.file = file;
    session.is_template = is_template;
    settings.sessions.push_back(std::move(session));
  }
  [[nodiscard]] Json shown(const std::string& session) {
    const SessionNames names{disk, settings};
    return message_json(
        "8=FIX.4.4\x01"
        "35=UX\x01"
        "6001=7\x01"
        "54=1\x01",
        names.of(session));
  }

  testing::FakeDisk disk;
  config::Settings settings;
};

TEST_F(SessionNamesTest, message_has_the_names_of_its_sessions_own_dictionary) {
  disk.set_contents("/venue.xml", kVenueDictionary);
  add("OTHER", "");
  add("TRADER", "/venue.xml");
  const Json message = shown("FIX.4.4:VENUE->TRADER");
  EXPECT_EQ(message["name"], "VenueOrder");
  EXPECT_EQ(message["fields"][2], Json::array({"6001", "VenueSide", "7", "CROSS"}));
  EXPECT_EQ(message["fields"][3], Json::array({"54", "Side", "1", "BUY"}));
  EXPECT_EQ(shown("FIX.4.4:VENUE->OTHER")["fields"][2], Json::array({"6001", "", "7", ""}));
}

TEST_F(SessionNamesTest, session_of_a_template_has_the_names_of_the_templates_dictionary) {
  disk.set_contents("/venue.xml", kVenueDictionary);
  add("*", "/venue.xml", true);
  EXPECT_EQ(shown("FIX.4.4:VENUE->ANY")["name"], "VenueOrder");
  EXPECT_EQ(shown("FIX.4.2:VENUE->ANY")["name"], "");
}

TEST_F(SessionNamesTest, file_that_cannot_be_read_has_no_names) {
  disk.set_contents("/broken.xml", "<fix");
  add("TRADER", "/broken.xml");
  add("OTHER", "/absent.xml");
  for (const char* const target : {"TRADER", "OTHER"}) {
    EXPECT_EQ(shown(std::string{"FIX.4.4:VENUE->"} + target)["name"], "") << target;
  }
}

}  // namespace
}  // namespace nexusfix::web
