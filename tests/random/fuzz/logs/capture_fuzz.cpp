// Packet captures. No bytes break the reader, its memory is bounded, and the result does not depend
// on how the bytes arrive, or on which headers are known.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logs/capture/capture_reader.hpp"
#include "logs/capture/packet_file.hpp"
#include "logs/capture/tcp_segment.hpp"
#include "random/fuzz/harness/input.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"

namespace {

using namespace nexusfix::logs;
using nexusfix::testing::Input;
using nexusfix::testing::require;

// Passes at most this number of bytes at once.
class Pieces final : public ByteSource {
 public:
  Pieces(std::string_view bytes, std::size_t size_max) : bytes_{bytes}, size_max_{size_max} {}
  std::expected<std::size_t, std::string> read(std::span<char> to) override {
    const std::size_t size = std::min({to.size(), size_max_, bytes_.size()});
    bytes_.copy(to.data(), size);
    bytes_.remove_prefix(size);
    return size;
  }

 private:
  std::string_view bytes_;
  std::size_t size_max_;
};

std::pair<std::vector<std::string>, std::string> read(std::string_view bytes,
                                                      std::size_t size_max) {
  capture::CaptureReader reader{std::make_unique<Pieces>(bytes, size_max), {}};
  std::vector<std::string> found;
  nexusfix::printing::ScannedMessage message;
  while (reader.next(message, [] {})) {
    require(message.bytes.starts_with("8=FIX") && message.bytes.ends_with('\x01'));
    require(message.prefix.ends_with(" : ") && message.offset < bytes.size());
    found.emplace_back(message.prefix).append(message.bytes);
  }
  require(!reader.error().contains('\n'));
  for (const std::string& note : capture::notes_of(reader.counts())) {
    require(!note.empty() && !note.contains('\n'));
  }
  return {found, reader.error()};
}

// Headers that are known after each packet are read as all headers are.
void check_known_headers(std::string_view bytes) {
  capture::PacketFile file{std::make_unique<Pieces>(bytes, SIZE_MAX)};
  capture::KnownHeaders headers;
  capture::TcpSegment learned;
  capture::CapturedPacket packet;
  while (file.next(packet, [] {})) {
    capture::TcpSegment all;
    const auto kind = capture::read_segment(packet.link_type, packet.bytes, packet.cut_size, all);
    capture::KnownHeaders::Segment known;
    if (headers.read(packet.link_type, packet.bytes, known)) {
      require(kind == capture::PacketKind::Tcp && all.key == learned.key &&
              all.is_ack == learned.is_ack && !all.is_syn && !all.is_fin && !all.is_reset &&
              all.sequence == known.sequence && all.payload.data() == known.payload.data() &&
              all.payload.size() == known.payload.size() && all.cut_size == 0);
    }
    if (kind != capture::PacketKind::Tcp || all.is_syn || all.is_fin || all.is_reset) continue;
    headers.learn(packet.link_type, packet.bytes, all);
    learned = all;
  }
}

}  // namespace

// Byte 0: the bytes that arrive at once. Then the capture.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input{data, size};
  const std::size_t at_once = input.byte() + 1;
  const std::string capture = input.text(size);
  require(read(capture, SIZE_MAX) == read(capture, at_once));
  check_known_headers(capture);
  return 0;
}
