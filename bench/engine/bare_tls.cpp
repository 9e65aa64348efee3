#include "bench/engine/bare_tls.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdexcept>
#include <sys/stat.h>
#include <utility>

namespace nexusfix::bench {
namespace {

using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;

constexpr const char* kHost = "IP:127.0.0.1";
constexpr long kDaySeconds = 86'400;

void require(bool done, const char* what) {
  if (!done) throw std::runtime_error{std::string{"OpenSSL: "} + what};
}

using File = std::unique_ptr<std::FILE, FreedBy<std::fclose>>;

File create(const std::string& path) {
  File file{std::fopen(path.c_str(), "w")};
  require(file != nullptr && ::chmod(path.c_str(), S_IRUSR | S_IWUSR) == 0, "a file");
  return file;
}

SslContext bare_context(const SSL_METHOD* method) {
  SslContext context{SSL_CTX_new(method)};
  require(context && SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION) == 1, "TLS 1.3");
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  require(SSL_CTX_set_num_tickets(context.get(), 0) == 1, "no tickets");
  return context;
}

BareTlsEnd& end_of(BIO* bio) { return *static_cast<BareTlsEnd*>(BIO_get_data(bio)); }

int bare_read(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const int count = end_of(bio).read_below(bytes, size);
  if (count < 0) BIO_set_retry_read(bio);
  return count;
}

int bare_write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  return end_of(bio).write_below(bytes, size);
}

long bare_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

const BIO_METHOD* bare_method() {
  static const std::unique_ptr<BIO_METHOD, FreedBy<BIO_meth_free>> method = [] {
    std::unique_ptr<BIO_METHOD, FreedBy<BIO_meth_free>> made{
        BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "bare connection")};
    require(made != nullptr, "a BIO");
    BIO_meth_set_read(made.get(), bare_read);
    BIO_meth_set_write(made.get(), bare_write);
    BIO_meth_set_ctrl(made.get(), bare_control);
    return made;
  }();
  return method.get();
}

}  // namespace

CertificateFiles make_certificate(const BenchFolder& folder) {
  CertificateFiles files{folder.file("certificate.pem"), folder.file("key.pem")};
  const PrivateKey key{EVP_EC_gen("P-256")};
  const Certificate certificate{X509_new()};
  require(key && certificate, "a key");
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kDaySeconds);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kDaySeconds);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  constexpr const char* kName = "venue";
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(kName), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  const std::unique_ptr<X509_EXTENSION, FreedBy<X509_EXTENSION_free>> host{
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, kHost)};
  require(host && X509_add_ext(certificate.get(), host.get(), -1) == 1, "a certificate's host");
  require(X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0, "a signature");
  require(PEM_write_X509(create(files.certificate).get(), certificate.get()) == 1 &&
              PEM_write_PrivateKey(create(files.key).get(), key.get(), nullptr, nullptr, 0, nullptr,
                                   nullptr) == 1,
          "a file");
  return files;
}

SslContext bare_server_context(const CertificateFiles& files) {
  SslContext context = bare_context(TLS_server_method());
  require(SSL_CTX_use_certificate_file(context.get(), files.certificate.c_str(),
                                       SSL_FILETYPE_PEM) == 1 &&
              SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) == 1,
          "the certificate");
  return context;
}

SslContext bare_client_context(const CertificateFiles& files) {
  SslContext context = bare_context(TLS_client_method());
  require(SSL_CTX_load_verify_file(context.get(), files.certificate.c_str()) == 1,
          "the certificate");
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  return context;
}

std::string protection_of(const SSL* ssl) {
  return std::string{SSL_get_version(ssl)} + ", " +
         SSL_CIPHER_get_name(SSL_get_current_cipher(ssl));
}

BareTlsEnd::BareTlsEnd(int socket, Ssl ssl, std::size_t bytes_in, std::string out)
    : socket_{socket}, ssl_{std::move(ssl)}, bytes_in_{bytes_in}, out_{std::move(out)} {
  BIO* const both = BIO_new(bare_method());
  require(both != nullptr, "a BIO");
  BIO_set_data(both, this);
  BIO_set_init(both, 1);
  SSL_set_bio(ssl_.get(), both, both);
}

bool BareTlsEnd::ask_kernel() {
  const ssize_t count = ::recv(socket_, encrypted_.data(), encrypted_.size(), MSG_DONTWAIT);
  if (count <= 0) return false;
  begin_ = 0;
  end_ = static_cast<std::size_t>(count);
  return true;
}

int BareTlsEnd::read_below(char* bytes, int size) {
  const std::size_t count = std::min(end_ - begin_, static_cast<std::size_t>(size));
  if (count == 0) return -1;
  std::memcpy(bytes, encrypted_.data() + begin_, count);
  begin_ += count;
  return static_cast<int>(count);
}

int BareTlsEnd::write_below(const char* bytes, int size) const {
  const ssize_t sent = ::send(socket_, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (sent != size) std::abort();
  return size;
}

bool BareTlsEnd::shake_hands() {
  if (begin_ == end_) (void)ask_kernel();
  const int result = SSL_do_handshake(ssl_.get());
  require(result == 1 || SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ, "a handshake");
  return result == 1;
}

void BareTlsEnd::send() {
  const int size = static_cast<int>(out_.size());
  if (SSL_write(ssl_.get(), out_.data(), size) != size) std::abort();
}

bool BareTlsEnd::receive() {
  if (begin_ == end_ && !ask_kernel()) return false;
  const int count = SSL_read(ssl_.get(), plain_.data(), static_cast<int>(plain_.size()));
  if (count <= 0) return false;
  received_ += static_cast<std::size_t>(count);
  if (received_ < bytes_in_) return false;
  received_ -= bytes_in_;
  return true;
}

BareTlsPair::BareTlsPair(const CertificateFiles& files, std::size_t order_bytes,
                         std::size_t report_bytes)
    : client_{bare_client_context(files)}, server_{bare_server_context(files)} {
  Ssl near_ssl{SSL_new(client_.get())};
  Ssl far_ssl{SSL_new(server_.get())};
  require(near_ssl && far_ssl, "a connection");
  SSL_set_connect_state(near_ssl.get());
  SSL_set_accept_state(far_ssl.get());
  near_ = std::make_unique<BareTlsEnd>(sockets_.near_end, std::move(near_ssl), report_bytes,
                                       std::string(order_bytes, 'o'));
  far_ = std::make_unique<BareTlsEnd>(sockets_.far_end, std::move(far_ssl), order_bytes,
                                      std::string(report_bytes, 'r'));
  bool is_near_done = false;
  bool is_far_done = false;
  while (!is_near_done || !is_far_done) {
    is_near_done = near_->shake_hands();
    is_far_done = far_->shake_hands();
  }
  spinning_ = std::make_unique<BackgroundLoop<Turn>>(Turn{far_.get()});
}

}  // namespace nexusfix::bench
