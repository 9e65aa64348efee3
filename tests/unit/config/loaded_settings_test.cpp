// A configuration in a file: its text, and who may read the passwords in it.
#include <cstdlib>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include "settings_fixture.hpp"
#include "support/disks/fake_disk.hpp"

namespace nexusfix::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> warnings_of_public_file(const std::string& text) {
  const std::string path =
      ::testing::TempDir() + "loaded_settings." + std::to_string(::getpid()) + ".cfg";
  std::ofstream{path} << text;
  EXPECT_EQ(::chmod(path.c_str(), 0644), 0);
  PosixDisk disk;
  const auto settings = config::load_settings(disk, path);
  EXPECT_EQ(::unlink(path.c_str()), 0);
  if (settings) return texts(settings->warnings);
  ADD_FAILURE() << settings.error().front().what();
  return {};
}

TEST(LoadedSettings, have_the_text_of_the_file) {
  nexusfix::testing::FakeDisk disk;
  disk.set_contents("t.cfg", kInitiator);
  const auto settings = config::load_settings(disk, "t.cfg");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->text, kInitiator);
}

TEST(LoadedSettings, password_that_others_may_read_is_reported_at_its_first_line) {
  const auto has_warning = ElementsAre(HasSubstr(":11: a password, in a file that others"));
  for (const char* const lines :
       {"Password=CANARY\nNewPassword=CANARY\n", "Application.ApiPassword=CANARY\n"}) {
    EXPECT_THAT(warnings_of_public_file(joined(kInitiator, lines)), has_warning) << lines;
  }
  EXPECT_THAT(warnings_of_public_file(joined(kInitiator, "Username=me\nApplication.Desk=NY\n")),
              IsEmpty());
}

TEST(LoadedSettings, password_in_the_environment_is_not_in_the_file) {
  ::setenv("NEXUSFIX_T_PASSWORD", "CANARY", 1);
  std::string text = joined(kInitiator,
                            "Password=${NEXUSFIX_T_PASSWORD}\n"
                            "Application.ApiPassword=${NEXUSFIX_T_PASSWORD}\n");
  text.insert(std::string_view{"[DEFAULT]\n"}.size(), "ExpandVariables=Y\n");
  EXPECT_THAT(warnings_of_public_file(text), IsEmpty());
  ::unsetenv("NEXUSFIX_T_PASSWORD");
}

TEST(LoadedSettings, connection_string_of_a_database_may_be_without_a_password) {
  const std::string text =
      joined(kInitiator, "Store=postgresql\nPostgreSQLStoreConnection=host=db user=fix");
  EXPECT_THAT(warnings_of_public_file(text + "\n"), IsEmpty());
  EXPECT_THAT(warnings_of_public_file(text + " password=CANARY\n"),
              ElementsAre(HasSubstr(":12: a password, in a file that others")));
}

}  // namespace
}  // namespace nexusfix::config
