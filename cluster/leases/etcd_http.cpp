#include "cluster/leases/etcd_http.hpp"

#include <openssl/ssl.h>
#include <utility>

namespace nexusfix::cluster {
namespace {

constexpr std::size_t kAnswerBytesMax = 4U << 20U;

// What etcd may have against the certificate of this client, by this machine's clock: TLS does not
// say it.
std::string_view time_conflict(const std::string& certificate_file) {
  const std::unique_ptr<::SSL_CTX, decltype(&::SSL_CTX_free)> context{
      ::SSL_CTX_new(::TLS_client_method()), ::SSL_CTX_free};
  if (!context ||
      ::SSL_CTX_use_certificate_chain_file(context.get(), certificate_file.c_str()) != 1) {
    return "";
  }
  const ::X509* const certificate = ::SSL_CTX_get0_certificate(context.get());
  if (certificate == nullptr) return "";
  if (::X509_cmp_current_time(::X509_get0_notAfter(certificate)) < 0) return ", which has expired";
  const bool is_early = ::X509_cmp_current_time(::X509_get0_notBefore(certificate)) > 0;
  return is_early ? ", which is not valid yet" : "";
}

}  // namespace

std::string EtcdHttp::hint(const http::Error& error, bool is_tls) const {
  if (error.is_connect || error.is_timeout) return "";
  if (!is_tls) return has_answered_ ? "" : ". If etcd wants TLS, ClusterEtcd needs https://";
  // In TLS 1.3 the client learns after the handshake that its certificate is refused.
  if (!error.is_first_request) return "";
  const std::string& certificate = settings_.etcd_certificate_file;
  if (certificate.empty()) {
    return ". If etcd wants a certificate, ClusterEtcdCertificateFile is missing";
  }
  return ". etcd may refuse the certificate of ClusterEtcdCertificateFile=" + certificate +
         std::string{time_conflict(certificate)};
}

std::expected<http::Answer, std::string> EtcdHttp::post(const config::EtcdEndpoint& endpoint,
                                                        const Request& request) {
  if (!client_) {
    client_.emplace(
        http::Address{
            .is_tls = endpoint.is_tls, .host = endpoint.host, .port = endpoint.port, .path = "/"},
        http::TlsFiles{.authorities = settings_.etcd_authorities_file,
                       .certificate = settings_.etcd_certificate_file,
                       .key = settings_.etcd_key_file},
        http::Limits{.time = settings_.request_timeout, .answer_bytes = kAnswerBytesMax},
        http::Names{.server = "etcd",
                    .authorities = "ClusterEtcdAuthoritiesFile",
                    .certificate = "ClusterEtcdCertificateFile",
                    .key = "ClusterEtcdKeyFile"});
  }
  http::Request wanted{
      .path = request.path, .fields = {{"Content-Type", "application/json"}}, .body = request.body};
  if (!request.token.empty()) wanted.fields.emplace_back("Authorization", request.token);
  auto answer = client_->post(wanted, http::Body::Whole);
  has_answered_ = has_answered_ || answer.has_value();
  if (answer) return std::move(*answer);
  return std::unexpected{answer.error().text + hint(answer.error(), endpoint.is_tls)};
}

}  // namespace nexusfix::cluster
