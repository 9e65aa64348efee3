#include "console/site/access.hpp"

#include <cerrno>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/disks/fake_disk.hpp"
#include "support/disks/temporary_folder.hpp"

namespace nexusfix::web {
namespace {

using ::testing::HasSubstr;

const std::string kToken(32, 'a');
constexpr MonoTime kNow{std::chrono::hours{1}};

Request with(std::vector<std::pair<std::string, std::string>> fields) {
  Request request;
  request.method = "POST";
  request.fields = std::move(fields);
  request.peer = "127.0.0.1:40112";
  return request;
}

class AccessTest : public ::testing::Test {
 protected:
  AccessTest() {
    access.listen_on("127.0.0.1", 8080, {"desk.example.com"});
    access.set_tokens({{"anna", kToken}, {"bob", std::string(32, 'b')}});
  }
  std::string cookie_of(const std::optional<Access::Attempt>& attempt) {
    return attempt ? attempt->cookie.substr(0, attempt->cookie.find(';')) : std::string{};
  }
  Access access{/*has_tls=*/false, /*has_certificates=*/false};
};

TEST_F(AccessTest, right_token_signs_its_operator_in_by_a_cookie_that_no_script_reads) {
  const auto attempt = access.sign_in(kToken, "127.0.0.1", kNow);
  ASSERT_TRUE(attempt);
  EXPECT_EQ(attempt->identity, "anna");
  EXPECT_THAT(attempt->cookie, HasSubstr("; HttpOnly; SameSite=Strict"));
  EXPECT_EQ(attempt->cookie.find(kToken), std::string::npos);
  const SignIn* const found = access.find(with({{"cookie", cookie_of(attempt)}}), kNow);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->identity, "anna");
}

TEST_F(AccessTest, cookie_of_another_console_or_of_none_is_no_sign_in) {
  const std::string cookie = cookie_of(access.sign_in(kToken, "127.0.0.1", kNow));
  EXPECT_EQ(access.find(with({}), kNow), nullptr);
  EXPECT_EQ(access.find(with({{"cookie", "nexusfix_8080="}}), kNow), nullptr);
  EXPECT_EQ(access.find(with({{"cookie", cookie + "0"}}), kNow), nullptr);
  EXPECT_EQ(access.find(with({{"cookie", "nexusfix_9090" + cookie.substr(13)}}), kNow), nullptr);
  EXPECT_NE(access.find(with({{"cookie", "a=b; " + cookie}}), kNow), nullptr);
}

TEST_F(AccessTest, sign_in_ends_after_twelve_idle_hours_and_by_signing_out) {
  const std::string cookie = cookie_of(access.sign_in(kToken, "127.0.0.1", kNow));
  const auto later = kNow + std::chrono::hours{12};
  EXPECT_NE(access.find(with({{"cookie", cookie}}), later), nullptr);
  EXPECT_EQ(access.find(with({{"cookie", cookie}}), later + std::chrono::hours{13}), nullptr);
  const std::string other = cookie_of(access.sign_in(kToken, "127.0.0.1", kNow));
  EXPECT_THAT(access.sign_out(with({{"cookie", other}})), HasSubstr("Max-Age=0"));
  EXPECT_EQ(access.find(with({{"cookie", other}}), kNow), nullptr);
}

TEST_F(AccessTest, sign_in_that_is_used_does_not_end) {
  // A page that stays open asks all day.
  const std::string cookie = cookie_of(access.sign_in(kToken, "127.0.0.1", kNow));
  MonoTime now = kNow;
  for (int use = 0; use < 10; ++use) {
    now += Access::kIdleMax;
    EXPECT_NE(access.find(with({{"cookie", cookie}}), now), nullptr) << use;
  }
  EXPECT_EQ(
      access.find(with({{"cookie", cookie}}), now + Access::kIdleMax + std::chrono::seconds{1}),
      nullptr);
}

TEST_F(AccessTest, sign_in_too_many_ends_the_one_that_was_used_longest_ago) {
  std::vector<std::string> cookies;
  MonoTime now = kNow;
  for (std::size_t i = 0; i < Access::kSignInsMax; ++i) {
    cookies.push_back(
        cookie_of(access.sign_in(kToken, "127.0.0.1", now += std::chrono::seconds{1})));
  }
  EXPECT_NE(access.find(with({{"cookie", cookies.front()}}), now += std::chrono::seconds{1}),
            nullptr);
  cookies.push_back(cookie_of(access.sign_in(kToken, "127.0.0.1", now)));
  for (std::size_t i = 0; i < cookies.size(); ++i) {
    EXPECT_EQ(access.find(with({{"cookie", cookies[i]}}), now) == nullptr, i == 1) << i;
  }
}

TEST_F(AccessTest, wrong_tokens_mark_an_address_that_guesses_and_a_right_one_always_signs_in) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(access.sign_in("wrong", "10.0.0.9:1", kNow));
    EXPECT_FALSE(access.guesses("10.0.0.9:2", kNow));
  }
  EXPECT_EQ(access.consume_refused().size(), 5U);
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(access.sign_in("wrong", "10.0.0.9:1", kNow));
  EXPECT_TRUE(access.guesses("10.0.0.9:2", kNow));
  EXPECT_FALSE(access.guesses("10.0.0.8:1", kNow));
  EXPECT_TRUE(access.consume_refused().empty()) << "a flood of guesses is no flood of events";
  EXPECT_TRUE(access.sign_in(kToken, "10.0.0.9:1", kNow));
  EXPECT_NE(access.find(with({{"authorization", "Bearer " + kToken}}), kNow), nullptr);
  EXPECT_FALSE(access.guesses("10.0.0.9:2", kNow + std::chrono::seconds{61}));
}

// An IPv6 host may use all addresses of its network.
TEST_F(AccessTest, addresses_of_one_network_guess_together_and_their_number_is_bounded) {
  for (int i = 0; i < 6; ++i) {
    EXPECT_FALSE(access.sign_in("x", "[2001:db8::" + std::to_string(i + 1) + "]:1", kNow));
  }
  EXPECT_TRUE(access.guesses("[2001:db8::99]:1", kNow));
  const auto later = kNow + std::chrono::seconds{1};
  for (std::size_t i = 0; i < Access::kAddressesMax; ++i) {
    const std::string peer =
        "10.0." + std::to_string(i / 250) + '.' + std::to_string(i % 250) + ":1";
    EXPECT_FALSE(access.sign_in("x", peer, later));
  }
  EXPECT_FALSE(access.guesses("[2001:db8::99]:1", later)) << "the oldest one is forgotten";
}

TEST_F(AccessTest, authorization_field_signs_a_program_in_and_counts_wrong_tokens) {
  const SignIn* const found = access.find(with({{"authorization", "Bearer " + kToken}}), kNow);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->identity, "anna");
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(access.find(with({{"authorization", "Bearer x"}}), kNow), nullptr);
  }
  EXPECT_TRUE(access.guesses("127.0.0.1:40112", kNow));
}

// DNS rebinding: the page of another site reaches this address under a name of its own.
TEST_F(AccessTest, only_our_own_names_are_a_host) {
  for (const char* const host :
       {"127.0.0.1:8080", "localhost:8080", "[::1]:8080", "DESK.example.com:8080"}) {
    EXPECT_TRUE(access.is_our_host(with({{"host", host}}))) << host;
  }
  for (const char* const host : {"evil.example.com:8080", "127.0.0.1", "127.0.0.1:8081", "",
                                 "localhost:8080.evil.example.com"}) {
    EXPECT_FALSE(access.is_our_host(with({{"host", host}}))) << host;
  }
  EXPECT_FALSE(
      access.is_our_host(with({{"host", "localhost:8080"}, {"host", "evil.example.com"}})));
}

TEST_F(AccessTest, requests_of_other_sites_are_recognised) {
  EXPECT_TRUE(access.is_same_site(with({})));
  EXPECT_TRUE(access.is_same_site(
      with({{"origin", "http://localhost:8080"}, {"sec-fetch-site", "same-origin"}})));
  for (const char* const origin :
       {"http://evil.example.com", "null", "http://localhost:8081", "https://localhost:8080"}) {
    EXPECT_FALSE(access.is_same_site(with({{"origin", origin}}))) << origin;
  }
  EXPECT_FALSE(access.is_same_site(with({{"sec-fetch-site", "cross-site"}})));
  EXPECT_FALSE(access.is_same_site(with({{"sec-fetch-site", "same-site"}})));
}

TEST_F(AccessTest, act_repeats_the_secret_of_its_own_sign_in) {
  const std::string cookie = cookie_of(access.sign_in(kToken, "127.0.0.1", kNow));
  const SignIn found = *access.find(with({{"cookie", cookie}}), kNow);
  EXPECT_TRUE(Access::repeats_secret(with({{"x-csrf-token", found.csrf}}), found));
  EXPECT_FALSE(Access::repeats_secret(with({}), found));
  EXPECT_FALSE(Access::repeats_secret(with({{"x-csrf-token", found.csrf + "0"}}), found));
}

TEST(AccessByCertificate, identity_is_that_of_the_certificate) {
  Access access{/*has_tls=*/true, /*has_certificates=*/true};
  access.listen_on("10.0.0.1", 443, {});
  Request request = with({});
  EXPECT_EQ(access.find(request, kNow), nullptr);
  request.identities = {"pin:sha256/AAAA", "dns:anna.desk.example.com"};
  const SignIn* const found = access.find(request, kNow);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->identity, "dns:anna.desk.example.com");
  EXPECT_FALSE(found->csrf.empty());
}

TEST(TokensTest, comparison_finds_each_difference) {
  EXPECT_TRUE(equals_in_constant_time("abc", "abc"));
  EXPECT_TRUE(equals_in_constant_time("", ""));
  for (const char* const other : {"abd", "xbc", "ab", "abcd", ""}) {
    EXPECT_FALSE(equals_in_constant_time("abc", other)) << other;
  }
}

class TokenFileTest : public ::testing::Test {
 protected:
  void write(std::string_view text, unsigned mode = 0600) {
    auto file = disk.open(path, OpenMode::Create).value();
    ASSERT_TRUE(file->truncate(0));
    ASSERT_TRUE(file->write_at(0, text));
    ASSERT_TRUE(file->set_permissions(mode));
  }
  std::string error() {
    const auto tokens = load_tokens(disk, path);
    return tokens ? std::string{} : tokens.error();
  }
  testing::TemporaryFolder folder;
  PosixDisk disk;
  std::string path = folder.path() + "/console.token";
};

TEST_F(TokenFileTest, absent_file_is_made_with_a_random_token_for_its_owner_only) {
  const auto made = load_tokens(disk, path);
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(made->at(0).name, "operator");
  EXPECT_EQ(made->at(0).token.size(), 64U);
  EXPECT_TRUE(disk.is_private(path).value());
  const auto again = load_tokens(disk, path);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->at(0).token, made->at(0).token);
}

// Each operation on the disk fails once, and a failing write leaves half of its bytes.
TEST(TokenFileWritten, file_is_whole_or_absent) {
  for (unsigned nth = 1;; ++nth) {
    testing::FakeDisk disk;
    ASSERT_TRUE(disk.make_directories("/store"));
    ASSERT_TRUE(disk.sync_directory("/"));
    disk.fail_any(nth, EIO);
    const auto made = load_tokens(disk, "/store/console.token");
    const bool has_failed = disk.faults_hit() > 0;
    EXPECT_EQ(made.has_value(), !has_failed) << nth;
    if (!has_failed) disk.power_loss();
    const auto again = load_tokens(disk, "/store/console.token");
    ASSERT_TRUE(again) << nth << ": " << again.error();
    if (has_failed) continue;
    EXPECT_EQ(again->at(0).token, made->at(0).token) << "it survives a loss of power";
    break;
  }
}

TEST_F(TokenFileTest, file_that_others_may_read_is_refused) {
  write("anna:" + kToken + '\n', 0640);
  EXPECT_THAT(error(), HasSubstr("chmod 600"));
}

TEST_F(TokenFileTest, wrong_line_is_named) {
  write("# desk\n\nanna:" + kToken + "\nbob:short\n");
  EXPECT_THAT(error(), HasSubstr(":4: a name, a colon and a token of at least 24 characters"));
  write("anna " + kToken + '\n');
  EXPECT_THAT(error(), HasSubstr(":1: "));
  write("# nobody\n");
  EXPECT_THAT(error(), HasSubstr("has no token"));
}

TEST_F(TokenFileTest, each_operator_has_a_line) {
  write("anna:" + kToken + "\r\nbob:" + std::string(24, 'b') + '\n');
  const auto tokens = load_tokens(disk, path);
  ASSERT_TRUE(tokens) << tokens.error();
  ASSERT_EQ(tokens->size(), 2U);
  EXPECT_EQ(tokens->at(1).name, "bob");
}

}  // namespace
}  // namespace nexusfix::web
