// How the venue's messages are sent.
#pragma once

#include <nexusfix/engine.hpp>
#include <nexusfix/wire/encoder.hpp>

namespace nexusfix::venue {

// Throws std::runtime_error if the engine does not accept the message: then no message of the
// callback is sent.
void finish(engine::Session& session, wire::Encoder& encoder);

}  // namespace nexusfix::venue
