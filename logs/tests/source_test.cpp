#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <string>
#include <vector>
#include <zlib.h>
#include <zstd.h>

#include "logs/source/log_reader.hpp"
#include "logs/source/log_time.hpp"
#include "store/api/journal.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"

namespace nexusfix::logs {
namespace {

using ::testing::AllOf;
using testing::bar;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::FakeDisk;
using testing::fix;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string order(int number, const std::string& time = "20240115-10:30:00") {
  return fix("FIX.4.4", "35=D|34=" + std::to_string(number) + "|49=T|52=" + time + "|56=V|11=A" +
                            std::to_string(number) + "|");
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  return packed;
}

std::string xz(const std::string& text) {
  std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(
                0, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                text.size(), reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

class LogSource : public ::testing::Test {
 protected:
  // The ClOrdIDs of the messages, in the order in which they were passed.
  std::vector<std::string> read(LogRequest request) {
    std::vector<std::string> found;
    errors_.clear();
    prefixes_.clear();
    report_ = read_logs(disk_, request,
                        {[&](const LogMessage& message) {
                           const std::string text = bar(message.bytes);
                           const std::size_t at = text.find("|11=") + 4;
                           found.push_back(text.substr(at, text.find('|', at) - at));
                           prefixes_.emplace_back(message.prefix);
                           return AfterMessage::Continue;
                         },
                         [] {}, [&](std::string_view error) { errors_.emplace_back(error); }});
    return found;
  }
  std::vector<std::string> read(const std::string& text) {
    disk_.set_contents("/log", text);
    return read(LogRequest{.files = {"/log"}});
  }

  FakeDisk disk_;
  LogReport report_;
  std::vector<std::string> errors_;
  std::vector<std::string> prefixes_;
};

TEST_F(LogSource, reads_archives_by_their_bytes_whatever_their_name) {
  const std::string text = "a " + order(1) + "\nb " + order(2) + "\n";
  for (const std::string& packed : {gzip(text), zstd(text), xz(text)}) {
    EXPECT_THAT(read(packed), ElementsAre("A1", "A2"));
    EXPECT_THAT(prefixes_, ElementsAre("a ", "b "));
    EXPECT_THAT(errors_, IsEmpty());
  }
}

// As PowerShell and other programs of Windows write a log.
TEST_F(LogSource, reads_utf_16_with_and_without_a_mark_in_either_order_of_bytes) {
  const auto utf16 = [](std::u16string_view text, bool is_little, bool has_mark) {
    std::string bytes;
    const auto add = [&](char16_t unit) {
      const char high = static_cast<char>(unit >> 8);
      const char low = static_cast<char>(unit & 0xff);
      bytes.append(1, is_little ? low : high).append(1, is_little ? high : low);
    };
    if (has_mark) add(u'\ufeff');
    for (const char16_t unit : text) add(unit);
    return bytes;
  };
  std::u16string text = u"plain text first ";
  const auto ascii = [&](std::string_view more) { text.append(more.begin(), more.end()); };
  ascii(order(1));
  text += u"\r\n株 \U0001f600 \xd83d ";  // the last one is half a character
  ascii(order(2) + "\r\n");
  for (const bool is_little : {true, false}) {
    for (const bool has_mark : {true, false}) {
      const std::string bytes = utf16(text, is_little, has_mark);
      for (const std::string& file : {bytes, gzip(bytes)}) {
        EXPECT_THAT(read(file), ElementsAre("A1", "A2"));
        EXPECT_THAT(prefixes_, ElementsAre("plain text first ",
                                           "\xe6\xa0\xaa \xf0\x9f\x98\x80 \xed\xa0\xbd "));
        EXPECT_THAT(errors_, IsEmpty());
      }
      // A file that is cut within a character.
      EXPECT_THAT(read(bytes.substr(0, bytes.size() - 1)), ElementsAre("A1", "A2"));
    }
  }
}

TEST_F(LogSource, reads_text_that_only_begins_like_utf_16) {
  EXPECT_THAT(read("\xff\xfe a " + order(1) + "\n"), ElementsAre("A1"));
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(LogSource, reads_an_archive_of_several_parts) {
  EXPECT_THAT(read(gzip(order(1)) + gzip(order(2))), ElementsAre("A1", "A2"));
  EXPECT_THAT(read(zstd(order(1)) + zstd(order(2))), ElementsAre("A1", "A2"));
  EXPECT_THAT(read(xz(order(1)) + xz(order(2))), ElementsAre("A1", "A2"));
}

// As a tape or a block device leaves them.
TEST_F(LogSource, reads_archives_with_zeros_after_them) {
  const std::string zeros(700'000, '\0');
  for (const std::string& padding : {zeros, zeros.substr(0, 4), zeros.substr(0, 12)}) {
    EXPECT_THAT(read(gzip(order(1)) + padding), ElementsAre("A1"));
    EXPECT_THAT(read(xz(order(1)) + padding), ElementsAre("A1"));
    EXPECT_THAT(read(xz(order(1)) + padding + xz(order(2))), ElementsAre("A1", "A2"));
    EXPECT_THAT(errors_, IsEmpty());
  }
  read(gzip(order(1)) + "x");
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("gzip: ")));
}

TEST_F(LogSource, unpacks_more_than_its_buffers_hold) {
  std::string text;
  constexpr int kMessages = 20'000;
  for (int i = 0; i < kMessages; ++i) text += "10:30 " + order(i) + "\n";
  for (const std::string& packed : {gzip(text), zstd(text), xz(text)}) {
    EXPECT_EQ(read(packed).size(), static_cast<std::size_t>(kMessages));
  }
}

// The messages before the cut are counted, and the error is one line.
TEST_F(LogSource, reports_an_archive_that_is_cut_after_the_messages_before) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "10:30 " + order(i * 7919 % 20'000) + "\n";
  for (std::string packed : {gzip(text), zstd(text), xz(text)}) {
    packed.resize(packed.size() - 20);
    const std::size_t found = read(packed).size();
    EXPECT_GT(found, 0U);
    EXPECT_LE(found, 20'000U);
    EXPECT_TRUE(report_.has_unread());
    EXPECT_FALSE(report_.has_unopened());
    ASSERT_EQ(errors_.size(), 1U);
    EXPECT_THAT(errors_.front(), HasSubstr("the archive is cut"));
  }
}

TEST_F(LogSource, reports_a_damaged_archive) {
  for (std::string packed : {gzip(order(1)), zstd(order(1)), xz(order(1))}) {
    for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 8; ++i) packed[i] ^= 0x55;
    read(packed);
    EXPECT_TRUE(report_.has_unread());
    ASSERT_EQ(errors_.size(), 1U);
    EXPECT_THAT(errors_.front(), HasSubstr("/log: "));
  }
}

TEST_F(LogSource, goes_on_after_a_file_that_does_not_exist) {
  disk_.set_contents("/b", order(2));
  EXPECT_THAT(read(LogRequest{.files = {"/a", "/b"}}), ElementsAre("A2"));
  EXPECT_TRUE(report_.has_unopened());
  ASSERT_EQ(errors_.size(), 1U);
  EXPECT_THAT(errors_.front(), HasSubstr("/a"));
}

// How a tool writes a line.
struct DumpForm {
  std::string before;  // the offset
  int offset_digits;
  std::string after;    // the offset
  std::string between;  // the bytes of a pair
  std::string middle;   // of a line
  std::string text;     // before the text at the right
};

std::string dump(const std::string& bytes, const DumpForm& form) {
  constexpr std::size_t kRow = 16;
  std::string lines;
  for (std::size_t at = 0; at < bytes.size(); at += kRow) {
    lines += form.before + fmt::format("{:0{}x}", at, form.offset_digits) + form.after;
    const std::size_t end = std::min(at + kRow, bytes.size());
    for (std::size_t i = at; i < end; ++i) {
      if (i > at) lines += (i - at) % 8 == 0 ? form.middle : (i - at) % 2 == 0 ? " " : form.between;
      lines += fmt::format("{:02x}", static_cast<unsigned char>(bytes[i]));
    }
    lines += form.text + "8=FIX.. 12 34\n";
  }
  return lines;
}

TEST_F(LogSource, reads_hex_dumps_of_several_tools) {
  const std::string hexdump = dump(order(1), {"", 8, "  ", " ", "  ", "  |"});
  const std::string xxd = dump(order(1), {"", 8, ": ", "", " ", "  "});
  const std::string tcpdump =
      "10:30:00 IP a.1 > b.2: Flags [P.]\n" + dump(order(1), {"\t0x", 4, ":  ", "", " ", "  "});
  const std::string wireshark = dump(order(1), {"", 6, " ", " ", " ", "   "});
  for (const std::string& text : {hexdump, xxd, tcpdump, wireshark}) {
    EXPECT_THAT(read(text), ElementsAre("A1")) << text;
    EXPECT_THAT(read(gzip(text)), ElementsAre("A1"));
  }
}

TEST_F(LogSource, reads_what_the_user_says_instead_of_what_it_recognises) {
  disk_.set_contents("/log", "00000000  38 3d 46 49 58 2e 34 2e  34\n" + order(1));
  EXPECT_THAT(read(LogRequest{.files = {"/log"}, .kind = SourceKind::Text}), ElementsAre("A1"));
  EXPECT_THAT(read(LogRequest{.files = {"/log"}, .kind = SourceKind::Gzip}), IsEmpty());
  EXPECT_THAT(errors_.front(), HasSubstr("gzip: "));
}

// A journal with this number of messages, each in its record.
void write_journal(Disk& disk, int messages) {
  auto opened = store::open_journal(disk, {.folder = "/store", .background = false}, WallTime{});
  ASSERT_TRUE(opened.has_value());
  const auto key = opened->store->open_session("FIX.4.4:T->V", WallTime{});
  ASSERT_TRUE(key.has_value());
  for (int number = 1; number <= messages; ++number) {
    store::Transaction transaction;
    transaction.outbound_message(*key, static_cast<std::uint64_t>(number), order(number));
    ASSERT_TRUE(opened->store->append(transaction, WallTime{}).has_value());
    ASSERT_TRUE(opened->store->flush().has_value());
  }
  ASSERT_TRUE(opened->store->close().has_value());
}

TEST_F(LogSource, reads_the_messages_of_a_journal) {
  write_journal(disk_, 3);
  EXPECT_THAT(read(LogRequest{.files = {"/store"}}), ElementsAre("A1", "A2", "A3"));
  EXPECT_THAT(prefixes_.front(), HasSubstr("FIX.4.4:T->V OUT epoch 1 : "));
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(LogSource, reads_a_damaged_journal_as_far_as_possible_and_says_what_is_damaged) {
  write_journal(disk_, 5);
  const std::string segment = "/store/0000000001.journal";
  std::string bytes = disk_.contents(segment);
  for (const char* const text : {"11=A2", "11=A4"}) bytes.replace(bytes.find(text), 5, "11=XX");
  disk_.set_contents(segment, bytes);
  for (const unsigned jobs : {1U, 2U}) {
    EXPECT_THAT(read(LogRequest{.files = {"/store"}, .jobs = jobs}), ElementsAre("A1", "A3", "A5"));
    EXPECT_THAT(errors_, ElementsAre(::testing::AllOf(
                             HasSubstr("/store: " + segment + ": damaged at offset "),
                             HasSubstr("1 more place is damaged, too"))));
    EXPECT_TRUE(report_.has_unread());
  }
}

TEST_F(LogSource, says_that_the_end_of_a_journal_is_missing) {
  write_journal(disk_, 5);
  const std::string segment = "/store/0000000001.journal";
  const std::string bytes = disk_.contents(segment);
  disk_.set_contents(segment, bytes.substr(0, bytes.find("11=A4")));
  EXPECT_THAT(read(LogRequest{.files = {"/store"}}), ElementsAre("A1", "A2", "A3"));
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("The end of the log is missing")));
  EXPECT_TRUE(report_.has_unread());
}

// Opening would cut the log at damage that was not synced, and so does reading.
TEST_F(LogSource, says_how_much_of_a_journal_is_not_read_after_a_loss_of_power) {
  auto opened = store::open_journal(disk_, {.folder = "/store", .background = false}, WallTime{});
  ASSERT_TRUE(opened.has_value());
  const auto key = opened->store->open_session("FIX.4.4:T->V", WallTime{});
  ASSERT_TRUE(key.has_value());
  const std::string owner = disk_.contents("/store/owner");
  for (const int number : {1, 2, 3}) {
    store::Transaction transaction;
    transaction.outbound_message(*key, static_cast<std::uint64_t>(number), order(number));
    ASSERT_TRUE(opened->store->append(transaction, WallTime{}).has_value());
  }
  ASSERT_TRUE(opened->store->flush().has_value());
  opened->store.reset();
  const std::string segment = "/store/0000000001.journal";
  std::string bytes = disk_.contents(segment);
  bytes.replace(bytes.find("11=A2"), 5, "11=XX");
  disk_.reboot();
  disk_.set_contents(segment, bytes);
  disk_.set_contents("/store/owner", owner);
  EXPECT_THAT(read(LogRequest{.files = {"/store"}}), ElementsAre("A1"));
  EXPECT_THAT(errors_,
              ElementsAre(::testing::AllOf(HasSubstr("/store: " + segment + ": damaged at offset "),
                                           HasSubstr(" bytes from there on are not read"))));
  EXPECT_TRUE(report_.has_unread());
}

// A process that was killed leaves a torn record, in space that may have been prepared.
TEST_F(LogSource, takes_an_unfinished_write_at_the_end_of_a_journal_for_no_damage) {
  auto opened = store::open_journal(disk_, {.folder = "/store", .background = false}, WallTime{});
  ASSERT_TRUE(opened.has_value());
  const auto key = opened->store->open_session("FIX.4.4:T->V", WallTime{});
  ASSERT_TRUE(key.has_value());
  const auto send = [&](std::uint64_t number) {
    store::Transaction transaction;
    transaction.outbound_message(*key, number, order(static_cast<int>(number)));
    ASSERT_TRUE(opened->store->append(transaction, WallTime{}).has_value());
    ASSERT_TRUE(opened->store->flush().has_value());
  };
  send(1);
  const std::string owner = disk_.contents("/store/owner");
  send(2);
  opened->store.reset();
  const std::string segment = "/store/0000000001.journal";
  const std::string bytes = disk_.contents(segment);
  const std::string torn = bytes.substr(0, bytes.find("11=A2"));
  for (const bool is_rebooted : {false, true}) {
    if (is_rebooted) disk_.reboot();
    disk_.set_contents("/store/owner", owner);
    for (const std::string& found : {torn, torn + std::string(4096, '\0')}) {
      disk_.set_contents(segment, found);
      EXPECT_THAT(read(LogRequest{.files = {"/store"}}), ElementsAre("A1"));
      EXPECT_THAT(errors_, IsEmpty());
      EXPECT_FALSE(report_.has_unread());
    }
  }
}

TEST_F(LogSource, reports_a_folder_without_a_journal) {
  ASSERT_TRUE(disk_.make_directories("/empty").has_value());
  read(LogRequest{.files = {"/empty"}, .kind = SourceKind::Journal});
  EXPECT_EQ(errors_.size(), 1U);
}

TEST_F(LogSource, merges_files_by_time_and_keeps_the_order_of_equal_times) {
  disk_.set_contents("/a", "20240115-10:30:00.1 " + order(1) + "\n20240115-10:30:00.4 " + order(4));
  disk_.set_contents("/b", order(3, "20240115-10:30:00.300") + order(5, "20240115-10:30:00.5"));
  disk_.set_contents("/c", "2024-01-15 10:30:00,100 " + order(2) + "\nno time " +
                               fix("FIX.4.4", "35=0|11=none|") + "\n");
  EXPECT_THAT(read(LogRequest{.files = {"/a", "/b", "/c"}, .is_merged = true}),
              ElementsAre("A1", "A2", "none", "A3", "A4", "A5"));
}

TEST_F(LogSource, reads_a_rotated_set_from_the_oldest_file_on) {
  ASSERT_TRUE(disk_.make_directories("/logs").has_value());
  disk_.set_contents("/logs/s.messages.current.log", order(5));
  disk_.set_contents("/logs/s.messages.backup.9.log", order(3));
  disk_.set_contents("/logs/s.messages.backup.10.log.gz", gzip(order(4)));
  disk_.set_contents("/logs/s.messages.current.log.2", order(1));
  disk_.set_contents("/logs/s.messages.current.log.1", order(2));
  disk_.set_contents("/logs/s.event.current.log", order(8));
  disk_.set_contents("/logs/s.messages.current.log.old", order(9));
  // Files with the number of a day or a backup come before those of logrotate.
  EXPECT_THAT(read(LogRequest{.files = {"/logs/s.messages.current.log"}, .with_rotated = true}),
              ElementsAre("A3", "A4", "A1", "A2", "A5"));
}

// As logback and NLog name them.
TEST_F(LogSource, reads_rotated_files_with_their_age_before_the_extension) {
  ASSERT_TRUE(disk_.make_directories("/logs").has_value());
  disk_.set_contents("/logs/fix.2023-12.log", order(1));
  disk_.set_contents("/logs/fix.2024-01-12.log", order(2));
  disk_.set_contents("/logs/fix-2024-01-13.log", order(3));
  disk_.set_contents("/logs/fix.2024-01-14.9.log.gz", gzip(order(4)));
  disk_.set_contents("/logs/fix.2024-01-14.10.log.gz", gzip(order(5)));
  disk_.set_contents("/logs/fix.log.2024-01-14.11", order(6));
  disk_.set_contents("/logs/fix.20240115.log", order(7));
  disk_.set_contents("/logs/fix.10.log", order(8));
  disk_.set_contents("/logs/fix.log.9", order(9));
  disk_.set_contents("/logs/fix.1.log", order(10));
  disk_.set_contents("/logs/fix.log", order(11));
  for (const char* const other : {"fix-1.log", "fix.1.txt", "fix.x.log", "fix.1.2.log", "fix..log",
                                  "fix1.log", "fix.2024-01-15.x.log"}) {
    disk_.set_contents(std::string{"/logs/"} + other, order(99));
  }
  EXPECT_THAT(read(LogRequest{.files = {"/logs/fix.log"}, .with_rotated = true}),
              ElementsAre("A1", "A2", "A3", "A4", "A5", "A6", "A7", "A8", "A9", "A10", "A11"));
}

TEST_F(LogSource, limits_messages_to_a_time_window) {
  disk_.set_contents("/log", "20240115-10:30:00 " + order(1) + "\n20240115-10:30:01 " + order(2) +
                                 "\n20240115-10:30:02 " + order(3) + "\n");
  LogRequest request{.files = {"/log"}};
  request.from = read_time("2024-01-15 10:30:01");
  EXPECT_THAT(read(request), ElementsAre("A2", "A3"));
  request.until = read_time("20240115-10:30:02");
  EXPECT_THAT(read(request), ElementsAre("A2"));
}

TEST_F(LogSource, stops_when_the_caller_has_enough) {
  disk_.set_contents("/log", order(1) + order(2));
  int seen = 0;
  read_logs(disk_, {.files = {"/log", "/log"}},
            {[&](const LogMessage&) {
               ++seen;
               return AfterMessage::Stop;
             },
             [] {}, [](std::string_view) {}});
  EXPECT_EQ(seen, 1);
}

// What was read is passed before it waits for more: a pipe may stay open.
TEST_F(LogSource, passes_what_has_arrived_before_it_asks_for_more) {
  class Pipe final : public ByteSource {
   public:
    std::expected<std::size_t, std::string> read(std::span<char> bytes) override {
      if (is_read_) return std::size_t{0};
      is_read_ = true;
      return order(1).append("\n").copy(bytes.data(), bytes.size());
    }

   private:
    bool is_read_ = false;
  };
  LogReader reader{{std::make_unique<Pipe>()}, ""};
  int drained = 0;
  LogMessage message;
  EXPECT_TRUE(reader.next(message, [&] { ++drained; }));
  EXPECT_EQ(drained, 0);
  EXPECT_FALSE(reader.next(message, [&] { ++drained; }));
  EXPECT_EQ(drained, 1);
}

// Logs as other engines write them.
TEST_F(LogSource, reads_the_logs_of_other_engines) {
  const std::string message = order(1);
  std::string carets;
  for (const char c : message) carets += c == '\x01' ? std::string{"^A"} : std::string{c};
  for (const std::string& line :
       {"20240115-10:30:00.123456 : " + message + "\n",                          // QuickFIX
        "\n<20240115-10:30:00, FIX.4.4:T->V, incoming>\n  (" + message + ")\n",  // its screen
        "<20240115-10:30:00, FIX.4.4:T->V, incoming> (" + message + ")\n",       // Java's screen
        "2024/01/15 10:30:00.123456 [FIX.4.4:T->V] " + message + "\n",           // Go
        "20240115-10:30:00.123 INFO <FIX.4.4:T->V> " + bar(message) + "\r\n",    // Java
        "2024-01-15 10:30:00.123456789 A  [0001] received " + carets + "\n",     // Fix8
        "{\"level\":\"info\",\"msg\":\"" + bar(message) + "\"}\n"}) {
    EXPECT_THAT(read(line + line), ElementsAre("A1", "A1")) << line;
  }
}

TEST_F(LogSource, reads_binary_bytes_without_messages) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i * 31 % 251);
  EXPECT_THAT(read(bytes), IsEmpty());
  EXPECT_THAT(read(std::string(100'000, '\0') + order(1)), ElementsAre("A1"));
  EXPECT_THAT(read(std::string{}), IsEmpty());
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(LogSource, shows_what_is_broken_on_request) {
  const std::string cut = order(2).substr(0, 40);
  disk_.set_contents("/log", order(1) + "\nprices: 8=FIXED, by hand\n" + cut + "\n" + order(3));
  LogRequest request{.files = {"/log"}};
  EXPECT_THAT(read(request), ElementsAre("A1", ::testing::_, "A3"));
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("1 place with 8=FIX is no message")));
  request.shows_broken = true;
  read(request);
  const std::size_t place = order(1).size() + std::string{"\nprices: "}.size();
  const std::size_t next = place + std::string{"8=FIXED, by hand\n"}.size();
  EXPECT_THAT(errors_,
              ElementsAre(HasSubstr("1 place with 8=FIX is no message"),
                          fmt::format("/log: byte {}: no message: 8=FIXED, by hand", place),
                          fmt::format("/log: byte {}: does not end where its BodyLength says: {}",
                                      next, bar(cut)),
                          "/log: 1 message does not end where BodyLength says"));
}

TEST_F(LogSource, shows_the_first_1000_broken_places) {
  std::string text;
  for (int i = 0; i < 1002; ++i) text += "8=FIXED\n";
  disk_.set_contents("/log", text);
  read(LogRequest{.files = {"/log"}, .shows_broken = true});
  ASSERT_EQ(errors_.size(), 1002U);
  EXPECT_EQ(errors_.back(), "/log: 2 more are not shown");
}

TEST(LogTime, reads_the_forms_of_common_logs) {
  const auto expected = time_in("20240115-10:30:00.123");
  ASSERT_TRUE(expected.has_value());
  EXPECT_EQ(expected->time_since_epoch(), std::chrono::milliseconds{1'705'314'600'123});
  for (const std::string_view text :
       {"2024-01-15 10:30:00,123", "2024-01-15T10:30:00.123Z", "[2024/01/15 10:30:00.123000] x",
        "a 9:1 20240115-10:30:00.123000000 IN : ", "0:0:0 2024-01-15 10:30:00.123"}) {
    EXPECT_EQ(time_in(text), expected) << text;
  }
  for (const std::string_view text :
       {"10:30:00", "20240115", "20241315-10:30:00", "20240115-24:30:00", "20240115-10:60:00",
        "20240230-10:30:00", "99990115-10:30:00", "20240115-10:3:00", "", ":", "::::::::"}) {
    EXPECT_FALSE(time_in(text).has_value()) << text;
  }
}

// The time and the direction are in the line before, also if the message comes later or in another
// chunk.
TEST_F(LogSource, uses_the_line_before_a_message_that_announces_it) {
  std::string text;
  for (int number = 1; number <= 40; ++number) {
    text += "\n<20240115-10:30:0" + std::to_string(number % 10) + ", FIX.4.4:T->V, " +
            (number % 2 == 0 ? "incoming" : "outgoing") + ">\n  (" +
            order(number, "20240115-11:00:00") + ")\n";
    if (number % 3 == 0) text += "<20240115-10:30:09, FIX.4.4:T->V, event>\n  (Something)\n";
  }
  disk_.set_contents("/log", text);
  for (const std::size_t chunk_bytes : {std::size_t{0}, std::size_t{100}, std::size_t{333}}) {
    read(LogRequest{.files = {"/log"}, .jobs = 2, .chunk_bytes = chunk_bytes});
    ASSERT_EQ(prefixes_.size(), 40U);
    EXPECT_EQ(prefixes_[0], "<20240115-10:30:01, FIX.4.4:T->V, outgoing> (");
    EXPECT_EQ(direction_in(prefixes_[1]), LoggedDirection::In);
    EXPECT_EQ(time_in(prefixes_[1]), time_in("20240115-10:30:02"));
  }
  // One byte after the other.
  printing::MessageScanner scanner;
  std::vector<std::string> fed;
  for (const char c : text) {
    scanner.feed({&c, 1});
    while (const auto message = scanner.next()) fed.emplace_back(message->prefix);
  }
  EXPECT_EQ(fed, prefixes_);
}

TEST_F(LogSource, takes_no_other_line_for_the_beginning_of_a_message) {
  read("20240115-10:00:00 an event\n" + order(1) + "\n<html>\n\n" + order(2) + " x>\n" + order(3));
  EXPECT_THAT(prefixes_, ElementsAre("", "", ""));
}

TEST_F(LogSource, merges_logs_of_several_zones_in_the_order_of_time) {
  disk_.set_contents("/utc", "2024-01-15T10:30:00.000Z " + order(1) +
                                 "\n2024-01-15T10:30:00.040Z " + order(3) + "\n");
  disk_.set_contents("/berlin", "2024-01-15T11:30:00.020+01:00 " + order(2) + "\n");
  disk_.set_contents("/york", "2024-01-15 05:30:00,060 EST " + order(4) + "\n");
  LogRequest request{.files = {"/york", "/berlin", "/utc"}, .is_merged = true};
  EXPECT_THAT(read(request), ElementsAre("A1", "A2", "A3", "A4"));
  request.from = read_time("2024-01-15T12:30:00.030+02:00");
  EXPECT_THAT(read(request), ElementsAre("A3", "A4"));
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(LogSource, keeps_a_leap_second_in_its_minute) {
  disk_.set_contents("/a", "20161231-23:59:59.5 " + order(1) + "\n20161231-23:59:60.7 " + order(2) +
                               "\n20170101-00:00:00.1 " + order(4) + "\n");
  disk_.set_contents("/b", "20170101-00:00:00 " + order(3) + "\n");
  LogRequest request{.files = {"/a", "/b"}, .is_merged = true};
  EXPECT_THAT(read(request), ElementsAre("A1", "A2", "A3", "A4"));
  request.until = read_time("2017-01-01");
  EXPECT_THAT(read(request), ElementsAre("A1", "A2"));
  request.until = {};
  request.from = read_time("20161231-23:59:60");
  EXPECT_THAT(read(request), ElementsAre("A2", "A3", "A4"));
}

TEST_F(LogSource, says_that_a_clock_with_other_dividers_is_not_understood) {
  const auto notes = [&](const std::string& prefix) {
    disk_.set_contents("/log", prefix + " - " + order(1) + "\n");
    LogRequest request{.files = {"/log"}};
    request.from = read_time("2024-01-15 09:00");
    static_cast<void>(read(request));
    return errors_.size();
  };
  for (const char* const clock : {"10.00.00,777", "10h00m00.777s", "9h05m07s", "10-00-00.777",
                                  "[10.00.00]", "2024-01-15T10.00.00"}) {
    EXPECT_EQ(notes(clock), 1U) << clock;
    EXPECT_THAT(errors_, Each(HasSubstr("--time-format"))) << clock;
  }
  // Addresses and versions, and what is no time of day.
  for (const char* const text : {"10.11.12.13", "192.168.10.10.11", "25.00.00,777", "10.60.00,777",
                                 "10.00.0", "v10.00.00", "3.14.159"}) {
    EXPECT_EQ(notes(text), 0U) << text;
  }
}

TEST_F(LogSource, says_once_which_time_it_does_not_understand) {
  disk_.set_contents("/log", "15. Jan 2024, 10 Uhr 30 - " + order(1) +
                                 "\n15. Jan 2024, 10 Uhr 31 - " + order(2, "20240115-10:31:00") +
                                 "\n");
  LogRequest request{.files = {"/log", "/log"}};
  EXPECT_THAT(read(request), ElementsAre("A1", "A2", "A1", "A2"));
  EXPECT_THAT(errors_, IsEmpty());  // no time is needed
  request.from = read_time("2024-01-15 10:31");
  EXPECT_THAT(read(request), ElementsAre("A2", "A2"));
  EXPECT_THAT(errors_,
              ElementsAre(AllOf(HasSubstr("/log: byte 26: "), HasSubstr("15. Jan 2024"),
                                HasSubstr("SendingTime (52)"), HasSubstr("--time-format"))));
  request.stamps.format = "%d. %b %Y, %H Uhr %M";
  request.from = read_time("2024-01-15 10:30:30");
  EXPECT_THAT(read(request), ElementsAre("A2", "A2"));
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(LogSource, says_once_that_a_time_without_a_zone_is_hours_away) {
  disk_.set_contents("/log", "2024-01-15 11:30:00,040 INFO " + order(1) + "\n");
  LogRequest request{.files = {"/log", "/log"}};
  request.until = read_time("2024-01-15 11:00");
  EXPECT_THAT(read(request), IsEmpty());
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("give --time-zone +01:00")));
  request.stamps.zone = read_zone("CET");
  EXPECT_THAT(read(request), ElementsAre("A1", "A1"));
  EXPECT_THAT(errors_, IsEmpty());
}

TEST(LogTime, reads_times_of_arguments) {
  const auto time = read_time("20240115-10:30:00");
  ASSERT_TRUE(time.has_value());
  EXPECT_EQ(read_time("2024-01-15T10:30"), time);
  EXPECT_EQ(read_time("2024-01-15 10:30:00.000Z"), time);
  EXPECT_EQ(read_time("2024-01-15"), *time - std::chrono::minutes{630});
  for (const std::string_view text :
       {"10:30", "yesterday", "20240115-10:30:00x", "x20240115", ""}) {
    EXPECT_FALSE(read_time(text).has_value()) << text;
  }
}

TEST(LogTime, recognises_directions_by_whole_words) {
  EXPECT_EQ(direction_in("20240115-10:30:00 IN : "), LoggedDirection::In);
  EXPECT_EQ(direction_in("20240115-10:30:00 OUT MASKED : "), LoggedDirection::Out);
  EXPECT_EQ(direction_in("<FIX.4.4:T->V, outgoing> ("), LoggedDirection::Out);
  EXPECT_EQ(direction_in("INFO input: "), LoggedDirection::Unknown);
}

TEST(LogTime, is_the_same_for_each_prefix_when_many_are_read) {
  TimeReader reader;
  const std::string bytes = fix("FIX.4.4", "35=0|52=20240115-11:00:00|");
  for (const char* const text : {"20240115-10:30:00.123456 IN : ",
                                 "20240115-10:30:00.123457 OUT : ",
                                 "20240115-10:30:00.1 IN : ",
                                 "20240115-10:30:00.2 TX : ",
                                 "20240115-10:30:00.123456789 -> ",
                                 "20240115-10:30:00 IN : ",
                                 "20240115-10:30:00.5-> ",
                                 "20240115-10:30:01 INFO : ",
                                 "20240115-10:30:01., IN ",
                                 "20240115-10:30:01 ",
                                 "",
                                 "OUT ",
                                 "20240115-10:30:02",
                                 "2024-01-15 10:30:03,004 IN ",
                                 "2024-01-15 10:30:03,004+02:00 IN ",
                                 "2024-01-15 10:30:03 CET IN ",
                                 "2024-01-15 10:30:03.5 (GMT+02:00) IN ",
                                 "2024-01-15 10:30:03.25 (GMT+02:00) OUT ",
                                 "2024-01-15 10:30:03.5 (GMT+02:000) IN ",
                                 "2024-01-15 10:30:03.5 (GMT+02:0",
                                 "2024-01-15 10:30:03.5 +0200",
                                 "2024-01-15 10:30:03:500 IN ",
                                 "2024-01-15 10:30:03:5000 IN ",
                                 "2024-01-15 10:30:03.1234567891 IN ",
                                 "2024-01-15 10:30:03.5 PM IN ",
                                 "2024-01-15 10:30:031",
                                 "2024-01-15 10:30:60.5 IN ",
                                 "2024-01-15 10:30:60 OUT "}) {
    const LogMessage message{.bytes = bytes, .prefix = text};
    EXPECT_EQ(reader.of_message(message), time_of_message(message)) << text;
    EXPECT_EQ(reader.direction(text), direction_in(text)) << text;
  }
}

TEST(LogTime, recognises_directions_by_arrows_that_stand_alone) {
  for (const char* const arrow : {"->", "-->", "=>", ">>", ">"}) {
    const std::string text{arrow};
    EXPECT_EQ(direction_in("10:30:00 " + text + " "), LoggedDirection::Out) << text;
    EXPECT_EQ(direction_in(text), LoggedDirection::Out) << text;
    EXPECT_EQ(direction_in("10:30:00 [" + text + "] : "), LoggedDirection::Out) << text;
  }
  for (const char* const arrow : {"<-", "<--", "<=", "<<", "<"}) {
    const std::string text{arrow};
    EXPECT_EQ(direction_in("10:30:00 " + text + " "), LoggedDirection::In) << text;
    EXPECT_EQ(direction_in(text), LoggedDirection::In) << text;
  }
  for (const char* const text :
       {"10.0.0.1:5001->10.0.0.2:9876 : ", "<FIX.4.4:T->V> (", "a <-> b ", "a <> b ", "- = "}) {
    EXPECT_EQ(direction_in(text), LoggedDirection::Unknown) << text;
  }
  EXPECT_EQ(direction_in("IN -> "), LoggedDirection::In);
}

}  // namespace
}  // namespace nexusfix::logs
