#include "engine/link/commit/recovery.hpp"

#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "engine/ground/exceptions.hpp"

namespace nexusfix::engine {
namespace {

bool is_of_session_layer(std::string_view msg_type) {
  return msg_type.size() == 1 && ((msg_type[0] >= '0' && msg_type[0] <= '5') || msg_type[0] == 'A');
}

}  // namespace

void Recovery::take(const store::Store::LogMessage& stored) {
  const auto message = loop_.parsers.inbound.parse(stored.bytes);
  if (!message) {
    ++unreadable_;
    return;
  }
  // The store of another engine may have messages of the session layer, too.
  if (is_of_session_layer(message->msg_type())) return;
  loop_.callbacks.on_recovered(loop_.callbacks.application,
                               RecoveredMessage{stored.session, stored.msg_seq_num, *message});
}

std::expected<void, EngineError> Recovery::finish(store::Store& store) {
  if (!is_wanted()) return {};
  try {
    auto scanned = store.scan([this](const store::Store::LogMessage& stored) { take(stored); });
    if (!scanned) return std::unexpected{EngineError{std::move(scanned.error().text)}};
  } catch (const std::exception&) {
    return std::unexpected{refused_by_application()};
  }
  if (unreadable_ == 0) return {};
  return std::unexpected{EngineError{"the store holds " + std::to_string(unreadable_) +
                                     " messages that are not FIX messages; it was written by "
                                     "something else"}};
}

EngineError Recovery::refused_by_application() {
  return EngineError{"the application could not take back what it had sent: " +
                     std::string{what_of(std::current_exception())}};
}

}  // namespace nexusfix::engine
