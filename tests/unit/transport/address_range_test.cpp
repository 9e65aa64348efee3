// Addresses and networks of allow lists.
#include <gtest/gtest.h>
#include <net/if.h>
#include <string>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::transport {
namespace {

bool is_in(const std::string& range, const std::string& address) {
  const auto parsed = AllowList::Range::parse(range);
  EXPECT_TRUE(parsed.has_value()) << range;
  return parsed && parsed->contains(address);
}

TEST(AddressRange, network_contains_its_first_and_last_address_and_no_neighbours) {
  EXPECT_TRUE(is_in("10.1.0.0/16", "10.1.0.0"));
  EXPECT_TRUE(is_in("10.1.0.0/16", "10.1.255.255"));
  EXPECT_FALSE(is_in("10.1.0.0/16", "10.0.255.255"));
  EXPECT_FALSE(is_in("10.1.0.0/16", "10.2.0.0"));
  EXPECT_TRUE(is_in("10.0.0.128/25", "10.0.0.128"));
  EXPECT_FALSE(is_in("10.0.0.128/25", "10.0.0.127"));
  EXPECT_TRUE(is_in("2001:db8::/33", "2001:db8:7fff::1"));
  EXPECT_FALSE(is_in("2001:db8::/33", "2001:db8:8000::1"));
}

TEST(AddressRange, single_address_contains_itself_only) {
  for (const std::string range : {"10.0.0.1", "10.0.0.1/32"}) {
    EXPECT_TRUE(is_in(range, "10.0.0.1"));
    EXPECT_FALSE(is_in(range, "10.0.0.0"));
  }
  EXPECT_TRUE(is_in("::1/128", "::1"));
  EXPECT_TRUE(is_in("0:0:0:0:0:0:0:1", "::1"));
}

TEST(AddressRange, link_local_address_matches_on_the_interface_that_it_names) {
  EXPECT_TRUE(is_in("fe80::1%eth0", "fe80::1%eth0"));
  EXPECT_FALSE(is_in("fe80::1%eth0", "fe80::1%eth1"));
  EXPECT_FALSE(is_in("fe80::1%eth0", "fe80::1%eth"));
  EXPECT_FALSE(is_in("fe80::1%eth0", "fe80::2%eth0"));
  EXPECT_FALSE(is_in("fe80::1%eth0", "fe80::1"))
      << "announced by a proxy: on no link of this machine";
  EXPECT_TRUE(is_in("fe80::%eth0/64", "fe80::7%eth0"));
  EXPECT_FALSE(is_in("fe80::%eth0/64", "fe80::7%eth1"));
  EXPECT_TRUE(is_in("fe80::%eth0/10", "febf::7%eth0"));
}

TEST(AddressRange, without_an_interface_it_matches_on_each_link) {
  for (const std::string shown : {"fe80::1", "fe80::1%eth0", "fe80::1%eth1"}) {
    EXPECT_TRUE(is_in("fe80::1", shown)) << shown;
    EXPECT_TRUE(is_in("fe80::/10", shown)) << shown;
    EXPECT_TRUE(is_in("::/0", shown)) << shown;
  }
  EXPECT_TRUE(AllowList::Range::parse("fe80::1")->is_of_any_link());
  for (const std::string other : {"fe80::1%eth0", "fe80::/10", "2001:db8::1", "169.254.0.1"}) {
    EXPECT_FALSE(AllowList::Range::parse(other)->is_of_any_link()) << other;
  }
}

TEST(AddressRange, interface_may_be_given_by_its_number) {
  const unsigned number = ::if_nametoindex("lo");
  if (number == 0) GTEST_SKIP() << "no interface lo";
  const std::string text = std::to_string(number);
  EXPECT_TRUE(is_in("fe80::1%" + text, "fe80::1%lo"));
  EXPECT_TRUE(is_in("fe80::1%lo", "fe80::1%" + text));
  EXPECT_FALSE(is_in("fe80::1%" + std::to_string(number + 1'000), "fe80::1%lo"));
  EXPECT_FALSE(is_in("fe80::1%nothere", "fe80::1%" + text));
}

TEST(AddressRange, only_a_link_local_address_has_an_interface) {
  for (const std::string none :
       {"2001:db8::1%eth0", "10.0.0.1%eth0", "::1%lo", "fe80::1%", "fe80::1%a b", "fe80::1%%eth0",
        "fe80::1/64%eth0", "fe80::%eth0/9", "fe80::1%0123456789abcdef", "::ffff:10.0.0.1%eth0"}) {
    EXPECT_FALSE(AllowList::Range::parse(none).has_value()) << none;
  }
  EXPECT_FALSE(is_in("0.0.0.0/0", "10.0.0.1%eth0"));
}

TEST(AddressRange, address_to_connect_to_must_be_complete) {
  for (const std::string whole : {"10.0.0.1", "::1", "2001:db8::1", "fe80::1%eth0", "fe80::1%2"}) {
    EXPECT_TRUE(is_complete_address(whole)) << whole;
  }
  for (const std::string other : {"fe80::1", "febf::1", "10.0.0.0/8", "10.1", "localhost", ""}) {
    EXPECT_FALSE(is_complete_address(other)) << other;
  }
}

TEST(AddressRange, mapped_addresses_count_as_ipv4_and_families_do_not_mix) {
  EXPECT_TRUE(is_in("::ffff:10.0.0.2", "10.0.0.2"));
  EXPECT_TRUE(is_in("::ffff:10.0.0.0/104", "10.255.0.1"));
  EXPECT_TRUE(is_in("10.0.0.0/8", "::ffff:10.0.0.2"));
  EXPECT_TRUE(is_in("0.0.0.0/0", "192.0.2.1"));
  EXPECT_FALSE(is_in("::/0", "192.0.2.1"));
  EXPECT_FALSE(is_in("0.0.0.0/0", "::1"));
  EXPECT_FALSE(is_in("10.0.0.0/8", "a00::"));
}

TEST(AddressRange, invalid_text_is_refused_and_in_no_range) {
  for (const std::string none :
       {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0.1/8",
        "10.0.0/8", "10.0.0.0/ 8", "10.0.0.0/8/8", "::/129", "2001:db8::1/32", "example.com",
        "[::1]", "10.0.0.1:80", "::ffff:10.0.0.0/95", "10.0.0.0/99999999999"}) {
    EXPECT_FALSE(AllowList::Range::parse(none).has_value()) << none;
  }
  EXPECT_FALSE(is_in("0.0.0.0/0", ""));
  EXPECT_FALSE(is_in("0.0.0.0/0", "localhost"));
  EXPECT_FALSE(is_in("0.0.0.0/0", std::string(1'000, '1')));
}

TEST(AddressRange, equal_ranges_have_one_text) {
  const auto form = [](const std::string& text) {
    return AllowList::Range::parse(text)->to_string();
  };
  EXPECT_EQ(form("::ffff:10.0.0.0/104"), "10.0.0.0/8");
  EXPECT_EQ(form("10.0.0.1/32"), "10.0.0.1");
  EXPECT_EQ(form("2001:0db8:0:0::/32"), "2001:db8::/32");
  EXPECT_EQ(form("0:0:0:0:0:0:0:1"), "::1");
  EXPECT_EQ(form("FE80:0::1%eth0/128"), "fe80::1%eth0");
  EXPECT_EQ(form("fe80::%eth0/64"), "fe80::%eth0/64");
}

TEST(AllowList, contains_the_addresses_of_all_ranges_and_is_empty_at_first) {
  AllowList list;
  EXPECT_FALSE(list.contains("10.0.0.1"));
  list.allow(*AllowList::Range::parse("10.0.0.0/31"));
  list.allow(*AllowList::Range::parse("::1"));
  EXPECT_TRUE(list.contains("10.0.0.1"));
  EXPECT_TRUE(list.contains("::1"));
  EXPECT_FALSE(list.contains("10.0.0.2"));
  list.allow_all();
  EXPECT_TRUE(list.contains("10.0.0.2"));
}

TEST(Source, ipv4_addresses_differ_and_mapped_ones_are_the_same) {
  EXPECT_NE(source_of("10.0.0.1"), source_of("10.0.0.2"));
  EXPECT_EQ(source_of("10.0.0.1"), source_of("::ffff:10.0.0.1"));
  EXPECT_EQ(name_of_source("::ffff:10.0.0.1"), "10.0.0.1");
  EXPECT_NE(source_of("0.0.0.0"), 0U);
}

TEST(Source, ipv6_network_of_64_bits_is_one_source) {
  EXPECT_EQ(source_of("2001:db8:1:2::1"), source_of("2001:db8:1:2:ffff::9"));
  EXPECT_NE(source_of("2001:db8:1:2::1"), source_of("2001:db8:1:3::1"));
  EXPECT_EQ(source_of("fe80::1%eth0"), source_of("fe80::2%eth0"));
  EXPECT_NE(source_of("fe80::1%eth0"), source_of("fe80::1%eth1"));
  EXPECT_NE(source_of("fe80::1%eth0"), source_of("fe80::1"));
  EXPECT_EQ(name_of_source("2001:db8:1:2:3::1"), "2001:db8:1:2::/64");
  EXPECT_EQ(name_of_source("fe80::1%eth0"), "fe80::%eth0/64");
}

TEST(Source, invalid_address_has_no_source) {
  EXPECT_EQ(source_of(""), 0U);
  EXPECT_EQ(source_of("localhost"), 0U);
  EXPECT_EQ(name_of_source("localhost"), "localhost");
}

}  // namespace
}  // namespace nexusfix::transport
