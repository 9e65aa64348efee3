// Who may attach, and which messages belong to which client.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nexusfix::gateway {

// The fields that decide whose message it is. An absent one is empty.
struct OwnerFields {
  std::string_view msg_type;   // MsgType (35)
  std::string_view account;    // Account (1)
  std::string_view symbol;     // Symbol (55)
  std::string_view cl_ord_id;  // ClOrdID (11); without one, OrigClOrdID (41)
};

// A part of a session's messages. An empty list: any value.
struct MessageRule {
  std::vector<std::string> msg_types;
  std::vector<std::string> accounts;
  std::vector<std::string> symbols;
  std::vector<std::string> cl_ord_id_prefixes;

  [[nodiscard]] bool matches(const OwnerFields& fields) const noexcept;
  // Whether it has all messages.
  [[nodiscard]] bool is_everything() const noexcept;
};

// What a client may do.
enum class ClientRole : std::uint8_t {
  Trader,    // it sends messages, and receives those that it owns
  Observer,  // it receives a copy of every message, and sends none
};

// What happens to a session while a client that owns its messages is not attached.
enum class WhenAway : std::uint8_t {
  Wait,    // its messages wait in the journal
  LogOut,  // the session logs out, and on again when the client attaches
  Reject,  // they are answered with a BusinessMessageReject (j), and the client never gets them
};

struct ClientRights {
  std::string name;
  std::string token;
  ClientRole role = ClientRole::Trader;
  std::vector<std::string> sessions;  // names; empty: all
  MessageRule rule;                   // of a trader
  WhenAway when_away = WhenAway::Wait;
  std::size_t queue_bytes = std::size_t{64} << 20U;  // that may wait for the client
  std::size_t line = 0;                              // of its section

  [[nodiscard]] bool may_see(std::string_view session) const noexcept;
  [[nodiscard]] bool is_observer() const noexcept { return role == ClientRole::Observer; }
};

// The trader that owns a message of a session: the first one whose rule has it. Null: none.
[[nodiscard]] const ClientRights* owner_of(std::span<const ClientRights> clients,
                                           std::string_view session,
                                           const OwnerFields& fields) noexcept;

// Compares all bytes, also after a difference: the time says nothing of the token.
[[nodiscard]] bool is_token(const ClientRights& client, std::string_view token) noexcept;

}  // namespace nexusfix::gateway
