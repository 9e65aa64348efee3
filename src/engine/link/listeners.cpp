#include "engine/link/listeners.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

namespace nexusfix::engine {
namespace {

// The error names the line of the key that must change.
EngineError cannot_listen(const SessionSettings& settings, const std::string& file,
                          const transport::NetworkError& error) {
  const transport::Endpoint& endpoint = *settings.accept;
  const bool is_of_port =
      endpoint.host.empty() || error.error_number == EADDRINUSE || error.error_number == EACCES;
  const std::string what =
      is_of_port ? "SocketAcceptPort=" + std::to_string(endpoint.port) + ": " + error.text +
                       "; a port was expected that is free, and that this process may listen on"
                 : "SocketAcceptAddress=" + endpoint.host + ": " + error.text +
                       "; an address of this machine was expected";
  const std::size_t line = is_of_port ? settings.accept_port_line : settings.accept_host_line;
  return {SettingsError{file, line, what}.what()};
}

bool is_same(const transport::Endpoint& a, const transport::Endpoint& b) {
  return a.host == b.host && a.port == b.port;
}

}  // namespace

// Whether any session of the port, on any loop, accepts connections from this address.
bool Listeners::is_address_allowed(const Listener& listener, std::string_view peer_name) {
  const std::string_view address = transport::peer_address_of(peer_name);
  return loop_.shared.directory ? loop_.shared.directory->allows(listener.endpoint, address)
                                : listener.allowed.contains(address);
}

std::uint16_t Listeners::accept_port() const noexcept {
  return listeners_.empty() ? std::uint16_t{0} : listeners_.front().port;
}

void Listeners::append_accept_endpoints(std::vector<transport::Endpoint>& endpoints) const {
  for (const Listener& listener : listeners_) {
    if (!listener.is_listening()) continue;
    endpoints.push_back(listener.endpoint);
    endpoints.back().port = listener.port;
  }
}

// The setting that differs, such as "TLS"; empty: none.
std::string_view Listeners::difference_from(const transport::Endpoint& used,
                                            const transport::Endpoint& wanted) const {
  if (used.tls != wanted.tls) return "TLS";
  if (used.trusted_proxies != wanted.trusted_proxies) return "UseTCPProxy";
  return loop_.shared.directory ? loop_.shared.directory->difference(wanted) : std::string_view{};
}

std::expected<void, transport::NetworkError> Listeners::open_listener(
    Listener& listener, const transport::Endpoint& wanted) {
  const auto listen = [&]() -> std::expected<void, transport::NetworkError> {
    const auto socket = loop_.network->listen(wanted);
    if (!socket) return std::unexpected{socket.error()};
    listener.listen_with(*socket);
    return {};
  };
  if (!loop_.shared.directory) {
    if (listener.is_listening()) return {};
    auto done = listen();
    if (!done && done.error().error_number == EADDRINUSE && displace_for(wanted)) done = listen();
    return done;
  }
  const auto is_own = loop_.shared.directory->claim(wanted, loop_.index, listen);
  if (!is_own) return std::unexpected{is_own.error()};
  if (!*is_own) listener.listen_elsewhere();
  return {};
}

// Sessions of one endpoint share its listener.
std::expected<std::size_t, EngineError> Listeners::listen_for(const SessionSettings& settings,
                                                              const std::string& file) {
  const transport::Endpoint& wanted = *settings.accept;
  std::size_t index = 0;
  while (index < listeners_.size() && !is_same(listeners_[index].endpoint, wanted)) ++index;
  if (index == listeners_.size()) listeners_.push_back({.endpoint = wanted});
  Listener& listener = listeners_[index];
  if (!listener.is_open()) listener.endpoint = wanted;
  if (const std::string_view different = difference_from(listener.endpoint, wanted);
      !different.empty() && !listens_by_file_) {
    const std::string what = "[SESSION]: its " + std::string{different} +
                             " differs from that of who listens there already";
    return std::unexpected{EngineError{SettingsError{file, settings.line, what}.what()}};
  }
  const bool was_listening = listener.is_listening();
  if (auto opened = open_listener(listener, wanted); !opened) {
    return std::unexpected{cannot_listen(settings, file, opened.error())};
  }
  if (listener.is_listening() && !was_listening) {
    listener.port = loop_.network->local_port(listener.socket);
    listener.logon_timeout = {};
    listener.allowed = {};
    listener.pending_limits = {};
    listener.logon_bytes_max = 0;
    const std::string host = wanted.host.empty() ? "*" : wanted.host;
    loop_.report.engine(EventId::PortOpened,
                        "listening on " + host + " port " + std::to_string(listener.port));
  }
  listener.logon_timeout = std::max(listener.logon_timeout, settings.session.logon.timeout);
  listener.pending_limits.widen(
      {settings.admission.pending_logons_max, settings.admission.pending_logons_per_address_max});
  listener.logon_bytes_max = std::max(listener.logon_bytes_max, settings.limits.logon_bytes_max);
  listener.allowed.allow(settings.admission.allowed_remote_addresses);
  if (loop_.shared.directory) {
    loop_.shared.directory->allow(wanted, loop_.index, listener.allowed, listener.logon_bytes_max);
  }
  return index;
}

// Tries each endpoint once, however many sessions share it.
std::expected<void, EngineError> Listeners::could_listen(const Settings& settings) const {
  std::vector<const transport::Endpoint*> asked;
  EngineError errors;
  for (const SessionSettings& one : settings.sessions) {
    if (!one.accept || std::ranges::any_of(asked, [&](const transport::Endpoint* other) {
          return is_same(*other, *one.accept);
        })) {
      continue;
    }
    asked.push_back(&*one.accept);
    const auto could = loop_.network->could_listen(*one.accept);
    if (could) continue;
    if (!errors.text.empty()) errors.text += '\n';
    errors.text += cannot_listen(one, settings.file, could.error()).text;
  }
  if (errors.text.empty()) return {};
  return std::unexpected{std::move(errors)};
}

// A reload that is not applied yet may need a listener, too.
void Listeners::close_unused(FunctionRef<bool(std::size_t)> is_used) {
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    Listener& one = listeners_[i];
    if (!one.is_open() || one.in_reload == ListenerInReload::Kept || is_used(i)) continue;
    if (!loop_.shared.directory) {
      close_listener(one);
      continue;
    }
    one.leave_elsewhere();
    const auto unused = loop_.shared.directory->leave(one.endpoint, loop_.index);
    if (unused == loop_.index) {
      loop_.shared.directory->retire(one.endpoint, loop_.index, [&] { close_listener(one); });
    } else if (unused) {
      loop_.shared.directory->close_unused(*unused);
    }
  }
}

// A process cannot listen on all addresses of a port and on one of them at the same time. When a
// reload moves a session from the one to the other, the old listener is therefore closed before the
// reload is applied. Several loops share their listeners, and one loop does not know what another
// one needs: there the move takes two reloads.
bool Listeners::displace_for(const transport::Endpoint& wanted) noexcept {
  bool any = false;
  for (Listener& one : listeners_) {
    const bool leaves = one.in_reload == ListenerInReload::Leaving && one.is_listening();
    if (!leaves || one.endpoint.port != wanted.port) continue;
    loop_.network->close(one.stop_listening(ListenerState::Displaced));
    any = true;
  }
  return any;
}

// The reload failed: listens again on the displaced ports.
void Listeners::open_displaced() noexcept {
  for (Listener& one : listeners_) {
    one.note_leaving(false);
    if (one.state != ListenerState::Displaced) continue;
    one.state = ListenerState::Closed;
    loop_.boundary.run([&] {
      const auto socket = loop_.network->listen(one.endpoint);
      if (socket) one.listen_with(*socket);
      if (!socket) {
        loop_.report.engine(EventId::PortNotReopened,
                            {"cannot listen again: ", socket.error().text});
      }
    });
  }
}

void Listeners::close_listener(Listener& listener) {
  loop_.network->close(listener.stop_listening(ListenerState::Closed));
  loop_.report.engine(EventId::PortClosed,
                      {"port ", listener.port, " is closed: no session is left for it"});
}

Listener* Listeners::find(const transport::Endpoint& endpoint) noexcept {
  const auto found = std::ranges::find_if(
      listeners_, [&](const Listener& one) { return is_same(one.endpoint, endpoint); });
  return found == listeners_.end() ? nullptr : &*found;
}

void Listeners::close_all() noexcept {
  for (Listener& one : listeners_) {
    if (one.is_listening()) loop_.network->close(one.stop_listening(ListenerState::Closed));
  }
}

}  // namespace nexusfix::engine
