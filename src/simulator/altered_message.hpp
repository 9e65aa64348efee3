// Bytes that are not what they were when they were sent.
#pragma once

#include <span>

#include <nexusfix/base/random.hpp>

namespace nexusfix::simulator {

// Changes some bytes of the first whole message among sent, so that no reader can take it for a
// message: its checksum, its BodyLength or its form is wrong, also if the change makes it seem to
// reach into what is sent behind it. False: there is no whole message.
bool alter_message(std::span<char> sent, SeededRandom& random) noexcept;

}  // namespace nexusfix::simulator
