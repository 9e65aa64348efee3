// Who may use the console: operators' tokens, sign-ins, and the checks against other sites.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/transport/network.hpp>

#include "console/http/request.hpp"

namespace nexusfix::web {

// Takes the same time for all texts of one size.
[[nodiscard]] bool equals_in_constant_time(std::string_view a, std::string_view b) noexcept;

// One line of the token file: "anna:4f1c...".
struct OperatorToken {
  std::string name;
  std::string token;
};
inline constexpr std::size_t kTokenBytesMin = 24;
// Reads the file; without one, makes it with a random token, whole or not at all. It is an error if
// others than its owner may read it, and if a line is not "name:token" with a token of
// kTokenBytesMin bytes.
[[nodiscard]] std::expected<std::vector<OperatorToken>, std::string> load_tokens(
    Disk& disk, const std::string& path);

// An operator who has signed in.
struct SignIn {
  std::string identity;  // "anna", or the identity of a certificate
  std::string key;       // of the cookie; empty: a certificate or a header authenticates
  std::string csrf;      // what each act must repeat
  MonoTime used_at{};
};

// The server's thread.
class Access {
 public:
  static constexpr std::chrono::hours kIdleMax{12};
  static constexpr std::size_t kSignInsMax = 64;
  // More wrong tokens of one address within this time are answered late. A right one never is:
  // another user of the address, or a page of another site, must not keep its operator out.
  static constexpr unsigned kWrongTokensMax = 5;
  static constexpr std::chrono::seconds kWrongTokensTime{60};
  static constexpr std::size_t kAddressesMax = 1'000;  // that are remembered

  // has_tls: cookies are for HTTPS only. has_certificates: each client has shown a valid one.
  Access(bool has_tls, bool has_certificates) noexcept
      : has_tls_{has_tls}, has_certificates_{has_certificates} {}
  void listen_on(std::string_view host, std::uint16_t port, const std::vector<std::string>& names);
  void set_tokens(std::vector<OperatorToken> tokens) { tokens_ = std::move(tokens); }

  // Whether Host is a name of this server. A page of another site whose name was pointed to this
  // address (DNS rebinding) has its own name there.
  [[nodiscard]] bool is_our_host(const Request& request) const;
  // Whether no page of another site has sent the request.
  [[nodiscard]] bool is_same_site(const Request& request) const;
  // The sign-in of a request: by cookie, "Authorization: Bearer", or certificate. Null: none. Valid
  // until the next call of a function that is not const.
  [[nodiscard]] const SignIn* find(const Request& request, MonoTime now);
  // Whether the request repeats the secret of its sign-in, which no other site can read.
  [[nodiscard]] static bool repeats_secret(const Request& request, const SignIn& sign_in) noexcept;

  struct Attempt {
    std::string identity{};
    std::string cookie{};  // the value of Set-Cookie
  };
  // peer: as Request::peer. Unset: the token is wrong.
  [[nodiscard]] std::optional<Attempt> sign_in(std::string_view token, std::string_view peer,
                                               MonoTime now);
  // Whether the peer's address has sent more than kWrongTokensMax wrong tokens.
  [[nodiscard]] bool guesses(std::string_view peer, MonoTime now) const;
  // The addresses that have sent a wrong token since the last call, without those that guess.
  [[nodiscard]] std::vector<std::string> consume_refused() { return std::exchange(refused_, {}); }
  // The value of Set-Cookie that ends a sign-in.
  [[nodiscard]] std::string sign_out(const Request& request);

 private:
  struct WrongTokens {
    MonoTime since{};  // the first of them
    unsigned count = 0;
  };
  [[nodiscard]] std::optional<std::string> name_of(std::string_view token) const;
  void count_wrong_token(std::string_view peer, MonoTime now);
  [[nodiscard]] std::string_view cookie_of(const Request& request) const noexcept;

  bool has_tls_;
  bool has_certificates_;
  std::uint16_t port_ = 0;
  std::string cookie_name_;
  std::vector<std::string> hosts_;    // values of Host
  std::vector<std::string> origins_;  // values of Origin
  std::vector<OperatorToken> tokens_;
  std::vector<SignIn> sign_ins_;
  SignIn transient_{};          // of the request that find() looked at
  std::string transient_csrf_;  // of sign-ins without a cookie
  std::map<transport::Source, WrongTokens> wrong_tokens_;
  std::vector<std::string> refused_;
};

}  // namespace nexusfix::web
