// File stores of other engines: what is read out of good ones, and that no other is taken. That the
// forms are those that QuickFIX and QuickFIX/J write is shown with those engines in tests/interop.
#include "nexusfix/quickfix_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include <nexusfix/store/journal.hpp>

#include "nexusfix/journal_import.hpp"
#include "support/fake_disk.hpp"

namespace nexusfix::command {
namespace {

using ::testing::ElementsAre;
using testing::FakeDisk;
using ::testing::HasSubstr;

const std::string kFolder = "/qf";

std::string message(std::uint64_t number, const std::string& sender = "A",
                    const std::string& target = "B") {
  std::string text = "8=FIX.4.4|9=50|35=D|34=" + std::to_string(number) + "|49=" + sender +
                     "|52=20261120-22:23:48|56=" + target + "|10=000|";
  for (char& c : text) c = c == '|' ? '\x01' : c;
  return text;
}

using Messages = std::map<std::uint64_t, std::string>;

// Writes a store as the engine of this form does.
void write_store(FakeDisk& disk, const std::string& prefix, QuickfixForm form,
                 const Messages& messages, std::uint64_t next_out) {
  QuickfixWriter writer{disk, kFolder, prefix, form};
  ASSERT_TRUE(writer.begin());
  for (const auto& [number, bytes] : messages) ASSERT_TRUE(writer.add(number, bytes));
  const WallTime created{std::chrono::seconds{1'700'000'000} + std::chrono::milliseconds{123}};
  ASSERT_TRUE(writer.finish(17, next_out, created));
}

Messages three() { return {{1, message(1)}, {2, message(2)}, {4, message(4)}}; }

Messages messages_of(FakeDisk& disk, const QuickfixStore& store) {
  Messages found;
  const auto visited = visit_quickfix_messages(
      disk, store, 1,
      [&](std::uint64_t number, std::string_view bytes) -> std::expected<void, std::string> {
        found.emplace(number, bytes);
        return {};
      });
  EXPECT_TRUE(visited) << visited.error();
  return found;
}

class QuickfixStoreTest : public ::testing::TestWithParam<QuickfixForm> {
 protected:
  [[nodiscard]] bool java() const { return GetParam() == QuickfixForm::Java; }
  std::expected<QuickfixStore, std::string> read(const std::string& prefix = "FIX.4.4-A-B",
                                                 const std::string& session = {}) {
    return read_quickfix_store(disk_, kFolder, prefix, session);
  }
  std::string contents(const std::string& suffix) {
    return disk_.contents(kFolder + "/FIX.4.4-A-B" + suffix);
  }
  FakeDisk disk_;
};

INSTANTIATE_TEST_SUITE_P(Forms, QuickfixStoreTest,
                         ::testing::Values(QuickfixForm::Cpp, QuickfixForm::Java),
                         [](const auto& info) {
                           return info.param == QuickfixForm::Cpp ? "quickfix" : "quickfixj";
                         });

TEST_P(QuickfixStoreTest, what_was_written_is_read) {
  write_store(disk_, "FIX.4.4-A-B", GetParam(), three(), 5);
  const auto store = read();
  ASSERT_TRUE(store) << store.error();
  EXPECT_EQ(store->form, GetParam());
  EXPECT_EQ(store->session, "FIX.4.4:A->B");
  EXPECT_EQ(store->next_inbound, 17U);
  EXPECT_EQ(store->next_outbound, 5U);
  const auto fraction = std::chrono::milliseconds{java() ? 123 : 0};
  EXPECT_EQ(store->created, WallTime{std::chrono::seconds{1'700'000'000} + fraction});
  EXPECT_EQ(messages_of(disk_, *store), three());
  const auto prefixes = quickfix_prefixes(disk_, kFolder);
  ASSERT_TRUE(prefixes);
  EXPECT_THAT(*prefixes, ElementsAre("FIX.4.4-A-B"));
}

TEST_P(QuickfixStoreTest, the_last_message_of_a_number_counts) {
  write_store(disk_, "FIX.4.4-A-B", GetParam(), {{1, message(1)}}, 2);
  const std::string again = message(1) + message(1);
  const std::string header =
      java() ? contents(".header") + std::string("\0\0\0\1\0\0\0\0\0\0\0", 11) +
                   static_cast<char>(message(1).size()) + std::string("\0\0\0", 3) +
                   static_cast<char>(message(1).size())
             : contents(".header") + "1," + std::to_string(message(1).size()) + "," +
                   std::to_string(message(1).size()) + " ";
  disk_.set_contents(kFolder + "/FIX.4.4-A-B.header", header);
  disk_.set_contents(kFolder + "/FIX.4.4-A-B.body", again);
  const auto store = read();
  ASSERT_TRUE(store) << store.error();
  EXPECT_EQ(store->messages.at(1).offset, message(1).size());
}

TEST_P(QuickfixStoreTest, every_truncation_of_every_file_is_refused_or_harmless) {
  write_store(disk_, "FIX.4.4-A-B", GetParam(), three(), 5);
  const std::vector<std::string> suffixes =
      java() ? std::vector<std::string>{".body", ".header", ".senderseqnums", ".targetseqnums",
                                        ".session"}
             : std::vector<std::string>{".body", ".header", ".seqnums", ".session"};
  for (const std::string& suffix : suffixes) {
    const std::string whole = contents(suffix);
    for (std::size_t length = 0; length < whole.size(); ++length) {
      disk_.set_contents(kFolder + "/FIX.4.4-A-B" + suffix, whole.substr(0, length));
      const auto store = read();
      // The second number of QuickFIX's .seqnums has no end: fewer digits are another number.
      const bool is_number = suffix == ".seqnums" && length > 13 && store.has_value();
      if (is_number) {
        EXPECT_LT(store->next_inbound, 17U);
        continue;
      }
      EXPECT_FALSE(store) << suffix << " cut to " << length;
      if (!store) {
        EXPECT_THAT(store.error(), HasSubstr(kFolder + "/FIX.4.4-A-B"));
      }
    }
    disk_.set_contents(kFolder + "/FIX.4.4-A-B" + suffix, whole);
  }
}

TEST_P(QuickfixStoreTest, what_does_not_belong_together_is_refused) {
  write_store(disk_, "FIX.4.4-A-B", GetParam(), three(), 5);
  const std::string body = contents(".body");
  const auto with = [&](const std::string& suffix, const std::string& bytes) {
    const std::string before = contents(suffix);
    disk_.set_contents(kFolder + "/FIX.4.4-A-B" + suffix, bytes);
    const auto store = read();
    disk_.set_contents(kFolder + "/FIX.4.4-A-B" + suffix, before);
    return store ? std::string{"taken"} : store.error();
  };
  EXPECT_THAT(with(".body", body + "x"), HasSubstr("do not belong together"));
  EXPECT_THAT(with(".body", std::string(body.size(), 'x')), HasSubstr("is no FIX message"));
  EXPECT_THAT(with(".body", message(1) + message(3) + message(4)),
              HasSubstr("message 2 at offset"));
  EXPECT_THAT(with(".body", message(1) + message(2, "A", "X") + message(4)),
              HasSubstr("is of another session"));
  EXPECT_THAT(with(".header", "garbage of no form"), HasSubstr(".header"));
  EXPECT_THAT(with(".session", "yesterday"), HasSubstr(".session"));
  const std::string low = java() ? std::string("\0\1", 2) + "3" : "0000000003 : 0000000017";
  EXPECT_THAT(with(java() ? ".senderseqnums" : ".seqnums", low),
              HasSubstr("message 4 is stored, but the next number to send is 3"));
  const std::string ended = java() ? std::string("\0\1", 2) + "5" : "0000000005 : 0000000017\r\n";
  EXPECT_EQ(with(java() ? ".senderseqnums" : ".seqnums", ended), "taken");
  const std::string none = java() ? std::string("\0\1", 2) + "0" : "0000000000 : 0000000017";
  EXPECT_THAT(with(java() ? ".senderseqnums" : ".seqnums", none),
              HasSubstr("where a sequence number was expected"));
}

TEST_P(QuickfixStoreTest, a_message_whose_number_was_not_counted_is_taken_and_its_number_is_used) {
  write_store(disk_, "FIX.4.4-A-B", GetParam(), three(), 4);
  const auto store = read();
  ASSERT_TRUE(store) << store.error();
  EXPECT_TRUE(store->number_was_behind);
  EXPECT_EQ(store->next_outbound, 5U);
  EXPECT_EQ(messages_of(disk_, *store), three());
}

TEST_P(QuickfixStoreTest, names_come_from_the_messages_or_from_what_is_said) {
  write_store(disk_, "FIX.4.4-A-1-B-desk", GetParam(), {{1, message(1, "A-1", "B")}}, 2);
  const auto with_qualifier = read("FIX.4.4-A-1-B-desk");
  ASSERT_TRUE(with_qualifier) << with_qualifier.error();
  EXPECT_EQ(with_qualifier->session, "FIX.4.4:A-1->B:desk");

  write_store(disk_, "FIX.4.4-X-Y", GetParam(), {}, 1);
  const auto empty = read("FIX.4.4-X-Y");
  ASSERT_TRUE(empty) << empty.error();
  EXPECT_EQ(empty->session, "FIX.4.4:X->Y");

  write_store(disk_, "FIX.4.4-X-1-Y-2-Z", GetParam(), {}, 1);
  const auto unclear = read("FIX.4.4-X-1-Y-2-Z");
  ASSERT_FALSE(unclear);
  EXPECT_THAT(unclear.error(), HasSubstr("--session"));
  const auto said = read("FIX.4.4-X-1-Y-2-Z", "FIX.4.4:X-1->Y-2:Z");
  ASSERT_TRUE(said) << said.error();
  EXPECT_EQ(said->session, "FIX.4.4:X-1->Y-2:Z");

  write_store(disk_, "FIX.4.4-C-D", GetParam(), {{1, message(1, "A", "B")}}, 2);
  EXPECT_FALSE(read("FIX.4.4-C-D"));
}

TEST(QuickfixStore, sub_ids_in_the_names_of_quickfixj_are_passed_over) {
  FakeDisk disk;
  write_store(disk, "FIX.4.4-A_DESK_LDN-B_X-q", QuickfixForm::Java, {{1, message(1)}}, 2);
  const auto store = read_quickfix_store(disk, kFolder, "FIX.4.4-A_DESK_LDN-B_X-q", "");
  ASSERT_TRUE(store) << store.error();
  EXPECT_EQ(store->session, "FIX.4.4:A->B:q");
}

TEST(QuickfixStore, a_comp_id_with_a_slash_is_one_comp_id) {
  FakeDisk disk;
  const std::string name = "FIX.4.4:A/1->B/C";
  const std::string prefix = "FIX.4.4-A_1-B_C";
  EXPECT_EQ(quickfix_prefix(name, QuickfixForm::Java), prefix);
  write_store(disk, prefix, QuickfixForm::Java, {{1, message(1, "A/1", "B/C")}}, 2);
  for (const std::string& said : {std::string{}, name, std::string{"FIX.4.4:A%2F1->B%2FC"}}) {
    const auto store = read_quickfix_store(disk, kFolder, prefix, said);
    ASSERT_TRUE(store) << store.error();
    EXPECT_EQ(store->session, "FIX.4.4:A%2F1->B%2FC");
  }
  EXPECT_FALSE(read_quickfix_store(disk, kFolder, prefix, "FIX.4.4:A/2->B/C"));
}

TEST(QuickfixStore, sub_and_location_ids_are_in_the_names_of_quickfixj) {
  EXPECT_EQ(quickfix_prefix("FIX.4.4:A/DESK/LDN->B//NYC:q", QuickfixForm::Java),
            "FIX.4.4-A_DESK_LDN-B_NYC-q");
  EXPECT_EQ(quickfix_prefix("FIX.4.4:A/DESK/LDN->B//NYC:q", QuickfixForm::Cpp), "FIX.4.4-A-B-q");
}

TEST_P(QuickfixStoreTest, a_write_that_fails_leaves_no_store_behind) {
  QuickfixWriter writer{disk_, kFolder, "FIX.4.4-A-B", GetParam()};
  ASSERT_TRUE(writer.begin());
  ASSERT_TRUE(writer.add(1, message(1)));
  disk_.fail(testing::DiskCall::Sync, 2, 28);
  EXPECT_FALSE(writer.finish(1, 2, {}));
  writer.undo();
  const auto left = disk_.list(kFolder);
  ASSERT_TRUE(left);
  EXPECT_TRUE(left->empty());
}

TEST_P(QuickfixStoreTest, nothing_is_written_over) {
  write_store(disk_, "FIX.4.4-A-B", GetParam(), three(), 5);
  QuickfixWriter writer{disk_, kFolder, "FIX.4.4-A-B", GetParam()};
  const auto begun = writer.begin();
  ASSERT_FALSE(begun);
  EXPECT_THAT(begun.error(), HasSubstr("is there already"));
}

// The whole way, with a disk that fails at each call: the session is as it was, or marked, or done.
TEST_P(QuickfixStoreTest, an_interrupted_import_is_never_half_a_session) {
  const WallTime now{std::chrono::seconds{1'700'100'000}};
  for (unsigned nth = 1;; ++nth) {
    FakeDisk disk;
    write_store(disk, "FIX.4.4-A-B", GetParam(), three(), 5);
    const ImportRequest request{.place = {.name = "/journal", .folder = "/journal", .database = {}},
                                .from = kFolder,
                                .prefix = {},
                                .session = {},
                                .reason = {},
                                .is_confirmed = true};
    disk.fail_any(nth, 5);
    const int status = import_quickfix(disk, request, nullptr, now);
    if (disk.faults_hit() == 0) {
      EXPECT_EQ(status, 0);
      EXPECT_GT(nth, 10U);
      break;
    }
    disk.process_death();
    EXPECT_EQ(import_quickfix(disk, request, nullptr, now), 0) << nth;
    auto opened = store::open_journal(disk, {.folder = "/journal"}, now);
    ASSERT_TRUE(opened) << opened.error().text;
    const auto key = opened->store->open_session("FIX.4.4:A->B", now);
    ASSERT_TRUE(key) << key.error().text;
    EXPECT_EQ(opened->store->session(*key).next_outbound, 5U);
    EXPECT_EQ(opened->store->session(*key).next_inbound, 17U);
    Messages kept;
    ASSERT_TRUE(
        opened->store->read(*key, 1, 100, [&](std::uint64_t number, std::string_view bytes) {
          kept.emplace(number, bytes);
          return true;
        }));
    EXPECT_EQ(kept, three()) << nth;
  }
}

// A journal with one message of FIX.4.4:A->B, whose process has ended without a word.
class ExportTest : public ::testing::Test {
 protected:
  void write(bool is_unfinished) {
    auto opened = store::open_journal(disk_, {.folder = "/journal"}, now_);
    ASSERT_TRUE(opened) << opened.error().text;
    const auto key = opened->store->open_session("FIX.4.4:A->B", now_);
    ASSERT_TRUE(key);
    store::Transaction transaction;
    transaction.outbound_message(*key, 1, message(1));
    ASSERT_TRUE(opened->store->append(transaction, now_));
    if (is_unfinished) {
      auto change = store::numbers_change(opened->store->session(*key), {}, now_, "half");
      change.is_unfinished = true;
      transaction.clear();
      transaction.set_numbers(*key, change);
      ASSERT_TRUE(opened->store->append(transaction, now_));
    }
    ASSERT_TRUE(opened->store->flush());
    disk_.process_death();
  }
  int run_export() { return export_quickfix(disk_, request_, nullptr); }
  [[nodiscard]] bool has_written() const { return disk_.exists(kFolder + "/FIX.4.4-A-B.seqnums"); }

  FakeDisk disk_;
  WallTime now_{std::chrono::seconds{1'700'100'000}};
  LogPlace place_{.name = "/journal", .folder = "/journal", .database = {}};
  ExportRequest request_{
      .place = place_, .to = kFolder, .form = QuickfixForm::Cpp, .session = {}, .prefix = {}};
};

TEST_F(ExportTest, a_sound_session_is_written) {
  write(false);
  EXPECT_EQ(run_export(), 0);
  EXPECT_TRUE(has_written());
}

TEST_F(ExportTest, numbers_that_a_loss_of_power_left_open_go_to_no_other_engine) {
  write(false);
  disk_.reboot();
  const auto looked = look_into(disk_, place_, nullptr);
  ASSERT_TRUE(looked) << looked.error();
  ASSERT_EQ(looked->report->skipped.size(), 1U);
  EXPECT_EQ(looked->report->skipped[0].first, 2U);
  ::testing::internal::CaptureStderr();
  EXPECT_NE(run_export(), 0);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("sent under MsgSeqNum 2 to 65537 of FIX.4.4:A->B"));
  EXPECT_FALSE(has_written());
  // Whoever opens it next is told, because nobody is told again.
  ::testing::internal::CaptureStderr();
  {
    auto opened = open_to_change(disk_, place_, store::IfNoLog::Refuse, nullptr, now_);
    ASSERT_TRUE(opened) << opened.error();
    ASSERT_TRUE((*opened)->close());
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("FIX.4.4:A->B: MsgSeqNum 2 to 65537 are skipped"));
  EXPECT_EQ(run_export(), 0);
  EXPECT_THAT(disk_.contents(kFolder + "/FIX.4.4-A-B.seqnums"), HasSubstr("65538"));
}

TEST_F(ExportTest, half_an_import_goes_to_no_other_engine) {
  write(true);
  EXPECT_NE(run_export(), 0);
  EXPECT_FALSE(has_written());
}

TEST_F(ExportTest, sessions_whose_files_would_have_one_name_are_told_before_anything_is_written) {
  write(false);
  {
    auto opened = store::open_journal(disk_, {.folder = "/journal", .background = false}, now_);
    ASSERT_TRUE(opened) << opened.error().text;
    ASSERT_TRUE(opened->store->open_session("FIX.4.4:A/DESK->B", now_));
    ASSERT_TRUE(opened->store->flush());
  }
  disk_.process_death();
  ::testing::internal::CaptureStderr();
  EXPECT_NE(run_export(), 0);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("FIX.4.4:A->B and FIX.4.4:A/DESK->B would both be named FIX.4.4-A-B"));
  EXPECT_FALSE(has_written());
  request_.form = QuickfixForm::Java;
  EXPECT_EQ(run_export(), 0);
  EXPECT_TRUE(disk_.exists(kFolder + "/FIX.4.4-A_DESK-B.senderseqnums"));
}

TEST_F(ExportTest, a_prefix_is_no_path) {
  write(false);
  request_.prefix = "../FIX.4.4-A-B";
  EXPECT_NE(run_export(), 0);
  EXPECT_FALSE(disk_.exists(kFolder + "/../FIX.4.4-A-B.seqnums"));
}

}  // namespace
}  // namespace nexusfix::command
