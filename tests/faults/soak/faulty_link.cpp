#include "faults/soak/faulty_link.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <nexusfix/wire/frame.hpp>

namespace nexusfix::soak {
namespace {

using std::chrono::milliseconds;

// Small, so that a sender soon notices a peer that does not read.
constexpr std::uint32_t kSocketBufferBytes = 16'384;
constexpr std::size_t kUnsentBytesMax = 32'768;
constexpr milliseconds kStallMax{1'500};

constexpr std::string_view kPossDup = "\00143=Y\001";

bool is_new_application_message(std::string_view message) {
  const bool is_application = message.find("\00135=D\001") != std::string_view::npos ||
                              message.find("\00135=8\001") != std::string_view::npos;
  return is_application && message.find(kPossDup) == std::string_view::npos;
}

}  // namespace

FaultyLink::FaultyLink(std::uint64_t seed) : random_{seed}, buffer_(65'536) {
  auto network = transport::make_epoll_network();
  if (!network) throw std::runtime_error{network.error().text};
  network_ = std::move(*network);
  transport::Endpoint here{.host = "127.0.0.1"};
  here.options.receive_buffer_bytes = kSocketBufferBytes;
  here.options.send_buffer_bytes = kSocketBufferBytes;
  const auto listener = network_->listen(here);
  if (!listener) throw std::runtime_error{listener.error().text};
  listener_ = *listener;
  port_ = network_->local_port(listener_);
  thread_ = std::thread{[this] { run(); }};
}

FaultyLink::~FaultyLink() {
  ends_.store(true);
  network_->wake();
  thread_.join();
}

void FaultyLink::inflict(LinkFault fault) {
  {
    const std::lock_guard lock{mutex_};
    asked_.push_back(fault);
  }
  network_->wake();
}

void FaultyLink::run() {
  std::array<transport::Ready, 64> ready;
  while (!ends_.load()) {
    const std::size_t events = network_->wait(ready, milliseconds{20});
    for (std::size_t i = 0; i < events; ++i) handle(ready[i]);
    begin_faults();
    for (auto pair = pairs_.begin(); pair != pairs_.end();) {
      for (Direction& direction : *pair) move_bytes(direction);
      if (is_over(*pair)) {
        close(*pair);
        pair = pairs_.erase(pair);
      } else {
        ++pair;
      }
    }
  }
}

void FaultyLink::handle(const transport::Ready& ready) {
  if (ready.kind == transport::Ready::Kind::Accepted) return accept(ready.accepted);
  Direction* const from = find(ready.socket);
  if (from == nullptr) return;
  Pair& pair = *std::ranges::find_if(
      pairs_, [&](const Pair& one) { return &one[0] == from || &one[1] == from; });
  Direction& to = from == &pair[0] ? pair[1] : pair[0];
  switch (ready.kind) {
    case transport::Ready::Kind::Connected:
      to.is_connected = true;
      send(to);
      break;
    case transport::Ready::Kind::Readable:
      receive(*from);
      break;
    case transport::Ready::Kind::Writable:
      send(to);
      break;
    case transport::Ready::Kind::Failed:
      from->has_ended = true;
      from->unsent.clear();
      to.has_ended = true;
      to.unsent.clear();
      break;
    case transport::Ready::Kind::Accepted:
    case transport::Ready::Kind::Announced:
      break;
  }
}

void FaultyLink::accept(transport::SocketId socket) {
  const std::uint16_t target = target_.load();
  transport::Endpoint there{.host = "127.0.0.1", .port = target};
  there.options.receive_buffer_bytes = kSocketBufferBytes;
  there.options.send_buffer_bytes = kSocketBufferBytes;
  const auto onward =
      target == 0 ? std::unexpected{transport::NetworkError{}} : network_->connect(there);
  if (!onward) return network_->close(socket);
  Pair& pair = pairs_.emplace_back();
  pair[0].from = pair[1].to = socket;
  pair[0].to = pair[1].from = *onward;
  pair[1].is_connected = true;
}

FaultyLink::Direction* FaultyLink::find(transport::SocketId from) {
  for (Pair& pair : pairs_) {
    for (Direction& direction : pair) {
      if (direction.from == from) return &direction;
    }
  }
  return nullptr;
}

void FaultyLink::receive(Direction& direction) {
  const transport::IoResult got = network_->receive(direction.from, buffer_);
  if (got.status == transport::IoResult::Status::WouldBlock) return;
  if (got.status != transport::IoResult::Status::Ok) {
    direction.has_ended = true;
    return;
  }
  direction.unframed.append(buffer_.data(), got.bytes);
  pass_messages(direction);
  send(direction);
}

void FaultyLink::pass_messages(Direction& direction) {
  wire::Framer framer{direction.unframed};
  while (const auto frame = framer.next()) {
    if (direction.has_ended) break;
    const std::string_view message = *frame;
    if (direction.loses_next && is_new_application_message(message)) {
      direction.loses_next = false;
      count(LinkFault::Lose);
      continue;
    }
    if (direction.tears_next) {
      count(LinkFault::Tear);
      direction.unsent += message.substr(0, message.size() / 2);
      direction.has_ended = true;
      break;
    }
    direction.unsent += message;
  }
  direction.unframed = std::string{framer.rest()};
}

void FaultyLink::send(Direction& direction) {
  while (direction.is_connected && !direction.unsent.empty()) {
    const transport::IoResult sent = network_->send(direction.to, direction.unsent);
    if (sent.status == transport::IoResult::Status::WouldBlock) return;
    if (sent.status != transport::IoResult::Status::Ok) {
      direction.has_ended = true;
      direction.unsent.clear();
      return;
    }
    direction.unsent.erase(0, sent.bytes);
  }
}

// A peer that sends faster than this side reads has to wait, and so does one that is stalled.
void FaultyLink::move_bytes(Direction& direction) {
  const bool pauses =
      direction.unsent.size() > kUnsentBytesMax || clock_.now().mono < direction.stalled_until;
  if (pauses == direction.is_paused) return;
  direction.is_paused = pauses;
  network_->pause(direction.from, pauses);
}

bool FaultyLink::is_over(const Pair& pair) const noexcept {
  for (const Direction& direction : pair) {
    if (direction.has_ended && direction.unsent.empty()) return true;
  }
  return false;
}

void FaultyLink::close(const Pair& pair) {
  network_->close(pair[0].from);
  network_->close(pair[1].from);
}

void FaultyLink::begin_faults() {
  std::vector<LinkFault> asked;
  {
    const std::lock_guard lock{mutex_};
    asked.swap(asked_);
  }
  for (const LinkFault fault : asked) begin(fault);
}

void FaultyLink::begin(LinkFault fault) {
  if (pairs_.empty()) return;
  auto pair = pairs_.begin();
  std::advance(pair, random_.below(pairs_.size()));
  Direction& direction = (*pair)[random_.below(2)];
  switch (fault) {
    case LinkFault::Cut:
      count(fault);
      close(*pair);
      pairs_.erase(pair);
      break;
    case LinkFault::CutAll:
      count(fault);
      for (const Pair& one : pairs_) close(one);
      pairs_.clear();
      break;
    case LinkFault::Stall:
      count(fault);
      direction.stalled_until =
          clock_.now().mono +
          milliseconds{random_.below(static_cast<std::uint64_t>(kStallMax.count()))};
      break;
    case LinkFault::Tear:
      direction.tears_next = true;
      break;
    case LinkFault::Lose:
      direction.loses_next = true;
      break;
  }
}

}  // namespace nexusfix::soak
