#include "console/server/http_thread.hpp"

#include <algorithm>
#include <sys/resource.h>
#include <utility>

#include "transport/api/tls.hpp"

namespace nexusfix::web {
namespace {

// At most a quarter of the process's descriptors for each port: the others are for FIX connections
// and for files.
HttpLimits limits_of_process() {
  HttpLimits limits;
  rlimit descriptors{};
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return limits;
  const auto share = static_cast<std::size_t>(descriptors.rlim_cur / 4);
  limits.connections_max = std::clamp<std::size_t>(share, 8, limits.connections_max);
  limits.per_source_max = limits.connections_max * 7 / 8;
  return limits;
}

}  // namespace

std::expected<std::uint16_t, std::string> HttpThread::open(const transport::Endpoint& endpoint,
                                                           Site& site) {
  auto network = transport::make_epoll_network();
  if (!network) return std::unexpected{network.error().text};
  network_ = std::move(*network);
  if (endpoint.tls) tls_network_ = transport::make_tls_network(*network_);
  http_ = std::make_unique<HttpServer>(tls_network_ ? *tls_network_ : *network_, clock_,
                                       limits_of_process());
  return http_->listen(endpoint, site);
}

void HttpThread::start() {
  thread_ = std::thread{[this] {
    while (!is_stopping_.load()) http_->turn();
  }};
}

void HttpThread::stop() {
  if (!thread_.joinable()) return;
  is_stopping_.store(true);
  network_->wake();
  thread_.join();
}

}  // namespace nexusfix::web
