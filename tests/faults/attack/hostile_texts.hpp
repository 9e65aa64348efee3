// What hostile counterparties send.
#pragma once

#include <cstddef>
#include <string>

namespace nexusfix::attack {

// The beginning of a Logon of an allowed length, without an end.
[[nodiscard]] std::string endless_logon();
// In turn: unknown CompIDs, a wrong password, a wrong CheckSum, a wrong BodyLength, a session that
// is logged on already, an order instead, a length above the limit.
[[nodiscard]] std::string bad_logon(std::size_t number);

// After a Logon:
[[nodiscard]] std::string garbled_storm(std::size_t number);
[[nodiscard]] std::string test_requests(std::size_t number);
[[nodiscard]] std::string repeated_resends(std::size_t number);  // of everything, again and again
// Messages without an end, and messages that take long to check: 0.9 MB each.
[[nodiscard]] std::string costly_streams(std::size_t number);
[[nodiscard]] std::string unread_orders(std::size_t number);
// The counterparties HOARDER0, HOARDER1, ... that send early messages.
inline constexpr std::size_t kHoarders = 4;
// Early messages of 12 MiB, less than may be held: the gap is never filled.
[[nodiscard]] std::string early_orders(std::size_t number);

// To a port with TLS: random bytes, plain FIX, invalid records.
[[nodiscard]] std::string tls_rubbish(std::size_t number);
[[nodiscard]] std::string client_hello();
[[nodiscard]] std::string half_client_hello();

}  // namespace nexusfix::attack
