// The shared memory of a gateway and a hostile client: any words and bytes at any place, between
// and before any calls of the gateway, and a file that is cut. A frame is never longer than the
// longest one and lies in the gateway's own memory; a closed ring stays closed; the gateway's own
// frames arrive until then, if the client leaves them alone.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unistd.h>

#include "gateway/ring/gateway_ring.hpp"
#include "random/fuzz/harness/input.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"

namespace {

using namespace nexusfix::gateway;
using nexusfix::testing::Input;
using nexusfix::testing::require;

constexpr std::uint32_t kFrameMax = 2040;
constexpr std::uint64_t kRing = 4096;
constexpr std::uint64_t kFileBytes = kRingHeaderBytes + 2 * kRing;

// The client's view of the memory, and what it would write next.
struct Client {
  std::unique_ptr<RingFile> file;
  std::uint64_t position = 0;

  // A record that is right but for its mark, which may be that of another position.
  void write_record(std::uint32_t size, std::uint64_t mark) {
    const std::uint64_t word = (position + mark) << 32U | size;
    std::memcpy(file->bytes() + kRingHeaderBytes + position % kRing, &word, sizeof word);
    const std::uint64_t rounded = (std::uint64_t{size} + 15) / 8 * 8;
    position += size == kJumpToStart ? kRing - position % kRing : rounded;
    position &= ~std::uint64_t{7};
  }
};

void check_read(GatewayRing& gateway, const Client& client) {
  const bool was_closed = gateway.is_closed();
  const std::string_view frame = gateway.read();
  require(!was_closed || frame.empty());
  require(frame.size() <= kFrameMax);
  if (frame.empty()) return;
  const char* const begin = client.file->bytes();
  require(frame.data() + frame.size() <= begin || frame.data() >= begin + kFileBytes);
  // AddressSanitizer looks at each byte.
  volatile unsigned sum = 0;
  for (const char one : frame) sum = sum + static_cast<unsigned char>(one);
}

void step(Input& input, GatewayRing& gateway, Client& client) {
  switch (input.byte() % 9) {
    case 0: {  // any bytes at any place
      const std::size_t at = input.word() % kFileBytes;
      const std::string bytes = input.text(input.byte());
      std::memcpy(client.file->bytes() + at, bytes.data(),
                  std::min<std::size_t>(bytes.size(), kFileBytes - at));
      break;
    }
    case 1:
      client.write_record(static_cast<std::uint32_t>(input.word() % (kFrameMax + 2)), 0);
      break;
    case 2:
      client.write_record(kJumpToStart, input.byte() % 16 == 0 ? 8 : 0);
      break;
    case 3:
      client.write_record(static_cast<std::uint32_t>(input.word() << 16U | input.word()),
                          input.byte() % 16 == 0 ? 1 : 0);
      break;
    case 4: {  // a read position
      std::uint64_t head = input.word();
      if (input.byte() % 4 == 0) head = ~head;
      std::memcpy(&client.file->header().to_client.head, &head, sizeof head);
      break;
    }
    case 5: {
      const std::string frame(input.word() % (kFrameMax + 2), 'g');
      const bool was_closed = gateway.is_closed();
      const Written written = gateway.write(frame);
      require(!was_closed || written == Written::Fault);
      require((written == Written::Fault) == gateway.is_closed());
      static_cast<void>(gateway.wake_client());
      break;
    }
    case 6:
      if (gateway.begin_sleep()) gateway.end_sleep();
      break;
    default:
      check_read(gateway, client);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input{data, size};
  auto gateway = GatewayRing::create(
      {.to_gateway_bytes = kRing, .to_client_bytes = kRing, .frame_bytes_max = kFrameMax});
  require(gateway.has_value());
  auto file = RingFile::open((*gateway)->path());
  require(file.has_value());
  Client client{.file = std::move(*file)};
  const std::size_t cut_at = input.byte();
  for (std::size_t i = 0; !input.empty(); ++i) {
    if (i == cut_at && !(*gateway)->is_closed()) {
      static_cast<void>(::truncate((*gateway)->path().c_str(), static_cast<off_t>(input.word())));
    }
    step(input, **gateway, client);
  }
  check_read(**gateway, client);
  return 0;
}
