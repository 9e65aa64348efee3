// Connections through proxies (UseTCPProxy): which address counts, and which proxies are trusted.
#include <nexusfix/proxy.hpp>

#include "control/api/notice_limiter.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class ProxiedTest : public AcceptorTest {
 protected:
  ProxiedTest() {
    parts.proxy = transport::proxy_part();
    extra = "UseTCPProxy=Y\nTrustedProxies=127.0.0.1, 2001:db8::/32\n";
  }

  static std::string from_address(const std::string& address) {
    return "PROXY TCP4 " + address + " 10.0.0.1 40112 5001\r\n";
  }
  RawPeer& send(const std::string& bytes) {
    RawPeer& peer = connect();
    peer.send(bytes);
    return peer;
  }
  void expect_in(RawPeer& peer) {
    ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
    EXPECT_TRUE(contains(peer.messages()[0], "|35=A|"));
  }
  void expect_silence(RawPeer& peer, std::string_view event) {
    EXPECT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    EXPECT_TRUE(peer.messages().empty());
    EXPECT_TRUE(log.has(event)) << event << " is not in:\n" << log.all();
    EXPECT_EQ(acceptor->session(0).numbers(), (session::Numbers{1, 1}));
  }
};

TEST_F(ProxiedTest, events_name_the_announced_address_and_the_proxy) {
  open();
  RawPeer& peer = send(from_address("192.0.2.7") + logon("TRADER", 1));
  expect_in(peer);
  EXPECT_TRUE(log.has("connection from 192.0.2.7:40112, by way of 127.0.0.1:")) << log.all();
  peer.send(order("TRADER", 2, "A1"));
  EXPECT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
}

TEST_F(ProxiedTest, spinning_engine_reads_headers_too) {
  extra += "BusySpin=Y\n";
  open();
  expect_silence(send("8=FIX.4.4"), "closed: no PROXY header");
  expect_in(send(from_address("192.0.2.7") + logon("TRADER", 1)));
}

TEST_F(ProxiedTest, allow_lists_apply_to_announced_addresses) {
  extra += "AllowedRemoteAddresses=192.0.2.0/24\n";
  open();
  expect_silence(send(from_address("198.51.100.7") + logon("TRADER", 1)),
                 "connection from 198.51.100.7:40112 closed: no session of this port is allowed");
  expect_silence(send("PROXY UNKNOWN\r\n" + logon("TRADER", 1)),
                 " closed: no session of this port is allowed");
  EXPECT_TRUE(log.has("connection from 127.0.0.1:")) << log.all();
  expect_in(send(from_address("192.0.2.7") + logon("TRADER", 1)));
}

TEST_F(ProxiedTest, each_session_has_its_own_allow_list) {
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
      "AllowedRemoteAddresses=192.0.2.7\n"
      "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\n"
      "AllowedRemoteAddresses=192.0.2.8\n";
  open();
  expect_silence(send(from_address("192.0.2.8") + logon("TRADER", 1)),
                 "session FIX.4.4:VENUE->TRADER is not allowed from this address");
  expect_in(send(from_address("192.0.2.8") + logon("OTHER", 1)));
}

TEST_F(ProxiedTest, connection_without_a_valid_header_is_closed_without_an_answer) {
  open();
  expect_silence(send(logon("TRADER", 1)), "closed: no PROXY header");
  expect_silence(send("PROXY TCP4 192.0.2.7\r\n" + logon("TRADER", 1)), "closed: a PROXY line");
  EXPECT_EQ(acceptor->statistics().loops[0].connections_refused, 2U);
}

TEST_F(ProxiedTest, header_of_an_untrusted_proxy_is_refused) {
  extra = "UseTCPProxy=Y\nTrustedProxies=127.0.0.7\nAllowedRemoteAddresses=192.0.2.7\n";
  open();
  expect_silence(send(from_address("192.0.2.7") + logon("TRADER", 1)),
                 "closed: it is not one of the port's proxies (TrustedProxies)");
  EXPECT_FALSE(log.has("192.0.2.7")) << log.all();
}

// Log lines are limited by the announced address, not by the proxy's.
TEST_F(ProxiedTest, refusals_of_one_announced_address_leave_log_lines_for_another) {
  extra += "AllowedRemoteAddresses=192.0.2.0/24\n";
  open();
  for (unsigned i = 0; i < engine::NoticeLimiter::kSourceLinesMax + 5; ++i) {
    RawPeer& flood = send(from_address("198.51.100.9"));
    ASSERT_TRUE(run_until([&] { return flood.closed(); }));
  }
  expect_silence(send(from_address("198.51.100.10")), "connection from 198.51.100.10:40112 closed");
}

TEST_F(ProxiedTest, unfinished_header_ends_with_logon_timeout) {
  open();
  RawPeer& stalled = send("PROXY TCP4 192.");
  ASSERT_TRUE(run_until([&] { return stalled.all_sent(); }));
  turn(20);
  EXPECT_FALSE(stalled.closed());
  clock.advance(std::chrono::seconds{11});
  expect_silence(stalled, "no Logon came in time");
}

TEST_F(ProxiedTest, sessions_with_proxies_are_added_only_if_some_were_there_at_the_start) {
  const std::string proxied = extra;
  extra.clear();
  open();
  turn(1);
  extra = proxied;
  sessions = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=LATE\n";
  auto settings = config::parse_settings(config(), "more.cfg");
  ASSERT_TRUE(settings);
  const auto added = acceptor->add_sessions(std::move(*settings));
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().what().find("UseTCPProxy, in an engine that had none at its start"),
            std::string::npos);
}

}  // namespace
}  // namespace nexusfix::testing
