#include "gateway/door/web_socket.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <functional>
#include <sstream>
#include <utility>

#include "base/api/ascii.hpp"
#include "base/api/printable_text.hpp"
#include "base/api/utf8.hpp"
#include "gateway/door/waiting_bytes.hpp"

namespace nexusfix::gateway {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::system::error_code;

constexpr std::size_t kReadBytes = 64U << 10U;
// Bytes of the client that are not parsed, above which nothing more is received.
constexpr std::size_t kInputBytesMax = 64U << 10U;
// Bytes for the client above which Beast waits: answers to pings of a client that does not read.
constexpr std::size_t kOutputBytesMax = 64U << 10U;
constexpr std::size_t kOriginShownMax = 200;
constexpr std::size_t kReasonBytesMax = 123;  // RFC 6455, sec. 5.5.1

// The two streams of bytes between Beast and the network, in memory.
class MemoryStream {
 public:
  using executor_type = net::io_context::executor_type;

  explicit MemoryStream(net::io_context& context) : executor_{context.get_executor()} {}

  executor_type get_executor() const noexcept { return executor_; }

  template <class Buffers, class Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    return net::async_initiate<Handler, void(error_code, std::size_t)>(
        [this](auto&& done, const Buffers& into) {
          read_ = [this, into, done = std::forward<decltype(done)>(done)]() mutable {
            const std::size_t bytes = net::buffer_copy(into, net::buffer(unread()));
            input_.remove(bytes);
            const error_code error =
                bytes == 0 && is_cut_ ? error_code{net::error::eof} : error_code{};
            net::post(executor_, beast::bind_front_handler(std::move(done), error, bytes));
          };
          go_on();
        },
        handler, buffers);
  }
  template <class Buffers, class Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    return net::async_initiate<Handler, void(error_code, std::size_t)>(
        [this](auto&& done, const Buffers& from) {
          write_ = [this, from, done = std::forward<decltype(done)>(done)]() mutable {
            std::size_t bytes = 0;
            for (const auto& one : beast::buffers_range_ref(from)) {
              output_.add({static_cast<const char*>(one.data()), one.size()});
              bytes += one.size();
            }
            const error_code error = is_cut_ ? error_code{net::error::eof} : error_code{};
            net::post(executor_, beast::bind_front_handler(std::move(done), error, bytes));
          };
          go_on();
        },
        handler, buffers);
  }

  void add(std::span<const char> bytes) {
    input_.add({bytes.data(), bytes.size()});
    go_on();
  }
  // Nothing more passes in either direction: what waits ends.
  void cut() {
    is_cut_ = true;
    go_on();
  }
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }
  [[nodiscard]] std::string_view unread() const noexcept { return input_.unread(); }
  void skip(std::size_t bytes) { input_.remove(bytes); }
  [[nodiscard]] std::string_view output() const noexcept { return output_.unread(); }
  void append_output(std::string_view bytes) { output_.add(bytes); }
  void consume(std::size_t bytes) {
    output_.remove(bytes);
    go_on();
  }

 private:
  // Only one of each waits at a time.
  using Operation = std::move_only_function<void()>;

  void go_on() {
    if (read_ && (!unread().empty() || is_cut_)) std::exchange(read_, nullptr)();
    if (write_ && (output().size() < kOutputBytesMax || is_cut_)) std::exchange(write_, nullptr)();
  }

  executor_type executor_;
  WaitingBytes input_;   // for Beast
  WaitingBytes output_;  // for the client
  Operation read_;
  Operation write_;
  bool is_cut_ = false;
};

// Beast finds these by their argument.
template <class Handler>
void async_teardown(beast::role_type, MemoryStream& stream, Handler&& handler) {
  stream.cut();
  net::post(stream.get_executor(),
            beast::bind_front_handler(std::forward<Handler>(handler), error_code{}));
}
void beast_close_socket(MemoryStream& stream) { stream.cut(); }

bool is_utf8(std::string_view text) {
  while (const std::size_t size = utf8_size(text)) text.remove_prefix(size);
  return text.empty();
}

struct Refusal {
  http::status status;
  std::string text;
};

}  // namespace

struct WebSocketLoop::Work {
  net::io_context context{1};
};

WebSocketLoop::WebSocketLoop() : work_{std::make_unique<Work>()} {}
WebSocketLoop::~WebSocketLoop() = default;

void WebSocketLoop::poll() {
  work_->context.restart();
  work_->context.poll();
}

// Beast's operations hold it until they have ended.
struct WebSocket::State : std::enable_shared_from_this<WebSocket::State> {
  State(net::io_context& context, const std::vector<std::string>& accepted, WebSocketLimits most)
      : stream{context}, origins{accepted}, limits{most} {
    request.header_limit(kRequestBytesMax);
    request.body_limit(0);
  }

  MemoryStream& bytes() noexcept { return stream.next_layer(); }
  const MemoryStream& bytes() const noexcept { return stream.next_layer(); }
  void fail(std::string text, bool is_of_protocol) {
    if (!fault.empty()) return;
    fault = std::move(text);
    is_protocol_fault = is_of_protocol;
  }

  void read_request();
  [[nodiscard]] std::optional<Refusal> check_request() const;
  void refuse(const Refusal& refusal);
  void accept();
  void start_read();
  void on_read(const error_code& error, std::size_t count);
  void start_write();
  void start_close();

  websocket::stream<MemoryStream> stream;
  const std::vector<std::string>& origins;
  WebSocketLimits limits;
  http::request_parser<http::empty_body> request;
  enum class Phase : std::uint8_t { Request, Handshake, Open, Closing, Finished };
  Phase phase = Phase::Request;
  beast::flat_buffer message;
  bool is_reading = false;   // an operation of Beast goes on
  bool is_whole = false;     // message is whole
  bool is_returned = false;  // by read()
  bool is_writing = false;
  bool is_abandoned = false;  // by the WebSocket
  std::deque<std::pair<bool, std::string>> queue;
  std::size_t queued = 0;
  std::optional<websocket::close_reason> reason;  // to be said after the queue
  std::string fault;
  bool is_protocol_fault = false;
};

void WebSocket::State::read_request() {
  error_code error;
  bytes().skip(request.put(net::buffer(bytes().unread()), error));
  if (error == http::error::need_more) return;
  if (error) {
    return refuse({http::status::bad_request, "no HTTP request: " + error.message()});
  }
  if (!request.is_header_done()) return;
  if (const auto refusal = check_request()) return refuse(*refusal);
  accept();
}

std::optional<Refusal> WebSocket::State::check_request() const {
  const auto& head = request.get();
  if (!websocket::is_upgrade(head)) {
    return Refusal{http::status::upgrade_required, "the request is no WebSocket handshake"};
  }
  if (head.target().find('?') != beast::string_view::npos) {
    return Refusal{http::status::bad_request,
                   "the URL has a query: name and token are in the Hello, because URLs are logged"};
  }
  const auto [begin, end] = head.equal_range(http::field::origin);
  if (begin == end) return std::nullopt;
  std::string origin{begin->value().data(), begin->value().size()};
  for (char& one : origin) one = to_lower(one);
  if (std::next(begin) == end && std::ranges::find(origins, origin) != origins.end()) {
    return std::nullopt;
  }
  return Refusal{http::status::forbidden,
                 fmt::format("WebSocketOrigins does not have the Origin {}",
                             printable(std::string_view{origin}.substr(0, kOriginShownMax)))};
}

void WebSocket::State::refuse(const Refusal& refusal) {
  http::response<http::string_body> response{refusal.status, 11};
  response.set(http::field::content_type, "text/plain; charset=utf-8");
  response.set(http::field::connection, "close");
  if (refusal.status == http::status::upgrade_required) {
    response.set(http::field::upgrade, "websocket");
    response.set(http::field::sec_websocket_version, "13");
  }
  response.body() = refusal.text + '\n';
  response.prepare_payload();
  std::ostringstream text;
  text << response;
  bytes().append_output(text.str());
  phase = Phase::Finished;
  fail(refusal.text, true);
}

void WebSocket::State::accept() {
  phase = Phase::Handshake;
  stream.set_option(websocket::stream_base::timeout{
      .handshake_timeout = websocket::stream_base::none(),  // the gateway limits it
      .idle_timeout = std::chrono::seconds{kIdleSeconds},
      .keep_alive_pings = true});
  stream.set_option(websocket::stream_base::decorator(
      [](websocket::response_type& response) { response.set(http::field::server, "nexusfix"); }));
  stream.auto_fragment(false);
  stream.read_message_max(0);  // on_read() limits it, so that the client gets a reason
  stream.async_accept(request.get(), [self = shared_from_this()](const error_code& error) {
    if (error) {
      self->phase = Phase::Finished;
      return self->fail("no WebSocket handshake: " + error.message(), true);
    }
    if (self->phase == Phase::Handshake) self->phase = Phase::Open;
    self->start_read();
    self->start_write();
  });
}

void WebSocket::State::start_read() {
  if (phase != Phase::Open || is_reading || is_whole || is_abandoned || !fault.empty()) return;
  is_reading = true;
  stream.async_read_some(message.prepare(kReadBytes),
                         [self = shared_from_this()](const error_code& error, std::size_t count) {
                           self->on_read(error, count);
                         });
}

void WebSocket::State::on_read(const error_code& error, std::size_t count) {
  is_reading = false;
  if (error) {
    if (phase != Phase::Closing) phase = Phase::Finished;
    if (error == beast::error::timeout) return fail("the client answers no ping", false);
    if (error == websocket::error::closed || error == net::error::eof ||
        error == net::error::operation_aborted) {
      return fail("the client has closed its connection", false);
    }
    return fail("no WebSocket of RFC 6455: " + error.message(), true);
  }
  message.commit(count);
  const std::size_t most = stream.got_text() ? limits.text_bytes_max : limits.binary_bytes_max;
  if (message.size() > most) {
    return fail(fmt::format("a {} message has at most {} bytes",
                            stream.got_text() ? "text" : "binary", most),
                true);
  }
  is_whole = stream.is_message_done();
  start_read();
}

void WebSocket::State::start_write() {
  if (is_writing || phase == Phase::Request || phase == Phase::Handshake) return;
  if (phase == Phase::Finished || bytes().is_cut()) {
    queue.clear();
    queued = 0;
    return;
  }
  if (queue.empty()) return start_close();
  is_writing = true;
  stream.text(queue.front().first);
  stream.async_write(net::buffer(queue.front().second),
                     [self = shared_from_this()](const error_code& error, std::size_t) {
                       self->is_writing = false;
                       self->queued -= self->queue.front().second.size();
                       self->queue.pop_front();
                       if (error) self->phase = Phase::Finished;
                       self->start_write();
                     });
}

void WebSocket::State::start_close() {
  if (!reason || phase != Phase::Open) return;
  phase = Phase::Closing;
  stream.async_close(*reason, [self = shared_from_this()](const error_code&) {
    self->phase = Phase::Finished;
    self->bytes().cut();
  });
}

WebSocket::WebSocket(WebSocketLoop& loop, const std::vector<std::string>& origins,
                     WebSocketLimits limits)
    : state_{std::make_shared<State>(loop.work_->context, origins, limits)} {}

WebSocket::~WebSocket() {
  state_->is_abandoned = true;
  state_->bytes().cut();
}

void WebSocket::set_limits(WebSocketLimits limits) noexcept { state_->limits = limits; }

void WebSocket::receive(std::span<const char> bytes) {
  state_->bytes().add(bytes);
  if (state_->phase == State::Phase::Request) state_->read_request();
}

bool WebSocket::is_full() const noexcept {
  return state_->bytes().unread().size() >= kInputBytesMax;
}

std::optional<WebMessage> WebSocket::read() {
  State& state = *state_;
  if (std::exchange(state.is_returned, false)) {
    state.message.clear();
    state.is_whole = false;
    state.start_read();
  }
  if (!state.is_whole) return std::nullopt;
  state.is_returned = true;
  const auto bytes = state.message.data();
  return WebMessage{state.stream.got_text(),
                    {static_cast<const char*>(bytes.data()), bytes.size()}};
}

void WebSocket::write(bool is_text, std::string bytes) {
  State& state = *state_;
  if (state.reason || (state.phase != State::Phase::Open)) return;
  state.queued += bytes.size();
  state.queue.emplace_back(is_text, std::move(bytes));
  state.start_write();
}

void WebSocket::close(std::uint16_t code, std::string_view reason) {
  State& state = *state_;
  if (state.reason) return;
  while (reason.size() > kReasonBytesMax) reason.remove_suffix(1);
  // The end of a reason must not be a part of a character.
  while (!reason.empty() && !is_utf8(reason)) reason.remove_suffix(1);
  state.reason.emplace(static_cast<websocket::close_code>(code),
                       beast::string_view{reason.data(), reason.size()});
  // A client without a handshake understands no frame.
  if (state.phase == State::Phase::Open) {
    state.start_write();
  } else if (state.phase != State::Phase::Closing) {
    state.phase = State::Phase::Finished;
  }
}

std::string_view WebSocket::output() const noexcept { return state_->bytes().output(); }
void WebSocket::consume(std::size_t bytes) { state_->bytes().consume(bytes); }
std::size_t WebSocket::queued_bytes() const noexcept { return state_->queued; }
bool WebSocket::is_open() const noexcept { return state_->phase == State::Phase::Open; }
bool WebSocket::is_finished() const noexcept { return state_->phase == State::Phase::Finished; }
const std::string& WebSocket::fault() const noexcept { return state_->fault; }
bool WebSocket::is_protocol_fault() const noexcept { return state_->is_protocol_fault; }

}  // namespace nexusfix::gateway
