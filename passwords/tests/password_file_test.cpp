// The file of users and passwords: what is read, what is refused, how it is changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>

#include <nexusfix/passwords.hpp>

#include "passwords/lockouts.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/disks/temporary_folder.hpp"
#include "unit/config/settings_fixture.hpp"

namespace nexusfix::engine {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Hashes of "password" from the reference implementation of Argon2.
constexpr const char* kOneLane =
    "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
constexpr const char* kTwoLanes =
    "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc";

std::string mistake(const std::string& text) {
  const auto read = PasswordFile::parse(text, "users");
  return read ? "none" : read.error().what();
}

TEST(PasswordFile, hashes_of_the_reference_implementation_are_verified) {
  for (const std::string hash : {kOneLane, kTwoLanes}) {
    EXPECT_EQ(match_password(hash, "password"), PasswordMatch::Right) << hash;
    EXPECT_EQ(match_password(hash, "Password"), PasswordMatch::Wrong) << hash;
    EXPECT_EQ(match_password(hash, ""), PasswordMatch::Wrong) << hash;
  }
}

TEST(PasswordFile, our_hash_has_its_own_salt_and_can_be_read) {
  const PasswordCost cost{.memory_kib = 64, .passes = 3};
  const auto first = hash_password("pa55word", cost);
  const auto second = hash_password("pa55word", cost);
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
  EXPECT_EQ(match_password(*first, "pa55word"), PasswordMatch::Right);
  const auto file = PasswordFile::parse("me:" + *first + "\n", "users");
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->cost_of("me"), cost);
  EXPECT_EQ(mistake("me:" + *hash_password("x") + "\n"), "none") << "of the usual cost";
}

TEST(PasswordFile, comments_and_order_stay_when_entries_change) {
  const std::string text = std::string{"# venue\n\nb:"} + kOneLane + "\r\n# more\na:" + kTwoLanes;
  auto file = PasswordFile::parse(text, "users");
  ASSERT_TRUE(file.has_value());
  EXPECT_THAT(file->users(), ElementsAre("b", "a"));
  EXPECT_EQ(*file->find("b"), kOneLane);
  EXPECT_EQ(file->find("B"), nullptr);
  EXPECT_TRUE(file->remove("b"));
  EXPECT_FALSE(file->remove("b"));
  file->set("a", kOneLane);
  file->set("new user", kTwoLanes);
  EXPECT_EQ(file->text(),
            std::string{"# venue\n\n# more\na:"} + kOneLane + "\nnew user:" + kTwoLanes + "\n");
}

TEST(PasswordFile, byte_order_mark_is_no_part_of_the_first_user) {
  const std::string mark = "\xEF\xBB\xBF";
  const auto file = PasswordFile::parse(mark + "b:" + kOneLane + "\n", "users");
  ASSERT_TRUE(file.has_value());
  EXPECT_THAT(file->users(), ElementsAre("b"));
  EXPECT_EQ(mistake(mark + "# a comment\n"), "none");
}

TEST(PasswordFile, errors_name_their_line_and_show_no_password) {
  EXPECT_THAT(mistake("#\nsecret\n"), HasSubstr("users:2: user:HASH or a comment was expected"));
  EXPECT_THAT(mistake("me:secret\n"), HasSubstr("users:1: user me: an Argon2id hash such as"));
  EXPECT_THAT(mistake("me:secret\n"), Not(HasSubstr("secret")));
  EXPECT_THAT(mistake(":" + std::string{kOneLane}), HasSubstr("users:1: a user of 1 to 64 bytes"));
  EXPECT_THAT(mistake(" me:" + std::string{kOneLane}), HasSubstr("users:1: a user of"));
  EXPECT_THAT(mistake(std::string(65, 'u') + ":" + kOneLane), HasSubstr("users:1: a user of"));
  EXPECT_EQ(mistake(std::string(64, 'u') + ":" + kOneLane), "none");
  const std::string entry = std::string{"me:"} + kOneLane + "\n";
  EXPECT_EQ(mistake(entry + "#\n" + entry), "users:3: user me stands in line 1 already");
}

TEST(PasswordFile, unsupported_or_too_costly_hash_is_refused) {
  const std::string tail = "$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
  const auto with = [&](const std::string& head) { return mistake("me:" + head + tail); };
  EXPECT_EQ(with("$argon2id$v=19$m=1048576,t=16,p=1"), "none");
  for (const char* head :
       {"$argon2i$v=19$m=256,t=2,p=1", "$argon2id$v=16$m=256,t=2,p=1", "$argon2id$m=256,t=2,p=1",
        "$argon2id$v=19$m=0256,t=2,p=1", "$argon2id$v=19$m=-1,t=2,p=1", "$argon2id$v=19$m=256,t=2",
        "$argon2id$v=19$m=1048577,t=2,p=1", "$argon2id$v=19$m=256,t=17,p=1",
        "$argon2id$v=19$m=256,t=0,p=1", "$argon2id$v=19$m=7,t=2,p=1",
        "$argon2id$v=19$m=256,t=2,p=17", "$argon2id$v=19$m=99999999999,t=2,p=1", "$2y$10$abc"}) {
    EXPECT_THAT(with(head), HasSubstr("users:1: user me: ")) << head;
  }
  const std::string head = "me:$argon2id$v=19$m=256,t=2,p=1$";
  for (const char* rest : {"", "c29tZXNhbHQ", "c29tZXNhbHQ$", "short$nf65EOgLrQMR/uIPnA4rEsF5h7TKy",
                           "c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKy=", "c29tZXNhbHQ$nf65EOg"}) {
    EXPECT_THAT(mistake(head + rest), HasSubstr("users:1: user me: ")) << rest;
  }
}

TEST(PasswordFile, unknown_user_is_verified_with_the_costliest_hash) {
  auto file = PasswordFile::parse("", "users");
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(match_password(file->costliest(), ""), PasswordMatch::Wrong);
  EXPECT_THAT(file->costliest(), HasSubstr("$argon2id$v=19$m=65536,t=2,p=1$"));
  file->set("a", kOneLane);
  const std::string costly = *hash_password("x", {.memory_kib = 512, .passes = 2});
  file->set("b", costly);
  EXPECT_EQ(file->costliest(), costly);
  file->remove("b");
  EXPECT_EQ(file->costliest(), kOneLane);
}

TEST(PasswordFile, file_that_others_may_read_is_refused) {
  nexusfix::testing::TemporaryFolder folder;
  PosixDisk disk;
  const std::string path = folder.file("users");
  const auto add = [](PasswordFile& file) {
    file.set("me", kOneLane);
    return true;
  };
  EXPECT_FALSE(change_password_file(disk, path, false, add).has_value());
  ASSERT_TRUE(change_password_file(disk, path, true, add).has_value());
  EXPECT_TRUE(PasswordFile::load(disk, path).has_value());
  struct stat found{};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777U, 0600U);
  for (const unsigned mode : {0640U, 0604U, 0620U, 0602U}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    const auto read = PasswordFile::load(disk, path);
    ASSERT_FALSE(read.has_value()) << mode;
    EXPECT_THAT(read.error().what(), HasSubstr("chmod 600 " + path));
    EXPECT_FALSE(change_password_file(disk, path, true, add).has_value());
  }
}

TEST(PasswordFile, failed_change_or_loss_of_power_leaves_the_old_or_the_new_file) {
  nexusfix::testing::FakeDisk disk;
  ASSERT_TRUE(disk.make_directories("d").has_value());
  const std::string before = std::string{"me:"} + kOneLane + "\n";
  const std::string changed = std::string{"me:"} + kTwoLanes + "\n";
  const auto change = [](PasswordFile& file) {
    file.set("me", kTwoLanes);
    return true;
  };
  bool is_through = false;
  for (unsigned nth = 1; !is_through; ++nth) {
    ASSERT_LT(nth, 100U);
    disk.set_contents("d/users", before);
    disk.fail_any(nth, 5);
    is_through = change_password_file(disk, "d/users", true, change).has_value();
    if (is_through) disk.power_loss();
    const std::string after = disk.contents("d/users");
    EXPECT_TRUE(after == before || after == changed) << nth << ": " << after;
  }
  EXPECT_EQ(disk.contents("d/users"), changed);
}

TEST(Lockouts, lockout_time_doubles_with_each_failure_and_a_success_ends_it) {
  Lockouts lockouts;
  const LockoutRule rule{.failures_max = 3, .first_time = seconds{60}};
  const MonoTime now{seconds{1'000}};
  EXPECT_EQ(lockouts.failed("A 1.2.3.4", rule, now), seconds{0});
  EXPECT_EQ(lockouts.failed("A 1.2.3.4", rule, now), seconds{0});
  EXPECT_EQ(lockouts.left("A 1.2.3.4", now).count(), 0);
  EXPECT_EQ(lockouts.failed("A 1.2.3.4", rule, now), seconds{60});
  EXPECT_EQ(lockouts.left("A 1.2.3.4", now + seconds{59}), seconds{1});
  EXPECT_EQ(lockouts.left("A 1.2.3.4", now + seconds{60}).count(), 0);
  EXPECT_EQ(lockouts.left("A 1.2.3.5", now).count(), 0) << "another address";
  EXPECT_EQ(lockouts.failed("A 1.2.3.4", rule, now), seconds{120});
  for (int i = 0; i < 100; ++i) static_cast<void>(lockouts.failed("A 1.2.3.4", rule, now));
  EXPECT_EQ(lockouts.left("A 1.2.3.4", now), Lockouts::kTimeMax);
  lockouts.succeeded("A 1.2.3.4");
  EXPECT_EQ(lockouts.left("A 1.2.3.4", now).count(), 0);
  EXPECT_EQ(lockouts.failed("A 1.2.3.4", rule, now), seconds{0});
}

TEST(Lockouts, oldest_failure_of_a_pair_is_forgotten_at_the_limit) {
  Lockouts lockouts;
  const LockoutRule rule{.failures_max = 1, .first_time = seconds{60}};
  const MonoTime now{};
  for (std::size_t i = 0; i < Lockouts::kPairsMax; ++i) {
    static_cast<void>(lockouts.failed(std::to_string(i), rule, now));
  }
  static_cast<void>(lockouts.failed("0", rule, now));
  static_cast<void>(lockouts.failed("one more", rule, now));
  EXPECT_EQ(lockouts.size(), Lockouts::kPairsMax);
  EXPECT_EQ(lockouts.left("1", now).count(), 0);
  EXPECT_GT(lockouts.left("0", now).count(), 0);
  EXPECT_GT(lockouts.left("one more", now).count(), 0);
  const LockoutRule never{.failures_max = 0};
  EXPECT_EQ(lockouts.failed("x", never, now), seconds{0});
}

TEST(AddressLockouts, only_failures_within_the_interval_lock_out) {
  engine::AddressLockouts lockouts;
  const AddressLockoutRule rule{.failures_max = 3, .interval = seconds{60}};
  MonoTime now{};
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(lockouts.failed(1, rule, now), seconds{0});
    EXPECT_EQ(lockouts.failed(1, rule, now + seconds{59}), seconds{0});
    now += seconds{60};
  }
  EXPECT_EQ(lockouts.left(1, now).count(), 0);
  EXPECT_EQ(lockouts.failed(2, rule, now), seconds{0});
  EXPECT_EQ(lockouts.failed(2, rule, now), seconds{0});
  EXPECT_EQ(lockouts.failed(2, rule, now), seconds{60});
  EXPECT_EQ(lockouts.left(2, now + seconds{10}), seconds{50});
  EXPECT_EQ(lockouts.left(2, now + seconds{60}).count(), 0);
  EXPECT_EQ(lockouts.left(1, now).count(), 0) << "no other pair is";
  const AddressLockoutRule never{.failures_max = 0};
  EXPECT_EQ(lockouts.failed(3, never, now), seconds{0});
}

TEST(AddressLockouts, rule_of_another_session_weakens_no_lockout) {
  engine::AddressLockouts lockouts;
  const AddressLockoutRule strict{.failures_max = 3, .interval = seconds{600}};
  const AddressLockoutRule mild{.failures_max = 100, .interval = seconds{1}};
  const MonoTime now{};
  EXPECT_EQ(lockouts.failed(1, strict, now), seconds{0});
  EXPECT_EQ(lockouts.failed(1, mild, now + seconds{100}), seconds{0});
  EXPECT_EQ(lockouts.failed(1, strict, now + seconds{200}), seconds{600}) << "the third in 600 s";
  const AddressLockoutRule short_one{.failures_max = 1, .interval = seconds{1}};
  EXPECT_EQ(lockouts.failed(1, short_one, now + seconds{201}), seconds{1});
  EXPECT_EQ(lockouts.left(1, now + seconds{202}), seconds{598});
}

TEST(AddressLockouts, oldest_failure_of_an_address_is_forgotten_at_the_limit) {
  engine::AddressLockouts lockouts;
  const AddressLockoutRule rule{.failures_max = 1};
  const MonoTime now{};
  for (transport::Source source = 1; source <= engine::AddressLockouts::kAddressesMax + 1;
       ++source) {
    EXPECT_GT(lockouts.failed(source, rule, now).count(), 0);
  }
  EXPECT_EQ(lockouts.size(), engine::AddressLockouts::kAddressesMax);
  EXPECT_EQ(lockouts.left(1, now).count(), 0);
  EXPECT_GT(lockouts.left(2, now).count(), 0);
}

TEST(PasswordSettings, keys_are_read_and_invalid_ones_are_named) {
  const Settings settings =
      config::accepted(config::joined(config::kAcceptor,
                                      "PasswordFile=users\nAllowedUsernames=alice, bob b,*\n"
                                      "MaxLogonFailures=7\nLogonLockout=90\n"
                                      "MaxLogonFailuresPerAddress=8\n"));
  ASSERT_EQ(settings.values().sessions.size(), 1U);
  const config::SessionSettings& one = settings.values().sessions.front();
  EXPECT_EQ(one.credentials.password_file, "users");
  EXPECT_EQ(one.credentials.password_file_line, 9U);
  EXPECT_THAT(one.credentials.allowed_usernames, ElementsAre("alice", "bob b", "*"));
  EXPECT_EQ(one.credentials.failures_max, 7U);
  EXPECT_EQ(one.credentials.lockout, seconds{90});
  EXPECT_EQ(one.credentials.failures_per_address_max, 8U);
  EXPECT_EQ(one.credentials.failures_interval, seconds{900});
  EXPECT_THAT(
      config::errors(config::joined(config::kAcceptor, "PasswordFile=u\nAllowedUsernames=a,,b\n")),
      ElementsAre(HasSubstr("t.cfg:10: AllowedUsernames=a,,b: users between commas")));
  EXPECT_THAT(config::errors(config::joined(config::kAcceptor, "AllowedUsernames=a\n")),
              ElementsAre(HasSubstr("t.cfg:9: AllowedUsernames: there is no PasswordFile")));
  EXPECT_THAT(
      config::errors(config::joined(config::kAcceptor, "LogonLockout=0\nMaxLogonFailures=1001\n")),
      ElementsAre(HasSubstr("t.cfg:9: LogonLockout=0"),
                  HasSubstr("t.cfg:10: MaxLogonFailures=1001")));
  EXPECT_THAT(config::errors(config::joined(config::kAcceptor, "PasswordFil=u\n")),
              ElementsAre(HasSubstr("did you mean PasswordFile?")));
}

}  // namespace
}  // namespace nexusfix::engine
