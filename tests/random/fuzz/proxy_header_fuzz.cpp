// Bytes from a trusted proxy, in pieces of any size: a PROXY header of version 1 or 2, a wrong one,
// or none, followed by a Logon. A simple reader determines the header. The admitted client is the
// one that the header names, and no byte after the header is lost or read too early.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/transport/network.hpp>

#include "proxy/proxied_network.hpp"
#include "proxy/proxy_header.hpp"
#include "random/fuzz/harness/input.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"
#include "support/network/fake_network.hpp"

namespace nexusfix::transport {
namespace {

using testing::Input;
using testing::require;
using Status = ProxyHeader::Status;

constexpr std::string_view kLogon =
    "8=FIX.4.4\0019=56\00135=A\00134=1\00149=TRADER\00152=20240115-10:30:00\00156=VENUE\00198=0\001"
    "108=30\00110=193\001";
constexpr std::size_t kLineBytesMax = 107;
constexpr std::size_t kBinaryBytesMax = 4096;
constexpr std::size_t kGivenBytesMax = 8192;

// IPv4 addresses mapped to IPv6: after ten zeros and two bytes of ones.
using Host = std::array<unsigned, 16>;

struct Source {
  Host host{};
  unsigned port = 0;
  friend bool operator==(const Source&, const Source&) = default;
};

struct Read {
  Status status = Status::Wrong;
  std::size_t size = 0;
  std::optional<Source> source{};
};

// The simple reader.

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char one : text) {
    if (one == separator) {
      parts.emplace_back();
    } else {
      parts.back() += one;
    }
  }
  return parts;
}

std::optional<unsigned> plain_number(const std::string& text, unsigned most) {
  if (text.empty() || text.size() > 5 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  unsigned number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = number * 10 + static_cast<unsigned>(digit - '0');
  }
  return number <= most ? std::optional{number} : std::nullopt;
}

std::optional<Host> host_4(const std::string& text) {
  const std::vector<std::string> parts = split(text, '.');
  if (parts.size() != 4) return std::nullopt;
  Host host{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto byte = plain_number(parts[i], 255);
    if (!byte) return std::nullopt;
    host[12 + i] = *byte;
  }
  return host;
}

// "1:2:3" as bytes. The last word may be an IPv4 address. Empty text: no words.
std::optional<std::vector<unsigned>> words_6(const std::string& text, bool is_last) {
  std::vector<unsigned> bytes;
  if (text.empty()) return bytes;
  const std::vector<std::string> words = split(text, ':');
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_last && i + 1 == words.size() && words[i].find('.') != std::string::npos) {
      const auto host = host_4(words[i]);
      if (!host) return std::nullopt;
      bytes.insert(bytes.end(), host->begin() + 12, host->end());
      continue;
    }
    if (words[i].empty() || words[i].size() > 4) return std::nullopt;
    unsigned word = 0;
    for (const char digit : words[i]) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const char lower = digit >= 'A' && digit <= 'F' ? static_cast<char>(digit + 32) : digit;
      const std::size_t value = kDigits.find(lower);
      if (value == std::string_view::npos) return std::nullopt;
      word = word * 16 + static_cast<unsigned>(value);
    }
    bytes.push_back(word / 256);
    bytes.push_back(word % 256);
  }
  return bytes;
}

std::optional<Host> host_6(const std::string& text) {
  const std::size_t gap = text.find("::");
  const bool has_gap = gap != std::string::npos;
  const auto front = words_6(has_gap ? text.substr(0, gap) : text, !has_gap);
  const auto back = words_6(has_gap ? text.substr(gap + 2) : "", true);
  if (!front || !back) return std::nullopt;
  const std::size_t given = front->size() + back->size();
  if (has_gap ? given > 14 : given != 16) return std::nullopt;
  Host host{};
  std::ranges::copy(*front, host.begin());
  std::ranges::copy_backward(*back, host.end());
  return host;
}

Read read_line(const std::string& bytes) {
  const std::size_t end = bytes.substr(0, kLineBytesMax).find('\n');
  if (end == std::string::npos) {
    return {bytes.size() < kLineBytesMax ? Status::NeedMore : Status::Wrong};
  }
  if (bytes[end - 1] != '\r') return {Status::Wrong};
  const std::vector<std::string> words = split(bytes.substr(0, end - 1), ' ');
  if (words.size() >= 2 && words[1] == "UNKNOWN") return {Status::Whole, end + 1};
  if (words.size() != 6) return {Status::Wrong};
  const bool is_4 = words[1] == "TCP4";
  if (!is_4 && words[1] != "TCP6") return {Status::Wrong};
  const auto from = is_4 ? host_4(words[2]) : host_6(words[2]);
  const auto to = is_4 ? host_4(words[3]) : host_6(words[3]);
  const auto port = plain_number(words[4], 65'535);
  if (!from || !to || !port || !plain_number(words[5], 65'535)) return {Status::Wrong};
  return {Status::Whole, end + 1, Source{*from, *port}};
}

Read read_binary(const std::string& bytes) {
  std::vector<unsigned> all;
  for (const char one : bytes) all.push_back(static_cast<unsigned char>(one));
  if (all.size() > 12 && all[12] != 0x20 && all[12] != 0x21) return {Status::Wrong};
  if (all.size() < 16) return {Status::NeedMore};
  const std::size_t size = 16 + all[14] * 256 + all[15];
  if (size > kBinaryBytesMax) return {Status::Wrong};
  const Status status = all.size() < size ? Status::NeedMore : Status::Whole;
  if (all[12] == 0x20 || all[13] == 0) return {status, size};
  if (all[13] != 0x11 && all[13] != 0x21) return {Status::Wrong};
  const bool is_4 = all[13] == 0x11;
  if (size < (is_4 ? 28U : 52U)) return {Status::Wrong};
  if (status == Status::NeedMore) return {status};
  Source source;
  if (is_4) {
    source.host = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, all[16], all[17], all[18], all[19]};
  } else {
    std::copy_n(all.begin() + 16, 16, source.host.begin());
  }
  const std::size_t at = is_4 ? 24 : 48;
  source.port = all[at] * 256 + all[at + 1];
  return {Status::Whole, size, source};
}

Read read_plainly(const std::string& bytes) {
  const std::string line = "PROXY ";
  const std::string binary{"\r\n\r\n\0\r\nQUIT\n", 12};
  for (const std::string& first : {line, binary}) {
    if (bytes.size() < first.size() && first.starts_with(bytes)) return {Status::NeedMore};
  }
  if (bytes.starts_with(line)) return read_line(bytes);
  if (bytes.starts_with(binary)) return read_binary(bytes);
  return {Status::Wrong};
}

// "10.0.0.1:40112" or "[::1]:40112"
Source source_of(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  require(colon != std::string::npos);
  const auto port = plain_number(name.substr(colon + 1), 65'535);
  const bool is_6 = name.front() == '[';
  require(port.has_value() && (!is_6 || name[colon - 1] == ']'));
  const auto host = is_6 ? host_6(name.substr(1, colon - 2)) : host_4(name.substr(0, colon));
  require(host.has_value());
  return {*host, *port};
}

void compare(const ProxyHeader& read, const Read& plain, std::size_t given) {
  require(read.status == plain.status);
  require(read.wrong.empty() == (read.status != Status::Wrong));
  if (read.status == Status::NeedMore) {
    require(read.size > given && read.size <= kBinaryBytesMax);
  } else if (read.status == Status::Whole) {
    require(read.size == plain.size && read.source.empty() == !plain.source);
    if (plain.source) require(source_of(read.source) == *plain.source);
  }
}

// Only as long as another byte may change the result.
void compare_all(const std::string& bytes) {
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const std::vector<char> exact{bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)};
    const ProxyHeader read = read_proxy_header({exact.data(), exact.size()});
    const Read plain = read_plainly(bytes.substr(0, size));
    compare(read, plain, size);
    if (plain.status != Status::NeedMore) break;
    // A complete header never needs more bytes.
    if (read.size <= bytes.size()) {
      const std::string before = bytes.substr(0, read.size - 1);
      require(read_plainly(before).status != Status::Whole);
    }
  }
  compare(read_proxy_header(bytes), read_plainly(bytes), bytes.size());
}

// The acceptor's port.
class Venue {
 public:
  Venue() {
    Endpoint endpoint{"", 0};
    endpoint.trusted_proxies.emplace();
    endpoint.trusted_proxies->allow(*AllowList::Range::parse("10.0.0.9/32"));
    const std::uint16_t port = proxied_->local_port(proxied_->listen(endpoint).value());
    far_ = proxy_.connect({"venue", port}).value();
    std::array<Ready, 4> events;
    static_cast<void>(proxy_.wait(events, std::nullopt));
    require(proxied_->wait(events, std::nullopt) == 1);
    require(events[0].kind == Ready::Kind::Accepted);
    near_ = events[0].accepted;
    proxys_name_ = proxied_->peer_name(near_);
  }

  void hear(std::string_view piece) {
    require(proxy_.send(far_, piece).bytes == piece.size());
    take();
  }
  void hear_end() {
    proxy_.close(far_);
    take();
  }
  void limit(std::size_t bytes) { internet_.limits.receive_bytes_max = bytes; }

  [[nodiscard]] bool is_announced() const { return is_announced_; }
  [[nodiscard]] bool is_refused() const { return is_refused_; }
  [[nodiscard]] bool is_over() const { return is_over_; }
  [[nodiscard]] const std::string& received() const { return received_; }
  [[nodiscard]] std::string peer() const { return proxied_->peer_name(near_); }
  [[nodiscard]] bool is_proxys_own() const { return peer() == proxys_name_; }

 private:
  void take() {
    std::array<Ready, 4> events;
    for (std::size_t turn = 0;; ++turn) {
      const std::size_t count = proxied_->wait(events, std::nullopt);
      if (count == 0) break;
      require(count == 1 && events[0].socket == near_);
      if (events[0].kind == Ready::Kind::Announced) {
        require(!is_announced_ && !is_refused_ && received_.empty());
        is_announced_ = true;
        continue;
      }
      require(events[0].kind == Ready::Kind::Readable);
      receive();
      // It reports the refusal until it is closed, and nothing else.
      if ((is_refused_ || is_over_) && turn > 2) break;
    }
    if (is_announced_ || is_refused_ || is_over_) return;
    std::array<char, 1> byte{};
    require(proxied_->receive(near_, byte).status == IoResult::Status::WouldBlock);
  }

  void receive() {
    std::array<char, 64> buffer{};
    const IoResult result = proxied_->receive(near_, buffer);
    if (result.status == IoResult::Status::Ok) {
      require(is_announced_);
      received_.append(buffer.data(), result.bytes);
    } else if (result.status == IoResult::Status::Failed) {
      require(!is_announced_ && result.error_number == EPROTO);
      require(!proxied_->last_error(near_).empty());
      is_refused_ = true;
    } else {
      require(result.status == IoResult::Status::Closed);
      is_over_ = true;
    }
  }

  FakeInternet internet_{kGivenBytesMax};
  FakeNetwork venue_{internet_, "10.0.0.1"};
  FakeNetwork proxy_{internet_, "10.0.0.9"};
  std::unique_ptr<Network> proxied_ = make_proxied_network(venue_);
  SocketId near_ = 0;
  SocketId far_ = 0;
  std::string proxys_name_;
  std::string received_;
  bool is_announced_ = false;
  bool is_refused_ = false;
  bool is_over_ = false;
};

void check(const Venue& venue, const std::string& given) {
  const Read plain = read_plainly(given);
  require(venue.is_announced() == (plain.status == Status::Whole));
  require(venue.is_refused() == (plain.status == Status::Wrong));
  if (plain.status != Status::Whole) {
    require(venue.received().empty() && venue.is_proxys_own());
    return;
  }
  require(venue.received() == given.substr(plain.size));
  require(plain.source ? source_of(venue.peer()) == *plain.source : venue.is_proxys_own());
}

void connect(const std::string& bytes, Input& cuts) {
  Venue venue;
  if (const std::size_t limit = cuts.byte(); limit % 4 == 0) venue.limit(1 + limit / 4);
  std::string given;
  while (given.size() < bytes.size() && !venue.is_refused()) {
    const std::size_t size = cuts.empty() ? bytes.size() : 1 + cuts.byte();
    const std::string piece = bytes.substr(given.size(), size);
    given += piece;
    venue.hear(piece);
    check(venue, given);
  }
  if (venue.is_refused()) return;
  venue.hear_end();
  // A client that has begun a header must complete it. One without any byte has only connected.
  if (venue.is_announced() || given.empty()) {
    require(venue.is_over() && !venue.is_refused());
  } else {
    require(venue.is_refused());
  }
}

}  // namespace
}  // namespace nexusfix::transport

// The first byte gives the number of splits. The rest precedes the Logon.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nexusfix::testing::Input input{data, size};
  const std::string cuts = input.text(input.byte() % 64);
  const std::string bytes = input.text(6000) + std::string{nexusfix::transport::kLogon};
  nexusfix::transport::compare_all(bytes.substr(0, 300));
  nexusfix::testing::Input taken{reinterpret_cast<const std::uint8_t*>(cuts.data()), cuts.size()};
  nexusfix::transport::connect(bytes, taken);
  return 0;
}
