#include "console/site/access.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/transport/network.hpp>

#include "base/api/ascii.hpp"
#include "base/api/printable_text.hpp"

namespace nexusfix::web {
namespace {

constexpr std::size_t kTokenFileBytesMax = 64U << 10U;

// 256 bits of the kernel, as 64 hexadecimal digits.
std::string random_secret() {
  SystemRandom random;
  std::string text;
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t number = random.next();
    for (unsigned shift = 0; shift < 64; shift += 8) {
      append_hex(text, static_cast<unsigned char>(number >> shift & 0xFFU));
    }
  }
  return text;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::any_of(
      names, [name](const std::string& one) { return equals_ignoring_case(one, name); });
}

std::expected<std::vector<OperatorToken>, std::string> parse_tokens(std::string_view text,
                                                                    const std::string& path) {
  std::vector<OperatorToken> tokens;
  std::size_t line_number = 0;
  while (!text.empty()) {
    ++line_number;
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t colon = line.find(':');
    const bool is_valid = colon != std::string_view::npos && colon > 0 &&
                          line.size() - colon - 1 >= kTokenBytesMin && printable(line) == line;
    if (!is_valid) {
      return std::unexpected{path + ':' + std::to_string(line_number) +
                             ": a name, a colon and a token of at least 24 characters were "
                             "expected"};
    }
    tokens.push_back({std::string{line.substr(0, colon)}, std::string{line.substr(colon + 1)}});
  }
  if (tokens.empty()) return std::unexpected{path + ": has no token"};
  return tokens;
}

std::expected<std::vector<OperatorToken>, std::string> make_tokens(Disk& disk,
                                                                   const std::string& path) {
  std::vector<OperatorToken> tokens{{"operator", random_secret()}};
  const std::string text = "# Operators of the web console, one a line: NAME:TOKEN\n" +
                           tokens[0].name + ':' + tokens[0].token + '\n';
  if (auto done = replace_file(disk, path, text); !done) {
    return std::unexpected{done.error().what()};
  }
  return tokens;
}

}  // namespace

bool equals_in_constant_time(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  // volatile: the compiler must not end the loop at the first difference.
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = static_cast<unsigned char>(difference | static_cast<unsigned char>(a[i] ^ b[i]));
  }
  return difference == 0;
}

std::expected<std::vector<OperatorToken>, std::string> load_tokens(Disk& disk,
                                                                   const std::string& path) {
  auto file = disk.open(path, OpenMode::ReadRegular);
  if (!file) {
    if (file.error().error_number == ENOENT) return make_tokens(disk, path);
    return std::unexpected{file.error().what()};
  }
  if (!disk.is_private(path).value_or(true)) {
    return std::unexpected{path + ": others than its owner may read it: chmod 600 " + path};
  }
  std::string text(kTokenFileBytesMax, '\0');
  const auto got = (*file)->read_at(0, text);
  if (!got) return std::unexpected{got.error().what()};
  if (*got == text.size()) return std::unexpected{path + ": is larger than 64 KiB"};
  text.resize(*got);
  return parse_tokens(text, path);
}

void Access::listen_on(std::string_view host, std::uint16_t port,
                       const std::vector<std::string>& names) {
  port_ = port;
  // Cookies of one host are sent to all of its ports.
  cookie_name_ = "nexusfix_" + std::to_string(port);
  std::vector<std::string> all{names};
  all.emplace_back(transport::without_brackets(host));
  for (const char* const own : {"localhost", "127.0.0.1", "::1"}) all.emplace_back(own);
  const std::string scheme = has_tls_ ? "https://" : "http://";
  for (std::string& name : all) {
    if (name.find(':') != std::string::npos) name = '[' + name + ']';
    const std::string with_port = name + ':' + std::to_string(port);
    hosts_.push_back(with_port);
    origins_.push_back(scheme + with_port);
    if (port != (has_tls_ ? 443 : 80)) continue;
    hosts_.push_back(name);
    origins_.push_back(scheme + name);
  }
  transient_csrf_ = random_secret();
}

bool Access::is_our_host(const Request& request) const {
  return !request.repeats("host") && contains(hosts_, request.field("host"));
}

bool Access::is_same_site(const Request& request) const {
  const std::string_view origin = request.field("origin");
  const std::string_view site = request.field("sec-fetch-site");
  const bool is_ours = origin.empty() || contains(origins_, origin);
  return is_ours && (site.empty() || site == "same-origin" || site == "none");
}

const SignIn* Access::find(const Request& request, MonoTime now) {
  if (has_certificates_) {
    if (request.identities.empty()) return nullptr;
    // A name says more than the pin of the key.
    const auto name = std::ranges::find_if(
        request.identities, [](const std::string& one) { return !one.starts_with("pin:"); });
    transient_ = {.identity = name == request.identities.end() ? request.identities.front() : *name,
                  .key = {},
                  .csrf = transient_csrf_};
    return &transient_;
  }
  std::erase_if(sign_ins_, [&](const SignIn& one) { return now - one.used_at > kIdleMax; });
  if (const std::string_view key = cookie_of(request); !key.empty()) {
    for (SignIn& one : sign_ins_) {
      if (!equals_in_constant_time(one.key, key)) continue;
      one.used_at = now;
      return &one;
    }
  }
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view authorization = request.field("authorization");
  if (!authorization.starts_with(kBearer)) return nullptr;
  const auto name = name_of(authorization.substr(kBearer.size()));
  if (!name) {
    count_wrong_token(request.peer, now);
    return nullptr;
  }
  // No browser adds this field by itself, so no other site can make it send one.
  transient_ = {.identity = *name, .key = {}, .csrf = {}};
  return &transient_;
}

bool Access::repeats_secret(const Request& request, const SignIn& sign_in) noexcept {
  return sign_in.csrf.empty() ||
         equals_in_constant_time(request.field("x-csrf-token"), sign_in.csrf);
}

std::optional<Access::Attempt> Access::sign_in(std::string_view token, std::string_view peer,
                                               MonoTime now) {
  const auto name = name_of(token);
  if (!name) {
    count_wrong_token(peer, now);
    return std::nullopt;
  }
  if (sign_ins_.size() == kSignInsMax)
    sign_ins_.erase(std::ranges::min_element(sign_ins_, {}, &SignIn::used_at));
  sign_ins_.push_back(
      {.identity = *name, .key = random_secret(), .csrf = random_secret(), .used_at = now});
  return Attempt{.identity = *name,
                 .cookie = cookie_name_ + '=' + sign_ins_.back().key +
                           "; Path=/; HttpOnly; SameSite=Strict" + (has_tls_ ? "; Secure" : "")};
}

std::string Access::sign_out(const Request& request) {
  const std::string_view key = cookie_of(request);
  std::erase_if(sign_ins_,
                [&](const SignIn& one) { return equals_in_constant_time(one.key, key); });
  return cookie_name_ + "=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0";
}

// All tokens are compared, whichever is right.
std::optional<std::string> Access::name_of(std::string_view token) const {
  std::optional<std::string> name;
  for (const OperatorToken& one : tokens_) {
    if (equals_in_constant_time(one.token, token)) name = one.name;
  }
  return name;
}

bool Access::guesses(std::string_view peer, MonoTime now) const {
  const auto found = wrong_tokens_.find(transport::source_of(transport::peer_address_of(peer)));
  return found != wrong_tokens_.end() && now - found->second.since <= kWrongTokensTime &&
         found->second.count > kWrongTokensMax;
}

void Access::count_wrong_token(std::string_view peer, MonoTime now) {
  const std::string_view address = transport::peer_address_of(peer);
  const transport::Source source = transport::source_of(address);
  if (wrong_tokens_.size() >= kAddressesMax && !wrong_tokens_.contains(source)) {
    wrong_tokens_.erase(std::ranges::min_element(wrong_tokens_, {},
                                                 [](const auto& one) { return one.second.since; }));
  }
  WrongTokens& wrong = wrong_tokens_[source];
  if (wrong.count == 0 || now - wrong.since > kWrongTokensTime) wrong = {.since = now};
  if (wrong.count <= kWrongTokensMax) ++wrong.count;
  if (wrong.count <= kWrongTokensMax) refused_.emplace_back(address);
}

std::string_view Access::cookie_of(const Request& request) const noexcept {
  std::string_view rest = request.field("cookie");
  while (!rest.empty()) {
    std::string_view one = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(cookie_name_) && one.substr(cookie_name_.size()).starts_with('=')) {
      return one.substr(cookie_name_.size() + 1);
    }
  }
  return {};
}

}  // namespace nexusfix::web
