#include "nexusfix/front_door/front_door.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <utility>

#include <nexusfix/session/logon_identity.hpp>

#include "nexusfix/front_door/proxy_line.hpp"

namespace nexusfix::front_door {
namespace {

using namespace std::chrono_literals;
using transport::IoStatus;
using transport::ReadyKind;

constexpr std::size_t kBufferBytes = 64U << 10U;
constexpr std::size_t kEventsAtOnce = 256;
constexpr auto kConnectTimeout = 1s;  // an address that does not answer
constexpr auto kBetweenRounds = 50ms;
constexpr unsigned kWarningsPerSecond = 20;

}  // namespace

FrontDoor::FrontDoor(transport::Network& network, Clock& clock, observe::EventLog& events,
                     const ShardDirectory& shards, FrontDoorOptions options)
    : network_{network},
      clock_{clock},
      events_{events},
      shards_{shards},
      options_{std::move(options)},
      buffer_(kBufferBytes) {}

std::expected<void, std::string> FrontDoor::open() {
  const auto listener = network_.listen(options_.listen);
  if (!listener) return std::unexpected{listener.error().text};
  listener_ = *listener;
  now_ = second_ = clock_.now().mono;
  report(EventId::FrontDoorOpened, {},
         fmt::format("the front door of {} sessions and {} templates listens on port {}",
                     shards_.session_count(), shards_.template_count(), port()));
  return {};
}

void FrontDoor::serve(std::optional<std::chrono::nanoseconds> wait) {
  if (!waiting_.empty()) wait = std::min(wait.value_or(1h), until_next_step());
  std::array<transport::Ready, kEventsAtOnce> events;
  const std::size_t count = network_.wait(events, wait);
  now_ = clock_.now().mono;
  for (std::size_t at = 0; at < count; ++at) handle(events[at]);
  keep_time();
}

void FrontDoor::handle(const transport::Ready& ready) {
  if (ready.kind == ReadyKind::Accepted) return accept(ready.accepted);
  const auto found = by_socket_.find(ready.socket);
  if (found == by_socket_.end()) return;  // it was closed a moment ago
  const Links::iterator link = found->second;
  const Side side = ready.socket == link->client ? Side::Client : Side::Owner;
  switch (ready.kind) {
    case ReadyKind::Connected:
      return hand_over(link);
    case ReadyKind::Failed:
      if (link->state == State::Connecting && side == Side::Owner) return connect_failed(link);
      return end(link, side, network_.last_error(ready.socket));
    case ReadyKind::Writable:
      return flush(link, side);
    case ReadyKind::Readable:
      if (link->state == State::Logon) return read_logon(link);
      if (link->state == State::Open) return move(link, side);
      // It is paused, so it has broken.
      return end(link, side, "the connection broke");
    case ReadyKind::Accepted:
    case ReadyKind::Announced:
      return;
  }
}

void FrontDoor::accept(transport::SocketId client) {
  if (waiting_.size() >= options_.waiting_max) {
    refuse(waiting_.begin(), EventId::FrontDoorRefused,
           fmt::format("{} connections wait for an owner, and this is the oldest one",
                       waiting_.size()));
  }
  waiting_.push_back({.client = client, .deadline = now_ + options_.logon_timeout});
  waiting_.back().scanner = wire::FrameScanner{{.message_bytes_max = first_bytes_max()}};
  by_socket_[client] = std::prev(waiting_.end());
}

std::size_t FrontDoor::first_bytes_max() const noexcept {
  return std::max<std::size_t>(shards_.logon_bytes_max(), 256);
}

// What follows the Logon is received, too, and goes to the owner after it.
void FrontDoor::read_logon(Links::iterator link) {
  const transport::IoResult got = network_.receive(link->client, buffer_);
  if (got.status == IoStatus::WouldBlock) return;
  if (got.status != IoStatus::Ok) {
    return refuse(link, EventId::FrontDoorRefused,
                  "the client ended the connection before a Logon");
  }
  link->to_owner.append(buffer_.data(), got.bytes);
  const wire::FrameResult first = link->scanner.next(link->to_owner);
  switch (first.status) {
    case wire::FrameStatus::NeedMore:
      return;
    case wire::FrameStatus::Complete:
      return find_place(link, std::string_view{link->to_owner}.substr(0, first.size));
    case wire::FrameStatus::Garbled:
    case wire::FrameStatus::Skipped:
      return refuse(link, EventId::FrontDoorRefused, "its first bytes are no FIX message");
  }
}

void FrontDoor::find_place(Links::iterator link, std::string_view frame) {
  const auto message = parser_.parse(frame);
  if (!message || message->msg_type() != "A") {
    return refuse(link, EventId::FrontDoorRefused, "its first message is not a Logon");
  }
  const auto id = session::session_of(*message);
  link->place = id ? shards_.find(*id) : nullptr;
  if (link->place == nullptr) {
    return refuse(link, EventId::FrontDoorRefused,
                  id ? "no shard has the session " + id->to_string()
                     : "its Logon has no SenderCompID or no TargetCompID");
  }
  link->session = id->to_string();
  link->deadline = now_ + options_.owner_timeout;
  network_.pause(link->client, true);
  connect(link);
}

// Tries an address after the other. Only an owner accepts connections.
void FrontDoor::connect(Links::iterator link) {
  for (; link->address < link->place->addresses.size(); ++link->address) {
    const auto owner = network_.connect(link->place->addresses[link->address]);
    if (!owner) continue;
    link->owner = *owner;
    link->state = State::Connecting;
    link->next_step = now_ + kConnectTimeout;
    by_socket_[*owner] = link;
    return;
  }
  link->address = 0;
  link->state = State::NoOwner;
  link->next_step = now_ + kBetweenRounds;
}

void FrontDoor::connect_failed(Links::iterator link) {
  by_socket_.erase(link->owner);
  network_.close(std::exchange(link->owner, 0));
  ++link->address;
  connect(link);
}

void FrontDoor::hand_over(Links::iterator link) {
  const transport::Endpoint& address = link->place->addresses[link->address];
  report(EventId::FrontDoorHandedOver, link->session,
         fmt::format("the connection from {} goes to {}:{}", client_name(*link), address.host,
                     address.port));
  if (link->place->wants_header) {
    link->to_owner.insert(0, proxy_line(network_.peer_name(link->client), port()));
  }
  link->state = State::Open;
  link->deadline = link->next_step = kNever;
  open_.splice(open_.end(), waiting_, link);
  flush(link, Side::Owner);
}

// Receives once, so that no connection keeps the others waiting.
void FrontDoor::move(Links::iterator link, Side from) {
  const bool is_client = from == Side::Client;
  const transport::SocketId source = is_client ? link->client : link->owner;
  const transport::SocketId target = is_client ? link->owner : link->client;
  std::string& rest = is_client ? link->to_owner : link->to_client;
  if (!rest.empty()) return;  // an event from before the pause
  const transport::IoResult got = network_.receive(source, buffer_);
  if (got.status == IoStatus::WouldBlock) return;
  if (got.status != IoStatus::Ok) {
    return end(
        link, from,
        got.status == IoStatus::Closed ? "it closed the connection" : network_.last_error(source));
  }
  const transport::IoResult sent = network_.send(target, {buffer_.data(), got.bytes});
  const std::size_t taken = sent.status == IoStatus::Ok ? sent.bytes : 0;
  if (taken == got.bytes) return;
  rest.assign(buffer_.data() + taken, got.bytes - taken);
  network_.pause(source, true);
}

// Sends what waits for a side. When all is sent, the other side may send again.
void FrontDoor::flush(Links::iterator link, Side to) {
  if (link->state != State::Open) return;
  const bool is_owner = to == Side::Owner;
  std::string& rest = is_owner ? link->to_owner : link->to_client;
  const transport::IoResult sent = network_.send(is_owner ? link->owner : link->client, rest);
  if (sent.status == IoStatus::Ok) rest.erase(0, sent.bytes);
  if (rest.empty()) network_.pause(is_owner ? link->client : link->owner, false);
}

// A side that ends in order has been read to its end, because it is paused while bytes wait for the
// other side.
void FrontDoor::end(Links::iterator link, Side ended, std::string_view why) {
  if (link->state != State::Open) return refuse(link, EventId::FrontDoorRefused, why);
  report(EventId::FrontDoorEnded, link->session,
         fmt::format("the connection from {} is over: the {}: {}", client_name(*link),
                     ended == Side::Client ? "client" : "owner", why));
  drop(link);
}

void FrontDoor::refuse(Links::iterator link, EventId id, std::string_view why) {
  report(id, link->session,
         fmt::format("the connection from {} is closed: {}", client_name(*link), why));
  drop(link);
}

void FrontDoor::drop(Links::iterator link) {
  for (const transport::SocketId socket : {link->client, link->owner}) {
    if (socket == 0) continue;
    by_socket_.erase(socket);
    network_.close(socket);
  }
  (link->state == State::Open ? open_ : waiting_).erase(link);
}

void FrontDoor::keep_time() {
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    const auto link = next++;
    if (now_ >= link->deadline) {
      if (link->state == State::Logon) {
        refuse(link, EventId::FrontDoorRefused, "its Logon did not come in time");
      } else {
        refuse(link, EventId::FrontDoorNoOwner,
               fmt::format("no engine accepts the session within {} s",
                           options_.owner_timeout.count()));
      }
    } else if (now_ >= link->next_step) {
      if (link->state == State::NoOwner)
        connect(link);
      else if (link->state == State::Connecting)
        connect_failed(link);
    }
  }
}

std::chrono::nanoseconds FrontDoor::until_next_step() const {
  MonoTime next = kNever;
  for (const Link& link : waiting_) next = std::min({next, link.deadline, link.next_step});
  return std::max<std::chrono::nanoseconds>(next - now_, 0ns);
}

std::string FrontDoor::client_name(const Link& link) const {
  return network_.peer_name(link.client);
}

// A flood of refused connections does not flood the log.
void FrontDoor::report(EventId id, std::string_view session, const std::string& text) {
  const WallTime wall = clock_.now().wall;
  if (now_ - second_ >= 1s) {
    second_ = now_;
    reported_ = 0;
    if (hidden_ > 0) {
      const std::string more = fmt::format("{} more connections were refused", hidden_);
      hidden_ = 0;
      events_.write({.time = wall, .id = EventId::EventsSuppressed, .session = {}, .text = more});
    }
  }
  if (observe::severity_of(id) == observe::Severity::Warning && ++reported_ > kWarningsPerSecond) {
    ++hidden_;
    return;
  }
  events_.write({.time = wall, .id = id, .session = session, .text = text});
}

}  // namespace nexusfix::front_door
