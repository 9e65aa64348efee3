#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <net/if.h>
#include <netinet/in.h>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::transport {
namespace {

constexpr unsigned kV4Bits = 32;
constexpr unsigned kV6Bits = 128;
constexpr unsigned kLinkLocalBits = 10;
constexpr unsigned kMappedBits = 96;  // of ::ffff:0:0/96, which contains all IPv4 addresses
constexpr std::size_t kTextMax = 64;  // longer than an address with a network and a scope

struct Binary {
  std::array<unsigned char, 16> bytes{};
  bool is_v4 = false;
  bool is_mapped = false;  // it was written as an IPv6 address
  std::string_view scope{};
};

// fe80::/10 (RFC 4291, section 2.5.6): each link has its own.
bool is_link_local(const std::array<unsigned char, 16>& bytes) noexcept {
  return bytes[0] == 0xFE && (bytes[1] & 0xC0U) == 0x80U;
}

std::optional<Binary> to_binary(std::string_view text) {
  if (text.size() > kTextMax || text.find('\0') != std::string_view::npos) return std::nullopt;
  const std::size_t percent = text.find('%');
  const std::string address{text.substr(0, percent)};
  Binary binary;
  if (percent != std::string_view::npos) {
    binary.scope = text.substr(percent + 1);
    const bool is_name = !binary.scope.empty() && binary.scope.size() < IF_NAMESIZE &&
                         binary.scope.find_first_of("%/ \t") == std::string_view::npos;
    if (!is_name || ::inet_pton(AF_INET6, address.c_str(), binary.bytes.data()) != 1 ||
        !is_link_local(binary.bytes)) {
      return std::nullopt;
    }
    return binary;
  }
  if (::inet_pton(AF_INET, address.c_str(), binary.bytes.data()) == 1) {
    binary.is_v4 = true;
    return binary;
  }
  if (::inet_pton(AF_INET6, address.c_str(), binary.bytes.data()) != 1) return std::nullopt;
  constexpr std::array<unsigned char, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  if (!std::equal(kMapped.begin(), kMapped.end(), binary.bytes.begin())) return binary;
  std::rotate(binary.bytes.begin(), binary.bytes.begin() + kMapped.size(), binary.bytes.end());
  std::fill(binary.bytes.begin() + 4, binary.bytes.end(), static_cast<unsigned char>(0));
  binary.is_v4 = true;
  binary.is_mapped = true;
  return binary;
}

// 0: there is no such interface.
unsigned interface_number(std::string_view scope) {
  if (const unsigned named = ::if_nametoindex(std::string{scope}.c_str()); named != 0) return named;
  unsigned number = 0;
  const char* const end = scope.data() + scope.size();
  const auto [stop, error] = std::from_chars(scope.data(), end, number);
  return error == std::errc{} && stop == end ? number : 0;
}

bool is_number(std::string_view scope) noexcept {
  return scope.find_first_not_of("0123456789") == std::string_view::npos;
}

// The kernel returns the name; a configuration may have the number.
bool is_same_scope(std::string_view wanted, std::string_view shown) {
  if (wanted == shown) return true;
  if (shown.empty() || (!is_number(wanted) && !is_number(shown))) return false;
  const unsigned number = interface_number(wanted);
  return number != 0 && number == interface_number(shown);
}

// FNV-1a. Two interfaces with the same hash count as one.
std::uint32_t hash_of(std::string_view scope) noexcept {
  std::uint32_t hash = 0x811C'9DC5U;
  for (const char byte : scope) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x0100'0193U;
  return hash;
}

bool has_bit(const std::array<unsigned char, 16>& bytes, unsigned bit) noexcept {
  return (bytes[bit / 8] >> (7 - bit % 8) & 1U) != 0;
}

}  // namespace

std::optional<AllowList::Range> AllowList::Range::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto binary = to_binary(text.substr(0, slash));
  if (!binary) return std::nullopt;
  const unsigned bits = binary->is_v4 ? kV4Bits : kV6Bits;
  AllowList::Range range;
  range.bytes_ = binary->bytes;
  range.is_v4_ = binary->is_v4;
  range.scope_ = binary->scope;
  range.prefix_ = bits;
  if (slash == std::string_view::npos) return range;
  const std::string_view number = text.substr(slash + 1);
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, range.prefix_);
  if (error != std::errc{} || stop != end) return std::nullopt;
  if (binary->is_mapped) {
    if (range.prefix_ < kMappedBits) return std::nullopt;
    range.prefix_ -= kMappedBits;
  }
  if (range.prefix_ > bits) return std::nullopt;
  if (!range.scope_.empty() && range.prefix_ < kLinkLocalBits) return std::nullopt;
  for (unsigned bit = range.prefix_; bit < bits; ++bit) {
    if (has_bit(range.bytes_, bit)) return std::nullopt;
  }
  return range;
}

bool AllowList::Range::contains(std::string_view address) const {
  const auto binary = to_binary(address);
  if (!binary || binary->is_v4 != is_v4_) return false;
  for (unsigned bit = 0; bit < prefix_; ++bit) {
    if (has_bit(binary->bytes, bit) != has_bit(bytes_, bit)) return false;
  }
  return scope_.empty() || is_same_scope(scope_, binary->scope);
}

bool AllowList::Range::is_of_any_link() const noexcept {
  return !is_v4_ && scope_.empty() && prefix_ == kV6Bits && is_link_local(bytes_);
}

std::string AllowList::Range::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(is_v4_ ? AF_INET : AF_INET6, bytes_.data(), text.data(), text.size());
  const bool is_one = prefix_ == (is_v4_ ? kV4Bits : kV6Bits);
  return text.data() + (scope_.empty() ? std::string{} : "%" + scope_) +
         (is_one ? std::string{} : "/" + std::to_string(prefix_));
}

bool is_complete_address(std::string_view text) {
  const auto binary = to_binary(text);
  return binary && (binary->is_v4 || !is_link_local(binary->bytes) || !binary->scope.empty());
}

Source source_of(std::string_view address) {
  const auto binary = to_binary(address);
  if (!binary) return 0;
  // IPv4 addresses get a prefix in 0::/16, which IPv6 does not assign.
  constexpr Source kV4 = Source{1} << 40U;
  const std::size_t size = binary->is_v4 ? kV4Bits / 8 : sizeof(Source);
  Source source = 0;
  for (std::size_t i = 0; i < size; ++i) source = source << 8U | binary->bytes[i];
  // The bits after its network's first bits are zero in a link-local address.
  if (!binary->scope.empty()) source |= hash_of(binary->scope);
  return binary->is_v4 ? kV4 | source : source;
}

std::string name_of_source(std::string_view address) {
  constexpr unsigned kSourceBits = 64;
  const auto binary = to_binary(address);
  if (!binary) return std::string{address};
  AllowList::Range range;
  range.bytes_ = binary->bytes;
  range.is_v4_ = binary->is_v4;
  range.scope_ = binary->scope;
  range.prefix_ = binary->is_v4 ? kV4Bits : kSourceBits;
  if (!binary->is_v4) {
    std::fill(range.bytes_.begin() + kSourceBits / 8, range.bytes_.end(), std::uint8_t{0});
  }
  return range.to_string();
}

void AllowList::allow(const AllowList::Range& range) {
  if (std::ranges::find(ranges_, range) == ranges_.end()) ranges_.push_back(range);
}

void AllowList::allow(const AllowList& all) {
  allows_all_ = allows_all_ || all.allows_all_;
  for (const AllowList::Range& range : all.ranges_) allow(range);
}

bool AllowList::contains(std::string_view address) const {
  return allows_all_ || std::ranges::any_of(ranges_, [&](const AllowList::Range& range) {
           return range.contains(address);
         });
}

}  // namespace nexusfix::transport
