#include "support/test_certificates.hpp"

#include <cstdio>
#include <fstream>
#include <map>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>
#include <stdexcept>
#include <sys/stat.h>

namespace nexusfix::testing {
namespace {

template <auto Free>
struct FreedBy {
  template <class Object>
  void operator()(Object* object) const {
    Free(object);
  }
};
using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using File = std::unique_ptr<std::FILE, FreedBy<std::fclose>>;

constexpr long kDaySeconds = 86'400;

void require(bool done, const char* what) {
  if (!done) throw std::runtime_error{what};
}

File create(const std::string& path) {
  File file{std::fopen(path.c_str(), "w")};
  require(file != nullptr, "a file cannot be written");
  require(::chmod(path.c_str(), S_IRUSR | S_IWUSR) == 0, "chmod");
  return file;
}

void extend(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  require(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1, "extension");
  X509_EXTENSION_free(extension);
}

Certificate blank(const std::string& name, EVP_PKEY* key, long serial, int first, int last) {
  Certificate certificate{X509_new()};
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), first * kDaySeconds);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), last * kDaySeconds);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

Certificate read_certificate(const std::string& path) {
  const File file{std::fopen(path.c_str(), "r")};
  return Certificate{PEM_read_X509(file.get(), nullptr, nullptr, nullptr)};
}

Key read_key(const std::string& path) {
  const File file{std::fopen(path.c_str(), "r")};
  return Key{PEM_read_PrivateKey(file.get(), nullptr, nullptr, nullptr)};
}

}  // namespace

struct TestAuthority::Objects {
  Key key{EVP_EC_gen("P-256")};
  Certificate certificate;
  std::vector<X509*> chain;  // of the authorities above, without the root
  std::map<std::string, long> serials;
  std::vector<long> revoked;
  long next_serial = 1;
};

TestAuthority::TestAuthority(std::string folder, std::string name, const TestAuthority* above)
    : folder_{std::move(folder)},
      name_{std::move(name)},
      file_{folder_ + "/" + name_ + ".pem"},
      objects_{std::make_unique<Objects>()} {
  static long next_authority = 1'000;
  const long serial = next_authority++;
  objects_->certificate = blank(name_, objects_->key.get(), serial, -10, 3'650);
  X509* const own = objects_->certificate.get();
  X509* const issuer = above == nullptr ? own : above->objects_->certificate.get();
  EVP_PKEY* const signer = above == nullptr ? objects_->key.get() : above->objects_->key.get();
  X509_set_issuer_name(own, X509_get_subject_name(issuer));
  extend(own, issuer, NID_basic_constraints, "critical,CA:TRUE");
  extend(own, issuer, NID_key_usage, "critical,keyCertSign,cRLSign");
  extend(own, issuer, NID_subject_key_identifier, "hash");
  require(X509_sign(own, signer, EVP_sha256()) > 0, "sign");
  if (above != nullptr) {
    above->objects_->serials[name_] = serial;
    objects_->chain = above->objects_->chain;
    objects_->chain.insert(objects_->chain.begin(), own);
  }
  PEM_write_X509(create(file_).get(), own);
}

TestAuthority::~TestAuthority() = default;

CertificateFiles TestAuthority::issue(const std::string& name, const CertificateOptions& options) {
  const CertificateFiles files{folder_ + "/" + name + ".pem", folder_ + "/" + name + ".key"};
  const Key key{EVP_EC_gen("P-256")};
  objects_->serials[name] = objects_->next_serial++;
  const Certificate certificate =
      blank(name, key.get(), objects_->serials[name], options.first_day, options.last_day);
  X509* const issuer = objects_->certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer));
  if (!options.names.empty()) {
    extend(certificate.get(), issuer, NID_subject_alt_name, options.names);
  }
  if (!options.usage.empty()) extend(certificate.get(), issuer, NID_ext_key_usage, options.usage);
  require(X509_sign(certificate.get(), objects_->key.get(), EVP_sha256()) > 0, "sign");
  const File out = create(files.certificate);
  PEM_write_X509(out.get(), certificate.get());
  for (X509* const one : objects_->chain) PEM_write_X509(out.get(), one);
  PEM_write_PrivateKey(create(files.key).get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return files;
}

std::string TestAuthority::revoke(const std::string& name, int last_day) {
  objects_->revoked.push_back(objects_->serials.at(name));
  const std::unique_ptr<X509_CRL, FreedBy<X509_CRL_free>> list{X509_CRL_new()};
  X509_CRL_set_version(list.get(), 1);
  X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(objects_->certificate.get()));
  const std::unique_ptr<ASN1_TIME, FreedBy<ASN1_TIME_free>> from{
      X509_gmtime_adj(nullptr, -10 * kDaySeconds)};
  const std::unique_ptr<ASN1_TIME, FreedBy<ASN1_TIME_free>> to{
      X509_gmtime_adj(nullptr, last_day * kDaySeconds)};
  X509_CRL_set1_lastUpdate(list.get(), from.get());
  X509_CRL_set1_nextUpdate(list.get(), to.get());
  for (const long serial : objects_->revoked) {
    X509_REVOKED* const one = X509_REVOKED_new();
    const std::unique_ptr<ASN1_INTEGER, FreedBy<ASN1_INTEGER_free>> number{ASN1_INTEGER_new()};
    ASN1_INTEGER_set(number.get(), serial);
    X509_REVOKED_set_serialNumber(one, number.get());
    X509_REVOKED_set_revocationDate(one, from.get());
    X509_CRL_add0_revoked(list.get(), one);
  }
  require(X509_CRL_sign(list.get(), objects_->key.get(), EVP_sha256()) > 0, "sign");
  const std::string path = folder_ + "/" + name_ + ".crl";
  PEM_write_X509_CRL(create(path).get(), list.get());
  return path;
}

CertificateFiles write_self_signed(const std::string& folder, const std::string& name) {
  const CertificateFiles files{folder + "/" + name + ".pem", folder + "/" + name + ".key"};
  const CertificateOptions options;
  const Key key{EVP_EC_gen("P-256")};
  const Certificate certificate = blank(name, key.get(), 1, options.first_day, options.last_day);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  extend(certificate.get(), certificate.get(), NID_subject_alt_name, options.names);
  extend(certificate.get(), certificate.get(), NID_ext_key_usage, options.usage);
  require(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0, "sign");
  PEM_write_X509(create(files.certificate).get(), certificate.get());
  PEM_write_PrivateKey(create(files.key).get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return files;
}

std::string write_pkcs12(const CertificateFiles& files, const std::string& password) {
  const Certificate certificate = read_certificate(files.certificate);
  const Key key = read_key(files.key);
  const std::unique_ptr<PKCS12, FreedBy<PKCS12_free>> store{
      PKCS12_create(password.c_str(), "key", key.get(), certificate.get(), nullptr, 0, 0, 0, 0, 0)};
  require(store != nullptr, "PKCS#12");
  const std::string path = files.certificate + ".p12";
  i2d_PKCS12_fp(create(path).get(), store.get());
  return path;
}

std::string write_encrypted_key(const CertificateFiles& files, const std::string& password) {
  const Key key = read_key(files.key);
  const std::string path = files.key + ".encrypted";
  PEM_write_PKCS8PrivateKey(create(path).get(), key.get(), EVP_aes_256_cbc(), password.data(),
                            static_cast<int>(password.size()), nullptr, nullptr);
  return path;
}

std::string write_ed25519_key(const std::string& path) {
  const Key key{EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")};
  PEM_write_PrivateKey(create(path).get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return path;
}

}  // namespace nexusfix::testing
