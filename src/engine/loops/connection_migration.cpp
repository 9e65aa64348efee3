// Connections whose session lives on another event loop.
#include <algorithm>
#include <string>
#include <unistd.h>
#include <utility>

#include <nexusfix/base/secret.hpp>

#include "engine/loop/event_loop.hpp"

namespace nexusfix::engine {

std::optional<std::uint32_t> EventLoop::other_loop_of(const wire::MessageView& logon) {
  if (!seams_.directory) return std::nullopt;
  const auto id = id_of(logon);
  const auto other = id ? seams_.directory->find(*id) : std::nullopt;
  return other == loop() ? std::nullopt : other;
}

bool EventLoop::is_of_another_loop(Connection& connection, const wire::MessageView& logon) {
  const auto other = other_loop_of(logon);
  if (!other) return false;
  connection.migrates_to = *other;
  connection.migration_bytes = logon.bytes();
  return true;
}

// rest: what was received behind the Logon. Nothing of the connection stays here.
void EventLoop::migrate(Connection& connection, std::string_view rest) {
  // Neither here nor there remains a password of the Logon.
  const WipedAtEnd logon{connection.migration_bytes};
  const std::uint32_t other = *connection.migrates_to;
  // What needs memory comes first: nobody looks after a connection that is out of the network.
  LoopDirectory::MigratedConnection handed{
      .connection = {}, .endpoint = listeners_[connection.listener].endpoint, .bytes = {}};
  handed.bytes.reserve(connection.migration_bytes.size() + rest.size());
  handed.bytes.append(connection.migration_bytes).append(rest);
  const std::string lost = "connection from " + seams_.network->peer_name(connection.socket) +
                           " closed: its session's event loop does not take it";
  const transport::Source source = connection.source;
  transport::Detached detached = seams_.network->detach(connection.socket);
  if (detached.descriptor < 0) {
    connection.migrates_to.reset();
    return refuse(connection, EventId::ConnectionNotMigrated,
                  "it cannot be moved to its session's event loop");
  }
  leave_pending(connection);
  connection_timers_.disarm(connection);
  closed_.push_back(connections_.take(connection.socket));
  connection.socket = 0;
  handed.connection = std::move(detached);
  if (seams_.directory->migrate(other, std::move(handed))) return;
  ++stats_.connections_refused;
  report_.unauthenticated(EventId::ConnectionNotMigrated, source, {}, lost);
}

void EventLoop::on_migrated() {
  if (!seams_.directory) return;
  LoopDirectory::Arrived arrived = seams_.directory->take(loop());
  for (LoopDirectory::MigratedConnection& one : arrived.connections) {
    transport::SocketId socket = 0;
    if (with_memory([&] { attach(std::move(one), socket); })) continue;
    if (socket != 0) {
      abort_ready(transport::Ready{transport::ReadyKind::Accepted, 0, socket});
    } else {
      ++stats_.connections_refused;
    }
  }
  while (arrived.tasks) {
    const std::unique_ptr<LoopTask> task = std::move(arrived.tasks);
    arrived.tasks = std::move(task->next);
    static_cast<void>(with_memory([&] { task->run(*this); }));
  }
}

// attached: what it is from then on, whatever happens behind that.
void EventLoop::attach(LoopDirectory::MigratedConnection handed, transport::SocketId& attached) {
  const WipedAtEnd logon{handed.bytes};
  const auto is_it = [&](const Listener& one) {
    return one.endpoint.host == handed.endpoint.host && one.endpoint.port == handed.endpoint.port;
  };
  const auto listener = std::ranges::find_if(listeners_, is_it);
  if (stopping_ || store_failed_ || listener == listeners_.end()) {
    ::close(handed.connection.descriptor);
    ++stats_.connections_refused;
    return;
  }
  const auto socket = seams_.network->attach(std::move(handed.connection));
  if (!socket) {
    ++stats_.connections_refused;
    return report_.engine_limited(EventId::MigratedConnectionLost, socket.error().text);
  }
  attached = *socket;
  Connection* const connection =
      await_logon(*listener, *socket, seams_.network->peer_name(*socket));
  if (connection != nullptr) on_bytes(*connection, handed.bytes);
}

}  // namespace nexusfix::engine
