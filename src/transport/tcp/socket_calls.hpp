// The system calls on sockets that more than one file needs.
#pragma once

#include <string>
#include <string_view>
#include <sys/socket.h>

#include <nexusfix/transport/network.hpp>

#include "transport/tcp/descriptor.hpp"

namespace nexusfix::transport {

// "listen 127.0.0.1:5001: Address already in use"
[[nodiscard]] std::string explain(std::string_view operation, std::string_view where,
                                  int error_number);
// The error in errno.
[[nodiscard]] NetworkError error_now(std::string_view operation, std::string_view where);

template <class Value>
void set_option(int descriptor, int level, int option, Value value) noexcept {
  // Without one of these options the kernel notices a dead peer later; nothing else breaks.
  static_cast<void>(::setsockopt(descriptor, level, option, &value, sizeof value));
}

// FIX messages are small and urgent: no Nagle. Keepalive and the user timeout end a connection
// whose peer has vanished, also when no heartbeats were agreed.
void tune(int descriptor, const SocketOptions& options) noexcept;
// To call before a socket listens or connects: TCP negotiates windows then.
void size_buffers(int descriptor, int family, const SocketOptions& options) noexcept;

[[nodiscard]] Descriptor open_reserve() noexcept;
[[nodiscard]] int unacknowledged_bytes(int descriptor) noexcept;
// The pending error (SO_ERROR), which this call clears.
[[nodiscard]] int consume_socket_error(int descriptor) noexcept;

}  // namespace nexusfix::transport
