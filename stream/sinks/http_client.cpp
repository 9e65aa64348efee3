#include "stream/sinks/http_client.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <charconv>
#include <ctime>
#include <fmt/format.h>
#include <optional>

#include <nexusfix/base/clock.hpp>

#include "base/api/printable_text.hpp"

namespace nexusfix::stream {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace ssl = asio::ssl;
using boost::system::error_code;
using Failed = std::unexpected<std::string>;

constexpr auto kStepMax = 30s;
constexpr std::chrono::seconds kRetryAfterMax{3'600};
constexpr std::size_t kPostAnswerBytesMax = 64U << 10U;
constexpr std::size_t kGetAnswerBytesMax = 8U << 20U;
// Received and not parsed yet. Beast limits the header and the body, but not the line of a chunk.
constexpr std::size_t kUnparsedBytesMax = 64U << 10U;
constexpr std::size_t kShownBytesMax = 200;
constexpr int kInformationalMax = 8;  // answers 1xx before the one that counts

std::string one_line(std::string_view text) {
  std::string line = printable(text.substr(0, kShownBytesMax));
  std::ranges::replace(line, '\n', ' ');
  return line;
}

// RFC 9110, sec. 10.2.3: seconds, or a date.
std::chrono::seconds read_retry_after(std::string_view text, WallTime now) {
  std::int64_t seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc{} || stop != end) {
    std::tm parts{};
    const std::string date{text};
    if (::strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts) == nullptr) return 0s;
    seconds = ::timegm(&parts) - now.time_since_epoch() / std::chrono::seconds{1};
  }
  return std::clamp(std::chrono::seconds{seconds}, std::chrono::seconds{0}, kRetryAfterMax);
}

// The files are read again for each connection: certificates are renewed while a stream runs.
std::expected<void, std::string> load(ssl::context& context, const TlsFiles& files) {
  error_code error;
  ::SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  // OpenSSL would ask a terminal for the password of a key.
  const auto no_password = [](auto&&...) { return std::string{}; };
  if (context.set_verify_mode(ssl::verify_peer, error) ||
      context.set_password_callback(no_password, error)) {
    return Failed{"TLS cannot be set up: " + error.message()};
  }
  if (files.authorities.empty() ? context.set_default_verify_paths(error)
                                : context.load_verify_file(files.authorities, error)) {
    return Failed{fmt::format("--ca {}: {}", files.authorities, error.message())};
  }
  if (files.certificate.empty()) return {};
  if (context.use_certificate_chain_file(files.certificate, error)) {
    return Failed{fmt::format("--certificate {}: {}", files.certificate, error.message())};
  }
  if (context.use_private_key_file(files.key, ssl::context::pem, error)) {
    return Failed{fmt::format("--key {}: {}", files.key, error.message())};
  }
  return {};
}

}  // namespace

bool HttpAddress::is_loopback() const {
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  return host == "localhost" || (!error && address.is_loopback());
}

std::expected<HttpAddress, std::string> read_address(std::string_view url) {
  HttpAddress address;
  std::string_view rest = url;
  if (rest.starts_with("https://")) {
    address.is_tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return Failed{"http://HOST:PORT/PATH or https://HOST/PATH was expected"};
  }
  const std::size_t slash = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view authority = rest.substr(0, slash);
  rest.remove_prefix(slash);
  if (authority.contains('@')) {
    return Failed{
        "a user or password was given: every user sees the command line. Use "
        "--token-file"};
  }
  const auto is_bad = [](char c) { return c <= ' ' || c > '~'; };
  if (rest.contains('#') || std::ranges::any_of(url, is_bad)) {
    return Failed{"a URL without blanks and # was expected"};
  }
  address.path = rest.starts_with('/') ? std::string{rest} : '/' + std::string{rest};
  address.port = address.is_tls ? 443 : 80;
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == authority.npos) return Failed{"[ADDRESS] was expected"};
    port = authority.substr(end + 1);
    authority = authority.substr(1, end - 1);
  } else if (const std::size_t colon = authority.find(':'); colon != authority.npos) {
    port = authority.substr(colon);
    authority = authority.substr(0, colon);
  }
  address.host = authority;
  if (authority.empty()) return Failed{"the host is missing"};
  if (port.empty()) return address;
  const char* const end = port.data() + port.size();
  const auto [stop, error] = std::from_chars(port.data() + 1, end, address.port);
  if (port[0] != ':' || error != std::errc{} || stop != end || address.port == 0) {
    return Failed{"a port from 1 to 65535 was expected"};
  }
  return address;
}

class HttpClient::Link {
 public:
  Link(HttpAddress address, TlsFiles files)
      : address_{std::move(address)}, files_{std::move(files)} {}

  using Request = http::request<http::string_body>;

  std::expected<HttpAnswer, std::string> post(const Fields& fields, const std::string& body) {
    Request request{http::verb::post, address_.path, 11};
    for (const auto& [name, value] : fields) request.set(name, value);
    request.body() = body;
    return perform(request, kPostAnswerBytesMax);
  }
  std::expected<HttpAnswer, std::string> get() {
    Request request{http::verb::get, address_.path, 11};
    return perform(request, kGetAnswerBytesMax);
  }
  // The order matters to await(): the mark first.
  void cancel() {
    is_cancelled_ = true;
    context_.stop();
  }

 private:
  using Plain = beast::tcp_stream;
  using Secure = ssl::stream<beast::tcp_stream>;

  [[nodiscard]] bool is_open() const noexcept { return plain_ || secure_; }

  std::expected<HttpAnswer, std::string> perform(Request& request, std::size_t bytes_max) {
    const bool is_usual_port = address_.port == (address_.is_tls ? 443 : 80);
    const bool is_ip6 = address_.host.contains(':');
    const std::string host = is_ip6 ? '[' + address_.host + ']' : address_.host;
    request.set(http::field::host,
                is_usual_port ? host : fmt::format("{}:{}", host, address_.port));
    request.set(http::field::user_agent, "nexusfix-stream");
    request.prepare_payload();
    // The server may have closed a connection that was idle.
    const bool was_open = is_open();
    auto answer = perform_once(request, bytes_max);
    if (!answer && was_open && !is_timeout_) answer = perform_once(request, bytes_max);
    return answer;
  }

  std::expected<HttpAnswer, std::string> perform_once(const Request& request,
                                                      std::size_t bytes_max) {
    is_timeout_ = false;
    if (!is_open()) {
      if (auto connected = connect(); !connected) {
        close();
        return Failed{std::move(connected.error())};
      }
    }
    return secure_ ? exchange(*secure_, request, bytes_max) : exchange(*plain_, request, bytes_max);
  }

  // Runs one operation to its end.
  template <class Begin>
  error_code await(Begin begin) {
    error_code result = asio::error::operation_aborted;
    begin([&result](error_code error, auto&&...) { result = error; });
    context_.restart();
    // A cancel() before restart() has set the mark, and one after it stops run().
    if (!is_cancelled_) context_.run();
    return result;
  }

  template <class Stream>
  std::expected<HttpAnswer, std::string> exchange(Stream& stream, const Request& request,
                                                  std::size_t bytes_max) {
    beast::get_lowest_layer(stream).expires_after(kStepMax);
    error_code error =
        await([&](auto done) { http::async_write(stream, request, std::move(done)); });
    if (error) return failed("write", error);
    beast::flat_buffer buffer{kUnparsedBytesMax};
    for (int i = 0; i < kInformationalMax; ++i) {
      http::response_parser<http::string_body> parser;
      parser.body_limit(bytes_max);
      beast::get_lowest_layer(stream).expires_after(kStepMax);
      error = await(
          [&](auto done) { http::async_read_header(stream, buffer, parser, std::move(done)); });
      if (error) return failed("read", error);
      if (parser.get().result_int() < 200) continue;
      return finish(stream, buffer, parser, request.method() == http::verb::get);
    }
    close();
    return Failed{"read: too many answers 1xx"};
  }

  template <class Stream, class Parser>
  std::expected<HttpAnswer, std::string> finish(Stream& stream, beast::flat_buffer& buffer,
                                                Parser& parser, bool is_get) {
    const error_code error =
        await([&](auto done) { http::async_read(stream, buffer, parser, std::move(done)); });
    if (is_get && error) return failed("read", error);
    const auto& found = parser.get();
    HttpAnswer answer{.status = found.result_int(),
                      .reason = one_line({found.reason().data(), found.reason().size()}),
                      .body = is_get ? found.body() : one_line(found.body()),
                      .retry_after = {}};
    const auto retry_after = found[http::field::retry_after];
    if (!retry_after.empty()) {
      answer.retry_after =
          read_retry_after({retry_after.data(), retry_after.size()}, clock_.now().wall);
    }
    if (error || !found.keep_alive()) close();
    return answer;
  }

  std::expected<void, std::string> connect() {
    asio::ip::tcp::resolver resolver{context_};
    error_code error;
    const auto addresses = resolver.resolve(address_.host, std::to_string(address_.port), error);
    if (error) return failed("connect", error);
    if (address_.is_tls) {
      tls_.emplace(ssl::context::tls_client);
      if (auto loaded = load(*tls_, files_); !loaded) return loaded;
      secure_.emplace(context_, *tls_);
    } else {
      plain_.emplace(context_);
    }
    Plain& stream = secure_ ? secure_->next_layer() : *plain_;
    stream.expires_after(kStepMax);
    error = await([&](auto done) { stream.async_connect(addresses, std::move(done)); });
    if (error) return failed("connect", error);
    return secure_ ? shake_hands() : std::expected<void, std::string>{};
  }

  std::expected<void, std::string> shake_hands() {
    ::SSL* const tls = secure_->native_handle();
    const std::string& host = address_.host;
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
    return Failed{std::string{"TLS: the certificate of the server is refused: "} +
                  ::X509_verify_cert_error_string(verified)};
  }

  Failed failed(const char* what, const error_code& error) {
    close();
    is_timeout_ = error == beast::error::timeout;
    return Failed{std::string{what} + ": " +
                  (is_timeout_ ? fmt::format("no answer within {} s", kStepMax.count())
                               : one_line(error.message()))};
  }

  void close() {
    secure_.reset();
    plain_.reset();
    tls_.reset();
  }

  HttpAddress address_;
  TlsFiles files_;
  asio::io_context context_{1};
  SystemClock clock_;
  std::atomic<bool> is_cancelled_ = false;  // cancel() and await(); sequentially consistent
  std::optional<ssl::context> tls_;
  std::optional<Plain> plain_;
  std::optional<Secure> secure_;
  bool is_timeout_ = false;
};

HttpClient::HttpClient(HttpAddress address, TlsFiles files)
    : link_{std::make_unique<Link>(std::move(address), std::move(files))} {}
HttpClient::~HttpClient() = default;

std::expected<HttpAnswer, std::string> HttpClient::post(const Fields& fields,
                                                        const std::string& body) {
  return link_->post(fields, body);
}

std::expected<HttpAnswer, std::string> HttpClient::get() { return link_->get(); }

void HttpClient::cancel() { link_->cancel(); }

}  // namespace nexusfix::stream
