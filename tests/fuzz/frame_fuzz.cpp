// Framing: whatever the bytes and however they are cut, the frames are the same, nothing is read
// outside of them, and every answer makes progress.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/frame.hpp>

#include "fuzz/target.hpp"

namespace {

using nexusfix::wire::FrameLimits;
using nexusfix::wire::FrameResult;
using nexusfix::wire::FrameStatus;

constexpr FrameLimits kLimits{.message_bytes_max = 512};

std::vector<std::string> frames_in_pieces(std::string_view stream, std::size_t piece_bytes) {
  std::vector<std::string> frames;
  std::string buffer;
  while (!stream.empty()) {
    buffer += stream.substr(0, piece_bytes);
    stream.remove_prefix(std::min(piece_bytes, stream.size()));
    for (std::size_t at = 0;;) {
      // A copy of exact size, so that the sanitizer sees a read behind its end.
      const std::vector<char> rest{buffer.begin() + static_cast<std::ptrdiff_t>(at), buffer.end()};
      const FrameResult result = next_frame({rest.data(), rest.size()}, kLimits);
      if (rest.empty() || result.status == FrameStatus::NeedMore) {
        if (result.size <= rest.size()) std::abort();
        buffer.erase(0, at);
        break;
      }
      if (result.size == 0 || result.size > rest.size()) std::abort();
      if (result.status == FrameStatus::Complete) frames.emplace_back(rest.data(), result.size);
      at += result.size;
    }
  }
  return frames;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece_bytes = data[0] % 64 + 1;
  const std::string_view stream{reinterpret_cast<const char*>(data) + 1, size - 1};
  if (frames_in_pieces(stream, piece_bytes) != frames_in_pieces(stream, size)) std::abort();
  return 0;
}
