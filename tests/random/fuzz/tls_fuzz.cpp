// TLS with its peer's bytes in memory. Raw: the input is all that a peer sends; it cannot know a
// key, so none of its bytes may be returned as a message. Between: two of our streams are
// connected, and the input delivers, changes and cuts their bytes. Each one receives a prefix of
// what the other one sent, and an orderly end only if the other one ended.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>

#include "random/fuzz/harness/target.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/test_certificates.hpp"
#include "transport/tls/tls_stream.hpp"

namespace {

using namespace nexusfix::transport;

constexpr std::string_view kText = "8=FIX.4.4|9=5|35=0|10=163|";

// One end of a connection: the received bytes, and the destination of its own.
class End final : public Network {
 public:
  std::expected<SocketId, NetworkError> listen(const Endpoint&) override { std::abort(); }
  std::expected<SocketId, NetworkError> connect(const Endpoint&) override { std::abort(); }
  std::uint16_t local_port(SocketId) const override { return 0; }
  std::string peer_name(SocketId) const override { return "peer"; }
  std::string last_error(SocketId) const override { return "cut"; }
  std::uint64_t connections_refused() const noexcept override { return 0; }
  IoResult receive(SocketId, std::span<char> buffer) noexcept override {
    if (arrived.empty())
      return {is_cut ? IoResult::Status::Closed : IoResult::Status::WouldBlock, 0, 0};
    const std::size_t size = std::min(buffer.size(), arrived.size());
    std::copy_n(arrived.begin(), size, buffer.begin());
    arrived.erase(arrived.begin(), arrived.begin() + static_cast<std::ptrdiff_t>(size));
    return {IoResult::Status::Ok, size, 0};
  }
  IoResult send(SocketId, std::span<const char> bytes) noexcept override {
    if (is_cut) return {IoResult::Status::Failed, 0, EPIPE};
    sent.insert(sent.end(), bytes.begin(), bytes.end());
    return {IoResult::Status::Ok, bytes.size(), 0};
  }
  void pause(SocketId, bool) noexcept override {}
  void close(SocketId) noexcept override {}
  std::size_t wait(std::span<Ready>, std::optional<std::chrono::nanoseconds>) noexcept override {
    return 0;
  }
  void wake() noexcept override {}
  int descriptor() const noexcept override { return -1; }

  std::deque<char> arrived;
  std::deque<char> sent;  // on its way to the other end
  bool is_cut = false;
};

// A stream and its user: completes the handshake, sends kText once, and reads.
class Side {
 public:
  explicit Side(const TlsContext& context) : stream_{TlsStream::make(context, "localhost")} {
    if (!stream_) std::abort();
    stream_->move_to(end, 1);
  }

  void turn() {
    if (stream_->advance_handshake() == TlsStream::Progress::Done && said_ < kText.size()) {
      const IoResult result = stream_->send(kText.substr(said_));
      if (result.status == IoResult::Status::Ok) said_ += result.bytes;
    }
    std::array<char, 7> buffer;
    for (;;) {
      const IoResult result = stream_->receive(buffer);
      if (result.status == IoResult::Status::Closed) std::abort();
      if (result.status != IoResult::Status::Ok) break;
      if (result.bytes == 0 || result.bytes > buffer.size()) std::abort();
      heard.append(buffer.data(), result.bytes);
    }
    if (stream_->has_failed() && stream_->failure().empty()) std::abort();
    static_cast<void>(stream_->description());
    static_cast<void>(stream_->flush());
  }
  [[nodiscard]] bool is_established() const { return stream_->is_established(); }

  End end;
  std::string heard;

 private:
  std::unique_ptr<TlsStream> stream_;
  std::size_t said_ = 0;
};

struct Contexts {
  Contexts() {
    nexusfix::PosixDisk disk;
    const auto files = authority.issue("venue");
    acceptor = *TlsContext::make({.role = TlsRole::Acceptor,
                                  .certificate_file = files.certificate,
                                  .key_file = files.key,
                                  .authorities_file = authority.file(),
                                  .client_certificate = ClientCertificate::Required},
                                 disk);
    initiator = *TlsContext::make({.certificate_file = files.certificate,
                                   .key_file = files.key,
                                   .authorities_file = authority.file()},
                                  disk);
  }
  nexusfix::testing::TemporaryFolder folder;
  nexusfix::testing::TestAuthority authority{folder.path(), "authority"};
  std::shared_ptr<TlsContext> acceptor;
  std::shared_ptr<TlsContext> initiator;
};

void hear_raw(const TlsContext& context, std::string_view bytes, std::size_t piece) {
  Side side{context};
  side.turn();
  while (!bytes.empty()) {
    const std::string_view next = bytes.substr(0, piece);
    side.end.arrived.insert(side.end.arrived.end(), next.begin(), next.end());
    bytes.remove_prefix(next.size());
    side.turn();
  }
  side.end.is_cut = true;
  side.turn();
  if (side.is_established() || !side.heard.empty()) std::abort();
}

void deliver(Side& from, Side& to, std::size_t count) {
  const auto size = static_cast<std::ptrdiff_t>(std::min(count, from.end.sent.size()));
  to.end.arrived.insert(to.end.arrived.end(), from.end.sent.begin(), from.end.sent.begin() + size);
  from.end.sent.erase(from.end.sent.begin(), from.end.sent.begin() + size);
  to.turn();
}

void stand_between(const Contexts& contexts, std::string_view what) {
  Side acceptor{*contexts.acceptor};
  Side initiator{*contexts.initiator};
  initiator.turn();
  bool is_harmed = false;
  for (; what.size() >= 2; what.remove_prefix(2)) {
    const auto action = static_cast<unsigned char>(what[0]);
    const auto number = static_cast<unsigned char>(what[1]);
    const unsigned what_to_do = action & 14U;  // the lowest bit selects the direction
    Side& from = (action & 1U) != 0 ? acceptor : initiator;
    Side& to = (action & 1U) != 0 ? initiator : acceptor;
    if (what_to_do == 14 && !from.end.sent.empty()) {
      from.end.sent[number % from.end.sent.size()] ^= static_cast<char>(1U << (number % 8U));
      is_harmed = true;
    } else if (what_to_do == 12) {
      acceptor.end.is_cut = initiator.end.is_cut = is_harmed = true;
    }
    deliver(from, to, std::size_t{number} * ((action >> 4U) + 1U));
  }
  for (int i = 0; i < 8; ++i) {
    deliver(initiator, acceptor, SIZE_MAX);
    deliver(acceptor, initiator, SIZE_MAX);
  }
  if (!kText.starts_with(acceptor.heard) || !kText.starts_with(initiator.heard)) std::abort();
  if (!is_harmed && (acceptor.heard != kText || initiator.heard != kText)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Contexts contexts;
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  if (input.size() < 2) return 0;
  const auto kind = data[0];
  const std::string_view rest = input.substr(2);
  if (kind % 4 >= 2) {
    stand_between(contexts, rest);
  } else {
    hear_raw(kind % 4 == 1 ? *contexts.acceptor : *contexts.initiator, rest,
             std::size_t{data[1]} + 1);
  }
  return 0;
}
