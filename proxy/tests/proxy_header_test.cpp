// PROXY protocol headers, complete and in pieces.
#include "proxy/proxy_header.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace nexusfix::transport {
namespace {

using Status = ProxyHeader::Status;
using namespace std::string_literals;

const std::string kFirst = "\r\n\r\n\0\r\nQUIT\n"s;

std::string version_2(char command, char family, const std::string& rest) {
  return kFirst + command + family + static_cast<char>(rest.size() / 256) +
         static_cast<char>(rest.size() % 256) + rest;
}

const std::string kV4Addresses = "\x0A\x00\x00\x01\x0A\x00\x00\x02\x9C\xB0\x13\x89"s;
const std::string kV6Addresses = "\x20\x01\x0D\xB8"s + std::string(11, '\0') + "\x01"s +
                                 std::string(15, '\0') + "\x01\x9C\xB0\x13\x89"s;

struct Case {
  std::string header;
  std::string source;
};

std::vector<Case> right_ones() {
  return {
      {"PROXY TCP4 10.0.0.1 10.0.0.2 40112 5001\r\n", "10.0.0.1:40112"},
      {"PROXY TCP4 0.0.0.0 0.0.0.0 0 0\r\n", "0.0.0.0:0"},
      {"PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "255.255.255.255:65535"},
      {"PROXY TCP6 2001:db8::1 ::1 40112 5001\r\n", "[2001:db8::1]:40112"},
      {"PROXY TCP6 ::ffff:10.0.0.1 ::1 1 5001\r\n", "10.0.0.1:1"},
      {"PROXY UNKNOWN\r\n", ""},
      {"PROXY UNKNOWN what ever 1 2\r\n", ""},
      {"PROXY UNKNOWN " + std::string(107 - 16, 'x') + "\r\n", ""},
      {version_2('\x21', '\x11', kV4Addresses), "10.0.0.1:40112"},
      {version_2('\x21', '\x11', kV4Addresses + "\x03\x00\x04\x01\x02\x03\x04"s), "10.0.0.1:40112"},
      {version_2('\x21', '\x21', kV6Addresses), "[2001:db8::1]:40112"},
      {version_2('\x21', '\0', ""), ""},
      {version_2('\x20', '\0', ""), ""},
      {version_2('\x20', '\x11', "x"), ""},
      {version_2('\x21', '\x11', kV4Addresses + std::string(4096 - 28, 'x')), "10.0.0.1:40112"},
  };
}

TEST(ProxyHeader, is_complete_at_its_last_byte_and_never_before) {
  for (const Case& one : right_ones()) {
    for (std::size_t size = 0; size < one.header.size(); ++size) {
      const ProxyHeader read = read_proxy_header(one.header.substr(0, size));
      ASSERT_EQ(read.status, Status::NeedMore) << one.header << " cut to " << size;
      // A reader of the wanted size makes progress, and gets no byte after the header.
      ASSERT_GT(read.size, size) << one.header;
      ASSERT_LE(read.size, one.header.size()) << one.header << " cut to " << size;
    }
    for (const std::string& rest : {""s, "8=FIX.4.4\x01"s, "\n"s, one.header}) {
      const ProxyHeader read = read_proxy_header(one.header + rest);
      ASSERT_EQ(read.status, Status::Whole) << one.header << ": " << read.wrong;
      EXPECT_EQ(read.size, one.header.size());
      EXPECT_EQ(read.source, one.source);
    }
  }
}

TEST(ProxyHeader, anything_else_is_wrong_at_the_first_wrong_byte) {
  for (const std::string& none :
       {"8"s, "P8"s, "PROXI"s, "PROXY\r\n"s, "\r\n\r\r"s, "\n"s, kFirst.substr(0, 11) + "x"s,
        "proxy TCP4 10.0.0.1 10.0.0.2 1 2\r\n"s, kFirst + "\x11"s, kFirst + "\x22"s}) {
    EXPECT_EQ(read_proxy_header(none).status, Status::Wrong) << none;
  }
}

TEST(ProxyHeader, malformed_lines_of_version_1_are_wrong) {
  for (const std::string& line :
       {"TCP4 10.0.0.1 10.0.0.2 1"s, "TCP4 10.0.0.1 10.0.0.2 1 2 "s,
        "TCP4 10.0.0.1 10.0.0.2 1 2 3"s, "TCP4  10.0.0.1 10.0.0.2 1 2"s,
        "TCP4 10.0.0.1 10.0.0.2 65536 2"s, "TCP4 10.0.0.1 10.0.0.2 1 -2"s,
        "TCP4 10.0.0.1 10.0.0.2 +1 2"s, "TCP4 10.0.0.1 10.0.0.2 01 2"s, "TCP4 ::1 ::1 1 2"s,
        "TCP6 10.0.0.1 10.0.0.2 1 2"s, "TCP4 10.0.0 10.0.0.2 1 2"s, "TCP4 10.0.0.1 host 1 2"s,
        "TCP5 10.0.0.1 10.0.0.2 1 2"s, "UDP4 10.0.0.1 10.0.0.2 1 2"s, "UNKNOWNX"s, ""s, " "s,
        "TCP4 10.0.0.1\0 10.0.0.2 1 2"s, "TCP6 fe80::1%1 ::1 1 2"s}) {
    EXPECT_EQ(read_proxy_header("PROXY " + line + "\r\n").status, Status::Wrong) << line;
  }
  EXPECT_EQ(read_proxy_header("PROXY \n").status, Status::Wrong);
  EXPECT_EQ(read_proxy_header("PROXY UNKNOWN\n").status, Status::Wrong);
  EXPECT_EQ(read_proxy_header("PROXY UNKNOWN " + std::string(108 - 16, 'x') + "\r\n").status,
            Status::Wrong);
  EXPECT_EQ(read_proxy_header("PROXY UNKNOWN " + std::string(107 - 14, 'x')).status, Status::Wrong);
}

TEST(ProxyHeader, malformed_headers_of_version_2_are_wrong) {
  for (const std::string& header :
       {version_2('\x21', '\x11', kV4Addresses.substr(1)), version_2('\x21', '\x21', kV4Addresses),
        version_2('\x21', '\x12', kV4Addresses), version_2('\x21', '\x31', std::string(216, 'x')),
        version_2('\x21', '\x11', kV4Addresses + std::string(4097 - 28, 'x'))}) {
    EXPECT_EQ(read_proxy_header(header).status, Status::Wrong);
    EXPECT_EQ(read_proxy_header(header.substr(0, 16)).status, Status::Wrong);
  }
}

// With any bytes: nothing is read beyond the end, no header is longer than the limit, and a result
// that is whole or wrong stays the same when more bytes come.
TEST(ProxyHeader, damaged_headers_have_a_result_that_more_bytes_do_not_change) {
  std::mt19937 random{20'261'121};
  const std::vector<Case> all = right_ones();
  for (int round = 0; round < 5'000; ++round) {
    std::string bytes = all[random() % all.size()].header;
    bytes.resize(std::min<std::size_t>(bytes.size(), 120));
    for (auto changes = random() % 4; changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    }
    Status last = Status::NeedMore;
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      const std::vector<char> exact{bytes.begin(),
                                    bytes.begin() + static_cast<std::ptrdiff_t>(size)};
      const ProxyHeader read = read_proxy_header({exact.data(), exact.size()});
      if (last != Status::NeedMore) {
        ASSERT_EQ(read.status, last) << "round " << round;
      }
      if (read.status == Status::Whole) {
        ASSERT_LE(read.size, size);
      }
      if (read.status == Status::NeedMore) {
        ASSERT_GT(read.size, size);
        ASSERT_LE(read.size, kProxyHeaderBytesMax);
      }
      last = read.status;
    }
  }
}

}  // namespace
}  // namespace nexusfix::transport
