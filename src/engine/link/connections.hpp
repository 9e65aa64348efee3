// The connections of one event loop: sends their bytes, and closes their sockets. What the end of a
// connection means for its session: session/disconnector.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nexusfix/transport/network.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

// Owns the connections of one event loop. find() takes one step if the low bits of their sockets'
// ids differ, as those of sockets that are numbered from 0 on. It finds every connection, whatever
// the ids are.
class ConnectionTable {
 public:
  explicit ConnectionTable(LoopWork& work) noexcept : work_{work} {}

  using Owned = std::unordered_map<transport::SocketId, std::unique_ptr<Connection>>;

  // Its socket must not be in the table yet. If there is no memory, the table is unchanged and the
  // connection is destroyed.
  void add(std::unique_ptr<Connection> connection) {
    Connection& added = *connection;
    work_.set(Work::Links);
    if (const std::size_t places = 2 * (owned_.size() + 1); near_.size() < places) {
      near_ = std::vector<Connection*>(std::bit_ceil(places));
      for (const auto& [socket, one] : owned_) near_[place_of(socket)] = one.get();
    }
    owned_.emplace(added.socket_id(), std::move(connection));
    near_[place_of(added.socket_id())] = &added;
  }

  // Null: there is no such connection.
  [[nodiscard]] Connection* find(transport::SocketId socket) const noexcept {
    if (near_.empty()) return nullptr;
    Connection* const near = near_[place_of(socket)];
    if (near != nullptr && near->socket_id() == socket) [[likely]]
      return near;
    const auto found = owned_.find(socket);
    return found == owned_.end() ? nullptr : found->second.get();
  }

  // Null: there is no such connection.
  [[nodiscard]] std::unique_ptr<Connection> take(transport::SocketId socket) noexcept {
    const auto found = owned_.find(socket);
    if (found == owned_.end()) return nullptr;
    work_.set(Work::Links);
    std::unique_ptr<Connection> taken = std::move(found->second);
    owned_.erase(found);
    Connection*& near = near_[place_of(socket)];
    if (near == taken.get()) near = nullptr;
    return taken;
  }
  [[nodiscard]] Owned release_all() noexcept {
    work_.set(Work::Links);
    near_.clear();
    return std::exchange(owned_, {});
  }

  [[nodiscard]] std::size_t size() const noexcept { return owned_.size(); }
  [[nodiscard]] bool empty() const noexcept { return owned_.empty(); }
  // Pairs of a socket and the owner of its connection.
  [[nodiscard]] Owned::const_iterator begin() const noexcept { return owned_.begin(); }
  [[nodiscard]] Owned::const_iterator end() const noexcept { return owned_.end(); }

 private:
  [[nodiscard]] std::size_t place_of(transport::SocketId socket) const noexcept {
    return static_cast<std::size_t>(socket) & (near_.size() - 1);
  }

  LoopWork& work_;
  Owned owned_;
  std::vector<Connection*> near_;  // by the low bits of the id: the last one added of those that
                                   // share them
};

// Connections in their order. add() is small: each message that is sent calls it.
class ConnectionList {
 public:
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] Connection& operator[](std::size_t index) const noexcept {
    return *connections_[index];
  }
  void reserve(std::size_t count) {
    if (room_ >= count) return;
    connections_.resize(2 * count);
    room_ = connections_.size();
  }
  [[gnu::always_inline]] void add(Connection& connection) {
    if (count_ == room_) [[unlikely]]
      reserve(count_ + 1);
    connections_[count_++] = &connection;
  }
  // It must not be empty.
  [[nodiscard]] Connection& remove_last() noexcept { return *connections_[--count_]; }
  // The others keep their order.
  void remove_first(std::size_t count) noexcept {
    count_ -= count;
    if (count_ != 0) [[unlikely]]
      std::ranges::copy_n(connections_.data() + count, static_cast<std::ptrdiff_t>(count_),
                          connections_.data());
  }
  void drop_dead() noexcept;

 private:
  std::vector<Connection*> connections_;
  std::size_t room_ = 0;  // its size
  std::size_t count_ = 0;
};

// The event loop's thread only. A closed Connection lives until the end of the turn, with socket 0.
class Connections {
 public:
  explicit Connections(LoopContext& loop) noexcept : loop_{loop}, table_{loop.work} {}

  [[nodiscard]] const ConnectionTable& table() const noexcept { return table_; }
  // Null: there is no such connection.
  [[nodiscard]] Connection* find(transport::SocketId socket) const noexcept {
    return table_.find(socket);
  }
  // Requires reserve() before, so that closing the connection needs no memory for lists.
  void add(std::unique_ptr<Connection> connection) { table_.add(std::move(connection)); }
  void reserve();

  // ", TLSv1.3, ..." for the end of an event's text; empty: the connection is plain.
  [[nodiscard]] std::string protection_of(const Connection& connection) const;

  // The connection has bytes to send. Inlined: a call would save six registers.
  [[gnu::always_inline]] void mark_unsent(Connection& connection) {
    if (connection.is_unsent()) return;
    unsent_.add(connection);
    connection.set_unsent(true);
    loop_.work.set(Work::Unsent);
  }
  [[nodiscard]] bool has_unsent() const noexcept { return loop_.work.has(Work::Unsent); }
  // Sends the bytes that do not wait for a record after `durable`.
  void send_unsent(store::LogPosition durable) {
    if (!has_unsent()) return;
    loop_.work.clear(Work::Unsent);
    // Those that must wait are added again.
    if (unsent_.size() == 1) [[likely]]
      return send_or_keep(unsent_.remove_last(), durable);
    send_each(durable);
  }

  // Closes a connection that has no session yet.
  void refuse(Connection& connection, EventId id, std::string_view why);
  void drop(Connection& connection) noexcept;  // without an event
  // Closes it when its last bytes have left; nothing more is received from it.
  void close_soon(Connection& connection);
  // It has a session, and ends in this turn: next_ended() returns it.
  void end(Connection& connection, EventId id, std::string_view why);
  [[nodiscard]] bool has_ended() const noexcept { return !ended_.empty(); }
  // A connection that end() has got, with its reason; null: there is none, or none any more.
  [[nodiscard]] Connection* next_ended() noexcept;
  // Ends the connections whose bytes wait for more than `durable`: the store has stalled.
  void end_stalled(store::LogPosition durable);
  // Closes it: there was no memory for one of its events.
  void abort(Connection& connection) noexcept;
  void abort(const transport::Ready& ready) noexcept;
  // Takes it out of the table and closes its socket. False: it has ended already.
  [[nodiscard]] bool cut(Connection& connection) noexcept;
  // Takes it out of the table; its socket belongs to another loop.
  void retire(Connection& connection) noexcept;
  // Closes all sockets at once, without a Logout: the store has failed.
  void abandon_all() noexcept;
  // Called at the end of the turn, when nothing points to closed connections.
  void destroy_closed() noexcept {
    if (!closed_.empty()) [[unlikely]]
      destroy_all_closed();
  }

 private:
  void destroy_all_closed() noexcept;
  void send_each(store::LogPosition durable);
  void send_or_keep(Connection& connection, store::LogPosition durable);
  [[nodiscard]] transport::IoResult send(const Connection& connection) {
    return loop_.network->send(connection.socket_id(), connection.outbound().waiting());
  }
  [[nodiscard]] bool is_plain(Connection& connection, store::LogPosition durable) const;
  void examine_and_send(Connection& connection, store::LogPosition durable);
  void send_more(Connection& connection, const transport::IoResult& first);
  void send_rest(Connection& connection, const transport::IoResult& first);
  void settle(Connection& connection);
  // The socket has taken bytes, or does not take them.
  void record_sent(Connection& connection, SessionEntry& entry) noexcept;
  void block(Connection& connection);
  void check_backlog(Connection& connection);
  void on_backlog(Connection& connection, std::size_t waiting);

  LoopContext& loop_;

  ConnectionTable table_;
  std::vector<std::unique_ptr<Connection>> closed_;  // until the end of the turn
  ConnectionList unsent_;                            // with bytes to send
  ConnectionList ended_;                             // for next_ended()
};

}  // namespace nexusfix::engine
