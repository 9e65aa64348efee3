// Files and names of TLS settings, and the errors of wrong ones.
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>

#include "tls_fixture.hpp"

namespace nexusfix::transport {
namespace {

using ::testing::HasSubstr;

class TlsContextTest : public TlsTest {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const std::string path = folder.file(name);
    std::ofstream{path} << text;
    std::filesystem::permissions(path, std::filesystem::perms{0600});
    return path;
  }
};

TEST_F(TlsContextTest, reports_what_it_offers_and_when_it_expires) {
  require_client_certificate();
  const auto made = context(acceptor_settings);
  EXPECT_THAT(made->description(), HasSubstr("TLS 1.2 to 1.3, certificate CN=venue until 20"));
  EXPECT_THAT(made->description(), HasSubstr("client certificates required"));
  ASSERT_EQ(made->expiries().size(), 2U);
  EXPECT_EQ(made->expiries()[0].what, "certificate CN=venue in " + folder.file("venue.pem"));
  EXPECT_THAT(made->expiries()[1].what, HasSubstr("authority CN="));
}

TEST_F(TlsContextTest, key_that_other_users_can_read_is_refused_with_the_command_that_fixes_it) {
  using std::filesystem::perms;
  std::filesystem::permissions(acceptor_settings.key_file, perms{0640});
  EXPECT_EQ(error_of(acceptor_settings),
            acceptor_settings.key_file +
                ": has a private key and is readable by other users: chmod 600 " +
                acceptor_settings.key_file);
  std::filesystem::permissions(acceptor_settings.key_file, perms{0400});
  EXPECT_EQ(error_of(acceptor_settings), "none");
}

TEST_F(TlsContextTest, certificate_and_key_may_be_in_one_file) {
  std::ofstream both{acceptor_settings.certificate_file, std::ios::app};
  both << std::ifstream{acceptor_settings.key_file}.rdbuf();
  both.close();
  acceptor_settings.key_file.clear();
  meet();
  expect_talk();
}

TEST_F(TlsContextTest, certificate_and_key_may_be_in_a_pkcs12_store) {
  acceptor_settings.certificate_file = nexusfix::testing::write_pkcs12(
      {acceptor_settings.certificate_file, acceptor_settings.key_file}, "s3cret");
  acceptor_settings.key_file.clear();
  EXPECT_THAT(error_of(acceptor_settings), HasSubstr("the PKCS#12 store cannot be opened"));
  acceptor_settings.key_password = "wr0ng";
  EXPECT_THAT(error_of(acceptor_settings), HasSubstr("is the password right?"));
  EXPECT_THAT(error_of(acceptor_settings), ::testing::Not(HasSubstr("wr0ng")));
  acceptor_settings.key_password = "s3cret";
  using std::filesystem::perms;
  std::filesystem::permissions(acceptor_settings.certificate_file, perms{0640});
  EXPECT_THAT(error_of(acceptor_settings), HasSubstr("is readable by other users: chmod 600"));
  std::filesystem::permissions(acceptor_settings.certificate_file, perms{0600});
  meet();
  expect_talk();
}

TEST_F(TlsContextTest, key_may_be_encrypted) {
  acceptor_settings.key_file = nexusfix::testing::write_encrypted_key(
      {acceptor_settings.certificate_file, acceptor_settings.key_file}, "s3cret");
  EXPECT_THAT(error_of(acceptor_settings), HasSubstr("it may need a password"));
  acceptor_settings.key_password = "wr0ng";
  EXPECT_THAT(error_of(acceptor_settings), HasSubstr("is the password right?"));
  acceptor_settings.key_password = "s3cret";
  meet();
  expect_talk();
}

TEST_F(TlsContextTest, java_key_store_is_refused_with_the_command_that_converts_it) {
  acceptor_settings.certificate_file =
      write("venue.jks", std::string{"\xFE\xED\xFE\xED\x00\x00\x00\x02", 8});
  EXPECT_THAT(error_of(acceptor_settings),
              HasSubstr("keytool -importkeystore -srckeystore " + folder.file("venue.jks")));
}

TEST_F(TlsContextTest, wrong_files_are_named_with_their_errors) {
  TlsSettings settings = acceptor_settings;
  settings.certificate_file = folder.file("absent.pem");
  EXPECT_THAT(error_of(settings), HasSubstr("absent.pem: No such file or directory"));
  settings.certificate_file = write("rubbish.pem", "hello");
  EXPECT_THAT(error_of(settings), HasSubstr("rubbish.pem: neither PEM nor PKCS#12"));
  settings.certificate_file = acceptor_settings.key_file;
  EXPECT_THAT(error_of(settings), HasSubstr("venue.key: contains no certificate"));
  settings = acceptor_settings;
  settings.key_file = acceptor_settings.certificate_file;
  EXPECT_THAT(error_of(settings), HasSubstr("venue.pem: contains no private key"));
  settings.key_file = authority.issue("other").key;
  EXPECT_THAT(error_of(settings), HasSubstr("other.key: not the key of "));
  settings.key_file = nexusfix::testing::write_ed25519_key(folder.file("other_kind.key"));
  EXPECT_THAT(error_of(settings), HasSubstr("other_kind.key: not the key of "));
  settings = acceptor_settings;
  settings.certificate_file.clear();
  EXPECT_THAT(error_of(settings), HasSubstr("an acceptor with TLS needs a certificate"));
  settings = acceptor_settings;
  settings.client_certificate = ClientCertificate::Required;
  EXPECT_THAT(error_of(settings), HasSubstr("no authority is configured"));
  settings.authorities_file = authority.file();
  settings.revocation_file = authority.file();
  EXPECT_THAT(error_of(settings),
              HasSubstr("authority.pem: contains no list of revoked certificates"));
}

TEST_F(TlsContextTest, authorities_after_a_damaged_one_are_not_left_out_silently) {
  std::ofstream{authority.file(), std::ios::app}
      << "-----BEGIN CERTIFICATE-----\n????\n-----END CERTIFICATE-----\n";
  EXPECT_THAT(error_of(initiator_settings), HasSubstr("authority.pem: "));
}

TEST_F(TlsContextTest, files_are_read_up_to_4_mib) {
  constexpr std::size_t kFileBytesMax = 4U << 20U;
  const auto padded = [&](const std::string& file, std::size_t size) {
    std::ifstream from{file};
    std::string text{std::istreambuf_iterator<char>{from}, {}};
    text.resize(size, '\n');
    return write("padded", text);
  };
  const auto errors_of = [&](std::size_t size) {
    TlsSettings certificate = acceptor_settings;
    certificate.certificate_file = padded(certificate.certificate_file, size);
    std::string errors = error_of(certificate);
    TlsSettings key = acceptor_settings;
    key.key_file = padded(key.key_file, size);
    errors += '\n' + error_of(key);
    TlsSettings authorities = acceptor_settings;
    authorities.authorities_file = padded(authority.file(), size);
    return errors + '\n' + error_of(authorities);
  };
  EXPECT_EQ(errors_of(kFileBytesMax - 1), "none\nnone\nnone");
  EXPECT_EQ(errors_of(kFileBytesMax), "none\nnone\nnone");
  const std::string too_large = "cannot be read: .*padded.*";
  EXPECT_THAT(errors_of(kFileBytesMax + 1),
              ::testing::MatchesRegex(too_large + "\n" + too_large + "\n" + too_large));
}

TEST_F(TlsContextTest, cipher_suites_are_named_as_openssl_or_as_iana_does) {
  initiator_settings.ciphers = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";  // not of TLS 1.3
  meet();
  EXPECT_EQ(initiator.tls->protection(initiator.socket),
            "TLSv1.2, ECDHE-ECDSA-AES128-GCM-SHA256, CN=venue");
}

TEST_F(TlsContextTest, suite_of_tls_1_3_is_chosen_by_its_name) {
  initiator_settings.ciphers = "TLS_CHACHA20_POLY1305_SHA256";
  meet();
  EXPECT_EQ(initiator.tls->protection(initiator.socket),
            "TLSv1.3, TLS_CHACHA20_POLY1305_SHA256, CN=venue");
}

TEST_F(TlsContextTest, weak_cipher_suites_are_never_used_even_if_configured) {
  acceptor_settings.ciphers = "AES128-SHA:AES128-GCM-SHA256:ECDHE-RSA-AES128-SHA";
  EXPECT_THAT(error_of(acceptor_settings), HasSubstr("TLS 1.2 allows ECDHE with AES-GCM"));
  acceptor_settings.ciphers = "TLS_NOT_WITH_US";
  EXPECT_THAT(error_of(acceptor_settings), HasSubstr("TLS_NOT_WITH_US: unknown cipher suite"));
  acceptor_settings.ciphers = "HIGH:!RC4";  // QuickFIX's default; its weak suites are left out
  acceptor_settings.version_max = TlsVersion::V1_2;
  meet();
  EXPECT_THAT(acceptor.tls->protection(acceptor.socket), HasSubstr("TLSv1.2, ECDHE-"));
}

TEST_F(TlsContextTest, authorities_may_be_files_in_a_folder) {
  const std::string authorities = folder.file("authorities");
  std::filesystem::create_directory(authorities);
  initiator_settings.authorities_file.clear();
  initiator_settings.authorities_folder = authorities;
  EXPECT_THAT(error_of(initiator_settings), HasSubstr("the folder is empty"));
  std::filesystem::copy_file(authority.file(), authorities + "/one.pem");
  meet();
  expect_talk();
}

}  // namespace
}  // namespace nexusfix::transport
