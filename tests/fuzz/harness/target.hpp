// The entry point that libFuzzer, and the replay of the corpus in an ordinary build, call.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
