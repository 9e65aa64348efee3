// Frames any stream in pieces of any size: no crash, no read outside of the bytes, progress at
// every step, and the same frames, garbled results and skipped bytes as in one piece. Bytes that a
// scanner has examined are overwritten, so that a second look is detected.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/frame.hpp>

#include "random/fuzz/harness/target.hpp"

namespace {

using nexusfix::wire::FrameLimits;
using nexusfix::wire::FrameResult;
using nexusfix::wire::FrameScanner;
using FrameStatus = nexusfix::wire::FrameResult::Status;
using nexusfix::wire::GarbledReason;
using nexusfix::wire::next_frame;

constexpr FrameLimits kLimits{.message_bytes_max = 512};

struct Framed {
  std::vector<std::string_view> frames;
  std::vector<GarbledReason> garbled;
  std::size_t garbled_bytes = 0;
  friend bool operator==(const Framed&, const Framed&) = default;
};

// Consumes the result from the front of the stream, which has the same bytes unchanged.
void take(const FrameResult& result, std::string_view& stream, Framed& framed) {
  if (result.size == 0 || result.size > stream.size()) std::abort();
  if (result.status == FrameStatus::Complete) {
    framed.frames.push_back(stream.substr(0, result.size));
  } else {
    framed.garbled_bytes += result.size;
  }
  if (result.status == FrameStatus::Garbled) framed.garbled.push_back(result.reason);
  stream.remove_prefix(result.size);
}

Framed in_one_piece(std::string_view stream) {
  Framed framed;
  while (!stream.empty()) {
    // A copy of exact size, so that the sanitizer detects a read after its end.
    const std::vector<char> rest{stream.begin(), stream.end()};
    const FrameResult result = next_frame({rest.data(), rest.size()}, kLimits);
    if (result.status == FrameStatus::NeedMore) {
      if (result.size <= rest.size()) std::abort();
      break;
    }
    take(result, stream, framed);
  }
  return framed;
}

Framed in_pieces(std::string_view stream, std::size_t piece_bytes) {
  Framed framed;
  FrameScanner scanner{kLimits};
  std::size_t given = 0;
  std::size_t looked_at = 0;
  while (given < stream.size()) {
    given += std::min(piece_bytes, stream.size() - given);
    while (given > 0) {
      std::vector<char> bytes{stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(given)};
      for (std::size_t at = 0; at < looked_at; ++at) {
        const bool is_end_of_longest = at + 4 >= kLimits.message_bytes_max;
        if (!is_end_of_longest) bytes[at] = '8';
      }
      const FrameResult result = scanner.next({bytes.data(), bytes.size()});
      looked_at = given;
      if (result.status == FrameStatus::NeedMore) {
        if (result.size <= given) std::abort();
        break;
      }
      take(result, stream, framed);
      given -= result.size;
      looked_at = 0;
    }
  }
  return framed;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece_bytes = data[0] % 64 + 1;
  const std::string_view stream{reinterpret_cast<const char*>(data) + 1, size - 1};
  if (in_pieces(stream, piece_bytes) != in_one_piece(stream)) std::abort();
  return 0;
}
