// Resolves host names without making the event loop wait.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <nexusfix/transport/network.hpp>

#include "transport/api/address.hpp"
#include "transport/tcp/descriptor.hpp"

namespace nexusfix::transport {

// An eventfd, which may be shared with threads that outlive the network.
struct Wakeup {
  Descriptor descriptor;
  // Any thread, any signal handler; leaves errno as it was.
  void signal() const noexcept;
};

using Lookup = std::function<Resolution(const Endpoint&)>;

struct ResolverAnswer {
  SocketId socket = 0;
  Resolution resolution;
};

// Resolves names one after the other on its own thread, which ends when there are none left. The
// system's resolver cannot be interrupted, so the destructor does not wait for it: the thread keeps
// alive what it needs, and its late answer is dropped.
class Resolver {
 public:
  // notify: called when there are answers, on any thread; never after the destructor.
  Resolver(Lookup lookup, std::function<void()> notify);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // consume_answers() returns the answer after notify() was called.
  void ask(SocketId socket, const Endpoint& endpoint);
  [[nodiscard]] std::vector<ResolverAnswer> consume_answers();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace nexusfix::transport
