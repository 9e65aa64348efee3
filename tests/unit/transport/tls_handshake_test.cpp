// Which connections TLS accepts.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <set>

#include "support/network/raw_peer.hpp"
#include "tls_fixture.hpp"

namespace nexusfix::transport {
namespace {

TEST_F(TlsTest, bytes_arrive_both_ways_by_tls_1_3) {
  meet();
  expect_talk();
  EXPECT_EQ(initiator.tls->protection(initiator.socket),
            "TLSv1.3, TLS_AES_256_GCM_SHA384, CN=venue");
}

TEST_F(TlsTest, tls_1_2_is_used_with_a_peer_that_has_no_tls_1_3) {
  initiator_settings.version_max = TlsVersion::V1_2;
  meet();
  expect_talk();
  EXPECT_EQ(acceptor.tls->protection(acceptor.socket), "TLSv1.2, ECDHE-ECDSA-AES256-GCM-SHA384");
}

TEST_F(TlsTest, version_that_the_acceptor_does_not_enable_is_refused) {
  acceptor_settings.version_min = TlsVersion::V1_3;
  initiator_settings.version_max = TlsVersion::V1_2;
  expect_refused("unsupported protocol");
}

TEST_F(TlsTest, both_sides_may_have_certificates) {
  require_client_certificate();
  meet();
  expect_talk();
  EXPECT_EQ(acceptor.tls->protection(acceptor.socket),
            "TLSv1.3, TLS_AES_256_GCM_SHA384, CN=trader");
}

TEST_F(TlsTest, initiator_without_a_certificate_is_refused_where_one_is_required) {
  require_client_certificate();
  initiator_settings.certificate_file.clear();
  initiator_settings.key_file.clear();
  expect_refused("peer did not return a certificate");
}

TEST_F(TlsTest, certificate_is_verified_if_shown_and_not_required) {
  require_client_certificate();
  acceptor_settings.client_certificate = ClientCertificate::VerifiedIfShown;
  const TlsSettings with = initiator_settings;
  initiator_settings.certificate_file.clear();
  initiator_settings.key_file.clear();
  meet();
  expect_talk();
}

TEST_F(TlsTest, expired_certificate_is_refused) {
  use(acceptor_settings, authority.issue("old", {.first_day = -30, .last_day = -1}));
  expect_refused("its certificate is refused: certificate has expired");
}

TEST_F(TlsTest, certificate_that_is_not_valid_yet_is_refused) {
  use(acceptor_settings, authority.issue("young", {.first_day = 1, .last_day = 30}));
  expect_refused("its certificate is refused: certificate is not yet valid");
}

TEST_F(TlsTest, certificate_of_another_host_is_refused) {
  use(acceptor_settings, authority.issue("other", {.names = "DNS:fix.example.com"}));
  expect_refused("its certificate is refused: hostname mismatch");
}

// RFC 9525, 6.3: a name in the subject is not a name of the host.
TEST_F(TlsTest, certificate_whose_subject_alone_is_the_host_is_refused) {
  use(acceptor_settings, authority.issue("localhost", {.names = ""}));
  expect_refused("its certificate is refused: hostname mismatch");
}

TEST_F(TlsTest, certificate_of_another_address_is_refused) {
  use(acceptor_settings, authority.issue("other", {.names = "IP:10.1.2.3"}));
  listen();
  connect("127.0.0.1");
  ASSERT_TRUE(run_until([&] { return initiator.end.has_value(); }));
  EXPECT_NE(initiator.error.find("IP address mismatch"), std::string::npos) << initiator.error;
}

TEST_F(TlsTest, acceptor_may_be_known_by_another_name_than_the_host_that_is_connected_to) {
  use(acceptor_settings, authority.issue("other", {.names = "DNS:fix.example.com"}));
  initiator_settings.server_name = "fix.example.com";
  meet();
  expect_talk();
}

TEST_F(TlsTest, certificate_of_an_unknown_authority_is_refused) {
  TestAuthority unknown{folder.path(), "unknown"};
  use(acceptor_settings, unknown.issue("venue-of-unknown-ca"));
  expect_refused("its certificate is refused: unable to get local issuer certificate");
}

TEST_F(TlsTest, initiator_of_an_unknown_authority_is_refused) {
  require_client_certificate();
  TestAuthority unknown{folder.path(), "unknown"};
  use(initiator_settings, unknown.issue("trader-of-unknown-ca"));
  expect_refused("its certificate is refused: unable to get local issuer certificate");
}

TEST_F(TlsTest, self_signed_certificate_is_refused) {
  use(acceptor_settings, nexusfix::testing::write_self_signed(folder.path(), "venue-by-itself"));
  expect_refused("its certificate is refused: self-signed certificate");
}

TEST_F(TlsTest, initiator_with_a_self_signed_certificate_is_refused) {
  require_client_certificate();
  use(initiator_settings, nexusfix::testing::write_self_signed(folder.path(), "trader-by-itself"));
  expect_refused("its certificate is refused: self-signed certificate");
}

TEST_F(TlsTest, revoked_certificate_is_refused) {
  require_client_certificate();
  acceptor_settings.revocation_file = authority.revoke("trader");
  expect_refused("its certificate is refused: certificate revoked");
}

TEST_F(TlsTest, expired_list_of_revoked_certificates_refuses_all_certificates) {
  require_client_certificate();
  static_cast<void>(authority.issue("gone"));
  acceptor_settings.revocation_file = authority.revoke("gone", -1);
  expect_refused("its certificate is refused: CRL has expired");
}

TEST_F(TlsTest, certificate_that_is_not_revoked_is_accepted) {
  require_client_certificate();
  authority.issue("gone");
  acceptor_settings.revocation_file = authority.revoke("gone");
  meet();
  expect_talk();
}

// Each authority between the certificate and the root has a list of its own.
class RevokedAuthorityTest : public TlsTest {
 protected:
  void SetUp() override {
    require_client_certificate();
    use(initiator_settings, desk.issue("trader"));
    desk.issue("gone");
    std::filesystem::create_directory(lists);
    acceptor_settings.revocation_folder = lists;
    add_list(desk.revoke("gone"), "desk.crl");
  }
  void add_list(const std::string& list, const std::string& name) {
    std::filesystem::copy_file(list, lists + "/" + name);
  }
  TestAuthority desk{folder.path(), "desk", &authority};
  std::string lists = folder.file("lists");
};

TEST_F(RevokedAuthorityTest, certificate_of_an_authority_that_is_not_revoked_is_accepted) {
  authority.issue("other");
  add_list(authority.revoke("other"), "authority.crl");
  meet();
  expect_talk();
}

TEST_F(RevokedAuthorityTest, certificate_of_a_revoked_authority_is_refused) {
  add_list(authority.revoke("desk"), "authority.crl");
  expect_refused("its certificate is refused: certificate revoked");
}

TEST_F(TlsTest, identities_are_those_of_a_verified_certificate) {
  require_client_certificate();
  use(initiator_settings,
      authority.issue("trader", {.names = "DNS:Desk.Example.com,IP:10.1.2.3,IP:2001:db8::1,"
                                          "URI:spiffe://example.com/desk,email:desk@example.com"}));
  meet();
  expect_talk();
  const auto identities = acceptor.tls->peer_identities(acceptor.socket);
  EXPECT_THAT(identities, ::testing::ElementsAre(
                              ::testing::StartsWith("pin:sha256/"), "dns:desk.example.com",
                              "ip:10.1.2.3", "ip:2001:db8::1", "uri:spiffe://example.com/desk"));
  EXPECT_EQ(certificate_identity(identities.at(0)), identities.at(0));
}

TEST_F(TlsTest, certificate_that_is_not_verified_has_no_identities) {
  use(initiator_settings, authority.issue("trader"));
  meet();
  expect_talk();
  EXPECT_THAT(acceptor.tls->peer_identities(acceptor.socket), ::testing::IsEmpty());
}

TEST(CertificateIdentity, is_a_pin_an_address_a_dns_name_or_a_uri) {
  const std::string pin = "pin:sha256/" + std::string(42, 'A');
  EXPECT_EQ(certificate_identity(pin + "E="), pin + "E=");
  EXPECT_EQ(certificate_identity("san:010.1.2.3"), "dns:010.1.2.3");
  EXPECT_EQ(certificate_identity("san:10.1.2.3"), "ip:10.1.2.3");
  EXPECT_EQ(certificate_identity("san:2001:DB8::1"), "ip:2001:db8::1");
  EXPECT_EQ(certificate_identity("san:Desk.Example"), "dns:desk.example");
  EXPECT_EQ(certificate_identity("san:spiffe://a/B"), "uri:spiffe://a/B");
  for (const std::string& wrong :
       {pin + "=", pin + "AE=", pin + "EE", pin + "F=", pin + "-=", std::string{"desk.example"},
        std::string{"san:"}, std::string{"san:desk/1"}, std::string{"san:a:b c"},
        "san:" + std::string(254, 'a')}) {
    EXPECT_EQ(certificate_identity(wrong), std::nullopt) << wrong;
  }
}

TEST_F(TlsTest, server_name_is_sent_unless_the_settings_say_no) {
  initiator_settings.server_name = "fix.example.com";
  for (const bool sends : {true, false}) {
    initiator_settings.sends_server_name = sends;
    port = acceptor.tls->local_port(acceptor.tls->listen({"127.0.0.1", 0}).value());
    acceptor.received.clear();
    connect();
    ASSERT_TRUE(run_until([&] { return !acceptor.received.empty(); }));
    EXPECT_EQ(acceptor.received.contains("fix.example.com"), sends);
  }
}

TEST_F(TlsTest, server_certificate_is_refused_from_an_initiator) {
  require_client_certificate();
  use(initiator_settings, authority.issue("server-only", {.usage = "serverAuth"}));
  expect_refused("its certificate is refused: unsuitable certificate purpose");
}

TEST_F(TlsTest, client_certificate_is_refused_from_an_acceptor) {
  use(acceptor_settings, authority.issue("client-only", {.usage = "clientAuth"}));
  expect_refused("its certificate is refused: unsuitable certificate purpose");
}

// At most three authorities may be between a certificate and a trusted one.
TEST_F(TlsTest, chain_of_three_intermediates_is_accepted_and_one_of_four_is_refused) {
  TestAuthority one{folder.path(), "one", &authority};
  TestAuthority two{folder.path(), "two", &one};
  TestAuthority three{folder.path(), "three", &two};
  TestAuthority four{folder.path(), "four", &three};
  use(acceptor_settings, three.issue("near"));
  meet();
  expect_talk();
  initiator.tls->close(initiator.socket);
  acceptor.tls->close(acceptor.socket);
  initiator.end.reset();
  initiator.is_connected = false;
  use(acceptor_settings, four.issue("far"));
  listen();
  connect();
  ASSERT_TRUE(run_until([&] { return initiator.end.has_value(); }));
  EXPECT_NE(initiator.error.find("certificate chain too long"), std::string::npos)
      << initiator.error;
  EXPECT_FALSE(initiator.is_connected);
}

// The file of authorities may have an intermediate one without its root. Certificates of the root
// and of its other intermediates are refused.
TEST_F(TlsTest, intermediate_authority_alone_is_an_anchor_of_trust) {
  TestAuthority desk{folder.path(), "desk", &authority};
  initiator_settings.authorities_file = desk.file();
  use(acceptor_settings, desk.issue("near"));
  meet();
  expect_talk();
}

TEST_F(TlsTest, certificate_of_the_root_is_refused_if_only_an_intermediate_is_trusted) {
  TestAuthority desk{folder.path(), "desk", &authority};
  TestAuthority other{folder.path(), "other", &authority};
  initiator_settings.authorities_file = desk.file();
  use(acceptor_settings, other.issue("far"));
  listen();
  connect();
  ASSERT_TRUE(run_until([&] { return initiator.end.has_value(); }));
  EXPECT_FALSE(initiator.is_connected);
}

TEST_F(TlsTest, chain_of_too_many_bytes_is_refused) {
  require_client_certificate();
  // It is not even valid: nothing reads it.
  std::ofstream many{initiator_settings.certificate_file, std::ios::app};
  const std::string authority_text = [&] {
    std::ifstream in{authority.file()};
    return std::string{std::istreambuf_iterator<char>{in}, {}};
  }();
  for (int i = 0; i < 120; ++i) many << authority_text;
  many.close();
  expect_refused("excessive message size");
}

// A time limit ends it, which is the caller's.
TEST_F(TlsTest, half_a_client_hello_delays_no_other_connection) {
  listen();
  testing::RawPeer stalled{port};
  stalled.send(std::string{"\x16\x03\x01\x02\x00\x01\x00\x01\xFC\x03\x03", 11});
  ASSERT_TRUE(run_until([&] {
    stalled.poll();
    return acceptor.socket != 0 && stalled.all_sent();
  }));
  const SocketId half = acceptor.socket;
  acceptor.socket = 0;
  connect();
  ASSERT_TRUE(run_until([&] { return initiator.is_connected && acceptor.socket != 0; }));
  expect_talk();
  EXPECT_EQ(acceptor.tls->protection(half), "TLS handshake not finished");
  acceptor.tls->close(half);
  EXPECT_TRUE(run_until([&] {
    stalled.poll();
    return stalled.closed();
  }));
}

// One step in a wait(): the steps of the flood come one after the other, and those of other sources
// first.
TEST_F(TlsTest, flood_of_rubbish_from_one_address_does_not_delay_another) {
  listen();
  constexpr std::size_t kFlood = 150;
  std::vector<std::unique_ptr<testing::RawPeer>> flood;
  for (std::size_t i = 0; i < kFlood; ++i) {
    flood.push_back(std::make_unique<testing::RawPeer>(port, "127.0.0.9"));
    flood.back()->send("no TLS");
  }
  const auto all_sent = [&] {
    for (const auto& peer : flood) peer->poll();
    return std::ranges::all_of(flood, [](const auto& peer) { return peer->all_sent(); });
  };
  std::array<Ready, 256> ready;
  std::set<SocketId> failed;
  const auto record_failed = [&] {
    const std::size_t count = acceptor.tls->wait(ready, std::chrono::nanoseconds{0});
    for (std::size_t i = 0; i < count; ++i) {
      if (ready[i].kind == Ready::Kind::Readable) failed.insert(ready[i].socket);
    }
  };
  while (!all_sent()) record_failed();
  connect();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes{5};
  while (!initiator.is_connected && std::chrono::steady_clock::now() < deadline) {
    record_failed();
    initiator.poll();
  }
  EXPECT_TRUE(initiator.is_connected);
  EXPECT_LT(failed.size(), kFlood) << "before the whole flood had its turn";
}

TEST_F(TlsTest, port_that_no_longer_has_tls_takes_plain_connections) {
  const auto listener = acceptor.tls->listen({"127.0.0.1", 0, {}, context(acceptor_settings)});
  ASSERT_TRUE(listener);
  acceptor.tls->change_listener(*listener, {"127.0.0.1", 0});
  testing::RawPeer plain{acceptor.tls->local_port(*listener)};
  plain.send("8=FIX.4.4");
  ASSERT_TRUE(run_until([&] {
    plain.poll();
    return !acceptor.received.empty() || acceptor.end;
  }));
  EXPECT_EQ(acceptor.received, "8=FIX.4.4") << acceptor.error;
}

TEST_F(TlsTest, connection_does_not_move_in_its_handshake) {
  listen();
  const testing::RawPeer silent{port};
  ASSERT_TRUE(run_until([&] { return acceptor.socket != 0; }));
  EXPECT_EQ(acceptor.tls->detach(acceptor.socket).descriptor, -1);
  EXPECT_EQ(acceptor.tls->protection(acceptor.socket), "TLS handshake not finished");
}

TEST_F(TlsTest, plain_fix_on_a_port_with_tls_is_refused_with_a_clear_error) {
  listen();
  testing::RawPeer plain{port};
  plain.send("8=FIX.4.4\0019=65\00135=A\00134=1\00149=TRADER\001");
  ASSERT_TRUE(run_until([&] {
    plain.poll();
    return acceptor.end.has_value();
  }));
  EXPECT_EQ(acceptor.end, IoResult::Status::Failed);
  EXPECT_EQ(acceptor.error_number, EPROTO);
  EXPECT_NE(acceptor.error.find(": the peer does not use TLS"), std::string::npos)
      << acceptor.error;
}

TEST_F(TlsTest, rubbish_after_a_handshake_has_begun_is_refused) {
  listen();
  testing::RawPeer rubbish{port};
  rubbish.send(std::string{"\x16\x03\x01\x00\x20", 5} + std::string(32, '\xA5'));
  ASSERT_TRUE(run_until([&] {
    rubbish.poll();
    return acceptor.end.has_value();
  }));
  EXPECT_EQ(acceptor.error_number, EPROTO) << acceptor.error;
}

TEST_F(TlsTest, connection_that_ends_within_the_handshake_is_an_error) {
  listen();
  testing::RawPeer short_lived{port};
  short_lived.send(std::string{"\x16\x03\x01", 3});
  ASSERT_TRUE(run_until([&] {
    short_lived.poll();
    return acceptor.socket != 0 && short_lived.all_sent();
  }));
  short_lived.close();
  ASSERT_TRUE(run_until([&] { return acceptor.end.has_value(); }));
  EXPECT_NE(acceptor.error.find("ended in the handshake"), std::string::npos) << acceptor.error;
}

TEST_F(TlsTest, initiator_learns_that_the_other_side_has_no_tls) {
  const auto listening = acceptor.tls->listen({"127.0.0.1", 0});
  ASSERT_TRUE(listening);
  port = acceptor.tls->local_port(*listening);
  connect();
  ASSERT_TRUE(run_until([&] { return !acceptor.received.empty(); }));
  send_all(acceptor, "8=FIX.4.4\0019=5\00135=0\00110=163\001");
  ASSERT_TRUE(run_until([&] { return initiator.end.has_value(); }));
  EXPECT_NE(initiator.error.find("the peer does not use TLS"), std::string::npos)
      << initiator.error;
  EXPECT_FALSE(initiator.is_connected);
}

}  // namespace
}  // namespace nexusfix::transport
