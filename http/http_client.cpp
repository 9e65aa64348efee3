#include "http/http_client.hpp"

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
#include <cerrno>
#include <charconv>
#include <ctime>
#include <optional>
#include <system_error>
#include <unistd.h>

#include <nexusfix/base/clock.hpp>

#include "base/api/printable_text.hpp"

namespace nexusfix::http {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace message = beast::http;
namespace ssl = asio::ssl;
using boost::system::error_code;
using Failed = std::unexpected<std::string>;

constexpr std::chrono::seconds kRetryAfterMax{3'600};
// Received and not parsed yet. Beast limits the header and the body, but not the line of a chunk.
constexpr std::size_t kUnparsedBytesMax = 64U << 10U;
constexpr std::size_t kShownBytesMax = 300;
constexpr int kInformationalMax = 8;  // answers 1xx before the one that counts

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

// Why a file cannot be used for TLS. OpenSSL has no text for a file that cannot be read.
Failed wrong_file(std::string_view name, const std::string& path, const error_code& error) {
  const bool is_readable = ::access(path.c_str(), R_OK) == 0;
  const std::string cause = is_readable ? error.message() : std::generic_category().message(errno);
  return Failed{one_line(std::string{name} + ' ' + path + ": " + cause)};
}

std::expected<void, std::string> load(ssl::context& context, const TlsFiles& files,
                                      const Names& names) {
  error_code error;
  ::SSL_CTX_set_min_proto_version(context.native_handle(), TLS1_2_VERSION);
  // OpenSSL would ask a terminal for the password of a key.
  const auto no_password = [](auto&&...) { return std::string{}; };
  if (context.set_verify_mode(ssl::verify_peer, error) ||
      context.set_password_callback(no_password, error)) {
    return Failed{"TLS cannot be set up: " + error.message()};
  }
  if (files.authorities.empty()) {
    if (context.set_default_verify_paths(error)) {
      return Failed{"the system's certificates of authorities cannot be used: " + error.message()};
    }
  } else if (context.load_verify_file(files.authorities, error)) {
    return wrong_file(names.authorities, files.authorities, error);
  }
  if (files.certificate.empty()) return {};
  if (context.use_certificate_chain_file(files.certificate, error)) {
    return wrong_file(names.certificate, files.certificate, error);
  }
  if (context.use_private_key_file(files.key, ssl::context::pem, error)) {
    return wrong_file(names.key, files.key, error);
  }
  return {};
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line = printable(text.substr(0, kShownBytesMax));
  std::ranges::replace(line, '\n', ' ');
  return line;
}

bool Address::is_loopback() const {
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  return host == "localhost" || (!error && address.is_loopback());
}

std::expected<Address, std::string> read_address(std::string_view url) {
  Address address;
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

class Client::Link {
 public:
  Link(Address address, TlsFiles files, Limits limits, Names names)
      : address_{std::move(address)}, files_{std::move(files)}, limits_{limits}, names_{names} {}

  Result perform(message::verb method, const Request& wanted, Body body) {
    const std::string_view path = wanted.path.empty() ? address_.path : wanted.path;
    Message request{method, beast::string_view{path.data(), path.size()}, 11};
    for (const auto& [name, value] : wanted.fields) request.set(name, value);
    const bool is_usual_port = address_.port == (address_.is_tls ? 443 : 80);
    const std::string host =
        address_.host.contains(':') ? '[' + address_.host + ']' : address_.host;
    request.set(message::field::host,
                is_usual_port ? host : host + ':' + std::to_string(address_.port));
    if (method == message::verb::post) request.body() = wanted.body;
    request.prepare_payload();
    // The server may have closed a connection that was idle.
    const bool was_open = is_open();
    auto answer = perform_once(request, body);
    if (!answer && was_open && !answer.error().is_timeout) answer = perform_once(request, body);
    return answer;
  }
  // The order matters to await(): the mark first.
  void cancel() {
    is_cancelled_ = true;
    context_.stop();
  }

 private:
  using Message = message::request<message::string_body>;
  using Plain = beast::tcp_stream;
  using Secure = ssl::stream<beast::tcp_stream>;

  [[nodiscard]] bool is_open() const noexcept { return plain_ || secure_; }

  Result perform_once(const Message& request, Body body) {
    is_timeout_ = false;
    const bool is_first = !is_open();
    if (is_first) {
      if (auto connected = connect(); !connected) {
        close();
        return std::unexpected{Error{
            .text = std::move(connected.error()), .is_timeout = is_timeout_, .is_connect = true}};
      }
    }
    auto answer = secure_ ? exchange(*secure_, request, body) : exchange(*plain_, request, body);
    if (answer) return std::move(*answer);
    return std::unexpected{Error{.text = std::move(answer.error()),
                                 .is_timeout = is_timeout_,
                                 .is_first_request = is_first}};
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
  std::expected<Answer, std::string> exchange(Stream& stream, const Message& request, Body body) {
    beast::get_lowest_layer(stream).expires_after(limits_.time);
    error_code error =
        await([&](auto done) { message::async_write(stream, request, std::move(done)); });
    if (error) return failed("write", error);
    beast::flat_buffer buffer{kUnparsedBytesMax};
    for (int i = 0; i < kInformationalMax; ++i) {
      message::response_parser<message::string_body> parser;
      parser.body_limit(limits_.answer_bytes);
      // The header first: together with a part of the body, Beast 1.74 forgets that it is too long.
      error = await(
          [&](auto done) { message::async_read_header(stream, buffer, parser, std::move(done)); });
      if (error) return failed("read", error);
      if (parser.get().result_int() >= 200) return finish(stream, buffer, parser, body);
    }
    close();
    return Failed{"read: too many answers 1xx"};
  }

  template <class Stream, class Parser>
  std::expected<Answer, std::string> finish(Stream& stream, beast::flat_buffer& buffer,
                                            Parser& parser, Body body) {
    const error_code error =
        await([&](auto done) { message::async_read(stream, buffer, parser, std::move(done)); });
    if (error && body == Body::Whole) return failed("read", error);
    auto& found = parser.get();
    const std::string retry_after{found[message::field::retry_after]};
    Answer answer{.status = found.result_int(),
                  .reason = std::string{found.reason()},
                  .body = std::move(found.body()),
                  .date = std::string{found[message::field::date]}};
    if (!retry_after.empty()) {
      answer.retry_after = read_retry_after(retry_after, clock_.now().wall);
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
      if (auto loaded = load(*tls_, files_, names_); !loaded) return loaded;
      secure_.emplace(context_, *tls_);
    } else {
      plain_.emplace(context_);
    }
    Plain& stream = secure_ ? secure_->next_layer() : *plain_;
    stream.expires_after(limits_.time);
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
    return Failed{"TLS: the certificate of " + std::string{names_.server} +
                  " is refused: " + ::X509_verify_cert_error_string(verified)};
  }

  Failed failed(const char* what, const error_code& error) {
    close();
    is_timeout_ = error == beast::error::timeout;
    return Failed{std::string{what} + ": " +
                  (is_timeout_ ? "no answer within " + std::to_string(limits_.time.count()) + " ms"
                               : one_line(error.message()))};
  }

  void close() {
    secure_.reset();
    plain_.reset();
    tls_.reset();
  }

  Address address_;
  TlsFiles files_;
  Limits limits_;
  Names names_;
  asio::io_context context_{1};
  SystemClock clock_;
  std::atomic<bool> is_cancelled_ = false;  // cancel() and await(); sequentially consistent
  std::optional<ssl::context> tls_;
  std::optional<Plain> plain_;
  std::optional<Secure> secure_;
  bool is_timeout_ = false;
};

Client::Client(Address address, TlsFiles files, Limits limits, Names names)
    : link_{std::make_unique<Link>(std::move(address), std::move(files), limits, names)} {}
Client::~Client() = default;

Result Client::post(const Request& request, Body body) {
  return link_->perform(message::verb::post, request, body);
}

Result Client::get(const Request& request, Body body) {
  return link_->perform(message::verb::get, request, body);
}

void Client::cancel() { link_->cancel(); }

}  // namespace nexusfix::http
