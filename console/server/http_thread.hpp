// An HTTP server with a network and a thread of its own.
#pragma once

#include <atomic>
#include <expected>
#include <memory>
#include <string>
#include <thread>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/transport/network.hpp>

#include "console/http/http_server.hpp"

namespace nexusfix::web {

// The metrics and the console have one each: they share no limit, so health is answered whatever
// the clients of the console do.
class HttpThread {
 public:
  HttpThread() = default;
  HttpThread(const HttpThread&) = delete;
  HttpThread& operator=(const HttpThread&) = delete;
  ~HttpThread() { stop(); }

  // Opens a port; it is served from start() on. site: must outlive this object. Returns the port in
  // use, or why there is none.
  [[nodiscard]] std::expected<std::uint16_t, std::string> open(const transport::Endpoint& endpoint,
                                                               Site& site);
  // After open().
  void start();
  void stop();

 private:
  SystemClock clock_;
  std::unique_ptr<transport::Network> network_;
  std::unique_ptr<transport::Network> tls_network_;  // wraps network_; null: no TLS
  std::unique_ptr<HttpServer> http_;
  std::atomic<bool> is_stopping_{false};
  std::thread thread_;
};

}  // namespace nexusfix::web
