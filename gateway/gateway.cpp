#include "gateway/gateway.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include <nexusfix/wire/encoder.hpp>

#include "base/api/printable_text.hpp"
#include "gateway/door/ring_link.hpp"

namespace nexusfix::gateway {
namespace {

using engine::SendFailure;
using engine::Session;

constexpr std::chrono::seconds kHelloTimeout{10};
// No event says that a client has read from its shared memory.
constexpr std::chrono::milliseconds kRoomWait{1};
// One client in one turn: then comes the next client.
constexpr int kFramesPerTurn = 256;
// What a client that was killed has sent before its end: more than a kernel or a ring keeps.
constexpr int kTurnsToTheEnd = 1'024;
// With those that have said no Hello.
constexpr std::size_t kClientsMax = 1'000;
// Clients of the network are only a part of them: they do not keep out those of this machine.
constexpr std::size_t kRemoteClientsMax = 500;
// A counter of the store, plus 1, is at most 10^18.
constexpr std::uint64_t kNumberMax = 1'000'000'000'000'000'000 - 1;

// The name of a client's counter in the store. No session has it: those begin with BeginString.
std::string counter_name(const ClientRights& client) { return "gateway client " + client.name; }

std::string absence_of(const ClientRights& client) {
  return fmt::format("client {} is not attached", client.name);
}

RefuseCode code_of(SendFailure failure) noexcept {
  switch (failure) {
    case SendFailure::RateLimited:
      return RefuseCode::RateLimited;
    case SendFailure::NotLoggedOn:
    case SendFailure::SessionEnding:
      return RefuseCode::SessionClosed;
    case SendFailure::StoreStopped:
    case SendFailure::StoreFull:
    case SendFailure::OutOfMemory:
    case SendFailure::Draining:
      return RefuseCode::Unavailable;
    default:
      return RefuseCode::BadMessage;
  }
}

}  // namespace

Gateway::Gateway(GatewayOptions options)
    : options_{std::move(options)},
      wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      known_(options_.clients.clients.size()) {}

Gateway::~Gateway() {
  clients_.clear();  // Their threads write to it.
  if (wake_ >= 0) ::close(wake_);
}

std::expected<void, std::string> Gateway::attach(engine::Engine& engine) {
  if (wake_ < 0) return std::unexpected{"eventfd: no descriptor is left"};
  store_ = &engine.store();
  stays_open_ = engine.remote();
  for (Session& session : engine.sessions()) {
    const auto key = store_->find_session(session.name());
    if (!key) return std::unexpected{fmt::format("the store has no session {}", session.name())};
    session.attach<std::uint32_t>(static_cast<std::uint32_t>(slots_.size()));
    slots_.push_back({&session, *key, std::string{session.name()}});
  }
  for (const ClientRights& client : options_.clients.clients) {
    const auto counter = store_->open_session(counter_name(client), options_.clock->now().wall);
    if (!counter) return std::unexpected{counter.error().text};
    known(client).counter = *counter;
  }
  for (Slot& slot : slots_) apply_absence(slot);
  // What another gateway has left there is no reason not to start.
  static_cast<void>(RingFile::remove_stale(options_.memory.directory));
  report(EventId::GatewayOpened,
         fmt::format("clients attach at {}; the file has {}", options_.clients.socket_path,
                     options_.clients.clients.size()));
  return {};
}

void Gateway::add(std::unique_ptr<ClientLink> link, std::string peer) {
  auto client =
      std::make_unique<AttachedClient>(std::move(link), std::move(peer), now() + kHelloTimeout);
  const auto remote = std::ranges::count_if(
      clients_, [](const auto& one) { return !one->link().is_of_this_machine(); });
  const bool is_remote = !client->link().is_of_this_machine();
  if (clients_.size() >= kClientsMax ||
      (is_remote && static_cast<std::size_t>(remote) >= kRemoteClientsMax)) {
    client->close(CloseCode::NoHello, "too many connections", now());
    client->release(AttachedClient::Part::All);
    return report_stranger(EventId::GatewayCut,
                           fmt::format("{}: too many connections", client->peer()));
  }
  clients_.push_back(std::move(client));
}

bool Gateway::serve() {
  bool has_more = false;
  eventfd_t count = 0;
  static_cast<void>(::eventfd_read(wake_, &count));
  for (const auto& client : clients_) has_more |= serve(*client);
  return has_more;
}

bool Gateway::serve(AttachedClient& client) {
  if (client.is_replaying()) go_on_replaying(client);
  for (int i = 0; i < kFramesPerTurn; ++i) {
    if (client.is_closing() || client.is_gone()) return false;
    const std::span<const char> frame = client.link().read();
    if (frame.empty()) {
      if (client.link().fault().empty()) return false;
      if (client.link().is_protocol_fault()) {
        const bool is_version = client.link().fault() == to_string(FrameFault::Version);
        client.close(is_version ? CloseCode::Version : CloseCode::BadFrame, client.link().fault(),
                     now());
      } else {
        client.drop(client.link().fault());
      }
      return false;
    }
    handle(client, frame);
  }
  return true;
}

void Gateway::handle(AttachedClient& client, std::span<const char> bytes) {
  const auto frame = read_frame(bytes);
  if (!frame) {
    return client.close(CloseCode::BadFrame, to_string(frame.error()), now());
  }
  switch (frame->header.kind) {
    case FrameKind::Hello:
      return greet(client, *frame);
    case FrameKind::Send:
      return send(client, *frame);
    case FrameKind::Closed:
      return client.drop("the client ends");
    default:
      return client.close(CloseCode::BadFrame, "a client sends Hello, Send and Closed", now());
  }
}

void Gateway::greet(AttachedClient& client, const Frame& frame) {
  if (client.rights() != nullptr) {
    return client.close(CloseCode::BadFrame, "a second Hello", now());
  }
  const auto hello = read_hello(frame.body);
  if (!hello) return client.close(CloseCode::BadFrame, hello.error(), now());
  const ClientRights* const rights = client_of(hello->name);
  // One text for both: an unknown client does not learn which names exist.
  if (rights == nullptr || !is_token(*rights, hello->token)) {
    return client.close(CloseCode::Denied, "unknown name or token", now());
  }
  client.identify();
  if (is_attached(*rights)) {
    return client.close(CloseCode::AlreadyAttached,
                        fmt::format("another connection has the name {}", rights->name), now());
  }
  admit(client, *rights, *hello);
}

// A client that was killed and has started again is not refused: the end of its former connection
// came before the new one.
bool Gateway::is_attached(const ClientRights& rights) {
  AttachedClient* const other = known(rights).attached;
  if (other == nullptr) return false;
  if (!other->link().has_ended()) return true;
  // Some links do not know it, and a client that lives may send without end.
  for (int i = 0; i < kTurnsToTheEnd && serve(*other); ++i) {
  }
  return !other->is_closing() && !other->is_gone();
}

void Gateway::admit(AttachedClient& client, const ClientRights& rights, const HelloText& hello) {
  std::vector<MessagePlace> received;
  std::vector<MessagePlace> sent;
  for (const Slot& slot : slots_) {
    received.push_back(received_place(slot));
    sent.push_back(sent_place(slot));
  }
  for (const Cursor& cursor : hello.cursors) {
    const auto slot = std::ranges::find(slots_, cursor.session, &Slot::name);
    if (slot == slots_.end() || !rights.may_see(cursor.session) ||
        (cursor.is_sent && !rights.is_observer())) {
      return client.close(
          CloseCode::BadFrame,
          fmt::format("a cursor of {}, which the client may not see", printable(cursor.session)),
          now());
    }
    const MessagePlace& place =
        (cursor.is_sent ? sent : received)[static_cast<std::size_t>(slot - slots_.begin())];
    if (cursor.place.epoch > place.epoch) {
      return client.close(
          CloseCode::CursorInvalid,
          fmt::format("session {} is in epoch {}, and the cursor in epoch {}: the journal is older "
                      "than what the client knows",
                      cursor.session, place.epoch, cursor.place.epoch),
          now());
    }
    if (cursor.place > place) {
      return client.close(
          CloseCode::CursorInvalid,
          fmt::format(
              "session {} is at MsgSeqNum {} of epoch {}, and the cursor at {}: the journal "
              "is older than what the client knows",
              cursor.session, place.msg_seq_num, place.epoch, cursor.place.msg_seq_num),
          now());
    }
  }
  auto ring = ring_for(client, hello);
  if (!ring) return client.close(CloseCode::NoSharedMemory, ring.error().text, now());
  const std::uint64_t last = store_->session(known(rights).counter).next_inbound - 1;
  std::vector<std::uint32_t> seen;
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (rights.may_see(slots_[i].name)) seen.push_back(i);
  }
  client.number_sessions(std::move(seen));
  client.admit(rights, std::move(received), std::move(sent), last);
  if (hello.is_in_order) client.keep_in_order();
  known(rights).attached = &client;
  welcome(client, ring->get());
  if (*ring != nullptr) client.move_to(std::move(*ring));
  start_replay(client, hello);
  report(EventId::GatewayAttached,
         fmt::format("client {} ({}): attached as {}, its last number is {}", rights.name,
                     client.peer(), rights.is_observer() ? "observer" : "trader", last));
  for (Slot& slot : slots_) {
    if (rights.when_away != WhenAway::LogOut || !rights.may_see(slot.name)) continue;
    slot.session->log_on();
    apply_absence(slot);
  }
}

std::expected<std::unique_ptr<GatewayRing>, RingError> Gateway::ring_for(AttachedClient& client,
                                                                         const HelloText& hello) {
  if (hello.ring_version == 0) return nullptr;
  if (!client.link().is_of_this_machine()) {
    return std::unexpected{
        RingError{.text = "shared memory is for clients that attach at the Unix socket"}};
  }
  if (hello.ring_version != kRingVersion) {
    return std::unexpected{RingError{
        .text = fmt::format("the client knows layout version {} of the shared memory, and the "
                            "gateway has {}",
                            hello.ring_version, kRingVersion)}};
  }
  return make_ring(options_.memory, client.link());
}

void Gateway::welcome(AttachedClient& client, const GatewayRing* ring) {
  const ClientRights& rights = *client.rights();
  WelcomeText text{.gateway = options_.version,
                   .role = rights.is_observer() ? "observer" : "trader",
                   .ring = ring == nullptr ? RingPath{} : RingPath{ring->key(), ring->path()},
                   .sessions = {}};
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (!rights.may_see(slot.name)) continue;
    const store::SessionRecord& record = store_->session(slot.key);
    text.sessions.push_back({client.index_of(static_cast<std::uint32_t>(i)), record.epoch,
                             record.next_inbound - 1, record.next_outbound - 1,
                             slot.session->is_logged_on(), slot.name});
  }
  client.send({.kind = FrameKind::Welcome, .number = client.last_number()}, write_welcome(text));
}

// Records that are appended from here on are live messages.
void Gateway::start_replay(AttachedClient& client, const HelloText& hello) {
  Known& mine = known(*client.rights());
  ReplayRequest request{.open_log = options_.open_log,
                        .is_on_loop = options_.reads_on_loop,
                        .until = store_->appended(),
                        .begin = mine.begin,
                        .sessions = {},
                        .client = client.rights(),
                        .clients = options_.clients.clients,
                        .wake = wake_};
  bool has_missed = false;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    MissedMessages missed{slots_[i].name, client.index_of(static_cast<std::uint32_t>(i)), {}, {}};
    for (const Cursor& cursor : hello.cursors) {
      if (cursor.session != slots_[i].name) continue;
      const auto& passed = cursor.is_sent ? mine.sent : mine.received;
      (cursor.is_sent ? missed.sent : missed.received) = cursor.place;
      if (mine.begin && cursor.place < passed[i]) request.begin.reset();
      const MessagePlace last = cursor.is_sent ? sent_place(slots_[i]) : received_place(slots_[i]);
      has_missed |= cursor.place < last;
    }
    if (missed.received || missed.sent) request.sessions.push_back(std::move(missed));
  }
  if (!has_missed) return client.send({.kind = FrameKind::CaughtUp});
  // What it will have passed at the end.
  mine.received.clear();
  mine.sent.clear();
  mine.begin.reset();
  for (const Slot& slot : slots_) {
    mine.received.push_back(received_place(slot));
    mine.sent.push_back(sent_place(slot));
  }
  client.replay(std::make_unique<JournalReplay>(std::move(request)));
}

void Gateway::go_on_replaying(AttachedClient& client) {
  std::optional<store::JournalCursor> end;
  if (client.replay()->has_ended()) end = client.replay()->end();
  if (!client.go_on_replaying()) return;
  if (client.is_replaying()) {
    return client.close(CloseCode::MessagesGone, client.replay()->error(), now());
  }
  known(*client.rights()).begin = end;
}

void Gateway::refuse(AttachedClient& client, const Frame& frame, RefuseCode code,
                     std::string_view why) {
  if (code != RefuseCode::AfterRefused) client.set_refused(frame.header.number);
  client.send({.kind = FrameKind::Refused,
               .session = frame.header.session,
               .code = static_cast<std::uint32_t>(code),
               .number = frame.header.number},
              why);
}

void Gateway::send(AttachedClient& client, const Frame& frame) {
  const FrameHeader& header = frame.header;
  if (client.rights() == nullptr) {
    return client.close(CloseCode::BadFrame, "the first frame is no Hello", now());
  }
  if (header.number == 0 || header.number >= kNumberMax) {
    return client.close(CloseCode::BadFrame, "a number is 1 to 10^18 - 2", now());
  }
  if (header.number <= client.last_number()) {
    return client.send({.kind = FrameKind::Accepted,
                        .flags = kFlagDuplicate,
                        .session = header.session,
                        .number = header.number});
  }
  if (const std::uint64_t before = client.refused_before(header.number); before != 0) {
    return refuse(client, frame, RefuseCode::AfterRefused,
                  fmt::format("number {} was refused: use it again first", before));
  }
  if (client.rights()->is_observer()) {
    return refuse(client, frame, RefuseCode::NotAllowed, "an observer sends nothing");
  }
  const std::optional<std::uint32_t> slot = client.session_at(header.session);
  if (!slot) {
    return refuse(client, frame, RefuseCode::NotAllowed, "the client has no such session");
  }
  send(client, slots_[*slot], frame);
}

void Gateway::send(AttachedClient& client, Slot& slot, const Frame& frame) {
  if (const auto read = fields_.read(frame.body); !read) {
    const std::string_view fault = client.link().message_fault();
    return refuse(client, frame, RefuseCode::BadMessage, fault.empty() ? read.error() : fault);
  }
  if (owner_of(options_.clients.clients, slot.name, owner_fields(fields_)) != client.rights()) {
    return refuse(client, frame, RefuseCode::NotAllowed, "another client owns such a message");
  }
  wire::Encoder encoder = slot.session->begin(fields_.msg_type());
  for (const TextField& field : fields_.fields()) {
    if (field.length_tag != 0) {
      encoder.data(field.length_tag, field.tag, field.value);
    } else {
      encoder.field(field.tag, field.value);
    }
  }
  const auto sent =
      slot.session->finish(encoder, known(*client.rights()).counter, frame.header.number);
  if (!sent) {
    FrameHeader refused{.kind = FrameKind::Refused,
                        .session = frame.header.session,
                        .code = static_cast<std::uint32_t>(code_of(sent.error().failure)),
                        .number = frame.header.number};
    refused.msg_seq_num = sent.error().wait.count();
    client.set_refused(frame.header.number);
    return client.send(refused, sent.error().what());
  }
  const MessagePlace place{store_->session(slot.key).epoch, sent->msg_seq_num};
  if (!sent->is_transmitted) slot.stored.push_back({client.rights(), frame.header.number, place});
  client.set_last_number(frame.header.number);
  client.send({.kind = FrameKind::Accepted,
               .flags = sent->is_transmitted ? std::uint16_t{0} : kFlagStored,
               .session = frame.header.session,
               .epoch = place.epoch,
               .msg_seq_num = place.msg_seq_num,
               .number = frame.header.number});
}

// What the store may still lose is not said: it waits for the position where the log ended when it
// was marked. Under load the log always goes on, so that is not the present end.
void Gateway::release_durable() {
  const store::LogPosition appended = store_->appended();
  const store::LogPosition durable = store_->durable();
  const bool is_all = durable >= appended;
  const bool is_marked = durable >= marked_at_;
  for (const auto& one : clients_) {
    if (is_all || is_marked) {
      one->release(is_all ? AttachedClient::Part::All : AttachedClient::Part::Marked);
      one->mark();
    }
  }
  if (is_marked) marked_at_ = appended;
}

std::chrono::nanoseconds Gateway::begin_sleep(std::chrono::nanoseconds longest) noexcept {
  for (const auto& one : clients_) {
    ClientLink& link = one->link();
    if (!link.begin_sleep()) return {};
    if (one->has_unsent() && !link.waits_for_room_by_descriptor())
      longest = std::min<std::chrono::nanoseconds>(longest, kRoomWait);
  }
  return longest;
}

bool Gateway::flush() {
  const MonoTime time = now();
  for (const auto& one : clients_) {
    if (one->rights() == nullptr && !one->is_closing() && one->is_overdue(time)) {
      one->close(CloseCode::NoHello, "no Hello came in time", time);
    }
  }
  release_durable();
  bool has_more = false;
  std::erase_if(clients_, [&](const std::unique_ptr<AttachedClient>& one) {
    if (!one->link().fault().empty() && !one->link().is_protocol_fault()) {
      one->drop(one->link().fault());
    }
    if (!one->is_done(time)) {
      has_more |= one->is_replaying() && !one->has_unsent() && !one->replay()->is_empty();
      has_more |= one->is_closing() && one->has_unsent() && !one->link().has_unsent();
      return false;
    }
    end(*one);
    return true;
  });
  report_hidden(strangers_.consume_hidden(time));
  return has_more;
}

void Gateway::end(AttachedClient& client) {
  const bool is_orderly =
      client.close_code() == CloseCode::ClientEnds || client.close_code() == CloseCode::Stopping;
  const EventId event = is_orderly ? EventId::GatewayEnded : EventId::GatewayCut;
  const std::string who = client.rights() == nullptr
                              ? client.peer()
                              : fmt::format("{} ({})", client.name(), client.peer());
  const std::string text = fmt::format("client {}: {}", who, client.close_text());
  client.is_identified() ? report(event, text) : report_stranger(event, text);
  if (client.rights() == nullptr) return;
  if (known(*client.rights()).attached != &client) return;
  known(*client.rights()).attached = nullptr;
  for (Slot& slot : slots_) apply_absence(slot);
}

void Gateway::stop() {
  static_cast<void>(store_->flush());
  release_durable();
  // What the store may have lost is never said, as after another process has taken the log over. A
  // client learns it from its next Welcome.
  const bool is_all_durable = store_->durable() >= store_->appended();
  const MonoTime time = now();
  for (const auto& one : clients_) {
    if (!is_all_durable) one->discard_waiting();
    one->close(CloseCode::Stopping, "the gateway stops", time);
  }
  for (const auto& one : clients_) one->release(AttachedClient::Part::All);
  for (const auto& one : clients_) end(*one);
  clients_.clear();
  report_hidden(strangers_.consume_hidden());
}

// A session without a client that it needs logs out.
void Gateway::apply_absence(Slot& slot) {
  for (const ClientRights& client : options_.clients.clients) {
    if (client.when_away != WhenAway::LogOut || !client.may_see(slot.name)) continue;
    if (known(client).attached != nullptr) continue;
    slot.absent = &client;
    return slot.session->log_out(absence_of(client));
  }
}

void Gateway::state_changed(Session& session, bool is_logged_on, const std::string& why) {
  const std::uint32_t index = index_of(session);
  for (const auto& one : clients_) {
    if (one->rights() == nullptr || !one->rights()->may_see(slots_[index].name)) continue;
    one->send({.kind = FrameKind::SessionState,
               .session = one->index_of(index),
               .code = is_logged_on ? 1U : 0U,
               .epoch = store_->session(slots_[index].key).epoch},
              why);
  }
}

// After a Logon the counterparty asks for what was stored. A reset before it makes that void.
void Gateway::report_not_sent(Slot& slot) {
  const std::uint64_t epoch = store_->session(slot.key).epoch;
  for (const Stored& one : std::exchange(slot.stored, {})) {
    AttachedClient* const client = known(*one.client).attached;
    if (one.place.epoch >= epoch || client == nullptr) continue;
    client->send({.kind = FrameKind::Refused,
                  .session = client->index_of(index_of(*slot.session)),
                  .code = static_cast<std::uint32_t>(RefuseCode::NotSent),
                  .epoch = one.place.epoch,
                  .msg_seq_num = one.place.msg_seq_num,
                  .number = one.number},
                 "the sequence numbers were reset before the message was sent");
  }
}

void Gateway::on_logon(Session& session) {
  Slot& slot = slots_[index_of(session)];
  slot.absent = nullptr;
  report_not_sent(slot);
  state_changed(session, true, "logged on");
  apply_absence(slot);
}

void Gateway::on_logout(Session& session) {
  const ClientRights* const absent = slots_[index_of(session)].absent;
  state_changed(session, false,
                absent == nullptr ? "logged out" : "logged out: " + absence_of(*absent));
}

engine::MessageReply Gateway::on_message(Session& session, const wire::MessageView& message) {
  Slot& slot = slots_[index_of(session)];
  const RoutedMessage routed{.session = index_of(session),
                             .is_sent = false,
                             .place = {store_->session(slot.key).epoch,
                                       message.get<std::uint64_t>(tag::MsgSeqNum).value_or(0)},
                             .bytes = message.bytes()};
  const ClientRights* const owner =
      owner_of(options_.clients.clients, slot.name, owner_fields(message));
  for (const auto& one : clients_) {
    if (one->rights() == nullptr || !one->rights()->may_see(slot.name)) continue;
    if (one->rights() == owner || one->rights()->is_observer()) one->deliver(routed);
  }
  if (owner == nullptr) {
    if (!std::exchange(slot.has_unowned, true)) {
      report(EventId::GatewayUnowned,
             fmt::format("no client of the file owns message {} of type {}: it is rejected, and so "
                         "is each such message",
                         routed.place.msg_seq_num, printable(message.msg_type())),
             slot.name);
    }
    return engine::unsupported_message_type();
  }
  if (owner->when_away == WhenAway::Reject && known(*owner).attached == nullptr) {
    return engine::business_reject(session::BusinessRejectReason::ApplicationNotAvailable, 0,
                                   absence_of(*owner));
  }
  return engine::accept();
}

void Gateway::copy_sent(Session& session, const engine::SentMessage& sent) {
  if (sent.kind != engine::SentMessage::Kind::Application) return;
  const std::uint32_t index = index_of(session);
  const RoutedMessage routed{.session = index,
                             .is_sent = true,
                             .place = {store_->session(slots_[index].key).epoch, sent.msg_seq_num},
                             .bytes = sent.bytes};
  for (const auto& one : clients_) {
    if (one->rights() == nullptr || !one->rights()->is_observer()) continue;
    if (one->rights()->may_see(slots_[index].name)) one->deliver(routed);
  }
}

std::uint32_t Gateway::index_of(const Session& session) const noexcept {
  return *session.data<std::uint32_t>();
}

MessagePlace Gateway::received_place(const Slot& slot) const {
  const store::SessionRecord& record = store_->session(slot.key);
  return {record.epoch, record.next_inbound - 1};
}

MessagePlace Gateway::sent_place(const Slot& slot) const {
  const store::SessionRecord& record = store_->session(slot.key);
  return {record.epoch, record.next_outbound - 1};
}

const ClientRights* Gateway::client_of(std::string_view name) const noexcept {
  const auto found = std::ranges::find(options_.clients.clients, name, &ClientRights::name);
  return found == options_.clients.clients.end() ? nullptr : &*found;
}

void Gateway::report_stranger(EventId id, const std::string& text) {
  if (strangers_.allow(now())) report(id, text);
}

void Gateway::report_hidden(std::uint64_t connections) {
  if (connections == 0) return;
  report(EventId::EventsSuppressed,
         fmt::format("{} more connections of no known client have ended", connections));
}

void Gateway::report(EventId id, const std::string& text, std::string_view session) {
  options_.events->write(
      {.time = options_.clock->now().wall, .id = id, .session = session, .text = text});
}

}  // namespace nexusfix::gateway
