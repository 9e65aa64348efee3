#include "gateway/door/web_socket_door.hpp"

#include <array>
#include <chrono>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "gateway/door/open_web_socket.hpp"
#include "transport/api/tls.hpp"

namespace nexusfix::gateway {
namespace {

using Failed = std::unexpected<std::string>;
using transport::Ready;
using ReadyKind = transport::Ready::Kind;

std::expected<std::shared_ptr<transport::TlsContext>, std::string> tls_of(
    const WebSocketSettings& settings, Disk& disk) {
  const bool asks = !settings.authorities_file.empty();
  auto tls = transport::TlsContext::make(
      {.role = transport::TlsRole::Acceptor,
       .certificate_file = settings.certificate_file,
       .key_file = settings.certificate_key_file,
       .authorities_file = settings.authorities_file,
       .client_certificate =
           asks ? transport::ClientCertificate::Required : transport::ClientCertificate::NotAsked},
      disk);
  if (!tls) return Failed{"WebSocketCertificateFile: " + tls.error().text};
  return std::move(*tls);
}

}  // namespace

std::expected<std::unique_ptr<WebSocketDoor>, std::string> WebSocketDoor::open(
    const WebSocketSettings& settings, FieldNames names, Disk& disk) {
  std::unique_ptr<WebSocketDoor> door{new WebSocketDoor};
  door->host_ = transport::without_brackets(settings.host);
  door->shared_.origins = settings.origins;
  door->shared_.names = std::move(names);
  auto network = transport::make_epoll_network();
  if (!network) return Failed{"WebSocketPort: " + network.error().text};
  door->network_ = std::move(*network);
  transport::Endpoint endpoint{.host = door->host_, .port = settings.port.value_or(0)};
  if (!settings.certificate_file.empty()) {
    auto tls = tls_of(settings, disk);
    if (!tls) return Failed{std::move(tls.error())};
    endpoint.tls = std::move(*tls);
    door->tls_network_ = transport::make_tls_network(*door->network_);
  }
  door->shared_.network = &door->network();
  const auto listener = door->network().listen(endpoint);
  if (!listener) return Failed{"WebSocketPort: " + listener.error().text};
  door->port_ = door->network().local_port(*listener);
  return door;
}

WebSocketDoor::~WebSocketDoor() {
  for (const transport::SocketId socket : accepted_) network().close(socket);
}

void WebSocketDoor::look() {
  std::array<Ready, 64> events;
  const std::size_t count = network().wait(events, std::chrono::nanoseconds{0});
  for (const Ready& ready : std::span{events}.first(count)) {
    if (ready.kind == ReadyKind::Accepted) {
      accepted_.push_back(ready.accepted);
    } else if (const auto found = shared_.links.find(ready.socket); found != shared_.links.end()) {
      // The gateway flushes each link in each turn: also one that has become writable.
      if (ready.kind != ReadyKind::Writable) found->second->set_readable();
    }
  }
  shared_.loop.poll();
}

void WebSocketDoor::poll() {
  if (!shared_.links.empty()) look();
}

AcceptedClient WebSocketDoor::accept() {
  if (accepted_.empty()) look();
  if (accepted_.empty()) return {};
  const transport::SocketId socket = accepted_.front();
  accepted_.pop_front();
  return {std::make_unique<WebSocketLink>(shared_, socket), network().peer_name(socket)};
}

std::string WebSocketDoor::address() const {
  return fmt::format("{}://{}:{}/", tls_network_ ? "wss" : "ws",
                     host_.contains(':') ? '[' + host_ + ']' : host_, port_);
}

std::expected<std::unique_ptr<ClientDoor>, std::string> open_web_socket(
    const WebSocketSettings& web, const config::Settings& settings, Disk& disk) {
  auto door = WebSocketDoor::open(web, FieldNames::of(settings, disk), disk);
  if (!door) return Failed{std::move(door.error())};
  return std::move(*door);
}

}  // namespace nexusfix::gateway
