#include "tester/play/wire.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tester/script/received_fields.hpp"

namespace nexusfix::tester {
namespace {

constexpr std::chrono::milliseconds kTurn{50};  // the longest wait inside of a send
constexpr std::size_t kReceiveBytes = 65'536;
// A message without an end is an event when it has this size.
constexpr std::size_t kMessageBytesMax = 16U << 20U;
constexpr std::size_t kTurnBytes = 256U << 10U;       // read of a connection at a time
constexpr std::size_t kWaitingBytesMax = 64U << 20U;  // received and not judged
constexpr unsigned kPollsMax = 64;

}  // namespace

std::expected<std::uint16_t, std::string> Wire::listen(const transport::Endpoint& endpoint) {
  const auto listener = network_.listen(endpoint);
  if (!listener) return std::unexpected{listener.error().text};
  return network_.local_port(*listener);
}

std::expected<void, std::string> Wire::connect(Channel& channel,
                                               const transport::Endpoint& endpoint) {
  close(channel);
  const auto socket = network_.connect(endpoint);
  if (!socket) return std::unexpected{socket.error().text};
  channel = Channel{};
  channel.socket = *socket;
  channels_[*socket] = &channel;
  return {};
}

bool Wire::accept(Channel& channel) {
  if (accepted_.empty()) return false;
  close(channel);
  channel = Channel{};
  channel.socket = accepted_.front();
  channel.is_open = true;
  accepted_.pop_front();
  channels_[channel.socket] = &channel;
  network_.pause(channel.socket, false);
  receive(channel);
  return true;
}

bool Wire::send(Channel& channel, std::string_view bytes, Pieces pieces, Until until) {
  while (!bytes.empty()) {
    if (!channel.is_open || until.is_interrupted()) return false;
    const std::size_t size =
        pieces.bytes == 0 ? bytes.size() : std::min(pieces.bytes, bytes.size());
    const auto result = network_.send(channel.socket, {bytes.data(), size});
    if (result.status == transport::IoResult::Status::Ok) {
      bytes.remove_prefix(result.bytes);
      if (pieces.bytes > 0 && !pause(pieces.pause, until)) return false;
      continue;
    }
    if (result.status != transport::IoResult::Status::WouldBlock) {
      receive_all(channel);
      end(channel);
      return false;
    }
    if (clock_.now().mono >= until.deadline) return false;
    poll(kTurn);
  }
  return true;
}

bool Wire::pause(std::chrono::milliseconds time, const Until& until) {
  const MonoTime end = std::min(clock_.now().mono + time, until.deadline);
  for (MonoTime now = clock_.now().mono; now < end; now = clock_.now().mono) {
    if (until.is_interrupted()) return false;
    poll(std::min<std::chrono::nanoseconds>(end - now, kTurn));
  }
  return clock_.now().mono < until.deadline;
}

void Wire::set_reading(Channel& channel, bool is_reading) {
  channel.is_reading = is_reading;
  network_.pause(channel.socket, !is_reading);
  if (is_reading) receive(channel);
}

void Wire::close(Channel& channel) {
  if (channel.socket != 0) {
    network_.close(channel.socket);
    channels_.erase(channel.socket);
    closed_at_ = clock_.now().mono;
  }
  channel.socket = 0;
  channel.is_open = false;
  channel.received.clear();
}

void Wire::close_all() {
  while (!channels_.empty()) close(*channels_.begin()->second);
  for (const transport::SocketId socket : accepted_) network_.close(socket);
  accepted_.clear();
}

bool Wire::poll(std::chrono::nanoseconds timeout) {
  std::array<transport::Ready, 16> ready;
  const bool has_read = read_on();
  const std::size_t count = network_.wait(ready, has_read ? std::chrono::nanoseconds{0} : timeout);
  for (std::size_t i = 0; i < count; ++i) handle(ready[i]);
  return has_read || count > 0;
}

void Wire::poll_all() {
  for (unsigned i = 0; i < kPollsMax && poll(std::chrono::nanoseconds{0}); ++i) {
  }
}

// Reads where receive() has stopped.
bool Wire::read_on() {
  bool has_read = false;
  for (auto next = channels_.begin(); next != channels_.end();) {
    Channel& channel = *(next++)->second;
    if (channel.is_full && channel.events.empty()) {
      channel.is_full = false;
      channel.has_more = true;
      if (channel.is_reading) network_.pause(channel.socket, false);
    }
    if (channel.is_full || !channel.is_reading || !channel.has_more) continue;
    receive(channel);
    has_read = true;
  }
  return has_read;
}

void Wire::handle(const transport::Ready& ready) {
  if (ready.kind == transport::Ready::Kind::Accepted) {
    accepted_.push_back(ready.accepted);
    return;
  }
  const auto found = channels_.find(ready.socket);
  if (found == channels_.end()) {
    // No channel has it yet: what it sends waits in the kernel.
    if (ready.kind != transport::Ready::Kind::Failed) {
      network_.pause(ready.socket, true);
      return;
    }
    std::erase(accepted_, ready.socket);
    network_.close(ready.socket);
    return;
  }
  Channel& channel = *found->second;
  switch (ready.kind) {
    case transport::Ready::Kind::Connected:
      channel.is_open = true;
      channel.events.push_back({EventKind::Connect, {}, clock_.now().mono});
      break;
    case transport::Ready::Kind::Failed:
      channel.error = network_.last_error(channel.socket);
      if (channel.is_open) receive_all(channel);
      end(channel);
      break;
    case transport::Ready::Kind::Readable:
      receive(channel);
      break;
    default:
      break;
  }
}

void Wire::receive(Channel& channel) {
  std::array<char, kReceiveBytes> buffer;
  if (channel.events.empty()) channel.waiting_bytes = channel.received.size();
  const std::uint64_t turn_end = bytes_received_ + kTurnBytes;
  channel.has_more = false;
  while (channel.socket != 0 && channel.is_reading && !channel.is_full && !channel.has_more) {
    const transport::IoResult result = network_.receive(channel.socket, buffer);
    if (result.status == transport::IoResult::Status::WouldBlock) break;
    if (result.status != transport::IoResult::Status::Ok) {
      extract_messages(channel);
      return end(channel);
    }
    bytes_received_ += result.bytes;
    channel.waiting_bytes += result.bytes;
    channel.received.append(buffer.data(), result.bytes);
    channel.has_more = bytes_received_ >= turn_end;
    channel.is_full = channel.waiting_bytes >= kWaitingBytesMax;
    // The begin of a large message is not searched for its end after each read.
    if (channel.received.size() < kTurnBytes) extract_messages(channel);
  }
  extract_messages(channel);
  if (channel.is_full) network_.pause(channel.socket, true);
}

// The connection has ended: the kernel has the rest of its bytes.
void Wire::receive_all(Channel& channel) {
  do {
    receive(channel);
  } while (channel.socket != 0 && channel.has_more && channel.is_reading && !channel.is_full);
}

// The connection is over, and the rest of what came is an event before its end.
void Wire::end(Channel& channel) {
  if (channel.socket == 0) return;
  const MonoTime now = clock_.now().mono;
  if (!channel.received.empty()) {
    channel.events.push_back({EventKind::Message, std::exchange(channel.received, {}), now});
  }
  const bool was_open = channel.is_open;
  close(channel);
  if (was_open) channel.events.push_back({EventKind::Disconnect, {}, now});
}

void Wire::extract_messages(Channel& channel) {
  std::string& bytes = channel.received;
  const MonoTime now = clock_.now().mono;
  std::size_t begin = 0;
  while (begin < bytes.size()) {
    const std::string_view rest = std::string_view{bytes}.substr(begin);
    const auto whole = message_size(rest);
    if (!whole && rest.size() < kMessageBytesMax) break;
    const std::size_t size = whole.value_or(rest.size());
    channel.events.push_back({EventKind::Message, std::string{rest.substr(0, size)}, now});
    begin += size;
  }
  bytes.erase(0, begin);
}

}  // namespace nexusfix::tester
