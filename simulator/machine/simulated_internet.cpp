// Connections: their bytes, when these arrive, and the faults.
#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include <nexusfix/simulator/simulated_network.hpp>

#include "simulator/altered_message.hpp"

namespace nexusfix::simulator {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kPipeBytes = 64U << 10U;
constexpr std::size_t kCongestedBytesMin = 600;
constexpr std::size_t kCongestedBytesMax = 6'000;
// A sender ends a connection whose peer acknowledges nothing for this time.
constexpr WorldTime kAcknowledgedWithin = seconds{60};

}  // namespace

SimulatedInternet::~SimulatedInternet() = default;

SimulatedInternet::Connection* SimulatedInternet::find(std::uint64_t connection) noexcept {
  const auto place = std::ranges::lower_bound(connections_, connection, {},
                                              [](const auto& one) { return one->id; });
  return place == connections_.end() || (*place)->id != connection ? nullptr : place->get();
}

SimulatedInternet::Connection& SimulatedInternet::begin(SimulatedNetwork& network,
                                                        transport::SocketId socket,
                                                        std::uint16_t port) {
  auto connection = std::make_unique<Connection>();
  if (!free_.empty()) {
    // Its buffers are reused.
    connection->pipes = std::move(free_.back()->pipes);
    free_.pop_back();
  }
  for (Pipe& pipe : connection->pipes) {
    Pipe fresh;
    fresh.bytes = std::move(pipe.bytes);
    fresh.bytes.clear();
    fresh.segments = std::move(pipe.segments);
    fresh.segments.clear();
    fresh.capacity = kPipeBytes;
    pipe = std::move(fresh);
  }
  connection->id = next_connection_++;
  connection->port = port;
  connection->latency = microseconds{100 + random_.below(5'000)};
  connection->ends[0].network = &network;
  connection->ends[0].socket = socket;
  connection->answered_at = now_ + 2 * connection->latency;
  const int refuses = std::exchange(refuses_, 0);
  if (refuses != 0) count(counts_, Fault::Refuse);
  connection->is_refused = refuses == 1;
  if (refuses != 2) observer_.wake_at(connection->answered_at, connection->id);
  connections_.push_back(std::move(connection));
  return *connections_.back();
}

// The connect reaches the other machine.
void SimulatedInternet::answer(Connection& connection) {
  End& near = connection.ends[0];
  if (near.network == nullptr) return;
  SimulatedNetwork::Socket& socket = *near.network->find(near.socket);
  const auto listener = listeners_.find(connection.port);
  if (connection.is_refused || listener == listeners_.end()) {
    socket.state = SimulatedNetwork::State::Failed;
    socket.error_number = ECONNREFUSED;
    wake(connection, 0);
    return;
  }
  connection.is_established = true;
  socket.state = SimulatedNetwork::State::Answered;
  SimulatedNetwork& far = *listener->second.network;
  connection.ends[1].network = &far;
  connection.ends[1].socket = far.add({.state = SimulatedNetwork::State::Unaccepted,
                                       .side = 1,
                                       .port = connection.port,
                                       .listener = listener->second.socket,
                                       .connection = connection.id});
  observer_.connection_event(connection.id, "established");
  wake(connection, 0);
  wake(connection, 1);
}

void SimulatedInternet::wake(const Connection& connection, Side side) {
  if (connection.ends[side].network != nullptr) {
    observer_.process_is_ready(connection.ends[side].network->process_);
  }
}

void SimulatedInternet::send(Connection& connection, Side side, std::string_view bytes) {
  if (connection.is_silent) {
    End& end = connection.ends[side];
    if (!end.unacknowledged) {
      end.unacknowledged = now_;
      observer_.wake_at(now_ + kAcknowledgedWithin, connection.id);
    }
    return;
  }
  if (middleman != nullptr) return middleman->sent(*this, connection.id, side, bytes);
  carry(connection, side, bytes);
}

void SimulatedInternet::forward(std::uint64_t id, Side side, std::string_view bytes,
                                bool is_exempt) {
  Connection* const connection = find(id);
  if (connection == nullptr || bytes.empty()) return;
  const Pipe& pipe = connection->pipes[1 - side];
  const bool is_open = connection->ends[1 - side].broken == 0 && !pipe.end_arrived;
  if (connection->is_established && !connection->is_silent && is_open) {
    carry(*connection, side, bytes, is_exempt);
  }
}

void SimulatedInternet::cut(std::uint64_t id) {
  Connection* const connection = find(id);
  if (connection != nullptr && connection->is_established) drop(*connection, ECONNRESET);
}

// TCP keeps the order: no byte arrives before an earlier one.
void SimulatedInternet::carry(Connection& connection, Side side, std::string_view bytes,
                              bool is_exempt) {
  Pipe& pipe = connection.pipes[1 - side];
  pipe.bytes.insert(pipe.bytes.end(), bytes.begin(), bytes.end());
  if (pipe.alters_next && !is_exempt &&
      alter_message(std::span{pipe.bytes}.last(bytes.size()), random_)) {
    pipe.alters_next = false;
    observer_.connection_event(connection.id, "a message is altered");
    count(counts_, Fault::Alter);
  }
  std::size_t left = bytes.size();
  while (left > 0) {
    std::size_t part = left;
    WorldTime at = now_ + connection.latency;
    if (weather.tears && random_.below(8) == 0) {
      part = 1 + static_cast<std::size_t>(random_.below(left));
      at += microseconds{random_.below(3'000)};
      count(counts_, Fault::Tear);
    }
    at = std::max({at, pipe.last_at, pipe.held_until});
    if (pipe.segments_begin < pipe.segments.size() && pipe.segments.back().at == at) {
      pipe.segments.back().bytes += part;
    } else {
      pipe.segments.push_back({at, part});
      observer_.wake_at(at, connection.id);
    }
    pipe.last_at = at;
    left -= part;
  }
}

void SimulatedInternet::advance(std::uint64_t id) {
  Connection* const connection = find(id);
  if (connection == nullptr) return;
  if (!connection->is_established) {
    if (now_ >= connection->answered_at) answer(*connection);
    return;
  }
  for (Side side = 0; side < 2; ++side) {
    deliver(*connection, side);
    const End& end = connection->ends[side];
    if (end.unacknowledged && now_ >= *end.unacknowledged + kAcknowledgedWithin) {
      break_end(*connection, side, ETIMEDOUT);
    }
  }
  erase_if_over(*connection);
}

void SimulatedInternet::deliver(Connection& connection, Side side) {
  Pipe& pipe = connection.pipes[side];
  bool is_news = false;
  while (pipe.segments_begin < pipe.segments.size() &&
         pipe.segments[pipe.segments_begin].at <= now_) {
    pipe.arrived += pipe.segments[pipe.segments_begin++].bytes;
    is_news = true;
  }
  if (pipe.segments_begin == pipe.segments.size()) {
    pipe.segments.clear();
    pipe.segments_begin = 0;
    if (pipe.end_at && *pipe.end_at <= now_ && !pipe.end_arrived) {
      pipe.end_arrived = true;
      is_news = true;
    }
  }
  if (is_news) wake(connection, side);
}

void SimulatedInternet::break_end(Connection& connection, Side side, int error_number) {
  End& end = connection.ends[side];
  if (end.network == nullptr || end.broken != 0) return;
  end.broken = error_number;
  wake(connection, side);
}

// What has arrived can still be read, and nothing else.
void SimulatedInternet::drop(Connection& connection, int error_number) {
  for (Pipe& pipe : connection.pipes) {
    const std::size_t on_the_way = pipe.size() - pipe.arrived;
    pipe.arrived += static_cast<std::size_t>(random_.below(on_the_way + 1));
    pipe.bytes.resize(pipe.begin + pipe.arrived);
    pipe.segments.clear();
    pipe.segments_begin = 0;
    pipe.end_at.reset();
  }
  break_end(connection, 0, error_number);
  break_end(connection, 1, error_number);
}

void SimulatedInternet::close_end(Connection& connection, Side side) {
  connection.ends[side] = {};
  observer_.connection_event(connection.id, side == 0 ? "closed by the initiator's side"
                                                      : "closed by the acceptor's side");
  Pipe& pipe = connection.pipes[1 - side];
  if (connection.is_established && !connection.is_silent) {
    pipe.end_at = std::max({now_ + connection.latency, pipe.last_at, pipe.held_until});
    observer_.wake_at(*pipe.end_at, connection.id);
  }
  erase_if_over(connection);
}

void SimulatedInternet::erase_if_over(Connection& connection) {
  if (connection.ends[0].network != nullptr || connection.ends[1].network != nullptr) return;
  const auto place =
      std::ranges::find(connections_, &connection, [](const auto& one) { return one.get(); });
  observer_.connection_over(connection.id);
  if (middleman != nullptr) middleman->over(connection.id);
  free_.push_back(std::move(*place));
  connections_.erase(place);
}

SimulatedInternet::Connection* SimulatedInternet::any_established() {
  std::size_t count = 0;
  for (const auto& one : connections_) count += one->is_established && !one->is_silent ? 1U : 0U;
  if (count == 0) return nullptr;
  std::size_t left = static_cast<std::size_t>(random_.below(count));
  for (const auto& one : connections_) {
    if (one->is_established && !one->is_silent && left-- == 0) return one.get();
  }
  return nullptr;
}

bool SimulatedInternet::delay_one(WorldTime by) {
  Connection* const connection = any_established();
  if (connection == nullptr) return false;
  Pipe& pipe = connection->pipes[random_.below(2)];
  pipe.held_until = std::max(pipe.held_until, now_ + by);
  // Bytes that are on their way are delayed as well.
  for (std::size_t i = pipe.segments_begin; i < pipe.segments.size(); ++i) {
    pipe.segments[i].at = std::max(pipe.segments[i].at, pipe.held_until);
  }
  if (pipe.segments_begin < pipe.segments.size()) pipe.last_at = pipe.segments.back().at;
  if (pipe.end_at) pipe.end_at = std::max(*pipe.end_at, pipe.held_until);
  observer_.wake_at(pipe.held_until, connection->id);
  observer_.connection_event(connection->id, "held up");
  count(counts_, Fault::Delay);
  return true;
}

bool SimulatedInternet::drop_one() {
  Connection* const connection = any_established();
  if (connection == nullptr) return false;
  drop(*connection, ECONNRESET);
  observer_.connection_event(connection->id, "broken");
  count(counts_, Fault::Drop);
  return true;
}

bool SimulatedInternet::silence_one() {
  Connection* const connection = any_established();
  if (connection == nullptr) return false;
  for (Pipe& pipe : connection->pipes) {
    pipe.bytes.resize(pipe.begin + pipe.arrived);
    pipe.segments.clear();
    pipe.segments_begin = 0;
    pipe.end_at.reset();
  }
  connection->is_silent = true;
  observer_.connection_event(connection->id, "silent");
  count(counts_, Fault::HalfOpen);
  return true;
}

bool SimulatedInternet::congest_one() {
  Connection* const connection = any_established();
  if (connection == nullptr) return false;
  for (Pipe& pipe : connection->pipes) {
    pipe.capacity =
        kCongestedBytesMin +
        static_cast<std::size_t>(random_.below(kCongestedBytesMax - kCongestedBytesMin));
  }
  observer_.connection_event(connection->id, "congested");
  count(counts_, Fault::Congest);
  return true;
}

bool SimulatedInternet::alter_one() {
  Connection* const connection = any_established();
  if (connection == nullptr) return false;
  connection->pipes[random_.below(2)].alters_next = true;
  return true;
}

void SimulatedInternet::mend() {
  weather = {};
  refuses_ = 0;
  for (std::size_t i = connections_.size(); i-- > 0;) {
    Connection& connection = *connections_[i];
    for (Side side = 0; side < 2; ++side) {
      connection.pipes[side].capacity = kPipeBytes;
      connection.pipes[side].alters_next = false;
      wake(connection, side);
      if (connection.is_silent) break_end(connection, side, ETIMEDOUT);
    }
  }
}

std::uint64_t SimulatedInternet::bytes_on_their_way() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& one : connections_) {
    for (const Pipe& pipe : one->pipes) sum += pipe.size();
  }
  return sum;
}

}  // namespace nexusfix::simulator
