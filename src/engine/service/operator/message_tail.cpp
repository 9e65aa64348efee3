#include <utility>

#include <nexusfix/engine/running_engine.hpp>

#include "engine/service/operator/control_client.hpp"
#include "engine/service/operator/control_protocol.hpp"

namespace nexusfix::engine {

std::expected<MessageTail, LiveError> MessageTail::open(const std::string& folder,
                                                        const std::string& session,
                                                        std::chrono::milliseconds timeout) {
  const auto answer = command_engine(folder, line_of(TailRequest{session}), timeout, {});
  if (!answer) return std::unexpected{answer.error()};
  const auto id = read_number_answer(*answer, kTail);
  if (!id) return std::unexpected{LiveError{.text = *answer}};
  return MessageTail{folder, *id, timeout};
}

std::expected<LiveMessages, LiveError> MessageTail::next() {
  const auto answer = ask_engine(folder_, line_of(TailReadRequest{id_}), timeout_);
  if (!answer) return std::unexpected{answer.error()};
  auto messages = read_messages(*answer);
  if (!messages) return std::unexpected{LiveError{.text = *answer}};
  return *std::move(messages);
}

}  // namespace nexusfix::engine
