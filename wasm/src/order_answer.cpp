#include "wasm/src/order_answer.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "logs/messages/message_scanner.hpp"
#include "logs/order/order_report.hpp"
#include "logs/order/order_stories.hpp"
#include "nexusfix/text/json.hpp"

namespace nexusfix::browser {
namespace {

// The scanner copies what it is fed.
constexpr std::size_t kChunkBytes = 256U << 10U;

void pass_messages(const OrderQuestion& question, logs::OrderStories& to) {
  printing::MessageScanner scanner;
  printing::ScannedMessage message;
  message.path = question.name;
  for (std::size_t at = 0; at < question.log.size(); at += kChunkBytes) {
    scanner.feed(question.log.substr(at, kChunkBytes));
    if (at + kChunkBytes >= question.log.size()) scanner.finish();
    while (scanner.next(message)) to.take(message);
  }
}

}  // namespace

std::string answer_order(const OrderQuestion& question) {
  logs::OrderStories stories{std::string{question.id}};
  do {
    stories.begin_pass();
    pass_messages(question, stories);
  } while (stories.needs_another_pass());
  const std::vector<logs::OrderStory> found = stories.finish();
  if (found.empty()) return {};
  if (question.is_json) {
    command::Json all = command::Json::array(
        found, [](const logs::OrderStory& story) { return logs::story_json(story, nullptr); });
    return command::Json::object({{"id", question.id}, {"orders", std::move(all)}}).document();
  }
  std::string text;
  for (const logs::OrderStory& story : found) {
    if (!text.empty()) text += '\n';
    text += logs::story_text(story, nullptr);
  }
  return text;
}

}  // namespace nexusfix::browser
