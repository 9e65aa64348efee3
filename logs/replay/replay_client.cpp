#include "logs/replay/replay_client.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include <nexusfix/wire/field.hpp>

#include "base/api/printable_text.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

constexpr std::size_t kSentMax = 100'000;  // whose places are known
constexpr std::uint64_t kShownMax = 100;   // rejects that are printed

constexpr wire::Tag kClOrdID = 11;
constexpr wire::Tag kOrdStatus = 39;

}  // namespace

void ReplayClient::on_logon(engine::Session&) { was_logged_on_ = true; }

void ReplayClient::on_logout(engine::Session& session) {
  fmt::print(out_, "{}: logged out\n", session.name());
  std::fflush(out_);
}

void ReplayClient::record_sent(std::uint64_t number, std::uint64_t offset,
                               std::string_view msg_type) {
  if (sent_.size() == kSentMax) sent_.pop_front();
  sent_.push_back({number, offset, std::string{msg_type}});
}

std::string ReplayClient::reason() {
  std::string text;
  if (const std::string_view tag = fields_.value(tag::RefTagID); !tag.empty()) {
    text += fmt::format(", field {}", printable(tag));
  }
  if (const std::string_view words = fields_.value(tag::Text); !words.empty()) {
    text += fmt::format(": {}", printable(words));
  }
  return text;
}

std::string ReplayClient::subject_of_reject() {
  const std::string_view text = fields_.value(tag::RefSeqNum);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  const auto found = std::ranges::lower_bound(sent_, number, {}, &SentMessage::number);
  if (found == sent_.end() || found->number != number) {
    return fmt::format("message {}", printable(text));
  }
  return fmt::format("message {}, the {} at byte {}", number,
                     printable(names_.message_name(found->msg_type).value_or(found->msg_type)),
                     with_thousands(found->offset));
}

void ReplayClient::show(std::string_view what) {
  if (++shown_ > kShownMax) return;
  fmt::print(out_, "rejected: {}{}\n", what, reason());
  if (shown_ == kShownMax) fmt::print(out_, "rejected: later ones are only counted\n");
  std::fflush(out_);
}

void ReplayClient::on_message(engine::Session&, const wire::MessageView& message) {
  ++received_;
  const std::string_view type = message.msg_type();
  if (type != "j" && type != "8" && type != "9") return;
  fields_.read(message.bytes());
  if (type == "j") {
    ++rejects_;
    show(subject_of_reject());
  } else if (type == "9" || fields_.value(kOrdStatus) == "8") {
    ++rejected_orders_;
    show(fmt::format("{} {}", type == "9" ? "the request" : "order",
                     printable(fields_.value(kClOrdID))));
  }
}

void ReplayClient::on_admin(engine::Session&, const wire::MessageView& message) {
  if (message.msg_type() != "3") return;
  ++received_;
  ++rejects_;
  fields_.read(message.bytes());
  show(subject_of_reject());
}

}  // namespace nexusfix::command
