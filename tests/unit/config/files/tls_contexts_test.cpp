// Certificates of a configuration: when they are due, and where an error of their files is
// reported.
#include "config/api/tls_contexts.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/settings.hpp>

#include "support/disks/fake_disk.hpp"

namespace nexusfix::config {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::sys_seconds kNow{std::chrono::sys_days{std::chrono::January / 15 / 2024}};

std::optional<Ending> in(std::chrono::seconds left) {
  return ending_of({.what = "certificate CN=venue in venue.pem", .at = kNow + left},
                   WallTime{kNow});
}

TEST(CertificateEnding, certificate_with_thirty_days_left_needs_no_word) {
  EXPECT_FALSE(in(24h * 30));
  ASSERT_TRUE(in(24h * 30 - 1s));
  EXPECT_FALSE(in(24h * 30 - 1s)->is_near);
}

TEST(CertificateEnding, last_week_is_near_and_the_text_says_when) {
  EXPECT_FALSE(in(24h * 7)->is_near);
  const auto ending = in(24h * 7 - 1s);
  EXPECT_TRUE(ending->is_near);
  EXPECT_EQ(ending->text,
            "certificate CN=venue in venue.pem ends in 6 days, at 2024-01-21 23:59:59 UTC");
  EXPECT_EQ(in(-1s)->text,
            "certificate CN=venue in venue.pem has ended, at 2024-01-14 23:59:59 UTC");
}

TEST(TlsContexts, missing_file_is_one_error_at_its_key_however_many_sessions_name_it) {
  const std::string session = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\n";
  const auto settings = nexusfix::parse_settings(
      "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=1\n"
      "ServerCertificateFile=none.pem\nStore=memory\n" +
          session + "TargetCompID=A\n" + session + "TargetCompID=B\n",
      "venue.cfg");
  ASSERT_TRUE(settings) << settings.error().front().what();
  testing::FakeDisk disk;
  TlsContexts contexts;
  const SettingsErrors errors = contexts.give(settings->values(), disk);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_TRUE(errors[0].what().starts_with("venue.cfg:4: ServerCertificateFile: "))
      << errors[0].what();
  EXPECT_TRUE(contexts.empty());
}

}  // namespace
}  // namespace nexusfix::config
