// Connections: accepting, connecting, cutting the stream into messages, sending, closing.
#include <algorithm>
#include <string>
#include <utility>

#include <nexusfix/wire/session_tags.hpp>

#include "engine/runtime.hpp"

namespace nexusfix::engine {
namespace {

// What a connection may send before its Logon is whole.
constexpr std::size_t kBeforeLogonBytesMax = 4096;
// A partial message up to this size is copied to the front of the shared receive buffer; a larger
// one is received in place, so that a long message is not copied again at every read.
constexpr std::size_t kSmallPartialBytes = 32U << 10U;
constexpr std::size_t kLargeReceiveBytes = 256U << 10U;
// A counterparty that reads nothing is cut off when so much waits for it. The store has it all.
constexpr std::size_t kOutboundBytesMax = 64U << 20U;

// Who a Logon says it is, each part cut to what a log line can bear.
std::string describe_identity(const wire::MessageView& logon) {
  constexpr std::size_t kPartBytesMax = 64;
  const auto part = [&](wire::Tag tag) {
    return std::to_string(tag) + "=" +
           std::string{logon[tag].value_or("(missing)").substr(0, kPartBytesMax)};
  };
  return part(tag::BeginString) + " " + part(tag::SenderCompID) + " " + part(tag::TargetCompID);
}

}  // namespace

void Runtime::on_accepted(const transport::Ready& ready) {
  const auto listener =
      std::find_if(listeners_.begin(), listeners_.end(),
                   [&](const Listener& one) { return one.socket == ready.socket; });
  if (listener == listeners_.end() || stopping_) {
    seams_.network->close(ready.accepted);
    return;
  }
  auto connection = std::make_unique<Connection>();
  connection->socket = ready.accepted;
  connection->listener = static_cast<std::size_t>(listener - listeners_.begin());
  connection->established = true;
  connection->deadline = now_.mono + listener->logon_timeout;
  wake_at(connection->deadline);
  connections_.emplace(ready.accepted, std::move(connection));
}

void Runtime::connect(SessionSlot& slot) {
  const transport::Endpoint& endpoint = slot.settings.connect[slot.endpoint];
  const auto socket = seams_.network->connect(endpoint);
  if (!socket) {
    report(observe::Severity::Warning, slot.name, socket.error().text);
    schedule_connect(slot);
    return;
  }
  auto connection = std::make_unique<Connection>();
  connection->socket = *socket;
  connection->slot = &slot;
  connection->deadline = now_.mono + slot.settings.session.logon_timeout;
  wake_at(connection->deadline);
  slot.connection = connection.get();
  connections_.emplace(*socket, std::move(connection));
}

void Runtime::schedule_connect(SessionSlot& slot) {
  slot.connect_at = now_.mono + slot.settings.reconnect_interval;
  slot.endpoint = (slot.endpoint + 1) % slot.settings.connect.size();
  wake_at(slot.connect_at);
}

void Runtime::on_connected(Connection& connection) {
  connection.established = true;
  connection.deadline = kNever;
  if (connection.slot == nullptr) return;
  report(observe::Severity::Info, connection.slot->name,
         "connected to " + seams_.network->peer_name(connection.socket));
  transact(*connection.slot,
           [this](session::StateMachine& machine) { machine.on_connected(now_); });
}

void Runtime::on_readable(Connection& connection) {
  if (connection.partial.size() <= kSmallPartialBytes) {
    receive_small(connection);
  } else {
    receive_large(connection);
  }
}

void Runtime::receive_small(Connection& connection) {
  std::vector<char>& partial = connection.partial;
  const std::size_t kept = partial.size();
  std::copy(partial.begin(), partial.end(), receive_buffer_.begin());
  const transport::IoResult result =
      seams_.network->receive(connection.socket, std::span{receive_buffer_}.subspan(kept));
  if (result.status == transport::IoStatus::Ok) {
    const std::string_view bytes{receive_buffer_.data(), kept + result.bytes};
    const std::size_t done =
        bytes.size() < connection.partial_needed ? 0 : take_frames(connection, bytes);
    partial.assign(bytes.begin() + static_cast<std::ptrdiff_t>(done), bytes.end());
  }
  on_received(connection, result);
}

void Runtime::receive_large(Connection& connection) {
  std::vector<char>& partial = connection.partial;
  const std::size_t kept = partial.size();
  partial.resize(kept + kLargeReceiveBytes);
  const transport::IoResult result =
      seams_.network->receive(connection.socket, std::span{partial}.subspan(kept));
  const std::size_t received = result.status == transport::IoStatus::Ok ? result.bytes : 0;
  partial.resize(kept + received);
  if (partial.size() >= connection.partial_needed) {
    const std::size_t done = take_frames(connection, {partial.data(), partial.size()});
    partial.erase(partial.begin(), partial.begin() + static_cast<std::ptrdiff_t>(done));
  }
  on_received(connection, result);
}

void Runtime::on_received(Connection& connection, transport::IoResult result) {
  if (connection.socket == 0) return;  // Closed by what it sent.
  switch (result.status) {
    case transport::IoStatus::Ok:
      if (connection.slot == nullptr && connection.partial.size() > kBeforeLogonBytesMax) {
        refuse(connection, "more bytes than a Logon may have, and no Logon");
      }
      break;
    case transport::IoStatus::WouldBlock:
      break;
    case transport::IoStatus::Closed:
      close(connection, connection.partial.empty()
                            ? "closed by the counterparty"
                            : "closed by the counterparty in the middle of a message");
      break;
    case transport::IoStatus::Failed:
      close(connection, seams_.network->last_error(connection.socket));
      break;
  }
}

std::size_t Runtime::take_frames(Connection& connection, std::string_view bytes) {
  std::size_t done = 0;
  connection.partial_needed = 0;
  while (done < bytes.size()) {
    // Nothing that follows our last word is listened to.
    if (connection.socket == 0 || connection.closing || store_failed_) return bytes.size();
    const std::string_view rest = bytes.substr(done);
    const wire::FrameResult frame = wire::next_frame(rest, limits_);
    if (frame.status == wire::FrameStatus::NeedMore) {
      connection.partial_needed = frame.size;
      break;
    }
    if (frame.status == wire::FrameStatus::Complete) {
      take_frame(connection, rest.substr(0, frame.size));
    } else {
      take_garbled(connection, frame.reason);
    }
    done += frame.size;
  }
  return done;
}

void Runtime::take_frame(Connection& connection, std::string_view frame) {
  if (connection.slot == nullptr && frame.size() > kBeforeLogonBytesMax) {
    refuse(connection, "more bytes than a Logon may have");
    return;
  }
  const auto message = parser_.parse(frame);
  if (!message) {
    take_garbled(connection, message.error().reason);
    return;
  }
  ++stats_.messages_in;
  if (connection.slot == nullptr && !bind(connection, *message)) return;
  SessionSlot& slot = *connection.slot;
  transact(slot, [&](session::StateMachine& machine) { machine.on_message(*message, now_); });
  feed_held(slot);
}

void Runtime::take_garbled(Connection& connection, wire::GarbledReason reason) {
  ++stats_.garbled;
  if (connection.slot == nullptr) {
    refuse(connection, "what came first is no FIX message: " + std::string{to_string(reason)});
    return;
  }
  transact(*connection.slot,
           [&](session::StateMachine& machine) { machine.on_garbled(reason, now_); });
}

// The first message names the session. Whoever cannot be placed is closed without a word, because
// an answer would use up a number of a session that is not proven (test cases 1S b, c and e).
bool Runtime::bind(Connection& connection, const wire::MessageView& logon) {
  if (logon.msg_type() != std::string_view{"A"}) {
    refuse(connection, "the first message is not a Logon");
    return false;
  }
  SessionSlot* slot = find_acceptor(connection, logon);
  if (slot == nullptr) {
    refuse(connection, "no session of this configuration has these CompIDs and this BeginString: " +
                           describe_identity(logon));
    return false;
  }
  if (slot->connection != nullptr) {
    refuse(connection, "session " + slot->name + " is logged on from elsewhere already");
    return false;
  }
  connection.slot = slot;
  connection.deadline = kNever;
  slot->connection = &connection;
  report_peer(observe::Severity::Info, slot->name,
              "connection from " + seams_.network->peer_name(connection.socket));
  transact(*slot, [this](session::StateMachine& machine) { machine.on_connected(now_); });
  return connection.socket != 0 && !connection.closing;
}

SessionSlot* Runtime::find_acceptor(const Connection& connection, const wire::MessageView& logon) {
  const auto sender = logon[tag::SenderCompID];
  const auto target = logon[tag::TargetCompID];
  if (!sender || !target) return nullptr;
  const session::SessionId id{
      std::string{logon.begin_string()}, std::string{*target}, std::string{*sender}, {}};
  const auto found = acceptors_.find(id.to_string());
  if (found == acceptors_.end() || found->second->listener != connection.listener) return nullptr;
  return found->second;
}

void Runtime::refuse(Connection& connection, std::string_view why) {
  ++stats_.connections_refused;
  report_peer(observe::Severity::Warning, {},
              "connection from " + seams_.network->peer_name(connection.socket) +
                  " closed: " + std::string{why});
  close(connection, {});
}

void Runtime::mark_unsent(Connection& connection) {
  if (connection.unsent) return;
  connection.unsent = true;
  unsent_.push_back(connection.socket);
}

void Runtime::send_waiting(Connection& connection) {
  while (!connection.outbound.empty()) {
    const transport::IoResult result =
        seams_.network->send(connection.socket, connection.outbound.waiting());
    if (result.status == transport::IoStatus::Failed ||
        result.status == transport::IoStatus::Closed) {
      close(connection, seams_.network->last_error(connection.socket));
      return;
    }
    if (result.status == transport::IoStatus::WouldBlock || result.bytes == 0) {
      connection.blocked = true;
      break;
    }
    connection.outbound.take(result.bytes);
  }
  if (connection.outbound.empty() && connection.closing) {
    close(connection, {});
  } else if (connection.slot != nullptr && connection.slot->replay &&
             connection.outbound.size() <= kReplayUnsentBytesMax) {
    replay_ready_ = true;  // There is room again for a resend that waited for it.
  }
}

void Runtime::enforce_outbound_limit(Connection& connection) {
  if (connection.slot == nullptr) return;
  const std::size_t waiting = connection.outbound.size() + connection.slot->behind_replay.size();
  if (waiting <= kOutboundBytesMax) return;
  close(connection, "slow consumer: " + std::to_string(waiting) + " bytes wait for it");
}

void Runtime::close(Connection& connection, std::string_view why) {
  const auto found = connections_.find(connection.socket);
  if (found == connections_.end()) return;
  seams_.network->close(connection.socket);
  closed_.push_back(std::move(found->second));
  connections_.erase(found);
  connection.socket = 0;
  SessionSlot* slot = std::exchange(connection.slot, nullptr);
  if (slot == nullptr) return;
  slot->connection = nullptr;
  slot->held.clear();
  slot->held_bytes = 0;
  slot->replay.reset();
  slot->behind_replay.clear();
  if (!why.empty()) report_peer(observe::Severity::Info, slot->name, why);
  if (connection.established) {
    transact(*slot, [this](session::StateMachine& machine) { machine.on_disconnected(now_); });
  }
  if (!slot->wants_connection) return;
  if (std::exchange(slot->log_on_wanted, false)) {
    slot->connect_at = now_.mono;
    wake_at(slot->connect_at);
  } else {
    schedule_connect(*slot);
  }
}

}  // namespace nexusfix::engine
