// The texts of Hello and Welcome: docs/reference/gateway-protocol.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace nexusfix::gateway {

// The body of a Hello has at most this number of bytes.
inline constexpr std::size_t kHelloBytesMax = 64U << 10U;

// A message of a session: its place in the order of all of them.
struct MessagePlace {
  std::uint64_t epoch = 0;
  std::uint64_t msg_seq_num = 0;
  // By epoch, then by MsgSeqNum.
  friend auto operator<=>(const MessagePlace&, const MessagePlace&) = default;
};

// The last message that a client has handled in one direction of a session.
struct Cursor {
  std::string session;
  bool is_sent = false;  // of the messages that the session has sent
  MessagePlace place;
  // Member by member.
  friend bool operator==(const Cursor&, const Cursor&) = default;
};

struct HelloText {
  std::string name;
  std::string token;
  // The layout of shared memory that the client asks for; 0: it stays at its socket.
  std::uint32_t ring_version = 0;
  std::vector<Cursor> cursors{};
  // After a Refused, no higher number is accepted before the refused one is used again.
  bool is_in_order = false;
  // Member by member.
  friend bool operator==(const HelloText&, const HelloText&) = default;
};

// The error is one line for the client.
[[nodiscard]] std::expected<HelloText, std::string> read_hello(std::string_view body);
[[nodiscard]] std::string write_hello(const HelloText& hello);

// The shared memory that a client gets: docs/reference/gateway-memory.md.
struct RingPath {
  std::uint64_t key = 0;
  std::string path;  // of the file; empty: the client gets none
  // Member by member.
  friend bool operator==(const RingPath&, const RingPath&) = default;
};

// A session, as a client sees it.
struct WelcomeSession {
  std::uint32_t index = 0;
  std::uint64_t epoch = 1;
  std::uint64_t received = 0;  // the last MsgSeqNum of this epoch; 0: none
  std::uint64_t sent = 0;
  bool is_logged_on = false;
  std::string name;
  // Member by member.
  friend bool operator==(const WelcomeSession&, const WelcomeSession&) = default;
};

struct WelcomeText {
  std::string gateway;  // its version
  std::string role;     // "trader" or "observer"
  RingPath ring{};
  std::vector<WelcomeSession> sessions;
  // Member by member.
  friend bool operator==(const WelcomeText&, const WelcomeText&) = default;
};

[[nodiscard]] std::expected<WelcomeText, std::string> read_welcome(std::string_view body);
[[nodiscard]] std::string write_welcome(const WelcomeText& welcome);

}  // namespace nexusfix::gateway
