// The reference of the keys: each key in full, the nearest key, and the page of the documents.
#include "nexusfix/config/key_reference.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include "config/api/explain_settings.hpp"

namespace nexusfix::command {
namespace {

using ::testing::HasSubstr;

TEST(KeyReference, says_everything_about_a_key_in_any_case) {
  const auto text = describe_keys({"journalstalltimeout"});
  ASSERT_TRUE(text.has_value()) << text.error();
  EXPECT_EQ(*text,
            "JournalStallTimeout  (store)\n"
            "  meaning       seconds that a disk may stall\n"
            "  type          number\n"
            "  range         1 to 3600 seconds\n"
            "  default       5\n"
            "  example       JournalStallTimeout=10\n"
            "  dialects      NexusFIX only\n"
            "  takes effect  at the next start\n");
}

TEST(KeyReference, names_the_default_of_another_engine_and_numbered_keys) {
  EXPECT_THAT(describe_keys({"FileStoreSync"}).value_or(""),
              HasSubstr("  elsewhere     QuickFIX/Go: Y\n"));
  EXPECT_THAT(describe_keys({"SocketConnectHost"}).value_or(""),
              HasSubstr("; also SocketConnectHost1, SocketConnectHost2, ...\n"));
}

TEST(KeyReference, names_the_engines_that_know_a_key_and_their_other_names_of_it) {
  EXPECT_THAT(describe_keys({"HeartBtInt"}).value_or(""),
              HasSubstr("  dialects      QuickFIX, QuickFIX/J, QuickFIX/Go, QuickFIX/n\n"));
  EXPECT_THAT(describe_keys({"SocketNodelay"}).value_or(""),
              HasSubstr("  dialects      QuickFIX, QuickFIX/n; QuickFIX/J: SocketTcpNoDelay\n"));
  EXPECT_THAT(describe_keys({"SocketAcceptAddress"}).value_or(""),
              HasSubstr("  dialects      QuickFIX/J; QuickFIX/Go, QuickFIX/n: "
                        "SocketAcceptHost\n"));
  EXPECT_THAT(describe_keys({"EnabledProtocols"}).value_or(""),
              HasSubstr("  dialects      QuickFIX/J; QuickFIX: SSLProtocol; QuickFIX/n: "
                        "SSLProtocols\n"));
}

TEST(KeyReference, the_range_of_a_text_is_that_of_its_bytes) {
  EXPECT_THAT(describe_keys({"SenderCompID"}).value_or(""),
              HasSubstr("  type          text\n  range         1 to 255 bytes\n"));
}

TEST(KeyReference, says_what_holds_now_in_place_of_a_removed_key) {
  EXPECT_EQ(describe_keys({"maxheldbytes"}).value_or(""),
            "MaxHeldBytes was removed: messages after a gap are held, up to a quarter of "
            "MaxQueuedBytes\n");
  EXPECT_THAT(describe_keys({"JournalReplica", "HeartBtInt"}).value_or(""),
              HasSubstr("says how to move\n\nHeartBtInt  ("));
}

TEST(KeyReference, an_unknown_key_is_an_error_with_the_nearest_one) {
  const auto text = describe_keys({"HeartBtInt", "HeartBeatInt"});
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error(), "there is no key HeartBeatInt. Did you mean HeartBtInt?");
  EXPECT_EQ(describe_keys({"Xyzzy"}).error(),
            "there is no key Xyzzy; `nexusfix config keys` lists all");
}

TEST(KeyReference, without_a_name_lists_every_key) {
  const std::string text = describe_keys({}).value_or("");
  for (const config::KeyDescription& key : config::described_keys()) {
    EXPECT_THAT(text, HasSubstr("  " + std::string{key.name} + " ")) << key.name;
  }
}

TEST(KeyReference, every_key_has_a_meaning_a_type_values_and_an_example) {
  const std::string page = keys_page();
  for (const config::KeyDescription& key : config::described_keys()) {
    EXPECT_FALSE(key.meaning.empty()) << key.name;
    EXPECT_FALSE(key.expected.empty()) << key.name;
    EXPECT_FALSE(key.example.empty()) << key.name;
    EXPECT_THAT(page, HasSubstr("| " + std::string{key.type} + " | ")) << key.name;
  }
}

TEST(KeyReference, the_page_of_the_documents_is_what_the_command_prints) {
  const std::filesystem::path path{NEXUSFIX_ROOT "/docs/reference/keys.md"};
  std::ifstream stream{path, std::ios::binary};
  const std::string page{std::istreambuf_iterator<char>{stream}, {}};
  EXPECT_EQ(page, keys_page()) << "nexusfix config keys --markdown > docs/reference/keys.md";
}

}  // namespace
}  // namespace nexusfix::command
