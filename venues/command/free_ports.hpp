// Ports of this machine that no program uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace nexusfix::venues {

// Different free ports of this address. Another program may take one before it is opened. Blocks
// for a name's address.
[[nodiscard]] std::expected<std::vector<std::uint16_t>, std::string> free_ports(
    const std::string& host, std::size_t count);

}  // namespace nexusfix::venues
