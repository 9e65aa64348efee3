// Logons with Username and Password, checked with a file: which are admitted, and which are closed
// without an answer.
#include <algorithm>
#include <cerrno>
#include <future>
#include <sys/stat.h>
#include <thread>

#include <nexusfix/passwords.hpp>
#include <nexusfix/proxy.hpp>

#include "passwords/password_service.hpp"
#include "support/disks/passing_disk.hpp"
#include "support/network/fake_network.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::Credentials;
using engine::PasswordFile;

constexpr engine::PasswordCost kCheap{.memory_kib = 64, .passes = 1};

class AuthenticationTest : public AcceptorTest {
 protected:
  void SetUp() override {
    parts.passwords = engine::password_part();
    parts.proxy = transport::proxy_part();
    set_password("TRADER", "pa55word");
    set_password("OTHER", "other55");
    set_password("desk", "de5k");
    extra = "PasswordFile=" + file() + "\n";
  }
  [[nodiscard]] std::string file() const { return folder.path() + "/users"; }
  void set_password(const std::string& user, const std::string& password) {
    const auto hash = engine::hash_password(password, kCheap);
    ASSERT_TRUE(hash.has_value());
    const auto done = engine::change_password_file(disk, file(), true, [&](PasswordFile& users) {
      users.set(user, *hash);
      return true;
    });
    ASSERT_TRUE(done.has_value()) << done.error().what();
  }
  RawPeer& log_on_with(std::string_view who, const std::string& user, const std::string& password,
                       std::string_view more = {}) {
    RawPeer& peer = connect();
    peer.send(logon(who, 1, "553=" + user + "|554=" + password + "|" + std::string{more}));
    return peer;
  }
  void expect_in(RawPeer& peer) {
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
    ASSERT_FALSE(peer.messages().empty());
    EXPECT_TRUE(contains(peer.messages()[0], "|35=A|")) << bar(peer.messages()[0]);
  }
  void expect_silence(RawPeer& peer, std::string_view event) {
    EXPECT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    EXPECT_TRUE(peer.messages().empty());
    EXPECT_TRUE(log.has(event)) << event << " is not in:\n" << log.all();
  }

  [[nodiscard]] std::uint64_t failures() const {
    return acceptor->statistics().sessions.at(0).failures_in_a_row;
  }

  PosixDisk disk;
};

TEST_F(AuthenticationTest, right_password_is_admitted_and_the_event_names_the_user) {
  open();
  RawPeer& peer = log_on_with("TRADER", "TRADER", "pa55word");
  expect_in(peer);
  EXPECT_TRUE(log.has("user TRADER has given the right password")) << log.all();
  peer.send(order("TRADER", 2, "A1"));
  EXPECT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_EQ(log.all().find("pa55word"), std::string::npos) << log.all();
}

TEST_F(AuthenticationTest, messages_after_the_logon_are_processed_if_the_password_is_right) {
  open();
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 1, "553=TRADER|554=pa55word|") + order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|11=A1|"));
}

TEST_F(AuthenticationTest, wrong_password_or_missing_user_is_closed_without_an_answer) {
  open();
  expect_silence(log_on_with("TRADER", "TRADER", "guess-1"), "user TRADER: wrong password");
  expect_silence(log_on_with("OTHER", "OTHER", "pa55word"), "user OTHER: wrong password");
  RawPeer& bare = connect();
  bare.send(logon("TRADER", 1));
  expect_silence(bare, "user : not one of this session's (AllowedUsernames)");
  EXPECT_EQ(log.all().find("guess-1"), std::string::npos) << log.all();
  EXPECT_EQ(acceptor->session(0).numbers().next_inbound, 1U);
  expect_in(log_on_with("TRADER", "TRADER", "pa55word"));
}

TEST_F(AuthenticationTest, user_of_another_counterparty_is_refused_unless_the_session_names_it) {
  open();
  expect_silence(log_on_with("TRADER", "OTHER", "other55"),
                 "user OTHER: not one of this session's (AllowedUsernames)");
  for (const std::string allowed : {"boss,desk", "*"}) {
    acceptor.reset();
    extra = "PasswordFile=" + file() + "\nAllowedUsernames=" + allowed + "\n";
    reopen();
    expect_in(log_on_with("TRADER", "desk", "de5k", "141=Y|"));
    if (allowed != "*") {
      expect_silence(log_on_with("OTHER", "TRADER", "pa55word"), "user TRADER: not one of this");
    }
  }
}

TEST_F(AuthenticationTest, allowed_user_who_is_not_in_the_file_is_unknown) {
  extra += "AllowedUsernames=*\n";
  open();
  expect_silence(log_on_with("TRADER", "unlisted", "x"), "user unlisted: unknown");
}

TEST_F(AuthenticationTest, file_is_read_for_each_logon_and_an_invalid_one_is_ignored) {
  open();
  set_password("TRADER", "changed");
  expect_silence(log_on_with("TRADER", "TRADER", "pa55word"), "user TRADER: wrong password");
  expect_in(log_on_with("TRADER", "TRADER", "changed"));
  auto opened = disk.open(file(), OpenMode::ReadWrite);
  ASSERT_TRUE(opened && (*opened)->write_at(0, std::string_view{"?"}));
  ASSERT_TRUE((*opened)->truncate(1).has_value());
  expect_in(log_on_with("OTHER", "OTHER", "other55"));
  EXPECT_TRUE(log.has("PasswordFile: " + file() + ":1: user:HASH or a comment")) << log.all();
}

TEST_F(AuthenticationTest, sending_time_of_a_logon_with_a_password_is_checked) {
  open();
  const std::string late = logon("TRADER", 1, "553=TRADER|554=pa55word|");
  clock.advance(std::chrono::seconds{600});
  RawPeer& peer = connect();
  peer.send(late);
  EXPECT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(log.has("SendingTime is 600 s before our clock")) << log.all();
  EXPECT_FALSE(acceptor->session(0).is_logged_on());
}

TEST_F(AuthenticationTest, sending_time_of_messages_after_a_password_is_checked) {
  open();
  const std::string late = order("TRADER", 2, "A1");
  clock.advance(std::chrono::seconds{600});
  RawPeer& peer = log_on_with("TRADER", "TRADER", "pa55word");
  expect_in(peer);
  peer.send(late);
  ASSERT_TRUE(run_until([&] { return peer.messages().size() >= 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|373=10|")) << bar(peer.messages()[1]);
}

TEST_F(AuthenticationTest, sending_time_of_messages_that_come_with_the_logon_is_checked) {
  open();
  const std::string late = order("TRADER", 2, "A1");
  clock.advance(std::chrono::seconds{600});
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 1, "553=TRADER|554=pa55word|") + late);
  ASSERT_TRUE(run_until([&] { return peer.messages().size() >= 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|373=10|")) << bar(peer.messages()[1]);
}

TEST_F(AuthenticationTest, wrong_passwords_are_failures_in_a_row_until_the_next_logon) {
  open();
  expect_silence(log_on_with("TRADER", "TRADER", "guess-1"), "user TRADER: wrong password");
  expect_silence(log_on_with("TRADER", "TRADER", "guess-2"), "user TRADER: wrong password");
  EXPECT_EQ(failures(), 2U);
  expect_in(log_on_with("TRADER", "TRADER", "pa55word"));
  EXPECT_EQ(failures(), 0U);
}

TEST_F(AuthenticationTest, repeated_failures_lock_out_the_comp_id_for_a_doubling_time) {
  extra += "MaxLogonFailures=2\nLogonLockout=30\n";
  open();
  expect_silence(log_on_with("TRADER", "TRADER", "1"), "user TRADER: wrong password");
  expect_silence(log_on_with("TRADER", "TRADER", "2"), "from this address for 30 s");
  expect_silence(log_on_with("TRADER", "TRADER", "pa55word"), "locked out for 30 s more");
  expect_in(log_on_with("OTHER", "OTHER", "other55"));
  clock.advance(std::chrono::seconds{30});
  expect_silence(log_on_with("TRADER", "TRADER", "3"), "from this address for 60 s");
  clock.advance(std::chrono::seconds{60});
  expect_in(log_on_with("TRADER", "TRADER", "pa55word"));
}

TEST_F(AuthenticationTest, guesses_through_a_proxy_lock_out_only_the_announced_address) {
  extra += "MaxLogonFailures=1\nUseTCPProxy=Y\nTrustedProxies=127.0.0.1\n";
  open();
  const auto log_on_from = [&](const std::string& address, const std::string& password) {
    RawPeer& peer = connect();
    peer.send("PROXY TCP4 " + address + " 10.0.0.1 40112 5001\r\n" +
              logon("TRADER", 1, "553=TRADER|554=" + password + "|"));
    return &peer;
  };
  expect_silence(*log_on_from("192.0.2.8", "guess"), "from this address for 60 s");
  expect_silence(*log_on_from("192.0.2.8", "pa55word"), "locked out for 60 s more");
  expect_in(*log_on_from("192.0.2.7", "pa55word"));
}

// A client with one address of an IPv6 network can guess from all addresses of that network.
TEST_F(AuthenticationTest, whole_ipv6_network_of_64_bits_is_locked_out) {
  extra += "MaxLogonFailures=2\nUseTCPProxy=Y\nTrustedProxies=127.0.0.1\n";
  open();
  const auto log_on_from = [&](const std::string& address, const std::string& password) {
    RawPeer& peer = connect();
    peer.send("PROXY TCP6 " + address + " 2001:db8:9::1 40112 5001\r\n" +
              logon("TRADER", 1, "553=TRADER|554=" + password + "|"));
    return &peer;
  };
  expect_silence(*log_on_from("2001:db8::1", "1"), "user TRADER: wrong password");
  expect_silence(*log_on_from("2001:db8::2", "2"), "from this address for 60 s");
  expect_silence(*log_on_from("2001:db8::3", "pa55word"), "locked out for 60 s more");
  expect_in(*log_on_from("2001:db8:0:1::3", "pa55word"));
}

class AddressLockoutTest : public AuthenticationTest {
 protected:
  void SetUp() override {
    AuthenticationTest::SetUp();
    extra += "AllowedUsernames=*\nMaxLogonFailuresPerAddress=3\n";
    adjust = [](config::Settings& settings) {
      settings.sessions.front().credentials.failures_interval = std::chrono::seconds{60};
    };
    sessions =
        "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=*\n"
        "AcceptorTemplate=Y\n";
  }
  RawPeer& log_on_from(const std::string& address, std::string_view who,
                       const std::string& password) {
    RawPeer& peer = AcceptorTest::connect(address);
    peer.send(logon(who, 1, "553=desk|554=" + password + "|"));
    return peer;
  }
  // Guesses with a different CompID each time.
  void guess_from(const std::string& address, int times) {
    for (int i = 0; i < times; ++i) {
      RawPeer& peer = log_on_from(address, "GUESS" + std::to_string(++guesses_), "x");
      expect_silence(peer, "GUESS" + std::to_string(guesses_));
    }
  }

 private:
  int guesses_ = 0;
};

TEST_F(AddressLockoutTest, guesses_with_different_comp_ids_lock_out_the_address) {
  open();
  guess_from("127.0.0.2", 2);
  EXPECT_FALSE(log.has("locked out")) << log.all();
  guess_from("127.0.0.2", 1);
  EXPECT_TRUE(
      log.has("address 127.0.0.2 is locked out for 60 s: 3 wrong passwords from there "
              "(MaxLogonFailuresPerAddress)"))
      << log.all();
  expect_silence(log_on_from("127.0.0.2", "NEW", "de5k"), "its address is locked out for 60 s");
  EXPECT_EQ(acceptor->session_count(), 0U);
  expect_in(log_on_from("127.0.0.3", "HONEST", "de5k"));
  clock.advance(std::chrono::seconds{60});
  expect_in(log_on_from("127.0.0.2", "NEW", "de5k"));
}

TEST_F(AddressLockoutTest, comp_id_with_an_earlier_success_is_admitted_from_a_locked_address) {
  open();
  RawPeer& honest = log_on_from("127.0.0.2", "HONEST", "de5k");
  expect_in(honest);
  honest.close();
  guess_from("127.0.0.2", 3);
  expect_silence(log_on_from("127.0.0.2", "NEW", "de5k"), "its address is locked out for 60 s");
  RawPeer& again = AcceptorTest::connect("127.0.0.2");
  again.send(logon("HONEST", 2, "553=desk|554=de5k|"));
  expect_in(again);
}

TEST_F(AddressLockoutTest, comp_id_with_an_earlier_success_is_admitted_despite_a_guess) {
  open();
  RawPeer& honest = log_on_from("127.0.0.2", "HONEST", "de5k");
  expect_in(honest);
  honest.close();
  expect_silence(log_on_from("127.0.0.2", "HONEST", "x"), "49=HONEST");
  guess_from("127.0.0.2", 2);
  expect_silence(log_on_from("127.0.0.2", "NEW", "de5k"), "its address is locked out for 60 s");
  RawPeer& again = AcceptorTest::connect("127.0.0.2");
  again.send(logon("HONEST", 2, "553=desk|554=de5k|"));
  expect_in(again);
}

TEST_F(AddressLockoutTest, waiting_logons_of_a_locked_address_are_not_checked) {
  open();
  std::vector<RawPeer*> guesses;
  for (int i = 0; i < 8; ++i) {
    guesses.push_back(&log_on_from("127.0.0.2", "GUESS" + std::to_string(i), "x"));
  }
  ASSERT_TRUE(run_until([&] {
    return std::ranges::all_of(guesses, [](const RawPeer* peer) { return peer->closed(); });
  }));
  const auto count = [&](std::string_view text) {
    return std::ranges::count_if(
        log.lines, [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  EXPECT_EQ(count("user desk: wrong password"), 3) << log.all();
  EXPECT_EQ(count("its address is locked out"), 5) << log.all();
}

TEST_F(AddressLockoutTest, failures_outside_the_interval_do_not_lock_out) {
  open();
  for (int i = 0; i < 4; ++i) {
    guess_from("127.0.0.2", 2);
    clock.advance(std::chrono::seconds{60});
  }
  expect_in(log_on_from("127.0.0.2", "HONEST", "de5k"));
}

TEST_F(AddressLockoutTest, zero_locks_out_no_address) {
  extra = "PasswordFile=" + file() + "\nAllowedUsernames=*\nMaxLogonFailuresPerAddress=0\n";
  open();
  guess_from("127.0.0.2", 8);
  expect_in(log_on_from("127.0.0.2", "HONEST", "de5k"));
}

TEST_F(AddressLockoutTest, announced_ipv6_address_counts_as_its_network) {
  extra += "UseTCPProxy=Y\nTrustedProxies=127.0.0.1\n";
  open();
  const auto announced = [&](const std::string& address, const std::string& who,
                             const std::string& password) {
    RawPeer& peer = connect();
    peer.send("PROXY TCP6 " + address + " 2001:db8:9::1 40112 5001\r\n" +
              logon(who, 1, "553=desk|554=" + password + "|"));
    return &peer;
  };
  expect_silence(*announced("2001:db8::1", "A", "x"), "49=A");
  expect_silence(*announced("2001:db8::2", "B", "x"), "49=B");
  expect_silence(*announced("2001:db8::3", "C", "x"),
                 "address 2001:db8::/64 is locked out for 60 s");
  expect_silence(*announced("2001:db8::4", "D", "de5k"), "its address is locked out for 60 s");
  expect_in(*announced("2001:db8:0:1::4", "D", "de5k"));
}

TEST_F(AuthenticationTest, new_password_is_in_the_file_and_the_answer_confirms_it) {
  sessions +=
      "[SESSION]\nBeginString=FIXT.1.1\nDefaultApplVerID=9\nSenderCompID=VENUE\n"
      "TargetCompID=FIXT\n";
  set_password("FIXT", "old");
  open();
  RawPeer& peer = connect();
  peer.send(logon("FIXT", 1, "1137=9|553=FIXT|554=old|925=new|"));
  expect_in(peer);
  EXPECT_TRUE(contains(peer.messages()[0], "|1409=1|")) << bar(peer.messages()[0]);
  EXPECT_TRUE(log.has("user FIXT has given the right password and a new one")) << log.all();
  const auto users = PasswordFile::load(disk, file());
  ASSERT_TRUE(users.has_value());
  EXPECT_EQ(engine::match_password(*users->find("FIXT"), "new"), engine::PasswordMatch::Right);
  EXPECT_EQ(users->cost_of("FIXT"), kCheap);
  expect_silence(log_on_with("TRADER", "TRADER", "wrong", "925=mine|"), "TRADER: wrong password");
  EXPECT_EQ(engine::match_password(*PasswordFile::load(disk, file())->find("TRADER"), "pa55word"),
            engine::PasswordMatch::Right);
}

TEST_F(AuthenticationTest, application_decides_after_the_password_check) {
  struct Refusing : EchoVenue {
    std::optional<LogonAnswer> on_logon_request(Session&, const LogonRequest& request) {
      ++asked;
      return LogonAnswer::refuse(std::string{*request.message[553]} + "?");
    }
    int asked = 0;
  } refusing;
  under_test().open(acceptor, refusing);
  expect_silence(log_on_with("TRADER", "TRADER", "wrong"), "user TRADER: wrong password");
  EXPECT_EQ(refusing.asked, 0);
  RawPeer& peer = log_on_with("TRADER", "TRADER", "pa55word");
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(contains(peer.messages().at(0), "|58=TRADER?|"));
  acceptor.reset();
}

TEST_F(AuthenticationTest, client_without_the_password_gets_no_session_of_a_template) {
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=*\n"
      "AcceptorTemplate=Y\n";
  open();
  expect_silence(log_on_with("TRADER", "TRADER", "guess"), "user TRADER: wrong password");
  EXPECT_EQ(acceptor->session_count(), 0U);
  expect_in(log_on_with("TRADER", "TRADER", "pa55word"));
  EXPECT_EQ(acceptor->session_count(), 1U);
}

TEST_F(AuthenticationTest, counterparty_that_leaves_during_the_check_counts_as_a_failure) {
  extra += "MaxLogonFailures=1\nMaxLogonFailuresPerAddress=1\n";
  open();
  RawPeer& gone = log_on_with("TRADER", "TRADER", "guess");
  ASSERT_TRUE(run_until([&] { return gone.all_sent(); }));
  turn(5);
  gone.close();
  ASSERT_TRUE(run_until([&] { return log.has("address 127.0.0.1 is locked out for 600 s"); }))
      << log.all();
  expect_silence(log_on_with("TRADER", "TRADER", "pa55word"), "locked out for 60 s more");
}

TEST_F(AuthenticationTest, invalid_file_refuses_the_start_at_its_key) {
  const auto wrong = [&](const std::string& path) {
    extra = "PasswordFile=" + path + "\n";
    return under_test().refusal(venue);
  };
  EXPECT_NE(wrong(folder.path() + "/none").find("venue.cfg:8: PasswordFile: " + folder.path()),
            std::string::npos);
  ASSERT_EQ(::chmod(file().c_str(), 0644), 0);
  EXPECT_NE(wrong(file()).find("chmod 600"), std::string::npos);
}

// A disk on which each access to a file waits until let_go().
class HeldDisk final : public PassingDisk {
 public:
  void let_go() { gate_.set_value(); }
  // Holds accesses again. Call it only while no thread accesses a file.
  void hold() {
    gate_ = {};
    opened_ = gate_.get_future();
  }
  DiskResult<bool> is_private(const std::string& path) override {
    opened_.wait();
    return PassingDisk::is_private(path);
  }

 private:
  std::promise<void> gate_;
  std::shared_future<void> opened_{gate_.get_future()};
};

class CredentialsTest : public ::testing::Test {
 protected:
  CredentialsTest() { credentials.add_loop(0, network); }
  ~CredentialsTest() override {
    if (is_held) disk.let_go();
    credentials.remove_loop(0);
  }

  void set_password(const std::string& right) {
    const auto hash = engine::hash_password(right, kCheap).value();
    PosixDisk posix;
    const auto change = [&](PasswordFile& users) {
      users.set("me", hash);
      return true;
    };
    ASSERT_TRUE(engine::change_password_file(posix, folder.path() + "/users", true, change));
  }

  // The socket identifies the check.
  std::optional<std::string> submit(transport::SocketId socket, transport::Source source = 1) {
    Credentials::Check check;
    check.socket = socket;
    check.file = folder.path() + "/users";
    check.username = "me";
    check.is_users_session = true;
    check.password = Secret{password};
    check.pair = "A " + std::to_string(socket);
    check.source = source;
    check.address_lockout.failures_max = address_failures_max;
    return credentials.submit(std::move(check));
  }
  // Submits a first check that stays in progress, so that no other can start.
  void occupy() { EXPECT_EQ(submit(0, kFirst), std::nullopt); }
  // The next count decisions, in the order in which they arrive.
  std::vector<Credentials::Decision> take(std::size_t count) {
    std::vector<Credentials::Decision> all;
    while (all.size() < count) {
      for (Credentials::Decision& decision : credentials.take(0))
        all.push_back(std::move(decision));
      std::this_thread::yield();
    }
    return all;
  }
  void let_go() {
    is_held = false;
    disk.let_go();
  }
  void hold() {
    is_held = true;
    disk.hold();
  }

  static constexpr transport::Source kFirst = 1;
  TemporaryFolder folder;
  std::string password;
  std::uint32_t address_failures_max = 100;
  static constexpr std::size_t kMax = 64;
  transport::FakeInternet internet;
  transport::FakeNetwork network{internet};
  HeldDisk disk;
  bool is_held = true;
  engine::PasswordService credentials{disk, kMax};
};

TEST_F(CredentialsTest, end_does_not_wait_for_a_file_that_does_not_answer) {
  const auto owned = std::make_shared<HeldDisk>();
  auto checks = engine::PasswordService::make(*owned, owned, kMax);
  Credentials::Check check;
  check.file = folder.path() + "/users";
  check.pair = "A";
  EXPECT_EQ(checks->submit(std::move(check)), std::nullopt);
  checks.reset();
  owned->let_go();
}

TEST_F(CredentialsTest, logons_above_the_limit_and_duplicates_are_refused) {
  for (std::size_t i = 0; i < kMax; ++i) EXPECT_EQ(submit(i), std::nullopt);
  EXPECT_NE(submit(0).value_or("").find("is being checked"), std::string::npos);
  EXPECT_NE(submit(1'000).value_or("").find("too many Logons wait"), std::string::npos);
  let_go();
  std::size_t count = 0;
  for (const Credentials::Decision& decision : take(kMax)) {
    EXPECT_EQ(decision.socket, count++) << "in the order in which they came";
    EXPECT_FALSE(decision.is_valid);
    EXPECT_NE(decision.trouble.find("users: No such file or directory"), std::string::npos);
  }
  EXPECT_EQ(submit(1'000), std::nullopt);
}

TEST_F(CredentialsTest, flood_of_one_source_does_not_fill_the_queue_for_others) {
  constexpr transport::Source kHonest = 2;
  for (std::size_t i = 0; i < kMax; ++i) EXPECT_EQ(submit(i), std::nullopt);
  ASSERT_EQ(submit(1'000, kHonest), std::nullopt);
  const auto displaced = take(1);
  EXPECT_EQ(displaced[0].socket, kMax - 1) << "the last one of the source that has most";
  EXPECT_FALSE(displaced[0].is_valid);
  EXPECT_NE(displaced[0].text.find("its address has most of them"), std::string::npos);
  EXPECT_NE(submit(1'001, kFirst), std::nullopt) << "the flood itself displaces no client";
  EXPECT_EQ(submit(kMax - 1, kHonest), std::nullopt) << "what was displaced is not being checked";
}

TEST_F(CredentialsTest, queue_is_shared_evenly_between_sources) {
  occupy();
  for (std::size_t i = 1; i < kMax; ++i) EXPECT_EQ(submit(i), std::nullopt);
  constexpr transport::Source kOther = 2;
  std::size_t taken = 0;
  while (!submit(1'000 + taken, kOther)) ++taken;
  EXPECT_GE(taken, kMax / 2 - 1);
  EXPECT_LE(taken, kMax / 2);
}

TEST_F(CredentialsTest, failed_sources_wait_after_the_others_and_are_displaced) {
  constexpr transport::Source kFailed = 2;
  constexpr transport::Source kNew = 3;
  set_password("right");
  let_go();
  ASSERT_EQ(submit(0, kFailed), std::nullopt);
  ASSERT_TRUE(take(1)[0].is_guess);
  hold();
  occupy();
  for (std::size_t i = 1; i < kMax; ++i) EXPECT_EQ(submit(i, kFailed), std::nullopt);
  EXPECT_EQ(submit(1'000, kNew), std::nullopt);
  EXPECT_EQ(take(1)[0].socket, kMax - 1) << "of who has failed";
  std::size_t taken = 1;
  while (!submit(1'000 + taken, kNew)) ++taken;
  EXPECT_EQ(taken, kMax - 1) << "all of the places of who has failed";
  static_cast<void>(take(taken - 1));
  EXPECT_NE(submit(1, kFailed), std::nullopt)
      << "a client displaces no client of a better standing";
}

TEST(LogonReputation, the_last_password_decides_and_the_oldest_source_is_forgotten) {
  engine::LogonReputation standings;
  EXPECT_EQ(standings.of(1), engine::Standing::Unknown);
  standings.note(1, true);
  EXPECT_EQ(standings.of(1), engine::Standing::Trusted);
  standings.note(1, false);
  EXPECT_EQ(standings.of(1), engine::Standing::Failing);
  for (transport::Source source = 2; source <= engine::LogonReputation::kSourcesMax + 1; ++source) {
    standings.note(source, true);
  }
  EXPECT_EQ(standings.size(), engine::LogonReputation::kSourcesMax);
  EXPECT_EQ(standings.of(1), engine::Standing::Unknown);
  EXPECT_EQ(standings.of(2), engine::Standing::Trusted);
}

TEST_F(CredentialsTest, file_that_cannot_be_read_locks_out_no_address) {
  address_failures_max = 1;
  let_go();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(submit(i), std::nullopt);
    const Credentials::Decision decision = std::move(take(1).front());
    EXPECT_FALSE(decision.is_valid);
    EXPECT_EQ(decision.lockout, "");
  }
}

TEST_F(CredentialsTest, internal_error_locks_out_no_pair) {
  let_go();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(submit(0), std::nullopt) << i;
    EXPECT_EQ(take(1)[0].text, "user me: there is nothing to check the password with");
  }
}

TEST_F(CredentialsTest, trusted_source_leaves_others_a_turn) {
  constexpr transport::Source kTrusted = 2;
  set_password("right");
  password = "right";
  let_go();
  ASSERT_EQ(submit(0, kTrusted), std::nullopt);
  ASSERT_TRUE(take(1)[0].is_valid);
  hold();
  ASSERT_EQ(submit(1, kTrusted), std::nullopt);
  for (std::size_t i = 2; i < 30; ++i) EXPECT_EQ(submit(i, kTrusted), std::nullopt);
  ASSERT_EQ(submit(1'000, 3), std::nullopt);
  ASSERT_EQ(submit(2'000, 4), std::nullopt);
  let_go();
  std::vector<transport::SocketId> order;
  for (const auto& decision : take(31)) order.push_back(decision.socket);
  const auto place = [&](transport::SocketId socket) {
    return std::ranges::find(order, socket) - order.begin();
  };
  EXPECT_GT(place(1'000), 1) << "after some that were right";
  EXPECT_LE(place(1'000), 12);
  EXPECT_LE(place(2'000), 12);
}

TEST_F(CredentialsTest, sources_take_turns) {
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(submit(i), std::nullopt);
  EXPECT_EQ(submit(1'000, 2), std::nullopt);
  EXPECT_EQ(submit(2'000, 3), std::nullopt);
  let_go();
  std::vector<transport::SocketId> order;
  for (const auto& decision : take(22)) order.push_back(decision.socket);
  const auto place = [&](transport::SocketId socket) {
    return std::ranges::find(order, socket) - order.begin();
  };
  EXPECT_LE(place(1'000), 3) << "after one that is being checked, and one of each other source";
  EXPECT_LE(place(2'000), 4);
  EXPECT_LT(place(18), place(19)) << "of one source in the order in which they came";
}

}  // namespace
}  // namespace nexusfix::testing
