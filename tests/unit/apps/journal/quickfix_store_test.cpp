// File stores of other engines: correct ones are read, and all others are refused.
// tests/peers/interop proves with the engines that QuickFIX and QuickFIX/J write these forms.
#include "nexusfix/journal/quickfix/quickfix_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "nexusfix/journal/journal_import.hpp"
#include "store/api/journal.hpp"
#include "support/disks/fake_disk.hpp"

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

// Writes a store in the form of this engine.
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
  EXPECT_EQ(store->kind, java() ? QuickfixKind::Java : QuickfixKind::Cpp);
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

TEST_P(QuickfixStoreTest, the_last_message_with_a_number_is_used) {
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
      // The second number of QuickFIX's .seqnums has no end mark: with fewer digits it is another
      // number.
      const bool is_number = suffix == ".seqnums" && length > 13 && store.has_value();
      // For the engines an empty file means 1, or an unknown time.
      const bool is_empty = length == 0 && (suffix == ".targetseqnums" || suffix == ".session");
      if (is_number || is_empty) {
        ASSERT_TRUE(store) << store.error();
        EXPECT_LE(store->next_inbound, 17U);
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

TEST_P(QuickfixStoreTest, files_that_do_not_belong_together_are_refused) {
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

TEST_P(QuickfixStoreTest, a_message_whose_number_was_not_counted_is_read_and_its_number_is_used) {
  write_store(disk_, "FIX.4.4-A-B", GetParam(), three(), 4);
  const auto store = read();
  ASSERT_TRUE(store) << store.error();
  EXPECT_TRUE(store->was_number_stale);
  EXPECT_EQ(store->next_outbound, 5U);
  EXPECT_EQ(messages_of(disk_, *store), three());
}

TEST_P(QuickfixStoreTest, names_come_from_the_messages_or_from_the_caller) {
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

TEST(QuickfixStore, sub_ids_in_the_names_of_quickfixj_are_skipped) {
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

TEST_P(QuickfixStoreTest, a_write_that_fails_leaves_no_store) {
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

TEST_P(QuickfixStoreTest, no_file_is_overwritten) {
  write_store(disk_, "FIX.4.4-A-B", GetParam(), three(), 5);
  QuickfixWriter writer{disk_, kFolder, "FIX.4.4-A-B", GetParam()};
  const auto begun = writer.begin();
  ASSERT_FALSE(begun);
  EXPECT_THAT(begun.error(), HasSubstr("the file exists"));
}

// Stores of the engines that export does not support.
class ForeignStore : public ::testing::Test {
 protected:
  void put(const std::string& suffix, std::string_view bytes) {
    disk_.set_contents(kFolder + "/" + prefix_ + suffix, bytes);
  }
  static std::string utf(std::string_view text) {
    return std::string{'\0', static_cast<char>(text.size())}.append(text);
  }
  // As text, one after another.
  void put_messages(const std::string& end, unsigned numbers) {
    std::string body;
    std::string header;
    for (unsigned n = 1; n <= numbers; ++n) {
      const std::string one = message(n);
      header += std::to_string(n) + "," + std::to_string(body.size()) + "," +
                std::to_string(one.size()) + end;
      body += one;
    }
    put(".body", body);
    put(".header", header);
  }
  void put_binary(unsigned numbers) {
    std::string body;
    std::string header;
    for (unsigned n = 1; n <= numbers; ++n) {
      const std::string one = message(n);
      const auto bytes = [&](std::uint64_t value, int size) {
        for (int i = size; i-- > 0;) header += static_cast<char>(value >> (8 * i) & 0xFF);
      };
      bytes(n, 4);
      bytes(body.size(), 8);
      bytes(one.size(), 4);
      body += one;
    }
    put(".body", body);
    put(".header", header);
  }
  std::expected<QuickfixStore, std::string> read() {
    return read_quickfix_store(disk_, kFolder, prefix_, {});
  }
  void expect(QuickfixKind kind, std::uint64_t next_in, std::uint64_t next_out,
              std::size_t messages) {
    const auto store = read();
    ASSERT_TRUE(store) << store.error();
    EXPECT_EQ(store->kind, kind) << to_string(store->kind);
    EXPECT_EQ(store->session, "FIX.4.4:A->B");
    EXPECT_EQ(store->next_inbound, next_in);
    EXPECT_EQ(store->next_outbound, next_out);
    EXPECT_EQ(messages_of(disk_, *store).size(), messages);
  }

  std::string prefix_ = "FIX.4.4-A-B";
  FakeDisk disk_;
};

constexpr std::chrono::sys_seconds kCreated =
    std::chrono::sys_days{std::chrono::year{2026} / 11 / 20} + std::chrono::hours{22} +
    std::chrono::minutes{23} + std::chrono::seconds{48};

TEST_F(ForeignStore, numbers_of_quickfixj_that_are_empty_are_1) {
  put_binary(0);
  put(".senderseqnums", "");
  put(".targetseqnums", "");
  put(".session", utf("20261120-22:23:48.123"));
  expect(QuickfixKind::Java, 1, 1, 0);
  // It has sent its Logon, and received nothing yet.
  put_binary(1);
  put(".senderseqnums", utf("2"));
  expect(QuickfixKind::Java, 1, 2, 1);
  // It was killed after it stored its first message.
  put(".senderseqnums", "");
  expect(QuickfixKind::Java, 1, 2, 1);
  put(".session", "");
  expect(QuickfixKind::Java, 1, 2, 1);
  EXPECT_FALSE(read()->created);
  // Two messages are impossible.
  put_binary(2);
  EXPECT_THAT(read().error(), HasSubstr("message 2 is stored, but the next number to send is 2"));
}

TEST_F(ForeignStore, an_empty_seqnums_file_of_any_engine_is_1) {
  put_messages(" ", 0);
  put(".seqnums", "");
  put(".session", "20261120-22:23:48");
  expect(QuickfixKind::Cpp, 1, 1, 0);
  put(".session", "20261120-22:23:48.123456 Z");
  expect(QuickfixKind::Net, 1, 1, 0);
  put(".session", utf("20261120-22:23:48.123"));
  expect(QuickfixKind::JavaOneFile, 1, 1, 0);
}

TEST_F(ForeignStore, the_one_file_form_of_quickfixj_is_read) {
  put_binary(3);
  put(".seqnums", utf("4:17"));
  put(".session", utf("20261120-22:23:48.123"));
  expect(QuickfixKind::JavaOneFile, 17, 4, 3);
  EXPECT_EQ(*read()->created, kCreated + std::chrono::milliseconds{123});
  // With the rest of a longer text.
  put(".seqnums", utf("4:17") + "9");
  expect(QuickfixKind::JavaOneFile, 17, 4, 3);
  put(".seqnums", utf("4-17"));
  EXPECT_THAT(read().error(), HasSubstr("FIX.4.4-A-B.seqnums: 'number : number' was expected (read "
                                        "as a store of QuickFIX/J (both sequence numbers in one"));
}

// QuickFIX/J's FileStore writes String.length() as the size, and the file's position as the offset.
TEST_F(ForeignStore, a_size_of_quickfixj_counts_characters_of_utf_8_and_not_bytes) {
  const std::vector<std::string> texts{"plain", "Z\xc3\xbcrich", "\xe6\xa0\xaa\xf0\x9f\x98\x80",
                                       "last \xc3\xa4"};
  const std::vector<std::uint64_t> characters{5, 6, 3, 6};
  std::string body;
  std::string header;
  Messages expected;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::string one = message(i + 1);
    const std::size_t characters_before = one.size();
    one.insert(one.size() - 7, "58=" + texts[i] + "\x01");
    const auto bytes = [&](std::uint64_t value, int size) {
      for (int byte = size; byte-- > 0;) header += static_cast<char>(value >> (8 * byte) & 0xFF);
    };
    bytes(i + 1, 4);
    bytes(body.size(), 8);
    bytes(characters_before + 4 + characters[i], 4);
    body += one;
    expected[i + 1] = one;
  }
  put(".body", body);
  put(".header", header);
  put(".senderseqnums", utf("5"));
  put(".targetseqnums", utf("17"));
  put(".session", utf("20261120-22:23:48.123"));
  expect(QuickfixKind::Java, 17, 5, 4);
  EXPECT_EQ(messages_of(disk_, *read()), expected);
  // A byte that belongs to no message, and bytes that are no UTF-8.
  put(".body", body + "x");
  EXPECT_THAT(read().error(), HasSubstr("do not belong together"));
  body[body.find('\xc3')] = '\xff';
  put(".body", body);
  EXPECT_FALSE(read());
}

TEST_P(QuickfixStoreTest, a_store_without_messages_is_of_the_one_configured_session_that_fits) {
  const std::string plain = java() ? "FIX.4.4-A_DESK-B-1" : "FIX.4.4-MY-CO-B-1";
  const std::string name = java() ? "FIX.4.4:A/DESK->B-1" : "FIX.4.4:MY-CO->B-1";
  write_store(disk_, plain, GetParam(), {}, 1);
  const auto read_with = [&](const std::vector<std::string>& configured) {
    return read_quickfix_store(disk_, kFolder, plain, {}, configured);
  };
  EXPECT_THAT(read_with({}).error(), HasSubstr("its name is ambiguous"));
  EXPECT_THAT(read_with({"FIX.4.4:X->Y"}).error(), HasSubstr("its name is ambiguous"));
  const auto found = read_with({"FIX.4.4:X->Y", name});
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->session, name);
  const std::string other = java() ? "FIX.4.4:A_DESK->B-1" : "FIX.4.4:MY->CO-B-1";
  EXPECT_THAT(read_with({name, other}).error(),
              HasSubstr("its name fits " + name + " and " + other + " of the configuration"));
}

TEST_F(ForeignStore, quickfix_n_is_read) {
  for (const std::string end : {"\n", "\r\n"}) {
    put_messages(end, 3);
    for (const std::string numbers :
         {"0000000004 : 0000000017  ", "00000000000000000004 : 00000000000000000017  "}) {
      put(".seqnums", numbers);
      for (const std::string time : {"20261120-22:23:48.000000 Z", "20261120-22:23:48.000000 ",
                                     "20261121-00:23:48.000000 +02:00"}) {
        put(".session", time);
        expect(QuickfixKind::Net, 17, 4, 3);
        EXPECT_EQ(*read()->created, kCreated) << time;
      }
    }
  }
  put(".session", "00010101-00:00:00.000000 ");
  expect(QuickfixKind::Net, 17, 4, 3);
  EXPECT_FALSE(read()->created);
  put(".session", "20261120-22:23:48.000000 noon");
  EXPECT_THAT(read().error(), HasSubstr(".session: a time like 20261120-22:23:48 was expected, UTC "
                                        "(read as a store of QuickFIX/n)"));
}

TEST_F(ForeignStore, sub_ids_in_names_of_quickfix_n_are_kept) {
  prefix_ = "FIX.4.4-A_DESK 1-B_X";
  const std::string one =
      "8=FIX.4.4\x01"
      "9=50\x01"
      "35=D\x01"
      "34=1\x01"
      "49=A\x01"
      "50=DESK 1\x01"
      "52=20261120-22:23:48\x01"
      "56=B\x01"
      "57=X\x01"
      "10=000\x01";
  put(".body", one);
  put(".header", "1,0," + std::to_string(one.size()) + "\n");
  put(".seqnums", "0000000002 : 0000000001  ");
  put(".session", "20261120-22:23:48.000000 Z");
  const auto store = read();
  ASSERT_TRUE(store) << store.error();
  EXPECT_EQ(store->session, "FIX.4.4:A/DESK 1->B/X");
  EXPECT_TRUE(is_quickfix_prefix(prefix_, store->session));
}

TEST_F(ForeignStore, quickfix_go_is_read) {
  put_messages("\n", 3);
  put(".senderseqnums", "0000000000000000004");
  put(".targetseqnums", "0000000000000000017");
  for (const std::string time : {"2026-11-20T22:23:48Z", "2026-11-20T23:23:48.0+01:00"}) {
    put(".session", time);
    expect(QuickfixKind::Go, 17, 4, 3);
    EXPECT_EQ(*read()->created, kCreated) << time;
  }
}

TEST_F(ForeignStore, a_body_alone_has_its_messages_and_the_number_after_them) {
  const auto whole = [](unsigned number) {
    std::string text = message(number);
    const std::size_t body = text.find("35=");
    const std::size_t size = text.size() - 7 - body;
    return text.replace(0, body,
                        "8=FIX.4.4\x01"
                        "9=" +
                            std::to_string(size) + "\x01");
  };
  put(".body", whole(1) + whole(2) + whole(4));
  expect(QuickfixKind::BodyAlone, 1, 5, 3);
  EXPECT_FALSE(read()->created);
  put(".body", whole(1) + whole(2).substr(0, 40));
  EXPECT_THAT(read().error(),
              HasSubstr("FIX.4.4-A-B.body: at offset " + std::to_string(whole(1).size()) +
                        ": no whole message with a MsgSeqNum is there"));
  EXPECT_THAT(read().error(), HasSubstr("(read as a store of messages without sequence numbers)"));
  put(".body", "");
  expect(QuickfixKind::BodyAlone, 1, 1, 0);
  // A header says where they are.
  put_messages(" ", 3);
  expect(QuickfixKind::BodyAlone, 1, 4, 3);
}

TEST_F(ForeignStore, files_without_messages_and_numbers_are_no_store) {
  put(".session", "20261120-22:23:48");
  EXPECT_THAT(read().error(), HasSubstr("there is neither a .body with messages nor a file"));
}

TEST_F(ForeignStore, an_error_names_the_kind_that_was_recognised) {
  put_messages(" ", 1);
  put(".seqnums", "1 : x");
  put(".session", "20261120-22:23:48");
  EXPECT_THAT(read().error(), ::testing::EndsWith("(read as a store of QuickFIX)"));
  put(".seqnums", utf("2"));
  put_binary(1);
  EXPECT_THAT(read().error(), HasSubstr("(read as a store of QuickFIX/J"));
}

// The import of several stores in one folder.
class ImportTest : public ForeignStore {
 protected:
  void put_session(const std::string& target, std::string_view numbers) {
    prefix_ = "FIX.4.4-A-" + target;
    const std::string one = message(1, "A", target);
    put(".body", one);
    put(".header", "1,0," + std::to_string(one.size()) + " ");
    put(".seqnums", numbers);
    put(".session", "20261120-22:23:48");
  }
  int import(bool is_confirmed = false) {
    request_.is_confirmed = is_confirmed;
    ::testing::internal::CaptureStderr();
    ::testing::internal::CaptureStdout();
    const int status = import_quickfix(disk_, request_, nullptr, now_);
    errors_ = ::testing::internal::GetCapturedStderr();
    shown_ = ::testing::internal::GetCapturedStdout();
    return status;
  }
  std::vector<std::string> sessions() {
    std::vector<std::string> names;
    auto opened = store::open_journal(disk_, {.folder = "/journal", .background = false}, now_);
    if (!opened) return names;
    for (store::SessionKey key = 0; key < opened->store->session_count(); ++key) {
      names.emplace_back(opened->store->session_name(key));
    }
    EXPECT_TRUE(opened->store->close());
    return names;
  }

  WallTime now_{std::chrono::seconds{1'800'000'000}};
  ImportRequest request_{.place = {.name = "/journal", .folder = "/journal", .database = {}},
                         .from = kFolder,
                         .prefix = {},
                         .session = {},
                         .reason = {},
                         .is_confirmed = false};
  std::string errors_;
  std::string shown_;
};

TEST_F(ImportTest, a_bad_store_does_not_refuse_the_others) {
  put_session("B", "0000000002 : 0000000017");
  put_session("C", "garbage");
  put_session("D", "0000000002 : 0000000017");
  EXPECT_EQ(import(), 1);
  EXPECT_THAT(sessions(), ElementsAre("FIX.4.4:A->B", "FIX.4.4:A->D"));
  EXPECT_THAT(errors_, HasSubstr("/qf/FIX.4.4-A-C.seqnums: 'number : number' was expected (read as "
                                 "a store of QuickFIX)"));
  EXPECT_THAT(errors_, HasSubstr("1 store was not imported"));
  EXPECT_THAT(shown_, HasSubstr("(QuickFIX): next inbound 17, next outbound 2, 1 message\n"));
  EXPECT_THAT(shown_, HasSubstr("Imported 2 sessions.\n"));
  // A store that is older than the journal does not refuse the others, either.
  put_session("B", "0000000002 : 0000000003");
  put_session("C", "0000000002 : 0000000017");
  EXPECT_EQ(import(), 1);
  EXPECT_THAT(errors_, HasSubstr("FIX.4.4-A-B: the files are older than the journal"));
  EXPECT_THAT(sessions(), ElementsAre("FIX.4.4:A->B", "FIX.4.4:A->D", "FIX.4.4:A->C"));
}

TEST_F(ImportTest, empty_stores_are_one_line) {
  for (const char* name : {"/FIX.4.4-A-B", "/FIX.4.4-A-C"}) {
    for (const char* suffix : {".body", ".header", ".seqnums", ".session"}) {
      disk_.set_contents(kFolder + name + suffix, "");
    }
  }
  EXPECT_EQ(import(), 0) << errors_;
  EXPECT_EQ(shown_, "2 empty stores: nothing to import.\n");
  EXPECT_EQ(errors_, "");
  EXPECT_THAT(sessions(), ElementsAre());
  put_session("D", "0000000002 : 0000000017");
  EXPECT_EQ(import(), 0) << errors_;
  EXPECT_THAT(sessions(), ElementsAre("FIX.4.4:A->D"));
}

TEST_F(ImportTest, the_requested_session_is_imported_although_another_store_is_bad) {
  put_session("B", "garbage");
  put_session("C", "0000000002 : 0000000017");
  request_.session = "FIX.4.4:A->C";
  EXPECT_EQ(import(), 0) << errors_;
  EXPECT_EQ(errors_, "");
  request_.session = "FIX.4.4:A->B";
  EXPECT_EQ(import(), 1);
  EXPECT_THAT(errors_, HasSubstr("nothing was imported"));
}

TEST_F(ImportTest, a_part_of_a_name_that_one_session_has_names_it) {
  put_session("BANK", "0000000002 : 0000000017");
  put_session("BROKER", "garbage");
  put_session("VENUE", "0000000002 : 0000000017");
  request_.session = "bank";
  EXPECT_EQ(import(), 0) << errors_;
  EXPECT_EQ(errors_, "");
  EXPECT_THAT(sessions(), ElementsAre("FIX.4.4:A->BANK"));
  for (const auto& [part, error] : std::map<std::string, std::string>{
           {"B", "'B' may be any of 2 sessions; there is: FIX.4.4-A-BROKER, FIX.4.4:A->BANK"},
           {"broker", "FIX.4.4-A-BROKER.seqnums: 'number : number' was expected"},
           {"desk", "there is no session 'desk' in it; there is: FIX.4.4-A-BROKER"}}) {
    request_.session = part;
    EXPECT_EQ(import(), 1) << part;
    EXPECT_THAT(errors_, HasSubstr(error));
    EXPECT_THAT(sessions(), ElementsAre("FIX.4.4:A->BANK"));
  }
}

TEST_F(ImportTest, two_stores_of_one_session_are_not_chosen_from) {
  put_session("B", "0000000002 : 0000000017");
  prefix_ = "FIX.4.4-A-B-";
  put_session("C", "0000000002 : 0000000017");
  for (const char* suffix : {".body", ".header", ".seqnums", ".session"}) {
    disk_.set_contents(kFolder + "/FIX.4.4-A_1-B" + suffix,
                       disk_.contents(kFolder + "/FIX.4.4-A-B" + suffix));
  }
  disk_.set_contents(kFolder + "/FIX.4.4-A_1-B.seqnums", "0000000002 : 0000000017  ");
  EXPECT_EQ(import(), 1);
  EXPECT_THAT(errors_, HasSubstr("is a store of session FIX.4.4:A->B, too; choose one"));
  EXPECT_THAT(sessions(), ElementsAre("FIX.4.4:A->C"));
}

TEST_F(ImportTest, messages_without_numbers_need_a_confirmation) {
  put_session("B", "0000000002 : 0000000017");
  ASSERT_TRUE(disk_.remove(kFolder + "/FIX.4.4-A-B.seqnums"));
  EXPECT_EQ(import(), 1);
  EXPECT_THAT(errors_, HasSubstr("FIX.4.4-A-B: not confirmed: without a terminal, use --yes"));
  EXPECT_THAT(errors_, HasSubstr("nothing was imported"));
  EXPECT_THAT(shown_, HasSubstr("There is no file of its sequence numbers"));
  EXPECT_THAT(sessions(), ElementsAre());
  // Others are imported meanwhile.
  put_session("C", "0000000002 : 0000000017");
  EXPECT_EQ(import(), 1);
  EXPECT_THAT(sessions(), ElementsAre("FIX.4.4:A->C"));
  EXPECT_EQ(import(true), 0) << errors_;
  EXPECT_THAT(sessions(), ElementsAre("FIX.4.4:A->C", "FIX.4.4:A->B"));
}

// The whole import with a disk that fails at each call: the session is unchanged, or marked, or
// imported.
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

// A journal with one message of FIX.4.4:A->B, whose process has crashed.
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
  // The next opening reports it, because no later one finds it again.
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

TEST_F(ExportTest, an_incomplete_import_goes_to_no_other_engine) {
  write(true);
  EXPECT_NE(run_export(), 0);
  EXPECT_FALSE(has_written());
}

TEST_F(ExportTest, sessions_whose_files_would_have_one_name_are_refused_before_the_first_write) {
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
