#include "transport/tls/tls_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <openssl/x509v3.h>
#include <utility>

#include "transport/tls/tls_keys.hpp"

namespace nexusfix::transport {
namespace {

// Encrypted bytes that wait to be sent: one record of a send(), and TLS's own records. A peer that
// makes it exceed this and reads none of it is disconnected.
constexpr std::size_t kUnsentBytesMax = 256U << 10U;

// The most that one call reads, so that one peer's records do not keep the loop from the others: an
// attacker can make them of one byte each, or send TLS's own records (KeyUpdate) without end. The
// rest is reported again.
constexpr std::size_t kHandshakeBytesMax = 4U << 10U;
constexpr std::size_t kArrivedBytesMax = 16U << 10U;
constexpr unsigned kRecordsMax = 128;
constexpr unsigned kOwnRecordsMax = 4;  // records of TLS itself; each may change keys
// Short enough for the string to need no memory.
constexpr const char* kNoMemory = "no memory";

TlsStream& stream_of(BIO* bio) noexcept { return *static_cast<TlsStream*>(BIO_get_data(bio)); }

int bio_read(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const int count = stream_of(bio).read_below(bytes, size);
  if (count < 0) BIO_set_retry_read(bio);
  return count;
}

int bio_write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  return stream_of(bio).write_below(bytes, size);
}

long bio_control(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_EOF) return stream_of(bio).is_at_end_below() ? 1 : 0;
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

using BioMethod = std::unique_ptr<BIO_METHOD, FreedBy<BIO_meth_free>>;

const BIO_METHOD* bio_method() {
  static const BioMethod method = [] {
    BioMethod made{BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "nexusfix network")};
    if (!made) throw std::bad_alloc{};  // The next connection tries again.
    BIO_meth_set_read(made.get(), bio_read);
    BIO_meth_set_write(made.get(), bio_write);
    BIO_meth_set_ctrl(made.get(), bio_control);
    return made;
  }();
  return method.get();
}

// Before each call, as SSL_get_error() needs it. ERR_clear_error() clears places for sixteen
// errors, even if there is none.
void clear_errors() noexcept {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

bool expect_host(SSL& ssl, const TlsSettings& settings, const std::string& host) {
  const std::string& name = settings.server_name.empty() ? host : settings.server_name;
  if (const auto address = canonical_address(name)) {
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(&ssl), address->c_str()) == 1;
  }
  SSL_set_hostflags(&ssl,
                    X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  if (name.empty() || SSL_set1_host(&ssl, name.c_str()) != 1) return false;
  return !settings.sends_server_name || SSL_set_tlsext_host_name(&ssl, name.c_str()) == 1;
}

}  // namespace

std::unique_ptr<TlsStream> TlsStream::make(const TlsContext& context, const std::string& host) {
  std::unique_ptr<TlsStream> stream{new TlsStream};
  stream->keys_ = context.keys();
  stream->is_initiator_ = context.settings().role == TlsRole::Initiator;
  stream->ssl_ = Ssl{SSL_new(stream->keys_->context.get())};
  Bio bio{BIO_new(bio_method())};
  if (!stream->ssl_ || !bio) return nullptr;
  BIO_set_data(bio.get(), stream.get());
  BIO_set_init(bio.get(), 1);
  BIO* const both = bio.release();
  SSL_set_bio(stream->ssl_.get(), both, both);
  if (!stream->is_initiator_) {
    SSL_set_accept_state(stream->ssl_.get());
    return stream;
  }
  SSL_set_connect_state(stream->ssl_.get());
  return expect_host(*stream->ssl_, context.settings(), host) ? std::move(stream) : nullptr;
}

void TlsStream::move_to(Network& network, SocketId socket) noexcept {
  network_ = &network;
  socket_ = socket;
}

// OpenSSL asks for the head of a record, and then for the rest of it. -1: there are no bytes, or
// the connection has failed and error_number_ is set.
int TlsStream::read_below(char* bytes, int size) noexcept {
  if (arrived_.empty() && !receive_arrived()) return is_at_end_ ? 0 : -1;
  const std::size_t count = std::min(static_cast<std::size_t>(size), arrived_.size());
  std::memcpy(bytes, arrived_.data(), count);
  arrived_ = arrived_.subspan(count);
  return static_cast<int>(count);
}

// A client that connects and sends nothing costs no buffer. False: there is no memory.
bool TlsStream::make_buffer() noexcept {
  try {
    buffer_.resize(kArrivedBytesMax);
    return true;
  } catch (const std::bad_alloc&) {
    error_number_ = ENOMEM;
    return false;
  }
}

// False: no bytes have arrived.
bool TlsStream::receive_arrived() noexcept {
  if (buffer_.empty() && !make_buffer()) [[unlikely]]
    return false;
  const std::span<char> room = std::span{buffer_}.first(std::min(buffer_.size(), readable_));
  is_dry_ = room.empty();
  if (is_dry_) return false;
  const IoResult result = network_->receive(socket_, room);
  switch (result.status) {
    case IoResult::Status::Ok:
      readable_ -= result.bytes;
      arrived_ = room.first(result.bytes);
      return result.bytes > 0;
    case IoResult::Status::WouldBlock:
      is_dry_ = true;
      break;
    case IoResult::Status::Closed:
      is_at_end_ = true;
      break;
    case IoResult::Status::Failed:
      error_number_ = result.error_number;
      break;
  }
  return false;
}

// Takes all bytes always: flush() sends what the network below does not take.
int TlsStream::write_below(const char* bytes, int size) noexcept {
  std::span<const char> rest{bytes, static_cast<std::size_t>(size)};
  if (flush()) {
    const IoResult result = network_->send(socket_, rest);
    if (result.status == IoResult::Status::Ok) rest = rest.subspan(result.bytes);
    if (result.status == IoResult::Status::Failed) error_number_ = result.error_number;
  }
  if (error_number_ != 0) return size;
  if (unsent_.size() + rest.size() > kUnsentBytesMax) {
    error_number_ = ENOBUFS;
    return size;
  }
  try {
    unsent_.insert(unsent_.end(), rest.begin(), rest.end());
  } catch (const std::bad_alloc&) {  // A missing part of the stream cannot be repaired.
    error_number_ = ENOMEM;
  }
  return size;
}

bool TlsStream::flush() noexcept {
  if (unsent_.empty()) return true;
  const IoResult result = network_->send(socket_, unsent_);
  if (result.status == IoResult::Status::Failed) {
    error_number_ = result.error_number;
    unsent_.clear();
  } else if (result.status == IoResult::Status::Ok) {
    unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(result.bytes));
  }
  return unsent_.empty();
}

std::string TlsStream::reason_of(int ssl_error) const {
  const long verified = SSL_get_verify_result(ssl_.get());
  const unsigned long error = ERR_peek_last_error();
  const int reason = ERR_GET_REASON(error);
  if (error != 0 && reason == SSL_R_CERTIFICATE_VERIFY_FAILED && verified != X509_V_OK) {
    return std::string{"its certificate is refused: "} + X509_verify_cert_error_string(verified);
  }
  if (is_at_end_ || reason == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    return is_established_ ? "the connection ended without close_notify: it was truncated"
                           : "the connection ended in the handshake";
  }
  if (error != 0 && (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST)) {
    return "the peer does not use TLS, or uses a version that is not enabled";
  }
  const char* const words = error == 0 ? nullptr : ERR_reason_error_string(error);
  return words == nullptr ? "TLS error " + std::to_string(ssl_error) : words;
}

bool TlsStream::is_out_of_memory() const noexcept { return error_number_ == ENOMEM; }

std::string TlsStream::no_memory_text() const {
  return "TLS with " + network_->peer_name(socket_) + ": out of memory";
}

std::string TlsStream::failure_text(int ssl_error) const {
  const bool is_below = error_number_ != 0 && !is_at_end_;
  if (is_below && is_out_of_memory()) return no_memory_text();
  if (!is_below) return "TLS with " + network_->peer_name(socket_) + ": " + reason_of(ssl_error);
  const std::string text = network_->last_error(socket_);
  return text.empty() ? "TLS with " + network_->peer_name(socket_) + " broke" : text;
}

IoResult TlsStream::fail(int ssl_result) noexcept {
  const int ssl_error = SSL_get_error(ssl_.get(), ssl_result);
  try {
    failure_ = failure_text(ssl_error);
  } catch (const std::bad_alloc&) {
    failure_ = kNoMemory;
  }
  if (error_number_ == 0 || is_at_end_) error_number_ = EPROTO;
  ERR_clear_error();
  has_more_ = true;  // the failure itself
  return {IoResult::Status::Failed, 0, error_number_};
}

// Complete records, or a part of one: the next call finds out.
bool TlsStream::has_pending() const noexcept {
  return !arrived_.empty() || SSL_has_pending(ssl_.get()) == 1;
}

TlsStream::Progress TlsStream::advance_handshake() noexcept {
  if (is_established_) return Progress::Done;
  if (has_failed()) return Progress::Failed;
  ERR_clear_error();
  readable_ = kHandshakeBytesMax;
  const int result = SSL_do_handshake(ssl_.get());
  readable_ = SIZE_MAX;
  if (result == 1) {
    is_established_ = true;
    has_more_ = has_pending();
    return Progress::Done;
  }
  if (error_number_ == 0 && SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ) {
    return Progress::Waiting;
  }
  fail(result);
  return Progress::Failed;
}

// As many records as have arrived and fit, up to a limit. After a part of a record, OpenSSL asks
// the network for the rest.
IoResult TlsStream::receive(std::span<char> buffer) noexcept {
  if (has_failed()) return {IoResult::Status::Failed, 0, error_number_};
  if (has_ended_) return {IoResult::Status::Closed, 0, 0};
  if (!is_established_) {
    if (is_initiator_) return {IoResult::Status::WouldBlock, 0, 0};
    const Progress progress = advance_handshake();
    if (progress == Progress::Failed) return {IoResult::Status::Failed, 0, error_number_};
    if (progress == Progress::Waiting) return {IoResult::Status::WouldBlock, 0, 0};
  }
  std::size_t taken = 0;
  unsigned own_records = 0;
  has_more_ = false;
  for (unsigned records = 0; taken < buffer.size() && records < kRecordsMax; ++records) {
    clear_errors();
    is_dry_ = false;
    std::size_t count = 0;
    const int result =
        SSL_read_ex(ssl_.get(), buffer.data() + taken, buffer.size() - taken, &count);
    if (result == 1) {
      taken += count;
      has_more_ = has_pending();
      if (has_more_) continue;
      break;
    }
    has_more_ = false;
    const int error = SSL_get_error(ssl_.get(), result);
    if (error == SSL_ERROR_WANT_READ && error_number_ == 0) {
      if (is_dry_) break;
      has_more_ = has_pending();  // It was a record of TLS itself.
      if (++own_records < kOwnRecordsMax) continue;
      break;
    }
    if (error == SSL_ERROR_ZERO_RETURN) {
      has_ended_ = true;
      has_more_ = true;  // the end itself
      if (taken == 0) return {IoResult::Status::Closed, 0, 0};
      break;
    }
    const IoResult failed = fail(result);
    if (taken == 0) return failed;
    break;
  }
  if (taken > 0 || buffer.empty()) return {IoResult::Status::Ok, taken, 0};
  return {IoResult::Status::WouldBlock, 0, 0};
}

IoResult TlsStream::send(std::span<const char> bytes) noexcept {
  if (has_failed()) return {IoResult::Status::Failed, 0, error_number_};
  if (!is_established_ || !flush()) {
    wants_room_ = !bytes.empty();
    return {IoResult::Status::WouldBlock, 0, 0};
  }
  std::size_t taken = 0;
  while (taken < bytes.size() && unsent_.empty() && error_number_ == 0) {
    clear_errors();
    std::size_t count = 0;
    const int result = SSL_write_ex(ssl_.get(), bytes.data() + taken, bytes.size() - taken, &count);
    if (result != 1) return fail(result);
    taken += count;
  }
  // Not a failure of the stream yet: what the peer sent before it failed can still be received.
  if (error_number_ != 0) return {IoResult::Status::Failed, 0, error_number_};
  wants_room_ = taken < bytes.size();
  if (taken == 0 && wants_room_) return {IoResult::Status::WouldBlock, 0, 0};
  return {IoResult::Status::Ok, taken, 0};
}

void TlsStream::end() noexcept {
  if (!is_established_ || has_failed() || error_number_ != 0) return;
  ERR_clear_error();
  static_cast<void>(SSL_shutdown(ssl_.get()));
  ERR_clear_error();
}

std::string TlsStream::description() const {
  if (!is_established_) return "TLS handshake not finished";
  std::string text = std::string{SSL_get_version(ssl_.get())} + ", " +
                     SSL_CIPHER_get_name(SSL_get_current_cipher(ssl_.get()));
  if (const X509* const peer = SSL_get0_peer_certificate(ssl_.get())) text += ", " + name_of(peer);
  return text;
}

// A certificate that was shown has been verified, or there would be no connection. It is checked
// here again, because identities depend on it.
std::vector<std::string> TlsStream::peer_identities() const {
  const X509* const peer = SSL_get0_peer_certificate(ssl_.get());
  if (!is_established_ || peer == nullptr || SSL_get_verify_result(ssl_.get()) != X509_V_OK ||
      (SSL_get_verify_mode(ssl_.get()) & SSL_VERIFY_PEER) == 0) {
    return {};
  }
  return identities_of(*peer);
}

}  // namespace nexusfix::transport
