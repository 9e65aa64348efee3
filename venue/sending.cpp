#include "venue/sending.hpp"

#include <stdexcept>
#include <string>

namespace nexusfix::venue {

void finish(engine::Session& session, wire::Encoder& encoder) {
  if (const engine::SendResult sent = session.finish(encoder); !sent) {
    throw std::runtime_error{"a message to " + std::string{session.name()} +
                             " could not be stored: " + sent.error().what()};
  }
}

}  // namespace nexusfix::venue
