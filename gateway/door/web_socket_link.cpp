#include "gateway/door/web_socket_link.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "gateway/json/json_reader.hpp"
#include "gateway/json/json_writer.hpp"
#include "gateway/protocol/frame.hpp"
#include "gateway/protocol/greeting.hpp"

namespace nexusfix::gateway {
namespace {

using transport::IoResult;
using IoStatus = transport::IoResult::Status;

// Until the client is known: a Hello of 64 KiB, and its JSON.
constexpr WebSocketLimits kUnknownLimits{.text_bytes_max = 256U << 10U,
                                         .binary_bytes_max = kHeaderBytes + kHelloBytesMax};
constexpr WebSocketLimits kLimits{.text_bytes_max = kJsonBytesMax,
                                  .binary_bytes_max = kFrameBytesMax};
constexpr std::size_t kReceivedAtOnce = 64U << 10U;
// Bytes that wait for the client here.
constexpr std::size_t kWaitingBytesMax = 1U << 20U;
// The codes of the end of a WebSocket for applications begin here: RFC 6455, sec. 7.4.2.
constexpr std::uint16_t kCloseCodeBegin = 4000;

}  // namespace

WebSocketLink::WebSocketLink(WebSocketShared& shared, transport::SocketId socket)
    : shared_{shared}, socket_{socket}, web_{shared.loop, shared.origins, kUnknownLimits} {
  shared.links.emplace(socket, this);
}

WebSocketLink::~WebSocketLink() {
  const std::string_view rest = web_.output();
  if (!has_gone_ && !rest.empty()) static_cast<void>(shared_.network->send(socket_, rest));
  shared_.network->close(socket_);
  shared_.links.erase(socket_);
}

std::span<const char> WebSocketLink::read() {
  if (!fault().empty()) return {};
  auto message = web_.read();
  if (!message) {
    receive();
    message = web_.read();
  }
  if (!message) return {};
  has_work_ = true;  // The next read() goes on with what came with it.
  return frame_of(*message);
}

void WebSocketLink::receive() {
  static thread_local std::array<char, kReceivedAtOnce> buffer;
  if (is_readable_ && !has_gone_ && !web_.is_full()) {
    is_readable_ = false;
    const IoResult result = shared_.network->receive(socket_, buffer);
    if (result.status == IoStatus::Ok) {
      web_.receive(std::span{buffer}.first(result.bytes));
      is_readable_ = has_work_ = true;
    } else if (result.status != IoStatus::WouldBlock) {
      lose(result.status == IoStatus::Closed ? "the client has closed its connection"
                                             : shared_.network->last_error(socket_));
    }
  }
  if (std::exchange(is_paused_, web_.is_full()) != is_paused_) {
    shared_.network->pause(socket_, is_paused_);
    is_readable_ |= !is_paused_;
  }
  if (std::exchange(has_work_, false)) shared_.loop.poll();
}

void WebSocketLink::lose(std::string fault) {
  has_gone_ = true;
  if (fault_.empty()) fault_ = fault.empty() ? "the connection has failed" : std::move(fault);
}

void WebSocketLink::fail(std::string fault) {
  if (!fault_.empty()) return;
  fault_ = std::move(fault);
  is_protocol_fault_ = true;
}

std::span<const char> WebSocketLink::frame_of(const WebMessage& message) {
  const Form form = message.is_text ? Form::Json : Form::Binary;
  if (form_ == Form::Unknown) form_ = form;
  if (form_ != form) {
    fail("the first message was of the other kind: text or binary");
    return {};
  }
  if (message.is_text) return frame_of_json(message.bytes);
  const auto length = frame_bytes(message.bytes);
  if (!length || *length == 0 || *length != message.bytes.size()) {
    fail(std::string{length ? "a binary message is one whole frame" : to_string(length.error())});
    return {};
  }
  return message.bytes;
}

std::span<const char> WebSocketLink::frame_of_json(std::string_view json) {
  frame_.clear();
  message_fault_.clear();
  const auto made = append_frame_of(frame_, json, shared_.names);
  if (made) return frame_;
  const JsonFault& fault = made.error();
  if (!fault.is_of_message) {
    fail(fault.text);
    return {};
  }
  // The gateway refuses it in its turn.
  message_fault_ = fault.text;
  append_frame(frame_, {.kind = FrameKind::Send, .session = fault.session, .number = fault.number},
               {});
  return frame_;
}

bool WebSocketLink::write(std::span<const char> bytes) {
  const std::size_t waiting = web_.queued_bytes() + web_.output().size();
  if (waiting != 0 && waiting + bytes.size() > kWaitingBytesMax) return false;
  const auto frame = read_frame(bytes);
  if (!frame) return true;
  if (frame->header.kind == FrameKind::Welcome) web_.set_limits(kLimits);
  if (form_ == Form::Binary) {
    web_.write(false, {bytes.data(), bytes.size()});
  } else {
    std::string text;
    append_json_of(text, *frame);
    web_.write(true, std::move(text));
  }
  if (frame->header.kind == FrameKind::Closed) {
    is_closed_ = true;
    web_.close(static_cast<std::uint16_t>(kCloseCodeBegin + frame->header.code), frame->body);
  }
  return true;
}

void WebSocketLink::flush() {
  // Then read() is not called any more, and the client's answer is awaited here.
  if (is_closed_ && !web_.is_finished()) receive();
  if (web_.queued_bytes() != 0 || is_closed_) shared_.loop.poll();
  while (!has_gone_ && !web_.output().empty()) {
    const IoResult result = shared_.network->send(socket_, web_.output());
    if (result.status == IoStatus::WouldBlock) return;
    if (result.status != IoStatus::Ok) return lose(shared_.network->last_error(socket_));
    web_.consume(result.bytes);
    shared_.loop.poll();
  }
}

bool WebSocketLink::has_unsent() const noexcept {
  if (has_gone_) return false;
  return web_.queued_bytes() != 0 || !web_.output().empty() || (is_closed_ && !web_.is_finished());
}

std::string_view WebSocketLink::fault() const noexcept {
  return fault_.empty() ? std::string_view{web_.fault()} : fault_;
}

bool WebSocketLink::is_protocol_fault() const noexcept {
  return fault_.empty() ? web_.is_protocol_fault() : is_protocol_fault_;
}

bool WebSocketLink::begin_sleep() noexcept { return !is_readable_ || is_paused_; }

}  // namespace nexusfix::gateway
