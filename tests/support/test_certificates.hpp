// Certificates, keys and lists of revoked certificates, made for one test in a temporary folder.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace nexusfix::testing {

// The paths of a certificate with its chain, and of its key.
struct CertificateFiles {
  std::string certificate;
  std::string key;
};

struct CertificateOptions {
  std::string names = "DNS:localhost,IP:127.0.0.1";  // subjectAltName; empty: none
  std::string usage = "serverAuth,clientAuth";       // extendedKeyUsage; empty: none
  int first_day = -1;                                // in days from today
  int last_day = 365;
};

class TestAuthority {
 public:
  // Writes NAME.pem; signed by itself, or by the authority above.
  TestAuthority(std::string folder, std::string name, const TestAuthority* above = nullptr);
  ~TestAuthority();

  // Writes NAME.pem and NAME.key; a second call replaces them.
  CertificateFiles issue(const std::string& name, const CertificateOptions& options = {});
  // Writes NAME.crl with all revoked certificates, valid until that day from today. The name may be
  // that of an authority below this one.
  std::string revoke(const std::string& name, int last_day = 20);
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

 private:
  struct Objects;
  std::string folder_;
  std::string name_;
  std::string file_;
  std::unique_ptr<Objects> objects_;
};

// NAME.pem and NAME.key of a self-signed certificate.
CertificateFiles write_self_signed(const std::string& folder, const std::string& name);
// The certificate and key of files in one PKCS#12 store; returns its path.
std::string write_pkcs12(const CertificateFiles& files, const std::string& password);
// The key again, encrypted.
std::string write_encrypted_key(const CertificateFiles& files, const std::string& password);
// A key of another kind than those of certificates; returns its path.
std::string write_ed25519_key(const std::string& path);

}  // namespace nexusfix::testing
