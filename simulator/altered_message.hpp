// Changes bytes on their way.
#pragma once

#include <span>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::simulator {

// Changes some bytes of the first whole message in `sent`, so that no reader can take it for a
// message: its checksum, its BodyLength or its form is wrong, even if it then seems to reach into
// the next message. False: there is no whole message.
bool alter_message(std::span<char> sent, SeededRandom& random) noexcept;

}  // namespace nexusfix::simulator
