// The connections of one event loop, by their sockets.
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nexusfix/transport/network.hpp>

#include "engine/ground/loop_context.hpp"

namespace nexusfix::engine {

// Owns the connections. find() takes one step if the low bits of the ids differ, as those of
// sockets that are numbered from 0 on. It finds every connection, whatever the ids are.
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

}  // namespace nexusfix::engine
