// What hostile counterparties send.
#pragma once

#include <cstddef>
#include <string>

namespace nexusfix::attack {

// The beginning of a Logon of a length that is allowed, and it does not end.
[[nodiscard]] std::string endless_logon();
// By turns: of CompIDs that nobody knows, with a wrong password, with a wrong CheckSum, with a
// wrong BodyLength, of a session that is logged on, an order instead, a length that no Logon has.
[[nodiscard]] std::string bad_logon(std::size_t number);

// Behind a Logon:
[[nodiscard]] std::string garbled_storm(std::size_t number);
[[nodiscard]] std::string test_requests(std::size_t number);
[[nodiscard]] std::string repeated_resends(std::size_t number);  // of all that there was, again
[[nodiscard]] std::string unread_orders(std::size_t number);
// Messages that come early, of 12 MiB, less than MaxHeldBytes allows: the gap is never filled.
[[nodiscard]] std::string early_orders(std::size_t number);

// To a port with TLS: random bytes, plain FIX, records that are none.
[[nodiscard]] std::string tls_rubbish(std::size_t number);
[[nodiscard]] std::string client_hello();
[[nodiscard]] std::string half_client_hello();

}  // namespace nexusfix::attack
