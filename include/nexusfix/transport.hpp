// Byte streams over a network, as one event loop sees them.
//
// What it is: a seam (Network) and its implementation over TCP with epoll. Listen, connect, and
// then wait() says which socket is ready for what. What it is not: it frames no messages, keeps no
// unsent bytes, reconnects nothing and has no timers; that is the engine's part.
//
// Threads: each event loop has a Network of its own. One thread at a time uses a Network, but for
// wake(), which any thread and any signal handler may call.
//
// Allocation: none for an event, a receive or a send; each new connection may allocate its place.
//
//   auto network = transport::make_epoll_network();
//   auto listener = (*network)->listen({.host = "127.0.0.1", .port = 5001});
//   std::array<transport::Ready, 64> events;
//   const std::size_t count = (*network)->wait(events, std::nullopt);
#pragma once

#include <nexusfix/transport/network.hpp>
