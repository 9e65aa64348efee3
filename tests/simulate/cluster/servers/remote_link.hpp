// The network between the nodes and one service: messages take time, and may be late or lost when
// a node is cut off.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "context.hpp"

namespace nexusfix::simulator::cluster {

class RemoteLink {
 public:
  RemoteLink(Context& context, std::size_t nodes) : context_{context}, cut_(nodes, false) {}

  // A message of a node, or to it. What is sent into a partition is lost, or TCP delivers it when
  // the partition is over.
  void send(std::size_t node, std::function<void()> arrives);
  [[nodiscard]] bool is_cut(std::size_t node) const noexcept { return cut_[node]; }
  void cut(std::size_t node) { cut_[node] = true; }
  void mend(std::size_t node);

 private:
  struct Held {
    std::size_t node = 0;
    std::function<void()> arrives;
  };

  void deliver(std::size_t node, std::function<void()> arrives);

  Context& context_;
  std::vector<bool> cut_;
  std::vector<Held> held_;
};

}  // namespace nexusfix::simulator::cluster
