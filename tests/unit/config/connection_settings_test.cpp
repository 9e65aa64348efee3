// The keys of connections: socket options, addresses, reconnecting.
#include "settings_fixture.hpp"
#include "transport/api/proxy.hpp"

namespace nexusfix::config {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ConnectionSettings, socket_options_reach_every_address) {
  const SessionSettings session = session_with(
      "SocketNodelay=N\nSocketKeepAlive=N\nSocketSendBufferSize=65536\n"
      "SocketReceiveBufferSize=131072\nSocketTrafficClass=16\nSocketConnectSourceHost=127.0.0.2\n"
      "SocketConnectSourcePort=4000\nSocketConnectHost1=127.0.0.3\nSocketConnectPort1=5002\n");
  ASSERT_EQ(session.connect.size(), 2U);
  for (const transport::Endpoint& endpoint : session.connect) {
    EXPECT_FALSE(endpoint.options.no_delay);
    EXPECT_FALSE(endpoint.options.keep_alive);
    EXPECT_EQ(endpoint.options.send_buffer_bytes, 65'536U);
    EXPECT_EQ(endpoint.options.receive_buffer_bytes, 131'072U);
    EXPECT_EQ(endpoint.options.traffic_class, 16);
    EXPECT_EQ(endpoint.options.source_host, "127.0.0.2");
    EXPECT_EQ(endpoint.options.source_port, 4'000);
  }
}

TEST(ConnectionSettings, a_host_is_an_address_or_could_be_a_name) {
  const std::string label(63, 'x');
  for (const std::string& host :
       {std::string{"localhost"}, std::string{"venue_1.example.com."}, std::string{"10.0.0.1"},
        std::string{"127.1"}, std::string{"::1"}, std::string{"fe80::1%lo"}, std::string{"venue.1"},
        label + ".x2"}) {
    EXPECT_EQ(session_with("SocketConnectHost=" + host + "\n").connect.front().host, host);
    EXPECT_THAT(accepted(joined(kAcceptor, "SocketAcceptAddress=" + host + "\n")).warnings,
                IsEmpty());
  }
  for (const std::string& host :
       {std::string{"999.1.1.1"}, std::string{"10.0.0.1.2"}, std::string{"a b"},
        std::string{"tcp://venue"}, std::string{"venue:5001"}, std::string{"a..b"},
        std::string{"."}, std::string{"::1::"}, label + "x.com", std::string(256, '.')}) {
    EXPECT_THAT(errors_of("SocketConnectHost=" + host),
                ElementsAre(HasSubstr("a host name or an address was expected")))
        << host;
    for (const std::string key : {"SocketAcceptAddress=", "SocketAcceptHost=", "ProxyHost="}) {
      EXPECT_THAT(errors(joined(kAcceptor, key + host + "\n")),
                  Contains(AllOf(HasSubstr("t.cfg:9: " + key),
                                 HasSubstr("a host name or an address was expected"))))
          << host;
    }
  }
}

TEST(ConnectionSettings, ipv6_address_may_have_its_brackets) {
  EXPECT_EQ(session_with("SocketConnectHost=[::1]\n").connect.front().host, "::1");
  EXPECT_EQ(session_with("SocketConnectHost=[fe80::1%eth0]\n").connect.front().host,
            "fe80::1%eth0");
  EXPECT_EQ(session_with("SocketConnectSourceHost=[::1]\n").connect.front().options.source_host,
            "::1");
  EXPECT_EQ(accepted(joined(kAcceptor, "SocketAcceptAddress=[::1]\n")).sessions[0].accept->host,
            "::1");
  const auto proxy = session_with("ProxyType=socks\nProxyHost=[::1]\nProxyPort=1080\n");
  EXPECT_EQ(proxy.connect.front().proxy->host, "::1");
  for (const std::string wrong : {"[::1", "[10.0.0.1]", "[venue]", "[::1]:5001"}) {
    EXPECT_THAT(errors_of("SocketConnectHost=" + wrong),
                ElementsAre(HasSubstr("a host name or an address was expected")))
        << wrong;
  }
}

TEST(ConnectionSettings, link_local_address_without_its_interface_is_refused) {
  constexpr std::string_view kExpected =
      ": a link-local address with its interface, such as fe80::1%eth0, was expected";
  for (const std::string address : {"fe80::1", "[fe80::1]", "FEBF::1"}) {
    for (const std::string key :
         {"SocketConnectHost=", "SocketConnectSourceHost=", "SocketLocalHost=", "ProxyHost="}) {
      EXPECT_THAT(errors_of(key + address),
                  Contains(HasSubstr(key + address + std::string{kExpected})));
    }
    EXPECT_THAT(errors(joined(kAcceptor, "SocketAcceptAddress=" + address + "\n")),
                ElementsAre(HasSubstr("SocketAcceptAddress=" + address + std::string{kExpected})));
  }
  for (const std::string wrong : {"2001:db8::1%eth0", "10.0.0.1%eth0", "fe80::1%"}) {
    EXPECT_THAT(errors_of("SocketConnectHost=" + wrong),
                ElementsAre(HasSubstr("a host name or an address was expected")))
        << wrong;
  }
}

TEST(ConnectionSettings, names_of_quickfixj_mean_the_same) {
  const SessionSettings session =
      session_with("SocketTcpNoDelay=N\nSocketLocalHost=127.0.0.2\nSocketLocalPort=4000\n");
  EXPECT_FALSE(session.connect.front().options.no_delay);
  EXPECT_EQ(session.connect.front().options.source_host, "127.0.0.2");
  EXPECT_EQ(session.connect.front().options.source_port, 4'000);
}

TEST(ConnectionSettings, what_is_not_given_is_fit_for_fix) {
  const SessionSettings session = session_with("");
  const transport::SocketOptions& options = session.connect.front().options;
  EXPECT_TRUE(options.no_delay);
  EXPECT_TRUE(options.keep_alive);
  EXPECT_EQ(session.reconnect.jitter, 10U);
  EXPECT_EQ(session.limits.queued_bytes_max, 64U << 20U);
  EXPECT_FALSE(session.reconnect.priority_start_over);
}

TEST(ConnectionSettings, hosts_are_selected_round_robin_or_by_priority) {
  using std::chrono::seconds;
  EXPECT_EQ(session_with("HostSelectionPolicy=PRIORITY\n").reconnect.priority_start_over,
            seconds{120});
  EXPECT_EQ(session_with("HostSelectionPolicy=priority\n"
                         "HostSelectionPolicyPriorityStartOverInterval=30\n")
                .reconnect.priority_start_over,
            seconds{30});
  EXPECT_THAT(errors_of("HostSelectionPolicy=RANDOM"),
              ElementsAre(HasSubstr("ROUNDROBIN or PRIORITY was expected")));
}

std::vector<std::string> allowed_of(const Settings& settings) {
  std::vector<std::string> all;
  for (const auto& range : settings.sessions.front().admission.allowed_remote_addresses.ranges()) {
    all.push_back(range.to_string());
  }
  return all;
}

TEST(ConnectionSettings, allowed_addresses_are_read_in_any_form) {
  const Settings settings = accepted(
      joined(kAcceptor, "AllowedRemoteAddresses=10.0.0.1, 0:0:0:0:0:0:0:1 ::ffff:10.0.0.2\n"));
  EXPECT_THAT(allowed_of(settings), ElementsAre("10.0.0.1", "::1", "10.0.0.2"));
  EXPECT_FALSE(settings.sessions.front().admission.allowed_remote_addresses.contains("10.0.0.3"));
  EXPECT_THAT(
      allowed_of(accepted(joined(kAcceptor, "AllowedRemoteAddresses=10.0.0.0/8,2001:0db8::/32\n"))),
      ElementsAre("10.0.0.0/8", "2001:db8::/32"));
  EXPECT_THAT(allowed_of(accepted(joined(kAcceptor,
                                         "AllowedRemoteAddresses=[::1], [2001:db8::]/32,"
                                         "fe80::1%eth0,fe80::%eth1/64\n"))),
              ElementsAre("::1", "2001:db8::/32", "fe80::1%eth0", "fe80::%eth1/64"));
  EXPECT_THAT(allowed_of(accepted(joined(kAcceptor, "AllowedRemoteAddresses=LocalHost\n"))),
              ElementsAre("127.0.0.1", "::1"));
  for (const char* none : {"", "AllowedRemoteAddresses=\n"}) {
    const Settings all = accepted(joined(kAcceptor, none));
    EXPECT_THAT(allowed_of(all), IsEmpty());
    EXPECT_TRUE(all.sessions.front().admission.allowed_remote_addresses.contains("10.0.0.3"));
  }
}

TEST(ConnectionSettings, link_local_address_of_each_link_is_warned_of) {
  constexpr const char* kWarning =
      "fe80::1 without an interface is that address of each link; fe80::1%eth0 is that of one";
  EXPECT_THAT(texts(accepted(joined(kAcceptor, "AllowedRemoteAddresses=::1,fe80::1\n")).warnings),
              ElementsAre(HasSubstr(kWarning)));
  EXPECT_THAT(
      texts(accepted(joined(kAcceptor, "UseTCPProxy=Y\nTrustedProxies=fe80::1\n")).warnings),
      ElementsAre(HasSubstr(kWarning)));
  EXPECT_THAT(
      accepted(joined(kAcceptor, "AllowedRemoteAddresses=fe80::/10,fe80::1%eth0\n")).warnings,
      IsEmpty());
}

TEST(ConnectionSettings, headers_of_proxies_are_believed_of_trusted_ones_only) {
  const auto proxies_of = [](std::string_view lines) {
    return accepted(joined(kAcceptor, lines)).sessions.front().accept->trusted_proxies;
  };
  EXPECT_FALSE(proxies_of("UseTCPProxy=N\n"));
  EXPECT_FALSE(proxies_of("UseTCPProxy=N\nTrustedProxies=10.0.0.1\n"));
  EXPECT_FALSE(proxies_of("TrustedProxies=\n"));
  const auto both = proxies_of("UseTCPProxy=Y\nTrustedProxies=10.0.0.9, 2001:db8::/32\n");
  ASSERT_TRUE(both);
  EXPECT_TRUE(both->contains("10.0.0.9") && both->contains("2001:db8::1"));
  EXPECT_FALSE(both->contains("10.0.0.8"));
  constexpr const char* kMissing =
      "t.cfg:9: UseTCPProxy: TrustedProxies is missing: the addresses of the trusted proxies; "
      "the engine does not start without what was asked";
  EXPECT_THAT(errors(joined(kAcceptor, "UseTCPProxy=Y\n")), ElementsAre(kMissing));
  EXPECT_THAT(errors(joined(kAcceptor, "UseTCPProxy=Y\nTrustedProxies=\n")), ElementsAre(kMissing));
  EXPECT_THAT(errors(joined(kAcceptor, "UseTCPProxy=Y\nTrustedProxies=proxy.example.com\n")),
              ElementsAre(HasSubstr("t.cfg:10: TrustedProxies=proxy.example.com: addresses and")));
  EXPECT_THAT(errors(joined(kAcceptor, "TrustedProxies=10.0.0.9\n")),
              ElementsAre(HasSubstr("t.cfg:9: TrustedProxies: nothing asks for headers of proxies: "
                                    "UseTCPProxy=Y does; the engine does not start")));
}

TEST(ConnectionSettings, everybody_as_a_trusted_proxy_is_warned_of) {
  const auto warnings_of = [](std::string_view lines) {
    std::vector<std::string> texts;
    for (const auto& one : accepted(joined(kAcceptor, lines)).warnings) texts.push_back(one.what());
    return texts;
  };
  for (const std::string all : {"0.0.0.0/0", "::/0"}) {
    EXPECT_THAT(warnings_of("UseTCPProxy=Y\nTrustedProxies=10.0.0.9, " + all + "\n"),
                ElementsAre(HasSubstr("t.cfg:10: TrustedProxies: " + all +
                                      " is every address: each client states its own address")));
  }
  EXPECT_THAT(warnings_of("UseTCPProxy=Y\nTrustedProxies=10.0.0.0/8\n"), IsEmpty());
}

TEST(ConnectionSettings, sessions_of_one_port_have_the_same_proxies) {
  const std::string two = joined(kAcceptor,
                                 "UseTCPProxy=Y\nTrustedProxies=10.0.0.9\n[SESSION]\n"
                                 "BeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\n");
  EXPECT_THAT(errors(two), ElementsAre(HasSubstr("t.cfg:11: [SESSION]: its proxies (UseTCPProxy, "
                                                 "TrustedProxies) differ from those of the session "
                                                 "in line 5")));
  EXPECT_EQ(accepted(two + "UseTCPProxy=Y\nTrustedProxies=10.0.0.9\n").sessions.size(), 2U);
}

TEST(ConnectionSettings, sizes_of_messages_and_logons_have_limits) {
  const SessionSettings none = accepted(kAcceptor).sessions.front();
  EXPECT_EQ(none.limits.message_bytes_max, 1'048'576U);
  EXPECT_EQ(none.limits.logon_bytes_max, 4'096U);
  const SessionSettings both =
      accepted(joined(kAcceptor, "MaxMessageSize=67108864\nMaxLogonSize=1048576\n"))
          .sessions.front();
  EXPECT_EQ(both.limits.message_bytes_max, 67'108'864U);
  EXPECT_EQ(both.limits.logon_bytes_max, 1'048'576U);
  // A Logon is a message.
  EXPECT_EQ(
      accepted(joined(kAcceptor, "MaxMessageSize=1024\n")).sessions.front().limits.logon_bytes_max,
      1'024U);
  EXPECT_THAT(errors(joined(kAcceptor, "MaxMessageSize=1024\nMaxLogonSize=1025\n")),
              ElementsAre("t.cfg:10: MaxLogonSize: is above MaxMessageSize, which is 1024"));
  for (const char* wrong : {"1023", "67108865", "1M", "-1"}) {
    EXPECT_THAT(errors(joined(kAcceptor, std::string{"MaxMessageSize="} + wrong + "\n")),
                ElementsAre(std::string{"t.cfg:9: MaxMessageSize="} + wrong +
                            ": a whole number of bytes from 1024 to 67108864 was expected"));
  }
  for (const char* wrong : {"255", "1048577"}) {
    EXPECT_THAT(errors(joined(kAcceptor, std::string{"MaxLogonSize="} + wrong + "\n")),
                ElementsAre(std::string{"t.cfg:9: MaxLogonSize="} + wrong +
                            ": a whole number of bytes from 256 to 1048576 was expected"));
  }
}

using ProxyProtocol = transport::ConnectProxy::Protocol;

std::shared_ptr<const transport::ConnectProxy> proxy_of(const std::string& lines) {
  return accepted(joined(kInitiator, lines)).sessions.front().connect.at(0).proxy;
}
constexpr const char* kProxyPlace = "ProxyHost=proxy\nProxyPort=3128\n";

TEST(ConnectionSettings, proxy_of_each_kind_is_read) {
  EXPECT_EQ(proxy_of(""), nullptr);
  EXPECT_EQ(proxy_of("ProxyType=\nProxyHost=proxy\nProxyUser=me\n"), nullptr);
  for (const auto& [lines, expected] : std::vector<std::pair<std::string, ProxyProtocol>>{
           {"ProxyType=http\n", ProxyProtocol::Http11},
           {"ProxyType=HTTP\nProxyVersion=1.1\n", ProxyProtocol::Http11},
           {"ProxyType=http\nProxyVersion=1.0\n", ProxyProtocol::Http10},
           {"ProxyType=socks\n", ProxyProtocol::Socks5},
           {"ProxyType=socks\nProxyVersion=5\n", ProxyProtocol::Socks5},
           {"ProxyType=socks\nProxyVersion=4\n", ProxyProtocol::Socks4},
           {"ProxyType=socks\nProxyVersion=4A\n", ProxyProtocol::Socks4a}}) {
    const auto proxy = proxy_of(lines + kProxyPlace + "ProxyUser=me\nProxyPassword=it\n");
    ASSERT_NE(proxy, nullptr) << lines;
    EXPECT_EQ(*proxy, (transport::ConnectProxy{expected, "proxy", 3128, "me", "it"})) << lines;
  }
  const Settings both = accepted(joined(
      kInitiator,
      std::string{"ProxyType=http\nSocketConnectHost1=b\nSocketConnectPort1=2\n"} + kProxyPlace));
  for (const auto& endpoint : both.sessions.front().connect) EXPECT_NE(endpoint.proxy, nullptr);
}

TEST(ConnectionSettings, proxy_that_is_not_whole_or_of_no_kind_refuses_the_start) {
  const auto reported = [](const std::string& lines) { return errors(joined(kInitiator, lines)); };
  const std::string place = kProxyPlace;
  EXPECT_THAT(reported(place),
              ElementsAre("t.cfg:11: ProxyHost: asks for a proxy, and ProxyType is "
                          "missing: http or socks; the engine does not start without "
                          "what was asked"));
  EXPECT_THAT(reported("ProxyType=ftp\n" + place),
              ElementsAre("t.cfg:11: ProxyType=ftp: http or socks was expected"));
  EXPECT_THAT(
      reported("ProxyType=http\nProxyPort=1\n"),
      ElementsAre(HasSubstr("t.cfg:11: ProxyType: where the proxy is, is missing: ProxyHost;")));
  EXPECT_THAT(
      reported("ProxyType=http\nProxyHost=proxy\n"),
      ElementsAre(HasSubstr("t.cfg:11: ProxyType: where the proxy is, is missing: ProxyPort;")));
  EXPECT_THAT(reported("ProxyType=http\nProxyHost=proxy\nProxyPort=0\n"),
              ElementsAre("t.cfg:13: ProxyPort=0: a port from 1 to 65535 was expected"));
  EXPECT_THAT(reported("ProxyType=http\nProxyVersion=5\n" + place),
              ElementsAre("t.cfg:12: ProxyVersion=5: 1.0 or 1.1 was expected with ProxyType=http"));
  EXPECT_THAT(reported("ProxyType=socks\nProxyVersion=1.1\n" + place),
              ElementsAre("t.cfg:12: ProxyVersion=1.1: 4, 4a or 5 was expected with "
                          "ProxyType=socks"));
  EXPECT_THAT(
      reported("ProxyType=socks\nProxyVersion=6\n" + place),
      ElementsAre(HasSubstr("t.cfg:12: ProxyVersion=6: 1.0 or 1.1 of http, or 4, 4a or 5")));
  EXPECT_THAT(reported("ProxyType=http\nProxyUser=me\n" + place),
              ElementsAre(HasSubstr("t.cfg:12: ProxyUser: ProxyPassword is missing")));
  EXPECT_THAT(reported("ProxyType=http\nProxyPassword=secret\n" + place),
              ElementsAre(HasSubstr("t.cfg:12: ProxyPassword: a password needs a user")));
  EXPECT_THAT(reported("ProxyType=http\nProxyUser=a:b\nProxyPassword=\n" + place),
              ElementsAre(HasSubstr("t.cfg:12: ProxyUser: an HTTP user cannot contain a colon")));
  EXPECT_THAT(reported("ProxyType=socks\nProxyUser=me\nProxyPassword=\n" + place),
              ElementsAre(HasSubstr("t.cfg:13: ProxyPassword: a password for SOCKS 5 has 1 to")));
  EXPECT_THAT(reported("ProxyType=socks\nProxyUser=me\nProxyPassword=" + std::string(256, 's') +
                       "\n" + place),
              ElementsAre("t.cfg:13: ProxyPassword=...: at most 255 bytes was expected"));
}

TEST(ConnectionSettings, what_a_proxy_cannot_be_sent_or_asked_refuses_the_start) {
  const auto reported = [](const std::string& lines) {
    return errors(joined(kInitiator, lines + kProxyPlace));
  };
  EXPECT_THAT(reported("ProxyType=socks\nProxyVersion=4a\nSocketConnectHost=2001:db8::1\n"),
              ElementsAre("t.cfg:13: SocketConnectHost=2001:db8::1: SOCKS 4 has no IPv6 addresses; "
                          "SOCKS 5 does"));
  EXPECT_THAT(reported("ProxyType=http\nSocketConnectHost1=a{b\nSocketConnectPort1=1\n"),
              ElementsAre(HasSubstr("t.cfg:12: SocketConnectHost1=a{b: a proxy takes an address")));
  for (const std::string key : {"ProxyDomain", "ProxyWorkstation"}) {
    EXPECT_THAT(reported("ProxyType=http\n" + key + "=CORP\n"),
                ElementsAre("t.cfg:12: " + key +
                            ": a proxy gets a user and a password (Basic, RFC 1929); NTLM "
                            "is not supported; the engine does not start without what was asked"));
  }
  EXPECT_THAT(errors(joined(kAcceptor, "ProxyType=http\n")),
              ElementsAre(HasSubstr("t.cfg:9: ProxyType: is of initiators; an acceptor has "
                                    "UseTCPProxy; the engine does not start")));
}

TEST(ConnectionSettings, password_that_socks_4_cannot_send_is_a_warning) {
  const Settings settings =
      accepted(joined(kInitiator, std::string{"ProxyType=socks\nProxyVersion=4\nProxyUser=me\n"
                                              "ProxyPassword=secret\n"} +
                                      kProxyPlace));
  EXPECT_THAT(texts(settings.warnings),
              ElementsAre("t.cfg:14: ProxyPassword: is not sent, because SOCKS 4 has no "
                          "passwords"));
}

// Never less than what was asked for.
TEST(ConnectionSettings, an_address_that_is_none_stops_the_start) {
  EXPECT_THAT(errors(joined(kAcceptor, "AllowedRemoteAddresses=10.0.0.1,trader.example.com\n")),
              ElementsAre(HasSubstr("t.cfg:9: AllowedRemoteAddresses=10.0.0.1,trader.example.com: "
                                    "addresses and networks, such as 10.0.0.1,10.1.0.0/16,")));
  for (const std::string wrong : {"10.0.0.1/8", "10.0.0.0/33", "::/129", "10.0.0.0/"}) {
    EXPECT_THAT(errors(joined(kAcceptor, "AllowedRemoteAddresses=" + wrong + "\n")),
                ElementsAre(HasSubstr("t.cfg:9: AllowedRemoteAddresses=")))
        << wrong;
  }
  EXPECT_THAT(errors_of("SocketConnectSourceHost=here"),
              ElementsAre(HasSubstr("an address of this machine")));
}

}  // namespace
}  // namespace nexusfix::config
