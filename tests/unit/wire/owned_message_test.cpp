#include <cstddef>
#include <gtest/gtest.h>
#include <memory_resource>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/arena.hpp>
#include <nexusfix/wire.hpp>

#include "unit/wire/kernels/guarded_bytes.hpp"
#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

void expect_same_fault(const std::optional<Fault>& a, const std::optional<Fault>& b) {
  ASSERT_EQ(a.has_value(), b.has_value());
  if (!a) return;
  EXPECT_EQ(a->rule, b->rule);
  EXPECT_EQ(a->offset, b->offset);
  EXPECT_EQ(a->tag_text, b->tag_text);
}

void expect_same(const MessageView& a, const MessageView& b) {
  EXPECT_EQ(a.bytes(), b.bytes());
  EXPECT_EQ(a.begin_string(), b.begin_string());
  EXPECT_EQ(a.msg_type(), b.msg_type());
  expect_same_fault(a.fault(), b.fault());
  expect_same_fault(a.fault_but_empty(), b.fault_but_empty());
  ASSERT_EQ(a.field_count(), b.field_count());
  for (std::size_t i = 0; i < a.field_count(); ++i) {
    ASSERT_EQ(a.field(i).tag, b.field(i).tag) << i;
    ASSERT_EQ(a.field(i).offset, b.field(i).offset) << i;
    ASSERT_EQ(a.field(i).value, b.field(i).value) << i;
    const Tag tag = a.field(i).tag;
    ASSERT_EQ(a[tag], b[tag]) << tag;
    ASSERT_EQ(a.find_index(tag, i), b.find_index(tag, i)) << tag;
  }
  for (const Tag absent : {Tag{0}, Tag{5000}, Tag{65'535}, Tag{1'000'000}, kTagMax}) {
    EXPECT_EQ(a[absent], b[absent]);
  }
}

[[nodiscard]] std::vector<std::string> bodies() {
  std::vector<std::string> texts{
      std::string{test::kExecutionReportBody},
      "35=0|",
      "35=D|34=2|=5|",
      "35=D|34=2|055=A|",
      "35=D|34=2|55|",
      "35=D|34=2|58=|",
      "35=D|34=2|58=|0=x|",
      "35=D|95=9|96=x|",
      "35=D|34=2|12345=a|65534=b|65535=c|65536=d|2147483647=e|2147483648=f|",
  };
  std::string many = "35=W|";
  for (int i = 0; i < 10'000; ++i)
    many += std::to_string(270 + i % 3) + "=" + std::to_string(i) + "|";
  texts.push_back(std::move(many));
  return texts;
}

TEST(OwnedMessage, has_the_content_of_the_message_after_buffer_and_parser_are_gone) {
  Arena arena;
  for (const std::string& body : bodies()) {
    const std::string text = test::message_of(body);
    std::string buffer = text;
    Parser parser;
    const auto message = parser.parse(buffer);
    ASSERT_TRUE(message) << body.substr(0, 100);
    const auto owned = to_owned(*message, arena);
    ASSERT_TRUE(owned);
    buffer.assign(buffer.size(), 'x');
    ASSERT_TRUE(parser.parse(test::message_of("35=1|112=other|")));
    Parser another;
    const auto again = another.parse(text);
    ASSERT_TRUE(again);
    expect_same(owned->view(), *again);
  }
}

TEST(OwnedMessage, a_data_field_keeps_its_bytes) {
  Parser parser;
  const std::string text = test::message_of("35=B|34=1|95=7|96=a|55=E||58=x|");
  const auto message = parser.parse(text);
  ASSERT_TRUE(message);
  const auto owned = to_owned(*message, *std::pmr::new_delete_resource());
  ASSERT_TRUE(owned);
  expect_same(owned->view(), *message);
  EXPECT_EQ(owned->view()[96], test::with_soh("a|55=E|"));
  EXPECT_FALSE(owned->view().has(55));
}

TEST(OwnedMessage, reads_no_byte_beyond_the_message) {
  const std::string text = test::message_of(test::kExecutionReportBody);
  test::GuardedBytes before{text.size()};
  test::GuardedBytes after{text.size()};
  for (const std::string_view frame : {before.at_begin(text), after.at_end(text)}) {
    Parser parser;
    const auto message = parser.parse(frame);
    ASSERT_TRUE(message);
    const auto owned = to_owned(*message, *std::pmr::new_delete_resource());
    ASSERT_TRUE(owned);
    expect_same(owned->view(), *message);
  }
}

TEST(OwnedMessage, exhaustion_is_an_error_with_the_requested_size) {
  Parser parser;
  const std::string text = test::message_of(test::kExecutionReportBody);
  const auto message = parser.parse(text);
  ASSERT_TRUE(message);
  const auto none = to_owned(*message, *std::pmr::null_memory_resource());
  ASSERT_FALSE(none);
  EXPECT_GT(none.error().bytes, text.size());
  Arena arena{{.block_bytes = 1024, .bytes_max = 1024}};
  std::vector<OwnedMessage> kept;
  while (auto owned = to_owned(*message, arena)) kept.push_back(std::move(*owned));
  ASSERT_EQ(kept.size(), 1U);
  expect_same(kept[0], *message);
}

TEST(OwnedMessage, frees_its_memory_when_it_is_destroyed_or_assigned_to) {
  class Counting final : public std::pmr::memory_resource {
   public:
    std::size_t bytes_out = 0;

   private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
      bytes_out += bytes;
      return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
      bytes_out -= bytes;
      std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
      return this == &other;
    }
  } heap;
  Parser parser;
  const std::string text = test::message_of("35=0|34=2|");
  const auto message = parser.parse(text);
  ASSERT_TRUE(message);
  {
    auto first = to_owned(*message, heap);
    ASSERT_TRUE(first);
    const std::size_t one = heap.bytes_out;
    auto second = to_owned(*message, heap);
    ASSERT_TRUE(second);
    EXPECT_EQ(heap.bytes_out, 2 * one);
    const MessageView view = second->view();
    *first = std::move(*second);
    EXPECT_EQ(heap.bytes_out, one);
    expect_same(view, *message);
    OwnedMessage third{std::move(*first)};
    expect_same(third, view);
    EXPECT_EQ(first->view().field_count(), 0U);
  }
  EXPECT_EQ(heap.bytes_out, 0U);
}

TEST(OwnedMessage, a_received_message_can_be_kept_after_its_callback) {
  Parser parser;
  const std::string text = test::message_of(test::kExecutionReportBody);
  const auto parsed = parser.parse(text);
  ASSERT_TRUE(parsed);
  const MessageView message = *parsed;
  std::vector<OwnedMessage> later;
  // [keep]
  Arena arena{{.block_bytes = 65'536, .bytes_max = 16 << 20}};
  auto kept = to_owned(message, arena);         // std::expected<OwnedMessage, OutOfMemory>
  if (kept) later.push_back(std::move(*kept));  // the receive buffer may now change
  EXPECT_EQ(later[0].view()[55], "AAPL");
  later.clear();
  arena.reset();  // the blocks stay
  // [end]
}

TEST(OwnedMessage, of_a_view_without_fields_has_none) {
  const auto owned = to_owned(MessageView{}, *std::pmr::new_delete_resource());
  ASSERT_TRUE(owned);
  expect_same(owned->view(), MessageView{});
  expect_same(OwnedMessage{}, MessageView{});
}

}  // namespace
}  // namespace nexusfix::wire
