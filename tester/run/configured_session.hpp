// The tester's session from a configuration file, as a client has it: --config.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/transport/network.hpp>

#include "tester/play/own_fields.hpp"
#include "transport/api/tls.hpp"

namespace nexusfix::tester {

struct ConfiguredSession {
  std::string sender_comp_id{};
  std::string target_comp_id{};
  std::size_t version = 0;                      // index into kVersions
  transport::Endpoint acceptor{};               // the first one of the file, without TLS
  std::optional<transport::TlsSettings> tls{};  // nothing: plain TCP
  std::shared_ptr<OwnFields> own{};             // never null
};

// Which sessions of the file are wanted. Empty: any.
struct WantedSessions {
  std::vector<std::string> senders{};
  std::string target{};
};

// Initiators of the file: one for each wanted sender, in their order; without senders the only one.
// Reads the key of a session whose Logon is signed, and so may block. The error names file, line
// and key, and shows nothing of a key.
[[nodiscard]] std::expected<std::vector<ConfiguredSession>, std::string> configured_sessions(
    const std::string& file, const WantedSessions& wanted, Disk& disk);

}  // namespace nexusfix::tester
