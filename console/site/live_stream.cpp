#include "console/site/live_stream.hpp"

#include <utility>

#include "console/json/json.hpp"
#include "console/json/message_json.hpp"
#include "console/json/state_json.hpp"

namespace nexusfix::web {
namespace {

constexpr std::size_t kTickBytesMax = 256U << 10U;

// JSON has no line feed outside of a text, and none within: so the data is one line.
void append_event(std::string& chunk, std::string_view name, std::string_view json) {
  chunk += "event: ";
  chunk += name;
  chunk += "\ndata: ";
  chunk += json;
  chunk += "\n\n";
}

}  // namespace

std::shared_ptr<const std::string> EngineStateCache::chunk(MonoTime now) {
  if (chunk_ && now - read_at_ < kAgeMax) return chunk_;
  std::string text;
  append_event(text, "state", state_json(engine_->statistics()));
  chunk_ = std::make_shared<const std::string>(std::move(text));
  read_at_ = now;
  return chunk_;
}

std::shared_ptr<const std::string> LiveStream::next(MonoTime now) {
  auto state = states_.chunk(now);
  std::string more;
  append_events(more);
  append_messages(more);
  if (more.empty()) return state;
  return std::make_shared<const std::string>(*state + more);
}

void LiveStream::append_events(std::string& chunk) {
  const auto events = events_.after(last_event_, kEventsMax);
  if (events.empty()) return;
  last_event_ = events.back().number;
  append_event(chunk, "events", events_json(events));
}

void LiveStream::append_messages(std::string& chunk) {
  if (!subscription_) return;
  Json messages = Json::array();
  std::uint64_t left_out = 0;
  const auto names = names_();
  subscription_->read(kTickBytesMax, [&](const observe::LoggedMessage& message) {
    if (messages.size() == kMessagesMax) {
      ++left_out;
      return;
    }
    Json one = message_json(message.bytes, names->of(message.session));
    one["time"] = millis_of(message.time);
    one["direction"] = direction_of(message.kind);
    messages.push_back(std::move(one));
  });
  left_out += subscription_->consume_lost();
  if (messages.empty() && left_out == 0) return;
  append_event(chunk, "messages",
               to_text({{"messages", std::move(messages)}, {"left_out", left_out}}));
}

}  // namespace nexusfix::web
