// The output of `nexusfix journal show --messages`.
#include "nexusfix/journal/journal_messages.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>

#include <nexusfix/store/journal.hpp>

#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"
#include "support/output_text.hpp"

namespace nexusfix::command {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::soh;

class PrintMessages : public ::testing::Test {
 protected:
  void SetUp() override {
    const WallTime now{std::chrono::seconds{1'700'000'000}};
    auto opened = store::open_journal(disk_, {.folder = "/journal", .background = false}, now);
    ASSERT_TRUE(opened) << opened.error().text;
    store_ = std::move(opened->store);
    const auto key = store_->open_session("FIX.4.4:A->B", now);
    ASSERT_TRUE(key);
    store::Transaction transaction;
    transaction.outbound_message(*key, 1, soh("8=FIX.4.4|58=a|") + "58=b|c\\\x7f Zürich \xc2\x9b");
    transaction.outbound_message(*key, 2, soh("8=FIX.4.4|58=a|") + "58=\xff\x01");
    ASSERT_TRUE(store_->append(transaction, now));
  }
  std::string print(std::uint64_t number, MessageForm form) {
    testing::OutputText out;
    MessageFilter filter;
    filter.first = number;
    filter.last = number;
    EXPECT_EQ(print_messages(out.stream(), *store_, filter, form), 1U);
    return out.text();
  }

  testing::FakeDisk disk_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(PrintMessages, json_has_the_exact_bytes) {
  EXPECT_EQ(print(1, MessageForm::Json),
            R"({"session":"FIX.4.4:A->B","epoch":1,"number":1,)"
            R"("message":"8=FIX.4.4\u000158=a\u000158=b|c\\\u007f Zürich \u009b"})"
            "\n");
}

TEST_F(PrintMessages, json_has_hexadecimal_digits_for_bytes_that_are_no_text) {
  EXPECT_THAT(print(2, MessageForm::Json),
              EndsWith(R"("message":"8=FIX.4.4\u000158=a\u000158=\\xff\u0001",)"
                       R"("message_hex":"383d4649582e342e340135383d610135383dff01"})"
                       "\n"));
}

TEST_F(PrintMessages, lines_are_for_people) {
  EXPECT_THAT(print(1, MessageForm::Line), HasSubstr("8=FIX.4.4|58=a|58=b|c\\\\x7f Zürich"));
}

}  // namespace
}  // namespace nexusfix::command
