#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <netinet/in.h>

#include <nexusfix/transport/address_range.hpp>

namespace nexusfix::transport {
namespace {

constexpr unsigned kV4Bits = 32;
constexpr unsigned kV6Bits = 128;
constexpr unsigned kMappedBits = 96;  // of ::ffff:0:0/96, which has all IPv4 addresses
constexpr std::size_t kTextMax = 64;  // longer than an address with a network and a scope

struct Binary {
  std::array<unsigned char, 16> bytes{};
  bool is_v4 = false;
  bool is_mapped = false;  // was written as an IPv6 address
};

std::optional<Binary> to_binary(std::string_view text) {
  if (text.size() > kTextMax) return std::nullopt;
  const std::string address{text.substr(0, text.find('%'))};  // a scope is of this machine alone
  Binary binary;
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

bool has_bit(const std::array<unsigned char, 16>& bytes, unsigned bit) noexcept {
  return (bytes[bit / 8] >> (7 - bit % 8) & 1U) != 0;
}

}  // namespace

std::optional<AddressRange> AddressRange::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto binary = to_binary(text.substr(0, slash));
  if (!binary) return std::nullopt;
  const unsigned bits = binary->is_v4 ? kV4Bits : kV6Bits;
  AddressRange range;
  range.bytes_ = binary->bytes;
  range.is_v4_ = binary->is_v4;
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
  for (unsigned bit = range.prefix_; bit < bits; ++bit) {
    if (has_bit(range.bytes_, bit)) return std::nullopt;
  }
  return range;
}

bool AddressRange::contains(std::string_view address) const {
  const auto binary = to_binary(address);
  if (!binary || binary->is_v4 != is_v4_) return false;
  for (unsigned bit = 0; bit < prefix_; ++bit) {
    if (has_bit(binary->bytes, bit) != has_bit(bytes_, bit)) return false;
  }
  return true;
}

std::string AddressRange::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(is_v4_ ? AF_INET : AF_INET6, bytes_.data(), text.data(), text.size());
  const bool is_one = prefix_ == (is_v4_ ? kV4Bits : kV6Bits);
  return text.data() + (is_one ? std::string{} : "/" + std::to_string(prefix_));
}

Source source_of(std::string_view address) {
  const auto binary = to_binary(address);
  if (!binary) return 0;
  // IPv4 has its own networks among those of 0::/16, which IPv6 gives to nobody.
  constexpr Source kV4 = Source{1} << 40U;
  const std::size_t size = binary->is_v4 ? kV4Bits / 8 : sizeof(Source);
  Source source = 0;
  for (std::size_t i = 0; i < size; ++i) source = source << 8U | binary->bytes[i];
  return binary->is_v4 ? kV4 | source : source;
}

std::string name_of_source(std::string_view address) {
  constexpr unsigned kSourceBits = 64;
  const auto binary = to_binary(address);
  if (!binary) return std::string{address};
  AddressRange range;
  range.bytes_ = binary->bytes;
  range.is_v4_ = binary->is_v4;
  range.prefix_ = binary->is_v4 ? kV4Bits : kSourceBits;
  if (!binary->is_v4) {
    std::fill(range.bytes_.begin() + kSourceBits / 8, range.bytes_.end(), std::uint8_t{0});
  }
  return range.to_string();
}

void AllowList::allow(const AddressRange& range) {
  if (std::ranges::find(ranges_, range) == ranges_.end()) ranges_.push_back(range);
}

void AllowList::allow(const AllowList& all) {
  allows_all_ = allows_all_ || all.allows_all_;
  for (const AddressRange& range : all.ranges_) allow(range);
}

bool AllowList::contains(std::string_view address) const {
  return allows_all_ || std::ranges::any_of(ranges_, [&](const AddressRange& range) {
           return range.contains(address);
         });
}

}  // namespace nexusfix::transport
