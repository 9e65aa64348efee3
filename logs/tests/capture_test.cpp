#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "capture_builder.hpp"
#include "logs/capture/tcp_segment.hpp"
#include "logs/source/log_reader.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"
#include "support/sanitized.hpp"

namespace nexusfix::logs {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string order(int number) {
  return fix("FIX.4.4", "35=D|34=" + std::to_string(number) +
                            "|49=T|52=20240115-10:30:00|56=V|11=A" + std::to_string(number) + "|");
}

// The bytes of a stream, as packets of one direction.
Segment part(const std::string& stream, std::size_t begin, std::size_t size,
             std::uint32_t first = 1000) {
  return {.sequence = first + static_cast<std::uint32_t>(begin),
          .payload = stream.substr(begin, size)};
}

class Capture : public ::testing::Test {
 protected:
  std::vector<std::string> read(const std::string& bytes,
                                SourceKind kind = SourceKind::Recognised) {
    FakeDisk disk;
    disk.set_contents("/x.pcap", bytes);
    std::vector<std::string> found;
    errors_.clear();
    prefixes_.clear();
    report_ = read_logs(disk, {.files = {"/x.pcap"}, .kind = kind},
                        {[&](const LogMessage& message) {
                           found.emplace_back(message.bytes);
                           prefixes_.emplace_back(message.prefix);
                           return AfterMessage::Continue;
                         },
                         [] {}, [&](std::string_view error) { errors_.emplace_back(error); }});
    return found;
  }

  std::vector<std::string> prefixes_;
  std::vector<std::string> errors_;
  LogReport report_;
};

TEST_F(Capture, has_the_messages_with_time_and_direction) {
  for (const auto byte_order : {Pcap::Order::Little, Pcap::Order::Big}) {
    for (const bool is_nano : {false, true}) {
      Pcap pcap{1, byte_order, is_nano};
      pcap.add(ethernet(ipv4({.sequence = 999, .flags = "S"})));
      pcap.add(ethernet(ipv4({.sequence = 1000, .payload = order(1) + order(2)})));
      pcap.add(ethernet(ipv4({.from = 2,
                              .to = 1,
                              .from_port = 9876,
                              .to_port = 5001,
                              .sequence = 7,
                              .payload = order(3)})));
      EXPECT_THAT(read(pcap.bytes()), ElementsAre(order(1), order(2), order(3)));
      EXPECT_THAT(prefixes_,
                  ElementsAre("20240115-10:30:00.001000000 10.0.0.1:5001->10.0.0.2:9876 : ",
                              "20240115-10:30:00.001000000 10.0.0.1:5001->10.0.0.2:9876 : ",
                              "20240115-10:30:00.002000000 10.0.0.2:9876->10.0.0.1:5001 : "));
      EXPECT_THAT(errors_, IsEmpty());
    }
  }
}

TEST_F(Capture, reads_every_link_type) {
  const Segment segment{.payload = order(1)};
  const std::vector<std::pair<std::uint32_t, std::string>> packets{
      {1, ethernet(ipv4(segment))},
      {1, ethernet(ipv4(segment), 0x0800, {17})},
      {1, ethernet(ipv4(segment), 0x0800, {17, 18})},
      {1, ethernet(ipv6(segment), 0x86dd)},
      {1, ethernet(std::string{"\0\x01\x01\xff", 4} + ipv4(segment), 0x8847)},
      {113, cooked(ipv4(segment))},
      {276, cooked2(ipv4(segment))},
      {0, std::string{"\x02\0\0\0", 4} + ipv4(segment)},
      {101, ipv4(segment)},
      {101, ipv6(segment)}};
  for (const auto& [link_type, packet] : packets) {
    Pcap pcap{link_type};
    pcap.add(packet);
    EXPECT_THAT(read(pcap.bytes()), ElementsAre(order(1))) << link_type;
  }
  EXPECT_THAT(prefixes_.front(), HasSubstr(" [fe80::1]:5001->[fe80::2]:9876 : "));
  Pcap unknown{105};
  unknown.add(ipv4(segment));
  EXPECT_THAT(read(unknown.bytes()), IsEmpty());
  EXPECT_THAT(errors_, ElementsAre("/x.pcap: 1 packet not read: link type 105 is unknown"));
}

TEST_F(Capture, reads_pcapng_with_several_interfaces_and_resolutions) {
  const std::uint64_t seconds = kStartSecond;
  std::string bytes = section() + interface_block(1, 6) + interface_block(113, 9) +
                      block(0x0bad, "no packet") + interface_block(101, 0x80 | 10);
  bytes += packet_block(0, seconds * 1'000'000 + 5, ethernet(ipv4({.payload = order(1)})));
  bytes +=
      packet_block(1, seconds * 1'000'000'000 + 7, cooked(ipv4({.from = 3, .payload = order(2)})));
  bytes += packet_block(2, seconds * 1024 + 512, ipv4({.from = 4, .payload = order(3)}));
  bytes += section() + interface_block(101, 6) +
           packet_block(0, seconds * 1'000'000, ipv4({.from = 5, .payload = order(4)}));
  EXPECT_THAT(read(bytes), ElementsAre(order(1), order(2), order(3), order(4)));
  EXPECT_THAT(prefixes_, ElementsAre(StartsWith("20240115-10:30:00.000005000 "),
                                     StartsWith("20240115-10:30:00.000000007 "),
                                     StartsWith("20240115-10:30:00.500000000 "),
                                     StartsWith("20240115-10:30:00.000000000 ")));
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(Capture, shows_each_nanosecond) {
  std::string bytes = section() + interface_block(101, 9);
  std::vector<std::string> expected;
  std::mt19937_64 engine{1};
  for (std::uint64_t nanos = 0; nanos < 1'000'000'000; nanos += 1 + engine() % 1'000'000) {
    bytes += packet_block(
        0, std::uint64_t{kStartSecond} * 1'000'000'000 + nanos,
        ipv4({.sequence = static_cast<std::uint32_t>(expected.size() * order(1).size()),
              .payload = order(1)}));
    expected.push_back(fmt::format("20240115-10:30:00.{:09} 10.0.0.1:5001->10.0.0.2:9876", nanos));
  }
  EXPECT_EQ(read(bytes).size(), expected.size());
  for (std::string& prefix : prefixes_) prefix.resize(expected.front().size());
  EXPECT_EQ(prefixes_, expected);
}

TEST_F(Capture, is_the_same_in_any_division_and_order_of_segments) {
  std::string stream;
  std::vector<std::string> expected;
  for (int number = 1; number <= 200; ++number) {
    expected.push_back(order(number));
    stream += expected.back();
  }
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 engine{seed};
    const auto below = [&](std::size_t limit) { return engine() % limit; };
    // Near the end of the sequence numbers, which begin again.
    const auto first = static_cast<std::uint32_t>(below(2) == 0 ? 1000 : 0xfffff000U);
    std::vector<Segment> segments;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t size = 1 + below(400);
      segments.push_back(part(stream, at, size, first));
      // Retransmissions begin and end in the middle of others.
      if (below(5) == 0 && at > 50) segments.push_back(part(stream, at - 50, 90, first));
      at += size;
    }
    for (std::size_t i = 0; i + 20 < segments.size(); i += 20) {
      for (std::size_t j = 19; j > 0; --j) {
        std::swap(segments[i + j], segments[i + below(j + 1)]);
      }
    }
    Pcap pcap;
    pcap.add(ethernet(ipv4({.sequence = first - 1, .flags = "S"})));
    for (const Segment& segment : segments) pcap.add(ethernet(ipv4(segment)));
    EXPECT_EQ(read(pcap.bytes()), expected);
    EXPECT_THAT(errors_, IsEmpty());
  }
}

TEST_F(Capture, keeps_connections_apart) {
  Pcap pcap;
  const std::string one = order(1);
  const std::string two = order(2);
  pcap.add(ethernet(ipv4(part(one, 0, 30))));
  Segment other = part(two, 0, 40);
  other.from_port = 6001;
  pcap.add(ethernet(ipv4(other)));
  pcap.add(ethernet(ipv4(part(one, 30, 500))));
  other = part(two, 40, 500);
  other.from_port = 6001;
  pcap.add(ethernet(ipv4(other)));
  EXPECT_THAT(read(pcap.bytes()), ElementsAre(one, two));
}

TEST_F(Capture, begins_in_the_middle_of_a_connection) {
  const std::string stream = order(1) + order(2);
  Pcap pcap;
  pcap.add(ethernet(ipv4(part(stream, 20, 300))));
  EXPECT_THAT(read(pcap.bytes()), ElementsAre(order(2)));
  EXPECT_THAT(errors_, IsEmpty());
}

TEST_F(Capture, counts_what_comes_after_later_bytes_with_which_a_connection_begins) {
  const std::string stream = order(1) + order(2) + order(3);
  const std::size_t size = order(1).size();
  Pcap pcap;
  pcap.add(ethernet(ipv4(part(stream, size, size))));
  pcap.add(ethernet(ipv4(part(stream, 0, size))));
  pcap.add(ethernet(ipv4(part(stream, 0, size))));
  pcap.add(ethernet(ipv4(part(stream, 2 * size, size))));
  EXPECT_THAT(read(pcap.bytes()), ElementsAre(order(2), order(3)));
  EXPECT_THAT(errors_, ElementsAre("/x.pcap: 1 segment not read: later bytes of a connection that "
                                   "began before the capture came first"));
}

// Packets of six directions with messages, parts of messages, retransmissions, acknowledgements,
// lost and swapped packets, and a few damaged headers.
std::vector<std::string> random_packets(std::mt19937_64& engine) {
  const auto below = [&](std::size_t limit) { return engine() % limit; };
  std::string bytes;
  for (int number = 1; number <= 40; ++number) bytes += order(number);
  const std::size_t size = order(1).size();
  std::vector<Segment> streams;
  for (int i = 0; i < 6; ++i) {
    // Two have ports that take the same place, and two differ only in the host and IPv6.
    const auto port = static_cast<std::uint16_t>(5001 + i / 2 % 2 * 64);
    Segment stream{.from = 1 + i / 4, .to = 9, .from_port = port, .to_port = 9876};
    if (i % 2 == 1) {
      std::swap(stream.from, stream.to);
      std::swap(stream.from_port, stream.to_port);
    }
    stream.sequence = static_cast<std::uint32_t>(engine());
    streams.push_back(stream);
  }
  std::vector<std::size_t> places(streams.size());
  std::vector<std::string> packets;
  for (int step = 0; step < 300; ++step) {
    const std::size_t number = below(streams.size());
    std::size_t& at = places[number];
    const std::size_t first = at - std::min(at, below(8) == 0 ? below(90) : 0);
    const std::size_t end = at + (below(3) == 0 ? below(300) : size);
    Segment segment = streams[number];
    segment.sequence += static_cast<std::uint32_t>(first);
    segment.acknowledged = static_cast<std::uint32_t>(engine());
    segment.payload = bytes.substr(first, end - first);
    if (below(40) == 0) segment.flags = below(2) == 0 ? "AF" : below(2) == 0 ? "S" : "AR";
    at = std::min(end, bytes.size());
    const auto add = [&] {
      packets.push_back(number >= 4 ? ethernet(ipv6(segment), 0x86dd) : ethernet(ipv4(segment)));
    };
    if (below(30) != 0) add();
    segment.payload.clear();
    if (below(6) == 0) add();
  }
  for (std::size_t i = 1; i < packets.size(); ++i) {
    if (below(10) == 0) std::swap(packets[i - 1], packets[i]);
    if (below(25) == 0) packets[i][12 + below(48)] = static_cast<char>(engine());
  }
  return packets;
}

// Known headers decide about most packets. They cannot if each packet has another address of
// Ethernet, which is no part of a connection: the result must be the same.
TEST_F(Capture, finds_the_same_with_and_without_known_headers) {
  std::size_t messages = 0;
  for (std::uint64_t seed = 1; seed <= 300; seed += case_step(5)) {
    SCOPED_TRACE(seed);
    std::mt19937_64 engine{seed};
    const std::size_t snap_length = engine() % 4 == 0 ? 90 + engine() % 150 : 262'144;
    Pcap known{1, Pcap::Order::Little, false, snap_length};
    Pcap unknown{1, Pcap::Order::Little, false, snap_length};
    std::uint16_t number = 0;
    for (std::string packet : random_packets(engine)) {
      known.add(packet);
      ++number;
      packet[0] = static_cast<char>(number);
      packet[1] = static_cast<char>(number >> 8U);
      unknown.add(packet);
    }
    const auto found = read(known.bytes());
    const auto prefixes = prefixes_;
    const auto errors = errors_;
    EXPECT_EQ(found, read(unknown.bytes()));
    EXPECT_EQ(prefixes, prefixes_);
    EXPECT_EQ(errors, errors_);
    messages += found.size();
  }
  EXPECT_GT(messages, 10'000U / case_step(10));
}

TEST_F(Capture, known_headers_are_read_as_all_headers_are) {
  const Segment segment{.sequence = 77, .payload = order(1)};
  const std::vector<std::pair<std::uint32_t, std::string>> packets{
      {1, ethernet(ipv4(segment))},
      {1, ethernet(ipv4(segment), 0x0800, {17})},
      {1, ethernet(ipv6(segment), 0x86dd)},
      {113, cooked(ipv4(segment))},
      {276, cooked2(ipv4(segment))},
      {101, ipv4(segment)},
      {101, ipv6(segment)}};
  std::mt19937_64 engine{1};
  const auto below = [&](std::size_t limit) { return engine() % limit; };
  for (const auto& [link_type, packet] : packets) {
    SCOPED_TRACE(link_type);
    capture::TcpSegment first;
    ASSERT_EQ(capture::read_segment(link_type, packet, 0, first), capture::PacketKind::Tcp);
    capture::KnownHeaders headers;
    capture::KnownHeaders::Segment known;
    EXPECT_FALSE(headers.read(link_type, packet, known));
    headers.learn(link_type, packet, first);
    int known_count = 0;
    for (int i = 0; i < 20'000; ++i) {
      std::string other = packet.substr(0, below(4) == 0 ? below(packet.size()) : packet.npos);
      for (std::size_t change = below(3); change > 0 && !other.empty(); --change) {
        char& byte = other[below(std::min<std::size_t>(other.size(), 110))];
        byte = static_cast<char>(byte ^ 1 << below(8));
      }
      if (!headers.read(link_type, other, known)) continue;
      ++known_count;
      capture::TcpSegment all;
      ASSERT_EQ(capture::read_segment(link_type, other, 5, all), capture::PacketKind::Tcp);
      ASSERT_TRUE(all.key == first.key);
      ASSERT_FALSE(all.is_syn || all.is_fin || all.is_reset || all.is_ack != first.is_ack);
      ASSERT_EQ(all.sequence, known.sequence);
      ASSERT_EQ(all.payload.data(), known.payload.data());
      ASSERT_EQ(all.payload.size(), known.payload.size());
      ASSERT_EQ(all.cut_size, 0U);
    }
    EXPECT_GT(known_count, 5000);
    EXPECT_FALSE(headers.read(link_type + 1, packet, known));
  }
}

TEST_F(Capture, shows_where_a_segment_is_lost_and_goes_on_after_it) {
  std::string stream;
  for (int number = 1; number <= 6; ++number) stream += order(number);
  const std::size_t size = order(1).size();
  Pcap pcap;
  pcap.add(ethernet(ipv4(part(stream, 0, size + 30))));
  pcap.add(ethernet(ipv4(part(stream, 2 * size + 10, size))));  // the rest of 2 is lost
  pcap.add(ethernet(ipv4(part(stream, 3 * size + 10, 3 * size))));
  pcap.wait(200);
  pcap.add(ethernet(ipv4({.from = 2,
                          .to = 1,
                          .from_port = 9876,
                          .to_port = 5001,
                          .sequence = 1,
                          .acknowledged = static_cast<std::uint32_t>(1000 + 6 * size)})));
  const auto found = read(pcap.bytes());
  ASSERT_EQ(found.size(), 5U);
  EXPECT_EQ(found[0], order(1));
  EXPECT_THAT(found[1], StartsWith(order(2).substr(0, 25)));  // cut
  EXPECT_LT(found[1].size(), order(2).size());
  EXPECT_EQ(found[2], order(4));
  EXPECT_EQ(found[4], order(6));
  const std::string lost = std::to_string(size - 20);
  EXPECT_THAT(prefixes_[2], HasSubstr(" after " + lost + " lost bytes : "));
  EXPECT_THAT(prefixes_[3], ::testing::Not(HasSubstr("lost")));
  // The time when the bytes came, not when the reader stopped waiting for the lost ones.
  EXPECT_LT(prefixes_[4].substr(0, 27), prefixes_[0].substr(0, 18) + "1");
  EXPECT_THAT(errors_, ElementsAre("/x.pcap: " + lost +
                                   " bytes are not in the capture, in 1 gap; 0 segments were "
                                   "retransmitted, and 2 came before an earlier one"));
  EXPECT_FALSE(report_.has_unread());
}

TEST_F(Capture, does_not_wait_for_bytes_that_the_other_side_has_acknowledged) {
  const std::string stream = order(1) + order(2);
  const std::size_t size = order(1).size();
  Pcap pcap;
  pcap.add(ethernet(ipv4({.sequence = 999, .flags = "S"})));
  pcap.add(ethernet(ipv4(part(stream, size, size))));
  pcap.wait(200);
  Segment other{.from = 2, .to = 1, .from_port = 9876, .to_port = 5001, .sequence = 1};
  other.acknowledged = static_cast<std::uint32_t>(1000 + 2 * size);
  other.payload = order(3);
  pcap.add(ethernet(ipv4(other)));
  EXPECT_THAT(read(pcap.bytes()), ElementsAre(order(2), order(3)));
  // When its packet came.
  EXPECT_THAT(prefixes_[0], HasSubstr("20240115-10:30:00.001000000 "));
}

TEST_F(Capture, finds_a_gap_before_the_end_of_a_connection_and_of_the_file) {
  const std::string stream = order(1) + order(2);
  const std::size_t size = order(1).size();
  Pcap pcap;
  pcap.add(ethernet(ipv4(part(stream, 0, size))));
  pcap.add(
      ethernet(ipv4({.sequence = static_cast<std::uint32_t>(1000 + 2 * size), .flags = "FA"})));
  EXPECT_THAT(read(pcap.bytes()), ElementsAre(order(1)));
  EXPECT_THAT(errors_, ElementsAre(HasSubstr(std::to_string(size) + " bytes are not in")));
}

TEST_F(Capture, shows_what_the_snap_length_has_cut) {
  Pcap pcap{1, Pcap::Order::Little, false, 120};
  pcap.add(ethernet(ipv4(part(order(1) + order(2), 0, 500))));
  pcap.add(ethernet(ipv4(part(
      order(3), 0, 40, 1000 + static_cast<std::uint32_t>(order(1).size() + order(2).size())))));
  const auto found = read(pcap.bytes());
  ASSERT_EQ(found.size(), 2U);  // both cut
  EXPECT_THAT(errors_, ElementsAre(HasSubstr(" in 1 gap; ")));
  Pcap headers{1, Pcap::Order::Little, false, 40};
  headers.add(ethernet(ipv4({.payload = order(1)})));
  EXPECT_THAT(read(headers.bytes()), IsEmpty());
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("1 packet cut in its headers by the snap length")));
}

TEST_F(Capture, reports_a_file_that_is_cut_or_damaged_after_its_messages) {
  Pcap pcap;
  pcap.add(ethernet(ipv4({.payload = order(1)})));
  const std::size_t first = pcap.bytes().size();
  pcap.add(ethernet(ipv4({.sequence = 5000, .payload = order(2)})));
  for (std::size_t size = first + 1; size < pcap.bytes().size(); ++size) {
    EXPECT_THAT(read(pcap.bytes().substr(0, size)), ElementsAre(order(1)));
    EXPECT_THAT(errors_, ElementsAre(HasSubstr("the capture is cut: the record at byte " +
                                               std::to_string(first))));
    EXPECT_TRUE(report_.has_unread());
  }
  EXPECT_THAT(read(pcap.bytes().substr(0, first) + std::string(16, '\xff')), ElementsAre(order(1)));
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("damaged: at byte " + std::to_string(first))));
  read(order(1), SourceKind::Capture);
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("these bytes are no capture in pcap or pcapng")));
}

TEST_F(Capture, names_flows_that_are_encrypted_and_packets_in_fragments) {
  Pcap pcap;
  pcap.add(ethernet(ipv4({.payload = "\x16\x03\x01 hello, and nothing that could be read"})));
  const std::string place = std::to_string(pcap.bytes().size());
  pcap.add(ethernet(ipv4({.from = 7, .payload = order(1)}, 0x2000)));
  pcap.add(ethernet(ipv4({.from = 8, .payload = order(1)}, 0x10)));
  EXPECT_THAT(read(pcap.bytes()), IsEmpty());
  EXPECT_THAT(errors_, ElementsAre("/x.pcap: 2 fragments of IP packets not read, the first from "
                                   "10.0.0.7->10.0.0.2 at byte " +
                                       place,
                                   "/x.pcap: 1 direction of a connection encrypted (TLS)"));
}

TEST_F(Capture, begins_again_when_the_ports_are_used_for_another_connection) {
  Pcap pcap;
  const std::string stream = order(1);
  pcap.add(ethernet(ipv4({.sequence = 999, .flags = "S"})));
  pcap.add(ethernet(ipv4(part(stream, 0, 30))));
  pcap.add(ethernet(ipv4({.sequence = 1030, .flags = "R"})));
  pcap.add(ethernet(ipv4({.sequence = 77'000, .flags = "S"})));
  pcap.add(ethernet(ipv4({.sequence = 77'001, .payload = order(2)})));
  const auto found = read(pcap.bytes());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1], order(2));
}

// A host that opens ports all the time would fill the memory.
TEST_F(Capture, forgets_connections_that_are_not_used_when_there_are_too_many) {
  Pcap pcap;
  const std::string stream = order(1);
  for (std::uint16_t port = 1; port <= 25'000; ++port) {
    Segment segment = part(stream, 0, 40);
    segment.from_port = port;
    pcap.add(ethernet(ipv4(segment)));
  }
  Segment last = part(stream, 40, 500);
  last.from_port = 25'000;
  pcap.add(ethernet(ipv4(last)));
  const auto found = read(pcap.bytes());
  EXPECT_EQ(found.size(), 25'000U);  // all but the last one are cut
  EXPECT_EQ(std::ranges::count(found, stream), 1);
  EXPECT_THAT(errors_, ElementsAre(HasSubstr("forgotten: there were too many at a time")));
}

}  // namespace
}  // namespace nexusfix::logs
