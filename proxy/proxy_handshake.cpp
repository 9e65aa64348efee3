#include "proxy/proxy_handshake.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <nexusfix/base/language.hpp>

#include "base/api/ascii.hpp"

namespace nexusfix::transport {
namespace {

using Protocol = ConnectProxy::Protocol;

// SOCKS 5 (RFC 1928).
constexpr char kVersion5 = '\x05';
constexpr char kNoCredentials = '\x00';
constexpr char kUserAndPassword = '\x02';
constexpr char kVersionOfPassword = '\x01';
constexpr unsigned kNoMethod = 0xFF;
constexpr char kConnect = '\x01';
constexpr char kAddress4 = '\x01';
constexpr char kName = '\x03';
constexpr char kAddress6 = '\x04';
constexpr std::size_t kShortAnswerBytes = 2;
// with the size of a name, or the first byte of an address
constexpr std::size_t kReplyHeadBytes = 5;
constexpr std::size_t kPortBytes = 2;
// SOCKS 4.
constexpr char kVersion4 = '\x04';
constexpr std::size_t kReply4Bytes = 8;
constexpr unsigned kGranted = 90;

constexpr std::string_view kHttp = "HTTP/1.";
// "HTTP/1.1 200", and the ends of this line and of an empty line.
constexpr std::size_t kStatusLineBytesMin = 12;
constexpr std::size_t kLineEnds = 2;
constexpr std::size_t kReasonBytesMax = 120;

unsigned number_at(std::string_view bytes, std::size_t at) noexcept {
  return static_cast<unsigned char>(bytes[at]);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr unsigned kDigitBits = 6;
  std::string text;
  unsigned bits = 0;
  unsigned count = 0;  // the number of bits that are in no digit yet
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bits = (bits << 8U | number_at(bytes, i)) & 0xFFFFU;
    for (count += 8; count >= kDigitBits; count -= kDigitBits) {
      text += kDigits[bits >> (count - kDigitBits) & 63U];
    }
  }
  if (count > 0) text += kDigits[bits << (kDigitBits - count) & 63U];
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

std::string port_bytes(std::uint16_t port) {
  return {static_cast<char>(port >> 8U), static_cast<char>(port & 0xFFU)};
}

std::string address_bytes(const Address& address) {
  const bool is_v4 = address.family() == AF_INET;
  const void* const at = is_v4 ? static_cast<const void*>(&address.v4.sin_addr)
                               : static_cast<const void*>(&address.v6.sin6_addr);
  std::string bytes(is_v4 ? sizeof(in_addr) : sizeof(in6_addr), '\0');
  std::memcpy(bytes.data(), at, bytes.size());
  return bytes;
}

std::string with_size(std::string_view text) {
  return static_cast<char>(text.size()) + std::string{text};
}

std::string http_request(const ConnectProxy& proxy, const Endpoint& target,
                         const std::string& credentials) {
  const std::string where = to_string(target);
  const bool is_1_1 = proxy.protocol == Protocol::Http11;
  std::string text = "CONNECT " + where + (is_1_1 ? " HTTP/1.1\r\nHost: " + where : " HTTP/1.0");
  if (!proxy.user.empty()) text += "\r\nProxy-Authorization: Basic " + credentials;
  return text + "\r\n\r\n";
}

std::string socks_5_request(const Endpoint& target, const std::optional<Address>& address) {
  std::string bytes{kVersion5, kConnect, '\0'};
  if (address) {
    bytes += address->family() == AF_INET ? kAddress4 : kAddress6;
    bytes += address_bytes(*address);
  } else {
    bytes += kName + with_size(target.host);
  }
  return bytes + port_bytes(target.port);
}

// SOCKS 4A: the name follows the user, and the address is an invalid one.
std::string socks_4_request(const ConnectProxy& proxy, const Endpoint& target,
                            const std::optional<Address>& address) {
  const std::string bytes = std::string{kVersion4, kConnect} + port_bytes(target.port);
  const std::string user = proxy.user + '\0';
  if (address) return bytes + address_bytes(*address) + user;
  return bytes + std::string{'\0', '\0', '\0', '\1'} + user + target.host + '\0';
}

// RFC 1928, section 6.
std::string_view words_of_5(unsigned code) noexcept {
  constexpr std::string_view kWords[] = {"",
                                         "general failure",
                                         "not allowed by its rules",
                                         "network unreachable",
                                         "host unreachable",
                                         "connection refused",
                                         "time to live expired",
                                         "command not supported",
                                         "kind of address not supported"};
  return code < std::size(kWords) ? kWords[code] : "a reason that is not assigned";
}

std::string_view words_of_4(unsigned code) noexcept {
  switch (code) {
    case 91:
      return "rejected or failed";
    case 92:
      return "it cannot reach this machine's identd";
    case 93:
      return "this machine's identd reports another user";
    default:
      return "a reason that is not assigned";
  }
}

}  // namespace

ProxyHandshake::ProxyHandshake(const ConnectProxy& proxy, const Endpoint& target,
                               const std::optional<Address>& address) {
  const bool has_user = !proxy.user.empty();
  secrets_[0] = proxy.password;
  switch (proxy.protocol) {
    case Protocol::Http10:
    case Protocol::Http11:
      if (has_user) secrets_[1] = base64(proxy.user + ':' + proxy.password);
      say(http_request(proxy, target, secrets_[1]));
      break;
    case Protocol::Socks4:
    case Protocol::Socks4a:
      step_ = Step::Reply4;
      say(socks_4_request(proxy, target, address));
      break;
    case Protocol::Socks5:
      step_ = Step::Method;
      request_ = socks_5_request(target, address);
      if (has_user) {
        password_ = kVersionOfPassword + with_size(proxy.user) + with_size(proxy.password);
      }
      say(has_user ? std::string{kVersion5, '\x02', kNoCredentials, kUserAndPassword}
                   : std::string{kVersion5, '\x01', kNoCredentials});
      break;
  }
}

void ProxyHandshake::say(std::string bytes) {
  output_ = std::move(bytes);
  sent_ = 0;
}

void ProxyHandshake::fail(std::string why) {
  failure_ = std::move(why);
  step_ = Step::Failed;
}

void ProxyHandshake::end() {
  if (is_done() || has_failed()) return;
  fail(received_ == 0 ? "it closed the connection without an answer"
                      : "it closed the connection in the middle of its answer");
}

std::size_t ProxyHandshake::wanted() const noexcept {
  const std::size_t size = input_.size();
  switch (step_) {
    case Step::StatusLine:
      return std::max(kStatusLineBytesMin, size) - size + kLineEnds;
    case Step::InterimFields:  // A status line follows.
    case Step::Fields:
      // The end is an empty line, which may end with LF alone (RFC 9112, section 2.2).
      return size == 0 || input_ == "\r" ? 1 : kLineEnds;
    case Step::Method:
    case Step::Password:
      return kShortAnswerBytes - size;
    case Step::Reply4:
      return kReply4Bytes - size;
    case Step::Reply:
      break;
    case Step::Done:
    case Step::Failed:
      return 0;
  }
  if (size < kReplyHeadBytes) return kReplyHeadBytes - size;
  const std::size_t head = kReplyHeadBytes - 1;
  switch (input_[3]) {
    case kAddress4:
      return head + sizeof(in_addr) + kPortBytes - size;
    case kAddress6:
      return head + sizeof(in6_addr) + kPortBytes - size;
    default:
      return kReplyHeadBytes + number_at(input_, head) + kPortBytes - size;
  }
}

void ProxyHandshake::take(std::string_view bytes) {
  NEXUSFIX_ASSERT(bytes.size() <= wanted());
  for (const char byte : bytes) {
    if (is_done() || has_failed()) return;
    ++received_;
    const bool is_http = step_ <= Step::Fields;
    if (is_http) {
      read_http(byte);
    } else {
      input_ += byte;
      read_binary();
    }
  }
}

void ProxyHandshake::read_http(char byte) {
  if (byte != '\n') {
    input_ += byte;
    const std::size_t size = std::min(input_.size(), kHttp.size());
    if (step_ == Step::StatusLine && input_.compare(0, size, kHttp, 0, size) != 0) {
      return fail("its answer is not HTTP/1.0 or HTTP/1.1");
    }
    if (received_ >= kProxyAnswerBytesMax) fail("its answer has more than 8,192 bytes");
    return;
  }
  if (input_.ends_with('\r')) input_.pop_back();
  const bool is_empty = input_.empty();
  if (step_ == Step::StatusLine) {
    read_status_line();
  } else if (is_empty && step_ == Step::Fields) {
    step_ = Step::Done;
  } else if (is_empty) {
    step_ = Step::StatusLine;
  }
  input_.clear();
}

// "HTTP/1.1 200 Connection established". After success, fields such as Content-Length have no
// meaning (RFC 9110, section 9.3.6); after a refusal nothing more is read.
void ProxyHandshake::read_status_line() {
  constexpr std::size_t kCodeAt = kHttp.size() + 2;
  const auto has_digit = [this](std::size_t at) { return is_digit(input_[at]); };
  const bool is_whole =
      input_.size() >= kStatusLineBytesMin && has_digit(kHttp.size()) &&
      input_[kCodeAt - 1] == ' ' && input_[kCodeAt] >= '1' && input_[kCodeAt] <= '5' &&
      has_digit(kCodeAt + 1) && has_digit(kCodeAt + 2) &&
      (input_.size() == kStatusLineBytesMin || input_[kStatusLineBytesMin] == ' ');
  if (!is_whole) return fail("its status line is not HTTP/1.0 or HTTP/1.1 and a status");
  const std::string code = input_.substr(kCodeAt, 3);
  if (code.front() == '2') {
    step_ = Step::Fields;
  } else if (code.front() == '1' && code != "101") {
    step_ = Step::InterimFields;
  } else {
    std::string said = input_.substr(kCodeAt, code.size() + 1 + kReasonBytesMax);
    for (const std::string& secret : secrets_) {
      if (!secret.empty() && input_.contains(secret)) said = code;
    }
    fail("it refuses: " + said);
  }
}

void ProxyHandshake::read_binary() {
  switch (step_) {
    case Step::Method:
      return read_method();
    case Step::Password:
      if (input_.front() != kVersionOfPassword) {
        return fail("its answer to the user and password does not follow RFC 1929");
      }
      if (input_.size() < kShortAnswerBytes) return;
      if (input_.back() != '\0') return fail("it refuses this user and password");
      step_ = Step::Reply;
      say(std::move(request_));
      input_.clear();
      return;
    case Step::Reply:
      return read_reply();
    default:
      return read_reply_4();
  }
}

void ProxyHandshake::read_method() {
  if (input_.front() != kVersion5) return fail("its answer is not SOCKS 5");
  if (input_.size() < kShortAnswerBytes) return;
  const char method = input_.back();
  input_.clear();
  if (method == kNoCredentials) {
    step_ = Step::Reply;
    say(std::move(request_));
  } else if (method == kUserAndPassword && !password_.empty()) {
    step_ = Step::Password;
    say(std::move(password_));
  } else if (static_cast<unsigned char>(method) != kNoMethod) {
    fail("it chose an authentication method that was not offered");
  } else if (password_.empty()) {
    fail("it requires a user and a password");
  } else {
    fail("it accepts no authentication method that was offered");
  }
}

void ProxyHandshake::read_reply() {
  if (input_.front() != kVersion5) return fail("its answer is not SOCKS 5");
  if (input_.size() < kShortAnswerBytes) return;
  if (const unsigned code = number_at(input_, 1); code != 0) {
    return fail("it refuses: " + std::to_string(code) + " (" + std::string{words_of_5(code)} + ")");
  }
  constexpr std::size_t kKindAt = 3;
  if (input_.size() == kKindAt + 1 && input_[kKindAt] != kAddress4 && input_[kKindAt] != kName &&
      input_[kKindAt] != kAddress6) {
    return fail("its answer has an address type that SOCKS 5 does not define");
  }
  if (input_.size() >= kReplyHeadBytes && wanted() == 0) step_ = Step::Done;
}

void ProxyHandshake::read_reply_4() {
  if (input_.front() != '\0') return fail("its answer is not SOCKS 4");
  if (input_.size() < kShortAnswerBytes) return;
  if (const unsigned code = number_at(input_, 1); code != kGranted) {
    return fail("it refuses: " + std::to_string(code) + " (" + std::string{words_of_4(code)} + ")");
  }
  if (input_.size() == kReply4Bytes) step_ = Step::Done;
}

}  // namespace nexusfix::transport
