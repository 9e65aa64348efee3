#include "cluster/front_door/front_door.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <poll.h>
#include <utility>

#include "cluster/front_door/proxy_line.hpp"
#include "session/api/logon_identity.hpp"

namespace nexusfix::front_door {
namespace {

using namespace std::chrono_literals;
using IoStatus = transport::IoResult::Status;
using ReadyKind = transport::Ready::Kind;

constexpr std::size_t kBufferBytes = 64U << 10U;
constexpr std::size_t kEventsAtOnce = 256;
constexpr auto kConnectTimeout = 1s;  // an address that does not answer
constexpr auto kBetweenRounds = 50ms;
// The list of the connections that wait is long in a flood: it is not read for each message.
constexpr auto kBetweenLooks = 10ms;
constexpr auto kBetweenProbes = 500ms;
constexpr unsigned kEventsPerSecond = 20;  // of a kind

// Whether the peer has ended the connection, also while bytes before that end are not read.
bool has_ended(int descriptor) {
  pollfd asked{.fd = descriptor, .events = POLLRDHUP, .revents = 0};
  return ::poll(&asked, 1, 0) > 0 && (asked.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

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
  if (!waiting_.empty()) {
    const auto until_look = std::max<std::chrono::nanoseconds>(next_look_ - now_, 0ns);
    wait = std::min(wait.value_or(1h), until_look);
  }
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
      if (link->is_full) return end(link, side, "the connection broke");  // as it is paused
      return static_cast<void>(read_more(link));
    case ReadyKind::Accepted:
    case ReadyKind::Announced:
      return;
  }
}

void FrontDoor::accept(transport::SocketId client) {
  if (waiting_.size() >= options_.waiting_max) {
    const Links::iterator link = least_promising();
    const bool has_logon = link->state != State::Logon;
    refuse(link, EventId::FrontDoorRefused,
           fmt::format("{} connections wait, and it is the oldest one {} a Logon", waiting_.size(),
                       has_logon ? "with" : "without"));
  }
  waiting_.push_back({.client = client, .deadline = now_ + options_.logon_timeout});
  waiting_.back().scanner = wire::FrameScanner{{.message_bytes_max = first_bytes_max()}};
  by_socket_[client] = std::prev(waiting_.end());
}

// Connections that send nothing cannot displace a client that waits for its engine.
FrontDoor::Links::iterator FrontDoor::least_promising() {
  const auto found = std::ranges::find(waiting_, State::Logon, &Link::state);
  return found == waiting_.end() ? waiting_.begin() : found;
}

std::size_t FrontDoor::first_bytes_max() const noexcept {
  return std::max<std::size_t>(shards_.logon_bytes_max(), 256);
}

// What follows the Logon is received, too, and goes to the owner after it.
void FrontDoor::read_logon(Links::iterator link) {
  const transport::IoResult got = network_.receive(link->client, buffer_);
  if (got.status == IoStatus::WouldBlock) return;
  if (got.status != IoStatus::Ok) {
    // A balancer looks several times a second whether this port is open.
    if (link->to_owner.empty()) return drop(link);
    return refuse(link, EventId::FrontDoorRefused,
                  "the client ended the connection before a Logon");
  }
  link->to_owner.append(buffer_.data(), got.bytes);
  const wire::FrameResult first = link->scanner.next(link->to_owner);
  switch (first.status) {
    case wire::FrameResult::Status::NeedMore:
      return;
    case wire::FrameResult::Status::Complete:
      return find_place(link, std::string_view{link->to_owner}.substr(0, first.size));
    case wire::FrameResult::Status::Garbled:
    case wire::FrameResult::Status::Skipped:
      return refuse(link, EventId::FrontDoorRefused, "its first bytes are no FIX message");
  }
}

void FrontDoor::find_place(Links::iterator link, std::string_view frame) {
  const auto message = parser_.parse(frame);
  if (!message) {
    return refuse(link, EventId::FrontDoorRefused, "its first message is garbled");
  }
  if (message->msg_type() != "A") {
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
  connect(link);
}

// Reads from a client that waits for its owner. So its end is noticed, and no engine gets the Logon
// of a client that has left. False: it has left.
bool FrontDoor::read_more(Links::iterator link) {
  const transport::IoResult got = network_.receive(link->client, buffer_);
  if (got.status == IoStatus::WouldBlock) return true;
  if (got.status != IoStatus::Ok) {
    refuse(link, EventId::FrontDoorRefused,
           "the client ended the connection before an engine accepted it");
    return false;
  }
  link->to_owner.append(buffer_.data(), got.bytes);
  link->is_full = link->to_owner.size() > first_bytes_max();
  network_.pause(link->client, link->is_full);
  if (link->is_full) link->next_probe = now_ + kBetweenProbes;
  return true;
}

// The client is paused: its end is after bytes that are not read, and the network reports it
// only when they are. So the socket itself is asked, outside of the network for a moment. False:
// the client has left, and its link is gone.
bool FrontDoor::is_still_there(Links::iterator link) {
  link->next_probe = now_ + kBetweenProbes;
  transport::Detached detached = network_.detach(link->client);
  if (detached.descriptor < 0) return true;  // this network cannot tell
  const bool is_over = has_ended(detached.descriptor);
  by_socket_.erase(link->client);
  Route& route = routes_[link->place];
  const bool asks = route.asks == link->client;
  const auto attached = network_.attach(std::move(detached));
  link->client = attached ? *attached : 0;
  if (asks) route.asks = link->client;
  if (attached) {
    by_socket_[link->client] = link;
    network_.pause(link->client, true);
    if (!is_over) return true;
  }
  refuse(link, EventId::FrontDoorRefused,
         is_over ? "the client ended the connection before an engine accepted it"
                 : attached.error().text);
  return false;
}

// Tries an address after the other. Only an owner accepts connections.
void FrontDoor::connect(Links::iterator link) {
  Route& route = routes_[link->place];
  if (route.is_absent) {
    if (route.asks == 0) route.asks = link->client;
    if (route.asks != link->client) return wait_for_owner(link);
  }
  const std::vector<transport::Endpoint>& addresses = link->place->addresses;
  for (; link->tried < addresses.size(); ++link->tried) {
    link->address = (route.first + link->tried) % addresses.size();
    const auto owner = network_.connect(addresses[link->address]);
    if (!owner) {
      route.why = owner.error().text;
      continue;
    }
    link->owner = *owner;
    link->state = State::Connecting;
    link->next_step = now_ + kConnectTimeout;
    by_socket_[*owner] = link;
    return;
  }
  route.is_absent = true;
  wait_for_owner(link);
}

void FrontDoor::wait_for_owner(Links::iterator link) {
  link->tried = 0;
  link->state = State::NoOwner;
  link->next_step = now_ + kBetweenRounds;
}

void FrontDoor::connect_failed(Links::iterator link) {
  const transport::Endpoint& address = link->place->addresses[link->address];
  std::string why = network_.last_error(link->owner);
  if (why.empty()) why = fmt::format("connect {}:{}: no answer", address.host, address.port);
  routes_[link->place].why = std::move(why);
  by_socket_.erase(link->owner);
  network_.close(std::exchange(link->owner, 0));
  ++link->tried;
  connect(link);
}

void FrontDoor::hand_over(Links::iterator link) {
  Route& route = routes_[link->place];
  route.is_absent = false;
  route.asks = 0;
  route.first = link->address;
  if (link->is_full ? !is_still_there(link) : !read_more(link)) return;
  const transport::Endpoint& address = link->place->addresses[link->address];
  report(EventId::FrontDoorHandedOver, link->session,
         fmt::format("the connection from {} goes to {}:{}", client_name(*link), address.host,
                     address.port));
  if (link->place->wants_header) {
    link->to_owner.insert(0, proxy_line(network_.peer_name(link->client), port()));
  }
  link->state = State::Open;
  link->deadline = link->next_step = link->next_probe = kNever;
  open_.splice(open_.end(), waiting_, link);
  network_.pause(link->client, true);
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
  if (!rest.empty()) return;
  rest.shrink_to_fit();  // thousands of connections that were slow once keep no memory
  network_.pause(is_owner ? link->client : link->owner, false);
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
  if (const auto route = routes_.find(link->place); route != routes_.end()) {
    if (route->second.asks == link->client) route->second.asks = 0;
  }
  (link->state == State::Open ? open_ : waiting_).erase(link);
}

void FrontDoor::keep_time() {
  report_each_second();
  if (now_ < next_look_) return;
  next_look_ = now_ + kBetweenLooks;
  for (auto next = waiting_.begin(); next != waiting_.end();) {
    const auto link = next++;
    if (now_ >= link->deadline) {
      refuse_late(link);
    } else if (now_ >= link->next_probe && !is_still_there(link)) {
      continue;
    } else if (now_ >= link->next_step) {
      if (link->state == State::NoOwner)
        connect(link);
      else if (link->state == State::Connecting)
        connect_failed(link);
    }
  }
}

void FrontDoor::refuse_late(Links::iterator link) {
  if (link->state == State::Logon) {
    return refuse(link, EventId::FrontDoorRefused, "its Logon did not come in time");
  }
  const std::string& why = routes_[link->place].why;
  refuse(link, EventId::FrontDoorNoOwner,
         fmt::format("no engine accepts the session within {} s{}", options_.owner_timeout.count(),
                     why.empty() ? "" : ", lastly: " + why));
}

std::string FrontDoor::client_name(const Link& link) const {
  return network_.peer_name(link.client);
}

// A flood of connections does not flood the log. Counts the event.
bool FrontDoor::is_hidden(EventId id) {
  Flood kind = Refusals;
  if (id == EventId::FrontDoorHandedOver)
    kind = HandOvers;
  else if (id == EventId::FrontDoorEnded)
    kind = Ends;
  else if (observe::severity_of(id) != observe::Severity::Warning)
    return false;
  Reported& reported = reported_[kind];
  if (++reported.count <= kEventsPerSecond) return false;
  ++reported.hidden;
  return true;
}

void FrontDoor::report(EventId id, std::string_view session, const std::string& text) {
  if (is_hidden(id)) return;
  events_.write({.time = clock_.now().wall, .id = id, .session = session, .text = text});
}

void FrontDoor::report_each_second() {
  if (now_ - second_ < 1s) return;
  second_ = now_;
  constexpr std::array<std::string_view, kFloods> kWhat{"were refused", "were handed over",
                                                        "are over"};
  const auto before = std::exchange(reported_, {});
  for (std::size_t kind = 0; kind < kFloods; ++kind) {
    if (before[kind].hidden == 0) continue;
    report(EventId::EventsSuppressed, {},
           fmt::format("{} more connections {}", before[kind].hidden, kWhat[kind]));
  }
  const std::uint64_t refused = network_.connections_refused();
  if (refused == without_descriptor_) return;
  report(EventId::FrontDoorRefused, {},
         fmt::format("{} connections were closed at once, because this process may open no more "
                     "files; each client takes two. Raise the limit (ulimit -n, or LimitNOFILE of "
                     "the unit)",
                     refused - std::exchange(without_descriptor_, refused)));
}

}  // namespace nexusfix::front_door
