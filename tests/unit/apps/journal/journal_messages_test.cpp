// The output of `nexusfix journal show --messages`.
#include "nexusfix/journal/journal_messages.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>

#include "nexusfix/journal/show/journal_unsent.hpp"
#include "store/api/journal.hpp"
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
    EXPECT_EQ(print_messages(out.stream(), *store_, filter, {.form = form}), 1U);
    return out.text();
  }

  testing::FakeDisk disk_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(PrintMessages, json_has_the_exact_bytes) {
  EXPECT_EQ(print(1, MessageForm::Json),
            R"({"session":"FIX.4.4:A->B","epoch":1,"number":1,"direction":"out",)"
            R"("time":"20231114-22:13:20.000000",)"
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

class PrintReceived : public PrintMessages {
 protected:
  void SetUp() override {
    PrintMessages::SetUp();
    const auto key = store_->find_session("FIX.4.4:A->B");
    ASSERT_TRUE(key);
    store::Transaction transaction;
    transaction.outbound_message(*key, 3, soh("8=FIX.4.4|35=8|34=3|11=X|"));
    transaction.inbound_progress(*key, 8, soh("8=FIX.4.4|35=D|34=7|11=X|"));
    ASSERT_TRUE(store_->append(transaction, kLater));
  }
  std::string print(const MessageFilter& filter, MessageLook look = {}) {
    testing::OutputText out;
    EXPECT_TRUE(print_messages(out.stream(), *store_, filter, look));
    return out.text();
  }
  static constexpr WallTime kLater{std::chrono::seconds{1'700'000'060}};
};

TEST_F(PrintReceived, direction_is_a_filter_and_received_messages_are_marked) {
  MessageFilter filter;
  filter.has_sent = false;
  EXPECT_EQ(print(filter), "FIX.4.4:A->B  epoch 1  received 7  8=FIX.4.4|35=D|34=7|11=X|\n");
  EXPECT_THAT(print(filter, {.form = MessageForm::Json}),
              HasSubstr(R"("number":7,"direction":"in","time":"20231114-22:14:20.000000",)"));
  filter.has_sent = true;
  filter.has_received = false;
  EXPECT_THAT(print(filter), ::testing::Not(HasSubstr("received")));
}

TEST_F(PrintReceived, text_and_time_are_filters) {
  MessageFilter filter;
  filter.text = soh("|11=X|");
  EXPECT_EQ(print(filter),
            "FIX.4.4:A->B  epoch 1  3  8=FIX.4.4|35=8|34=3|11=X|\n"
            "FIX.4.4:A->B  epoch 1  received 7  8=FIX.4.4|35=D|34=7|11=X|\n");
  filter.until = kLater;
  EXPECT_EQ(print(filter), "");
  filter.until.reset();
  filter.since = kLater;
  EXPECT_THAT(print(filter, {.has_times = true}),
              HasSubstr("20231114-22:14:20.000000  FIX.4.4:A->B  epoch 1  received 7  "));
}

TEST_F(PrintReceived, unsent_needs_a_mark_and_lists_what_is_above_it) {
  const auto none = find_unsent(*store_, "");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error(), HasSubstr("JournalInbound=Y records it"));
  store::Transaction mark;
  mark.messages_left(0, 3);
  ASSERT_TRUE(store_->append(mark, kLater));
  const auto found = find_unsent(*store_, "");
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(unsent_text(*found),
            "FIX.4.4:A->B  epoch 1: 1 message may not have left\n"
            "  what is below MsgSeqNum 3 has left, as of 20231114-22:14:20.000000\n"
            "  3  20231114-22:14:20.000000  8=FIX.4.4|35=8|34=3|11=X|\n");
  mark.clear();
  mark.messages_left(0, 4);
  ASSERT_TRUE(store_->append(mark, kLater));
  EXPECT_THAT(unsent_text(*find_unsent(*store_, "")), HasSubstr("epoch 1: nothing is unsent\n"));
  mark.clear();
  mark.reset(0);
  mark.outbound_message(0, 1, soh("8=FIX.4.4|35=B|34=1|"));
  ASSERT_TRUE(store_->append(mark, kLater));
  EXPECT_THAT(unsent_text(*find_unsent(*store_, "")),
              HasSubstr("epoch 2: 1 message may not have left\n"
                        "  the log does not say what has left in this epoch\n"));
}

}  // namespace
}  // namespace nexusfix::command
