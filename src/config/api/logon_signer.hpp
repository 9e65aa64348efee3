// Signs the Logons of an initiator, for the engine and for products: LogonSignature.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/wire/encoder.hpp>

#include "config/api/settings.hpp"
#include "transport/api/signing_key.hpp"

namespace nexusfix::config {

// Belongs to one session. The thread of its event loop.
class LogonSigner {
 public:
  using Text = std::expected<std::string, std::string>;

  // Reads the key: a file, which only its owner may read, a variable of the environment, or the
  // output of a command. Blocks. The error says what was expected, and shows nothing of the key.
  [[nodiscard]] static std::expected<std::shared_ptr<LogonSigner>, std::string> make(
      std::shared_ptr<const LogonSignature> rules, Disk& disk);

  LogonSigner(std::shared_ptr<const LogonSignature> rules,
              std::unique_ptr<transport::SigningKey> key)
      : rules_{std::move(rules)}, key_{std::move(key)} {}

  // Writes the nonce and the signature as the last fields of a Logon. The error: it cannot be
  // signed, and must not be sent.
  [[nodiscard]] std::expected<void, std::string> sign(wire::Encoder& logon, WallTime sending_time);
  // Both values for a Logon that the caller writes itself. The nonce of each call is a new one.
  // logon: `35=A` and the other fields, nonce included, with SOH between them.
  [[nodiscard]] Text nonce(WallTime sending_time);
  [[nodiscard]] Text signature(std::string_view logon) const;
  [[nodiscard]] const LogonSignature& rules() const noexcept { return *rules_; }

 private:
  std::shared_ptr<const LogonSignature> rules_;
  std::unique_ptr<transport::SigningKey> key_;
  std::uint64_t last_millis_ = 0;
};

// Makes the signers of all sessions that sign. Returns all errors, each at its LogonKey.
// with_commands: false: keys that a command prints are not read, and their sessions get no signer.
[[nodiscard]] SettingsErrors give_signers(Settings& settings, Disk& disk, bool with_commands);

}  // namespace nexusfix::config
