// NewPassword (925) in a Logon: the password changes after the Logon is validated and accepted, and
// the Logon is answered after the change is on the disk.
#include <atomic>
#include <cerrno>
#include <functional>

#include <nexusfix/passwords.hpp>

#include "support/disks/passing_disk.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::PasswordMatch;

constexpr engine::PasswordCost kLow{.memory_kib = 64, .passes = 1};

// A real disk that delays each rename until a test releases it, or fails it.
class RenamingDisk final : public PassingDisk {
 public:
  void hold() { is_held_ = true; }
  void let_go() {
    is_held_ = false;
    is_held_.notify_all();
  }
  std::atomic<bool> fails{false};
  std::atomic<bool> is_asked{false};

  DiskResult<void> rename(const std::string& from, const std::string& to) override {
    is_asked = true;
    is_held_.wait(true);
    if (fails) return std::unexpected{DiskError{to, "rename", EIO}};
    return PassingDisk::rename(from, to);
  }

 private:
  std::atomic<bool> is_held_{false};
};

class NewPasswordTest : public AcceptorTest {
 protected:
  void SetUp() override {
    parts.passwords = engine::password_part();
    dictionary = "";  // each version's own
    sessions =
        "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
        "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\n"
        "[SESSION]\nBeginString=FIXT.1.1\nDefaultApplVerID=9\nSenderCompID=VENUE\n"
        "TargetCompID=FIXT\n";
    for (const char* user : {"TRADER", "OTHER", "FIXT"}) set_password(user, "old");
    extra = "Store=memory\nPasswordFile=" + file() + "\n";
  }
  [[nodiscard]] std::string file() const { return folder.path() + "/users"; }
  void set_password(const std::string& user, const std::string& password) {
    const auto hash = engine::hash_password(password, kLow);
    ASSERT_TRUE(hash.has_value());
    ASSERT_TRUE(engine::change_password_file(posix, file(), true, [&](engine::PasswordFile& users) {
                  users.set(user, *hash);
                  return true;
                }).has_value());
  }
  [[nodiscard]] bool is_password(const std::string& user, std::string_view password) {
    const auto users = engine::PasswordFile::load(posix, file());
    return users && engine::match_password(*users->find(user), password) == PasswordMatch::Right;
  }
  template <class Venue>
  void open_for(Venue& application) {
    EngineUnderTest opening = under_test();
    opening.options.disk = &disk;
    opening.open(acceptor, application);
  }
  RawPeer& ask_for(std::string_view who, std::string_view new_password, std::string_view more = {},
                   std::uint64_t number = 1) {
    RawPeer& peer = connect();
    peer.send(logon(who, number,
                    "553=" + std::string{who} + "|554=old|925=" + std::string{new_password} + "|" +
                        std::string{more} + (who == "FIXT" ? "1137=9|" : "")));
    return peer;
  }
  // The last message that came back; empty if the connection closed without one.
  std::string answer(RawPeer& peer) {
    EXPECT_TRUE(run_until([&] { return !peer.messages().empty() || peer.closed(); })) << log.all();
    return peer.messages().empty() ? "" : bar(peer.messages().back());
  }
  static bool has(const std::string& message, std::string_view part) {
    return message.find(part) != std::string::npos;
  }

  PosixDisk posix;
  RenamingDisk disk;
};

TEST_F(NewPasswordTest, new_password_is_accepted_in_every_version) {
  open_for(venue);
  for (const char* who : {"TRADER", "OTHER", "FIXT"}) {
    const std::string text = answer(ask_for(who, "new"));
    EXPECT_TRUE(has(text, "|35=A|")) << who << text << log.all();
    EXPECT_EQ(has(text, "|1409=1|"), who == std::string{"FIXT"}) << text;
    EXPECT_TRUE(is_password(who, "new")) << who;
    EXPECT_TRUE(log.has("user " + std::string{who} + ": the new password is in the file"));
  }
}

TEST_F(NewPasswordTest, invalid_logon_does_not_change_the_password) {
  // This case showed the fault: a field that the dictionary does not have.
  open_for(venue);
  const std::string undefined = answer(ask_for("TRADER", "new", "55=MSFT|"));
  EXPECT_TRUE(has(undefined, "|58=Tag not defined for this message type (55)|")) << undefined;
  const std::string repeated = answer(ask_for("FIXT", "new", "108=30|"));
  EXPECT_TRUE(has(repeated, "|58=Tag appears more than once (108)|")) << repeated;
  // The Logon has a MsgSeqNum that is already used.
  RawPeer& first = connect();
  first.send(logon("OTHER", 1, "553=OTHER|554=old|"));
  ASSERT_TRUE(has(answer(first), "|35=A|")) << log.all();
  first.send(from("OTHER", "5", 2));
  ASSERT_TRUE(run_until([&] { return first.closed(); })) << log.all();
  const std::string low = answer(ask_for("OTHER", "new"));
  EXPECT_TRUE(has(low, "|58=MsgSeqNum too low, expecting 3 but received 1|")) << low;
  for (const char* who : {"TRADER", "OTHER", "FIXT"}) EXPECT_TRUE(is_password(who, "old")) << who;
  EXPECT_FALSE(disk.is_asked);
}

TEST_F(NewPasswordTest, logon_refused_by_the_application_does_not_change_the_password) {
  struct Refusing : EchoVenue {
    std::optional<LogonAnswer> on_logon_request(Session&, const LogonRequest&) {
      return LogonAnswer::refuse("not today");
    }
  } refusing;
  open_for(refusing);
  EXPECT_TRUE(has(answer(ask_for("TRADER", "new")), "|58=not today|"));
  EXPECT_TRUE(is_password("TRADER", "old"));
  EXPECT_FALSE(disk.is_asked);
  acceptor.reset();
}

TEST_F(NewPasswordTest, deferred_acceptance_changes_the_password) {
  struct Slow : EchoVenue {
    std::optional<LogonAnswer> on_logon_request(Session&, const LogonRequest& request) {
      id = request.id;
      return std::nullopt;
    }
    std::uint64_t id = 0;
  } slow;
  open_for(slow);
  RawPeer& peer = ask_for("TRADER", "new");
  ASSERT_TRUE(run_until([&] { return slow.id != 0; })) << log.all();
  turn(20);
  EXPECT_TRUE(is_password("TRADER", "old"));
  acceptor->session(0).answer_logon(slow.id, {});
  EXPECT_TRUE(has(answer(peer), "|35=A|")) << log.all();
  EXPECT_TRUE(is_password("TRADER", "new"));
  acceptor.reset();
}

TEST_F(NewPasswordTest, invalid_new_password_is_refused_by_a_logout) {
  open_for(venue);
  const std::string text = answer(ask_for("FIXT", std::string(256, 'x')));
  EXPECT_TRUE(has(text, "|35=5|")) << text;
  EXPECT_TRUE(has(text, "NewPassword (925): a password of 1 to 255 bytes")) << text;
  EXPECT_TRUE(has(text, "|1409=3|")) << text;
  EXPECT_TRUE(is_password("FIXT", "old"));
}

TEST_F(NewPasswordTest, new_password_is_on_the_disk_before_the_answer) {
  disk.hold();
  open_for(venue);
  RawPeer& peer = ask_for("TRADER", "new");
  ASSERT_TRUE(run_until([&] { return disk.is_asked.load(); })) << log.all();
  turn(50);
  EXPECT_TRUE(peer.messages().empty());
  EXPECT_TRUE(is_password("TRADER", "old"));
  disk.let_go();
  EXPECT_TRUE(has(answer(peer), "|35=A|")) << log.all();
  EXPECT_TRUE(is_password("TRADER", "new"));
}

TEST_F(NewPasswordTest, failed_change_is_refused_and_the_old_password_stays) {
  disk.fails = true;
  open_for(venue);
  const std::string text = answer(ask_for("TRADER", "new"));
  EXPECT_TRUE(has(text, "|35=5|")) << text;
  EXPECT_TRUE(has(text, "|58=NewPassword (925) cannot be taken|")) << text;
  EXPECT_TRUE(log.has(observe::Severity::Error, "PasswordFile: ")) << log.all();
  EXPECT_TRUE(is_password("TRADER", "old"));
  disk.fails = false;
  EXPECT_TRUE(has(answer(ask_for("TRADER", "new")), "|35=A|")) << log.all();
}

TEST_F(NewPasswordTest, change_for_a_client_that_left_is_logged) {
  disk.hold();
  open_for(venue);
  static_cast<void>(ask_for("TRADER", "new"));
  ASSERT_TRUE(run_until([&] { return disk.is_asked.load(); })) << log.all();
  peers.clear();
  turn(50);
  disk.let_go();
  ASSERT_TRUE(run_until([&] { return log.has(EventId::PasswordChangeUnanswered); })) << log.all();
  EXPECT_TRUE(is_password("TRADER", "new"));
}

TEST_F(NewPasswordTest, entry_changed_since_the_check_is_not_replaced) {
  struct Changing : EchoVenue {
    std::optional<LogonAnswer> on_logon_request(Session&, const LogonRequest&) {
      change();
      return LogonAnswer::accept();
    }
    std::function<void()> change;
  } changing;
  changing.change = [this] { set_password("TRADER", "operator's"); };
  open_for(changing);
  EXPECT_TRUE(has(answer(ask_for("TRADER", "new")), "|35=5|")) << log.all();
  EXPECT_TRUE(is_password("TRADER", "operator's"));
  EXPECT_TRUE(log.has("the entry of user TRADER has changed since its password was checked"));
  acceptor.reset();
}

}  // namespace
}  // namespace nexusfix::testing
