// Catalogue D8: the part of the log of one session is damaged. The engine refuses that session at
// its start, the others trade, and a repair admits it again.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "journal/api/journal_tools.hpp"
#include "store/api/journal.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class DamagedStoreTest : public AcceptorTest {
 protected:
  // TRADER has sent reports 2 to 4. OTHER has sent report 2, which is later in the log. Then one
  // bit of TRADER's third message is flipped.
  void SetUp() override {
    open();
    RawPeer& other = log_on("OTHER");
    RawPeer& peer = log_on("TRADER");
    for (std::uint64_t number = 2; number < 5; ++number) {
      peer.send(order("TRADER", number, "A" + std::to_string(number)));
      ASSERT_TRUE(run_until([&] { return peer.messages().size() == number; })) << log.all();
    }
    other.send(order("OTHER", 2, "B2"));
    ASSERT_TRUE(run_until([&] { return other.messages().size() == 2; })) << log.all();
    close();
    std::string bytes = contents();
    const std::size_t at = bytes.find("\00111=A3\001");
    ASSERT_NE(at, std::string::npos);
    bytes[at + 5] = static_cast<char>(bytes[at + 5] ^ 1);
    std::ofstream{file(), std::ios::binary | std::ios::trunc} << bytes;
    log.clear();
    venue = {};
  }
  void close() {
    acceptor.reset();
    peers.clear();
  }
  [[nodiscard]] std::string store() const { return folder.path() + "/store"; }
  [[nodiscard]] std::string file() const { return store() + "/0000000001.journal"; }
  [[nodiscard]] std::string contents() const {
    std::ifstream stream{file(), std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }
  [[nodiscard]] bool is_logged_in_full(std::string_view line) const {
    for (const std::string_view part :
         {std::string_view{kTrader}, std::string_view{"0000000001.journal: damaged at offset "},
          std::string_view{"number 3 of epoch 1 is lost"},
          std::string_view{"nexusfix journal repair "}}) {
      if (line.find(part) == std::string_view::npos) return false;
    }
    return line.find(store()) != std::string_view::npos;
  }
  void repair() {
    PosixDisk disk;
    const auto repaired = store::repair_journal(
        disk, {.folder = store(), .mode = store::RepairMode::Carry, .text = "anna", .names = {}},
        clock.now().wall);
    ASSERT_TRUE(repaired.has_value()) << repaired.error().text;
    ASSERT_EQ(repaired->alarms.size(), 1U);
    EXPECT_NE(repaired->alarms[0].find(kTrader), std::string::npos) << repaired->alarms[0];
  }

  static constexpr const char* kTrader = "FIX.4.4:VENUE->TRADER";
};

TEST_F(DamagedStoreTest, session_with_a_damaged_part_is_refused_and_the_others_trade) {
  open();
  ASSERT_EQ(acceptor->session_count(), 1U);
  EXPECT_TRUE(std::ranges::any_of(log.lines, [&](const auto& line) {
    return is_logged_in_full(line);
  })) << log.all();
  // An operator who looks for the cause when the counterparty calls finds it in the log, too.
  log.clear();
  RawPeer& refused = connect();
  refused.send(logon("TRADER", 5));
  ASSERT_TRUE(run_until([&] { return refused.closed(); })) << log.all();
  EXPECT_TRUE(refused.messages().empty()) << "a refusal would use up a number";
  EXPECT_TRUE(log.has("is not served since the start")) << log.all();
  EXPECT_TRUE(is_logged_in_full(log.lines.back())) << log.all();
  RawPeer& other = log_on("OTHER", 3);
  other.send(order("OTHER", 4, "B4"));
  other.send(from("OTHER", "2", 5, "7=2|16=2|"));
  ASSERT_TRUE(run_until([&] { return other.messages().size() == 3; })) << log.all();
  EXPECT_TRUE(contains(other.messages()[1], "|34=4|")) << bar(other.messages()[1]);
  EXPECT_TRUE(contains(other.messages()[1], "|11=B4|"));
  EXPECT_TRUE(contains(other.messages()[2], "|34=2|43=Y|")) << bar(other.messages()[2]);
  EXPECT_TRUE(contains(other.messages()[2], "|11=B2|"));
}

TEST_F(DamagedStoreTest, repaired_log_admits_the_session_with_its_numbers) {
  open();
  RawPeer& other = log_on("OTHER", 3);
  other.send(order("OTHER", 4, "B4"));
  ASSERT_TRUE(run_until([&] { return other.messages().size() == 2; })) << log.all();
  close();
  repair();
  log.clear();
  open();
  ASSERT_EQ(acceptor->session_count(), 2U) << log.all();
  RawPeer& peer = log_on("TRADER", 5);
  EXPECT_TRUE(contains(peer.messages()[0], "|34=5|")) << bar(peer.messages()[0]);
  peer.send(from("TRADER", "2", 6, "7=2|16=4|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 4; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|11=A2|"));
  EXPECT_TRUE(contains(peer.messages()[2], "|34=3|")) << bar(peer.messages()[2]);
  EXPECT_TRUE(contains(peer.messages()[2], "|36=4|")) << bar(peer.messages()[2]);
  EXPECT_TRUE(contains(peer.messages()[3], "|11=A4|"));
  EXPECT_TRUE(log.has("numbers 3 to 3, whose messages the store has lost")) << log.all();
  peer.send(order("TRADER", 7, "A7"));
  RawPeer& again = log_on("OTHER", 5);
  EXPECT_TRUE(contains(again.messages()[0], "|34=5|")) << bar(again.messages()[0]);
  again.send(order("OTHER", 6, "B6"));
  EXPECT_TRUE(run_until([&] {
    return peer.messages().size() == 5 && again.messages().size() == 2;
  })) << log.all();
  EXPECT_TRUE(contains(peer.messages().back(), "|34=6|"));
  log.clear();
  peer.send(from("TRADER", "2", 8, "7=2|16=3|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 7; })) << log.all();
  EXPECT_TRUE(log.has("numbers 3 to 3, whose messages the store has lost"))
      << "they are the end of the range: " << log.all();
}

// A counterparty that sends SubIDs is the same one.
TEST_F(DamagedStoreTest, logon_with_sub_ids_of_a_refused_session_is_logged) {
  open();
  RawPeer& refused = connect();
  refused.send(logon("TRADER", 5, "50=DESK|"));
  ASSERT_TRUE(run_until([&] { return refused.closed(); })) << log.all();
  EXPECT_TRUE(log.has("is not served since the start")) << log.all();
}

TEST_F(DamagedStoreTest, engine_without_an_undamaged_session_does_not_start) {
  sessions = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n";
  const auto opened = under_test().try_open(venue);
  ASSERT_FALSE(opened.has_value());
  EXPECT_TRUE(is_logged_in_full(opened.error().what())) << opened.error().what();
}

class TruncatedStoreTest : public AcceptorTest {};

TEST_F(TruncatedStoreTest, log_that_may_lack_its_end_is_not_called_complete) {
  open();
  log_on("TRADER");
  acceptor.reset();
  peers.clear();
  const std::filesystem::path store = folder.path() + "/store";
  const std::filesystem::path segment = store / "0000000001.journal";
  std::filesystem::remove(store / "owner");
  std::filesystem::resize_file(segment, std::filesystem::file_size(segment) - 2);
  log.clear();
  open();
  EXPECT_TRUE(log.has("the file owner is missing")) << log.all();
  EXPECT_TRUE(log.has("the last record was not whole")) << log.all();
  EXPECT_FALSE(log.has("nothing that was sent is missing")) << log.all();
}

}  // namespace
}  // namespace nexusfix::testing
