// Verifies the signature of a counterparty's Logon, by the LogonSignature of its configuration: one
// text describes what is signed for both sides.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/api/secret.hpp"
#include "config/api/settings.hpp"
#include "tester/script/condition.hpp"

namespace nexusfix::venues {

// One thread at a time.
class LogonVerifier {
 public:
  // key: of Ed25519 and RSA a public key in PEM; otherwise the shared secret, in the form that
  // LogonKey names. The error says what was expected, and shows nothing of the key.
  [[nodiscard]] static std::expected<std::unique_ptr<LogonVerifier>, std::string> make(
      std::shared_ptr<const config::LogonSignature> rules, std::string_view key);

  virtual ~LogonVerifier() = default;

  // Whether the Logon has the signature of the key. The error says what is missing or wrong.
  [[nodiscard]] std::expected<void, std::string> verify(
      const std::vector<tester::ReceivedField>& logon) const;

  [[nodiscard]] const config::LogonSignature& rules() const noexcept { return *rules_; }

 protected:
  explicit LogonVerifier(std::shared_ptr<const config::LogonSignature> rules)
      : rules_{std::move(rules)} {}

 private:
  [[nodiscard]] std::expected<std::string, std::string> text_of(
      const std::vector<tester::ReceivedField>& logon) const;
  [[nodiscard]] virtual bool is_signature(std::string_view text,
                                          std::string_view signature) const = 0;
  [[nodiscard]] virtual std::string_view secret() const noexcept = 0;

  std::shared_ptr<const config::LogonSignature> rules_;
};

}  // namespace nexusfix::venues
