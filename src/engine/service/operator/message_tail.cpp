#include <utility>

#include <nexusfix/engine/running_engine.hpp>

#include "engine/service/operator/control_client.hpp"
#include "engine/service/operator/control_protocol.hpp"

namespace nexusfix::engine {

std::expected<MessageTail, LiveError> MessageTail::open(const std::string& folder,
                                                        const std::string& session,
                                                        std::chrono::milliseconds timeout) {
  const auto begun = as<TailBegun>(ask_engine(folder, TailRequest{session}, timeout));
  if (!begun) return std::unexpected{begun.error()};
  return MessageTail{folder, begun->id, timeout};
}

std::expected<LiveMessages, LiveError> MessageTail::next() {
  return as<LiveMessages>(ask_engine(folder_, TailReadRequest{id_}, timeout_));
}

}  // namespace nexusfix::engine
