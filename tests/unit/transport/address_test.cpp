#include "transport/api/address.hpp"

#include <gtest/gtest.h>

namespace nexusfix::transport {
namespace {

TEST(Address, literals_need_no_resolution) {
  ASSERT_EQ(known_addresses({"127.0.0.1", 5001}).size(), 1U);
  EXPECT_EQ(known_addresses({"127.0.0.1", 5001})[0].to_string(), "127.0.0.1:5001");
  ASSERT_EQ(known_addresses({"::1", 5001}).size(), 1U);
  EXPECT_EQ(known_addresses({"::1", 5001})[0].to_string(), "[::1]:5001");
}

TEST(Address, localhost_in_any_case_is_loopback_of_both_families_without_a_resolver) {
  const auto addresses = known_addresses({"LocalHost", 80});
  ASSERT_EQ(addresses.size(), 2U);
  EXPECT_EQ(addresses[0].to_string(), "127.0.0.1:80");
  EXPECT_EQ(addresses[1].to_string(), "[::1]:80");
}

TEST(Address, names_have_to_be_resolved) {
  EXPECT_TRUE(known_addresses({"fix.example.com", 80}).empty());
  EXPECT_TRUE(known_addresses({"localhost.example.com", 80}).empty());
  EXPECT_TRUE(known_addresses({"", 80}).empty());
}

TEST(Address, an_ipv4_address_mapped_into_ipv6_is_shown_as_ipv4) {
  EXPECT_EQ(known_addresses({"::ffff:10.1.2.3", 7}).at(0).to_string(), "10.1.2.3:7");
}

TEST(Address, link_local_address_is_shown_with_its_interface) {
  const auto address = literal_address({"fe80::1%lo", 7});
  if (!address) GTEST_SKIP() << "no interface lo";
  EXPECT_EQ(address->to_string(), "[fe80::1%lo]:7");
  EXPECT_EQ(peer_address_of(address->to_string()), "fe80::1%lo");
  Address gone = *address;
  gone.v6.sin6_scope_id = 1'000'000;
  EXPECT_EQ(gone.to_string(), "[fe80::1%1000000]:7");
  EXPECT_FALSE(gone == *address);
  EXPECT_EQ(canonical_address("fe80::1%lo"), "fe80::1") << "as in a certificate";
}

TEST(Address, brackets_belong_to_ipv6_addresses) {
  EXPECT_EQ(without_brackets("[::1]"), "::1");
  EXPECT_EQ(without_brackets("[fe80::1%eth0]"), "fe80::1%eth0");
  for (const std::string_view other : {"::1", "[10.0.0.1]", "[::1", "::1]", "[]", "", "venue"}) {
    EXPECT_EQ(without_brackets(other), other);
  }
}

TEST(Address, endpoints_are_shown_as_the_user_wrote_them) {
  EXPECT_EQ(to_string(Endpoint{"", 5001}), "*:5001");
  EXPECT_EQ(to_string(Endpoint{"::1", 5001}), "[::1]:5001");
  EXPECT_EQ(to_string(Endpoint{"fix.example.com", 5001}), "fix.example.com:5001");
}

TEST(Address, equality_compares_family_port_and_address) {
  const Address one = known_addresses({"127.0.0.1", 5001}).at(0);
  EXPECT_TRUE(one == known_addresses({"127.0.0.1", 5001}).at(0));
  EXPECT_FALSE(one == known_addresses({"127.0.0.1", 5002}).at(0));
  EXPECT_FALSE(one == known_addresses({"127.0.0.2", 5001}).at(0));
  EXPECT_FALSE(one == known_addresses({"::1", 5001}).at(0));
  EXPECT_FALSE(known_addresses({"::2", 5001}).at(0) == known_addresses({"::1", 5001}).at(0));
}

TEST(Address, a_canonical_address_is_the_one_that_peer_name_shows) {
  EXPECT_EQ(canonical_address("0:0:0:0:0:0:0:1"), "::1");
  EXPECT_EQ(canonical_address("::ffff:10.0.0.2"), "10.0.0.2");
  EXPECT_EQ(canonical_address("10.0.0.2"), "10.0.0.2");
  for (const std::string none : {"", "localhost", "10.0.0", "10.0.0.256", "[::1]", "10.0.0.1:80"}) {
    EXPECT_FALSE(canonical_address(none)) << none;
  }
  EXPECT_EQ(peer_address_of("127.0.0.1:40112"), "127.0.0.1");
  EXPECT_EQ(peer_address_of("[::1]:40112"), "::1");
  EXPECT_EQ(peer_address_of(""), "");
}

}  // namespace
}  // namespace nexusfix::transport
