// The keys of TLS: what each of the other engines' means here, and what is refused.
#include "settings_fixture.hpp"

namespace nexusfix::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using transport::ClientCertificate;
using transport::TlsItem;
using transport::TlsVersion;

transport::TlsSettings initiator_tls(std::string_view lines) {
  const auto tls = accepted(joined(kInitiator, lines)).sessions.at(0).tls;
  if (tls) return tls->settings;
  ADD_FAILURE() << "no TLS by " << lines;
  return {};
}

transport::TlsSettings acceptor_tls(std::string_view lines) {
  const auto tls = accepted(joined(kAcceptor, lines)).sessions.at(0).tls;
  if (tls) return tls->settings;
  ADD_FAILURE() << "no TLS by " << lines;
  return {};
}

bool has_tls(std::string_view text) { return accepted(text).sessions.at(0).tls != nullptr; }

std::vector<std::string> acceptor_errors(std::string_view lines) {
  return errors(joined(kAcceptor, lines));
}

TEST(TlsSettings, session_without_its_keys_has_none) {
  EXPECT_FALSE(has_tls(kInitiator));
  EXPECT_FALSE(has_tls(joined(kAcceptor,
                              "SocketUseSSL=N\nSSLEnable=N\nNeedClientAuth=N\n"
                              "CertificateVerifyLevel=0\nServerCertificateFile=\n"
                              "RequireTLS=N\nKeyManagerFactoryAlgorithm=SunX509\n"
                              "SSLValidateCertificates=Y\n")));
}

TEST(TlsSettings, keys_of_quickfix_need_no_switch) {
  const auto acceptor = acceptor_tls(
      "ServerCertificateFile=v.pem\nServerCertificateKeyFile=v.key\n"
      "CertificationAuthoritiesFile=ca.pem\nCertificationAuthoritiesDirectory=cas\n"
      "CertificateVerifyLevel=1\nCertificateRevocationListFile=r.crl\n"
      "CertificateRevocationListDirectory=crls\nSSLProtocol=all -SSLv2\n"
      "SSLCipherSuite=HIGH:!RC4\nTLSCipherSuites=TLS_AES_128_GCM_SHA256\n");
  EXPECT_EQ(acceptor.role, transport::TlsRole::Acceptor);
  EXPECT_EQ(acceptor.certificate_file, "v.pem");
  EXPECT_EQ(acceptor.key_file, "v.key");
  EXPECT_EQ(acceptor.authorities_file, "ca.pem");
  EXPECT_EQ(acceptor.authorities_folder, "cas");
  EXPECT_EQ(acceptor.client_certificate, ClientCertificate::VerifiedIfShown);
  EXPECT_EQ(acceptor.revocation_file, "r.crl");
  EXPECT_EQ(acceptor.revocation_folder, "crls");
  EXPECT_EQ(acceptor.version_min, TlsVersion::V1_2);
  EXPECT_EQ(acceptor.version_max, TlsVersion::V1_3);
  EXPECT_EQ(acceptor.ciphers, "HIGH:!RC4");
  EXPECT_EQ(acceptor.cipher_suites, "TLS_AES_128_GCM_SHA256");
  const auto initiator = initiator_tls(
      "ClientCertificateFile=t.pem\nClientCertificateKeyFile=t.key\nSSLProtocol=+TLSv1_2\n");
  EXPECT_EQ(initiator.role, transport::TlsRole::Initiator);
  EXPECT_EQ(initiator.certificate_file, "t.pem");
  EXPECT_EQ(initiator.key_file, "t.key");
  EXPECT_EQ(initiator.version_max, TlsVersion::V1_2);
}

TEST(TlsSettings, keys_of_quickfix_j_have_stores_with_passwords) {
  const auto acceptor = acceptor_tls(
      "SocketUseSSL=Y\nSocketKeyStore=v.p12\nSocketKeyStorePassword=one\nKeyStoreType=PKCS12\n"
      "SocketTrustStore=ca.p12\nSocketTrustStorePassword=two\nTrustStoreType=PKCS12\n"
      "NeedClientAuth=Y\nEnabledProtocols=TLSv1.3\nCipherSuites=TLS_AES_256_GCM_SHA384\n"
      "TrustManagerFactoryAlgorithm=PKIX\n");
  EXPECT_EQ(acceptor.certificate_file, "v.p12");
  EXPECT_EQ(acceptor.key_password, "one");
  EXPECT_EQ(acceptor.authorities_file, "ca.p12");
  EXPECT_EQ(acceptor.authorities_password, "two");
  EXPECT_EQ(acceptor.client_certificate, ClientCertificate::Required);
  EXPECT_EQ(acceptor.version_min, TlsVersion::V1_3);
  EXPECT_EQ(acceptor.ciphers, "TLS_AES_256_GCM_SHA384");
  const auto initiator = initiator_tls(
      "SocketUseSSL=Y\nUseSNI=N\nSNIHostName=fix.example.com\n"
      "EndpointIdentificationAlgorithm=HTTPS\n");
  EXPECT_FALSE(initiator.sends_server_name);
  EXPECT_EQ(initiator.server_name, "fix.example.com");
}

TEST(TlsSettings, keys_of_quickfix_go_and_quickfix_n_are_read) {
  const auto go = initiator_tls(
      "SocketUseSSL=Y\nSocketPrivateKeyFile=t.key\nSocketCertificateFile=t.pem\n"
      "SocketCAFile=ca.pem\nSocketServerName=venue\nSocketMinimumTLSVersion=TLS13\n"
      "SocketInsecureSkipVerify=N\n");
  EXPECT_EQ(go.certificate_file, "t.pem");
  EXPECT_EQ(go.key_file, "t.key");
  EXPECT_EQ(go.authorities_file, "ca.pem");
  EXPECT_EQ(go.server_name, "venue");
  EXPECT_EQ(go.version_min, TlsVersion::V1_3);
  const auto n = acceptor_tls(
      "SSLEnable=Y\nSSLCertificate=v.pfx\nSSLCertificatePassword=x\nSSLCACertificate=ca.pem\n"
      "SSLRequireClientCertificate=N\nSSLProtocols=Tls12\n");
  EXPECT_EQ(n.certificate_file, "v.pfx");
  EXPECT_EQ(n.key_password, "x");
  EXPECT_EQ(n.client_certificate, ClientCertificate::NotAsked);
  EXPECT_EQ(n.version_max, TlsVersion::V1_2);
  EXPECT_EQ(initiator_tls("SSLEnable=Y\nSSLServerName=venue\n").server_name, "venue");
}

TEST(TlsSettings, acceptor_that_names_authorities_requires_certificates_unless_it_says_otherwise) {
  constexpr std::string_view kFiles = "ServerCertificateFile=v.pem\nSocketCAFile=ca.pem\n";
  EXPECT_EQ(acceptor_tls(kFiles).client_certificate, ClientCertificate::Required);
  EXPECT_EQ(acceptor_tls(joined(kFiles, "NeedClientAuth=N\n")).client_certificate,
            ClientCertificate::NotAsked);
  EXPECT_EQ(acceptor_tls(joined(kFiles, "CertificateVerifyLevel=0\nNeedClientAuth=Y\n"))
                .client_certificate,
            ClientCertificate::Required);
}

TEST(TlsSettings, what_asks_for_tls_without_turning_it_on_is_refused) {
  EXPECT_THAT(errors_of("RequireTLS=Y"),
              ElementsAre("t.cfg:11: RequireTLS: asks for TLS, and nothing turns it on: "
                          "SocketUseSSL=Y does; the engine does not start without what was asked"));
  EXPECT_THAT(errors_of("SSLProtocol=+SSLv3 +TLSv1 -SSLv2"),
              ElementsAre(HasSubstr("t.cfg:11: SSLProtocol: asks for TLS, and nothing turns it on: "
                                    "add the line SocketUseSSL=Y for TLS, or the line "
                                    "SocketUseSSL=N for a session without it")));
  EXPECT_TRUE(has_tls(joined(kInitiator, "SocketUseSSL=Y\nRequireTLS=Y\n")));
}

TEST(TlsSettings, session_may_do_without_what_default_has_but_not_against_require_tls) {
  const std::string plain =
      joined("[DEFAULT]\nSocketCAFile=ca.pem\n", kInitiator.substr(10)) + "SocketUseSSL=N\n";
  EXPECT_FALSE(has_tls(plain));
  const std::string refused =
      joined("[DEFAULT]\nRequireTLS=Y\nSocketCAFile=ca.pem\n", kInitiator.substr(10)) +
      "SocketUseSSL=N\n";
  EXPECT_THAT(errors(refused), ElementsAre(HasSubstr("t.cfg:2: RequireTLS: asks for TLS, and ")));
  const std::string both =
      joined("[DEFAULT]\nSocketUseSSL=N\nSocketCAFile=ca.pem\n", kInitiator.substr(10));
  EXPECT_FALSE(has_tls(both)) << "the same section says so";
  EXPECT_THAT(texts(accepted(both).warnings),
              ElementsAre("t.cfg:3: SocketCAFile: not used, because of SocketUseSSL=N in line 2"));
}

TEST(TlsSettings, each_line_that_a_refusal_names_makes_the_session_start) {
  const std::string keys = "SSLProtocol=all\nCertificateVerifyLevel=1\n";
  EXPECT_FALSE(has_tls(joined(kInitiator, keys + "SocketUseSSL=N\n")));
  EXPECT_TRUE(has_tls(joined(kInitiator, keys + "SocketUseSSL=Y\n")));
  const std::string no_default =
      joined("[DEFAULT]\nSocketUseSSL=N\n", kInitiator.substr(10)) + "SocketCAFile=ca.pem\n";
  EXPECT_THAT(errors(no_default),
              ElementsAre(HasSubstr("add the line SocketUseSSL=Y to this [SESSION] for TLS, or the "
                                    "line SocketUseSSL=N")));
  EXPECT_FALSE(has_tls(no_default + "SocketUseSSL=N\n"));
  EXPECT_TRUE(has_tls(no_default + "SocketUseSSL=Y\n"));
}

TEST(TlsSettings, what_is_missing_is_named) {
  EXPECT_THAT(acceptor_errors("SocketUseSSL=Y"),
              ElementsAre(HasSubstr("t.cfg:9: SocketUseSSL: an acceptor with TLS needs a "
                                    "certificate: ServerCertificateFile")));
  EXPECT_THAT(acceptor_errors("ServerCertificateFile=v.pem\nNeedClientAuth=Y"),
              ElementsAre(HasSubstr("t.cfg:10: NeedClientAuth: who may have issued")));
  EXPECT_THAT(acceptor_errors("ServerCertificateFile=v.pem\nCertificateVerifyLevel=2"),
              ElementsAre(HasSubstr("t.cfg:10: CertificateVerifyLevel: who may have issued")));
  EXPECT_THAT(errors_of("SocketUseSSL=Y\nSSLCheckCertificateRevocation=Y"),
              ElementsAre(HasSubstr("CertificateRevocationListFile names one")));
  EXPECT_THAT(errors_of("ClientCertificateKeyFile=t.key"),
              ElementsAre(HasSubstr("ClientCertificateKeyFile: the certificate of it is missing")));
  EXPECT_THAT(acceptor_errors("SocketCertificateFile=v.pem"),
              ElementsAre(HasSubstr("without SocketUseSSL=Y QuickFIX/Go requires")));
}

TEST(TlsSettings, certificate_of_the_other_role_is_refused) {
  EXPECT_THAT(errors_of("ServerCertificateFile=v.pem"),
              ElementsAre(HasSubstr("an initiator's is ClientCertificateFile")));
  EXPECT_THAT(acceptor_errors("ServerCertificateFile=v.pem\nClientCertificateFile=t.pem"),
              ElementsAre(HasSubstr("t.cfg:10: ClientCertificateFile: an acceptor's is")));
}

TEST(TlsSettings, allowed_certificates_are_read_in_one_form) {
  constexpr std::string_view kFiles = "ServerCertificateFile=v.pem\nSocketCAFile=ca.pem\n";
  const auto allowed = [&](const std::string& list) {
    return accepted(joined(kAcceptor, std::string{kFiles} + "AllowedCertificates=" + list + "\n"))
        .sessions.at(0)
        .admission.allowed_certificates;
  };
  const std::string pin = "pin:sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
  EXPECT_THAT(allowed(pin + ", san:Broker.EXAMPLE.com san:spiffe://Broker,san:urn:uuid:1"),
              ElementsAre(pin, "dns:broker.example.com", "uri:spiffe://Broker", "uri:urn:uuid:1"));
  EXPECT_THAT(allowed("san:10.0.0.1,san:::ffff:10.0.0.2,san:2001:0db8::1"),
              ElementsAre("ip:10.0.0.1", "ip:10.0.0.2", "ip:2001:db8::1"));
  EXPECT_THAT(allowed(""), IsEmpty());
  for (const std::string wrong :
       {"broker.example.com", "san:", "san:*.example.com", "cn:broker", "pin:sha256/abc", "SAN:a",
        "pin:sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=",
        "pin:sha1/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "san:a,,b", "san:\x80"}) {
    EXPECT_THAT(acceptor_errors(std::string{kFiles} + "AllowedCertificates=" + wrong),
                ElementsAre(HasSubstr("such as san:broker.example.com or pin:sha256/ and 44 digits "
                                      "of base64, was expected")))
        << wrong;
  }
}

TEST(TlsSettings, allowed_certificates_are_refused_where_none_is_asked_for) {
  constexpr const char* kNone =
      "AllowedCertificates: no certificate is asked of this session's counterparty: "
      "CertificationAuthoritiesFile and NeedClientAuth=Y do, with TLS; the engine does not start";
  EXPECT_THAT(acceptor_errors("AllowedCertificates=san:broker"), ElementsAre(HasSubstr(kNone)));
  EXPECT_THAT(acceptor_errors("ServerCertificateFile=v.pem\nAllowedCertificates=san:broker"),
              ElementsAre(HasSubstr(kNone)));
  EXPECT_THAT(acceptor_errors("ServerCertificateFile=v.pem\nSocketCAFile=ca.pem\n"
                              "NeedClientAuth=N\nAllowedCertificates=san:broker"),
              ElementsAre(HasSubstr(kNone)));
  EXPECT_THAT(errors_of("AllowedCertificates=san:venue"),
              ElementsAre(HasSubstr("t.cfg:11: AllowedCertificates: this session's acceptor shows "
                                    "no certificate without TLS: SocketUseSSL=Y turns it on; the "
                                    "engine does not start")));
}

TEST(TlsSettings, initiator_names_its_acceptors_certificates) {
  const Settings settings =
      accepted(joined(kInitiator, "SocketUseSSL=Y\nAllowedCertificates=san:Venue\n"));
  EXPECT_THAT(settings.sessions.at(0).admission.allowed_certificates, ElementsAre("dns:venue"));
  EXPECT_THAT(accepted(joined(kInitiator, "AllowedCertificates=\n"))
                  .sessions.at(0)
                  .admission.allowed_certificates,
              IsEmpty());
}

TEST(TlsSettings, keys_of_one_meaning_may_not_differ) {
  EXPECT_THAT(errors_of("SocketCAFile=a.pem\nCertificationAuthoritiesFile=b.pem"),
              ElementsAre("t.cfg:11: SocketCAFile: means the same as CertificationAuthoritiesFile "
                          "in line 12, and differs"));
  EXPECT_THAT(errors_of("SocketUseSSL=Y\nSSLEnable=N"), ::testing::SizeIs(1));
}

TEST(TlsSettings, versions_that_are_not_spoken_are_refused) {
  EXPECT_THAT(errors_of("SocketUseSSL=Y\nEnabledProtocols=TLSv1,TLSv1.1"),
              ElementsAre(HasSubstr("t.cfg:12: EnabledProtocols: none of these versions")));
  EXPECT_THAT(errors_of("SocketUseSSL=Y\nEnabledProtocols=TLSv9"),
              ElementsAre(HasSubstr("TLSv1.2, TLSv1.3 or both was expected")));
  EXPECT_EQ(initiator_tls("SocketUseSSL=Y\nEnabledProtocols=TLSv1.1,TLSv1.2\n").version_max,
            TlsVersion::V1_2);
  EXPECT_EQ(initiator_tls("SocketUseSSL=Y\nSocketMinimumTLSVersion=TLS10\n").version_min,
            TlsVersion::V1_2);
}

TEST(TlsSettings, initiator_verifies_even_if_a_key_says_not_to) {
  EXPECT_THAT(warnings_of("SocketUseSSL=Y\nCertificateVerifyLevel=0"),
              ElementsAre(HasSubstr("is always verified")));
}

TEST(TlsSettings, sessions_of_one_port_are_protected_alike) {
  const std::string other =
      "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\n";
  EXPECT_THAT(acceptor_errors("ServerCertificateFile=v.pem\n" + other),
              ElementsAre("t.cfg:10: [SESSION]: its TLS differs from that of the session in line "
                          "5, and both listen on the same port"));
  EXPECT_THAT(warnings_of("SocketUseSSL=Y"), IsEmpty());
}

TEST(TlsSettings, passwords_are_never_shown) {
  for (const std::string key :
       {"SocketKeyStorePassword", "SocketTrustStorePassword", "SSLCertificatePassword"}) {
    const auto reported = errors_of(key + "=CANARY" + std::string(5'000, 'x'));
    ASSERT_FALSE(reported.empty());
    for (const std::string& one : reported) EXPECT_THAT(one, ::testing::Not(HasSubstr("CANARY")));
  }
}

TEST(TlsSettings, mistakes_of_files_know_their_keys) {
  const auto settings = accepted(joined(kInitiator, "SocketUseSSL=Y\nSocketCAFile=ca.pem\n"));
  const auto& origins = settings.sessions.at(0).tls->origins;
  const auto& origin = origins.at(static_cast<std::size_t>(TlsItem::Authorities));
  EXPECT_EQ(origin.key, "SocketCAFile");
  EXPECT_EQ(origin.line, 12U);
}

}  // namespace
}  // namespace nexusfix::config
