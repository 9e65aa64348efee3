#include "cluster/leases/etcd_http.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace nexusfix::cluster {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace ssl = asio::ssl;
using boost::system::error_code;
using Failed = std::unexpected<std::string>;

constexpr std::uint64_t kAnswerBytesMax = 4U << 20U;
// Received and not parsed yet. Beast limits the header and the body, but not the line of a chunk,
// and not the fields after the last one.
constexpr std::size_t kUnparsedBytesMax = 64U << 10U;

// Why a file cannot be used for TLS. OpenSSL has no text for a file that cannot be read.
Failed wrong_file(const char* key, const std::string& path, const error_code& error) {
  const bool is_readable = ::access(path.c_str(), R_OK) == 0;
  const std::string cause = is_readable ? error.message() : std::generic_category().message(errno);
  return Failed{one_line(std::string{key} + ' ' + path + ": " + cause)};
}

// What etcd may have against the certificate of this client, by this machine's clock: TLS does not
// say it.
std::string_view time_conflict(const std::string& certificate_file) {
  error_code error;
  ssl::context context{ssl::context::tls_client};
  if (context.use_certificate_chain_file(certificate_file, error)) return "";
  const ::X509* const certificate = ::SSL_CTX_get0_certificate(context.native_handle());
  if (certificate == nullptr) return "";
  if (::X509_cmp_current_time(::X509_get0_notAfter(certificate)) < 0) return ", which has expired";
  const bool is_early = ::X509_cmp_current_time(::X509_get0_notBefore(certificate)) > 0;
  return is_early ? ", which is not valid yet" : "";
}

// The files are read again for each connection: certificates are renewed while an engine runs.
std::expected<void, std::string> load(ssl::context& context, const config::ClusterSettings& files) {
  error_code error;
  ::SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  // OpenSSL would ask a terminal for the password of a key.
  const auto no_password = [](auto&&...) { return std::string{}; };
  if (context.set_verify_mode(ssl::verify_peer, error) ||
      context.set_password_callback(no_password, error)) {
    return Failed{"TLS cannot be set up: " + error.message()};
  }
  const std::string& authorities = files.etcd_authorities_file;
  if (authorities.empty()) {
    if (context.set_default_verify_paths(error)) {
      return Failed{"the system's certificates of authorities cannot be used: " + error.message()};
    }
  } else if (context.load_verify_file(authorities, error)) {
    return wrong_file("ClusterEtcdAuthoritiesFile", authorities, error);
  }
  if (files.etcd_certificate_file.empty()) return {};
  if (context.use_certificate_chain_file(files.etcd_certificate_file, error)) {
    return wrong_file("ClusterEtcdCertificateFile", files.etcd_certificate_file, error);
  }
  if (context.use_private_key_file(files.etcd_key_file, ssl::context::pem, error)) {
    return wrong_file("ClusterEtcdKeyFile", files.etcd_key_file, error);
  }
  return {};
}

}  // namespace

std::string one_line(std::string text) {
  for (char& byte : text) {
    if (byte < ' ' || byte > '~') byte = ' ';
  }
  constexpr std::size_t kTextMax = 300;
  if (text.size() > kTextMax) text.resize(kTextMax);
  return text;
}

class EtcdHttp::Link {
 public:
  explicit Link(const config::ClusterSettings& settings) : settings_{settings} {}

  std::expected<Answer, std::string> post(const config::EtcdEndpoint& endpoint,
                                          const Request& request) {
    // The server may have closed a connection that was idle.
    const bool was_open = is_open();
    auto answer = try_post(endpoint, request);
    if (!answer && was_open && !is_timeout_) answer = try_post(endpoint, request);
    return answer;
  }
  void close() {
    secure_.reset();
    plain_.reset();
    context_tls_.reset();
  }

 private:
  using Plain = beast::tcp_stream;
  using Secure = ssl::stream<beast::tcp_stream>;

  [[nodiscard]] bool is_open() const noexcept { return plain_ || secure_; }

  // Runs one operation to its end.
  template <class Begin>
  error_code await(Begin begin) {
    error_code result = asio::error::would_block;
    begin([&result](error_code error, auto&&...) { result = error; });
    context_.restart();
    context_.run();
    return result;
  }

  std::expected<Answer, std::string> try_post(const config::EtcdEndpoint& endpoint,
                                              const Request& request) {
    is_timeout_ = false;
    const bool is_first = !is_open();
    if (is_first) {
      if (auto connected = connect(endpoint); !connected) {
        close();
        return Failed{std::move(connected.error())};
      }
    }
    auto answer =
        secure_ ? exchange(*secure_, endpoint, request) : exchange(*plain_, endpoint, request);
    has_answered_ = has_answered_ || answer.has_value();
    if (!answer && !has_answered_ && !endpoint.is_tls && !is_timeout_) {
      answer.error() += ". If etcd wants TLS, ClusterEtcd needs https://";
    }
    // In TLS 1.3 the client learns after the handshake that its certificate is refused.
    if (!answer && is_first && endpoint.is_tls && !is_timeout_) {
      answer.error() += settings_.etcd_certificate_file.empty()
                            ? ". If etcd wants a certificate, ClusterEtcdCertificateFile is missing"
                            : ". etcd may refuse the certificate of ClusterEtcdCertificateFile=" +
                                  settings_.etcd_certificate_file +
                                  std::string{time_conflict(settings_.etcd_certificate_file)};
    }
    return answer;
  }

  template <class Stream>
  std::expected<Answer, std::string> exchange(Stream& stream, const config::EtcdEndpoint& endpoint,
                                              const Request& wanted) {
    http::request<http::string_body> request{
        http::verb::post, beast::string_view{wanted.path.data(), wanted.path.size()}, 11};
    request.set(http::field::host, endpoint.host);
    request.set(http::field::content_type, "application/json");
    if (!wanted.token.empty()) {
      request.set(http::field::authorization,
                  beast::string_view{wanted.token.data(), wanted.token.size()});
    }
    request.body() = wanted.body;
    request.prepare_payload();
    beast::get_lowest_layer(stream).expires_after(settings_.request_timeout);
    error_code error =
        await([&](auto done) { http::async_write(stream, request, std::move(done)); });
    if (error) return failed("write", error);
    beast::flat_buffer buffer{kUnparsedBytesMax};
    http::response_parser<http::string_body> parser;
    parser.body_limit(kAnswerBytesMax);
    // The header first: together with a part of the body, Beast 1.74 forgets that it is too long.
    error =
        await([&](auto done) { http::async_read_header(stream, buffer, parser, std::move(done)); });
    if (error) return failed("read", error);
    error = await([&](auto done) { http::async_read(stream, buffer, parser, std::move(done)); });
    if (error) return failed("read", error);
    Answer answer{.status = parser.get().result_int(),
                  .body = std::move(parser.get().body()),
                  .date = std::string{parser.get()[http::field::date]}};
    if (!parser.get().keep_alive()) close();
    return answer;
  }

  std::expected<void, std::string> connect(const config::EtcdEndpoint& endpoint) {
    asio::ip::tcp::resolver resolver{context_};
    error_code error;
    const auto addresses = resolver.resolve(endpoint.host, std::to_string(endpoint.port), error);
    if (error) return failed("connect", error);
    if (endpoint.is_tls) {
      context_tls_.emplace(ssl::context::tls_client);
      if (auto loaded = load(*context_tls_, settings_); !loaded) return loaded;
      secure_.emplace(context_, *context_tls_);
    } else {
      plain_.emplace(context_);
    }
    Plain& stream = secure_ ? secure_->next_layer() : *plain_;
    stream.expires_after(settings_.request_timeout);
    error = await([&](auto done) { stream.async_connect(addresses, std::move(done)); });
    if (error) return failed("connect", error);
    if (secure_) return shake_hands(endpoint.host);
    return {};
  }

  std::expected<void, std::string> shake_hands(const std::string& host) {
    ::SSL* const tls = secure_->native_handle();
    X509_VERIFY_PARAM* const wanted = ::SSL_get0_param(tls);
    if (::X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) != 1 &&
        (::X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size()) != 1 ||
         SSL_set_tlsext_host_name(tls, host.c_str()) != 1)) {
      return Failed{"TLS: the name of the host cannot be verified"};
    }
    const error_code error = await(
        [&](auto done) { secure_->async_handshake(ssl::stream_base::client, std::move(done)); });
    if (!error) return {};
    const long verified = ::SSL_get_verify_result(tls);
    if (verified == X509_V_OK) return failed("TLS", error);
    return Failed{std::string{"TLS: the certificate of etcd is refused: "} +
                  ::X509_verify_cert_error_string(verified)};
  }

  Failed failed(const char* what, const error_code& error) {
    close();
    is_timeout_ = error == beast::error::timeout;
    return Failed{std::string{what} + ": " +
                  (is_timeout_ ? "no answer within " +
                                     std::to_string(settings_.request_timeout.count()) + " ms"
                               : one_line(error.message()))};
  }

  config::ClusterSettings settings_;
  asio::io_context context_{1};
  std::optional<ssl::context> context_tls_;
  std::optional<Plain> plain_;
  std::optional<Secure> secure_;
  bool is_timeout_ = false;
  bool has_answered_ = false;
};

EtcdHttp::EtcdHttp(const config::ClusterSettings& settings)
    : link_{std::make_unique<Link>(settings)} {}
EtcdHttp::~EtcdHttp() = default;

std::expected<EtcdHttp::Answer, std::string> EtcdHttp::post(const config::EtcdEndpoint& endpoint,
                                                            const Request& request) {
  return link_->post(endpoint, request);
}

void EtcdHttp::close() { link_->close(); }

}  // namespace nexusfix::cluster
