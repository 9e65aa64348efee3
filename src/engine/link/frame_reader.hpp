// Receives the bytes of connections and divides them into messages. It knows no session: a Sink of
// the floors above gets what it finds.
#pragma once

#include <algorithm>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/transport/network.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

#include "base/api/secret.hpp"
#include "engine/ground/charge.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/scratch_buffer.hpp"
#include "engine/link/buffer_governor.hpp"
#include "engine/link/connections.hpp"

namespace nexusfix::engine {

inline constexpr std::string_view kLogonTooLong = "more bytes than a Logon may have (MaxLogonSize)";

class FrameReader;

// A result of a FrameSink: the message must wait, and comes again.
inline constexpr std::size_t kMustWait = 0;

// Gets what a FrameReader has found. It is copied, and has the size of a pointer. Each call may
// close the connection. Views are valid until it returns.
template <class Sink>
concept FrameSink = requires(Sink sink, Connection& connection, const wire::MessageView& message,
                             std::string_view bytes, wire::GarbledReason reason, EventId id) {
  // The reader that calls it.
  { sink.reader() } -> std::same_as<FrameReader&>;
  // A message of a connection that has its session. The number of processed bytes, or kMustWait.
  // on_only_message(): it is all of the received bytes; true: it must wait.
  { sink.on_only_message(connection, message, bytes) } -> std::same_as<bool>;
  { sink.on_message(connection, message, bytes) } -> std::same_as<std::size_t>;
  // A frame that is no valid message. The number of processed bytes, or kMustWait.
  { sink.on_unsound_frame(connection, reason, bytes) } -> std::same_as<std::size_t>;
  // A frame of a connection that has no session yet. The number of processed bytes, or kMustWait.
  { sink.on_first_frame(connection, bytes) } -> std::same_as<std::size_t>;
  // Bytes that are no frame, of a connection that has its session.
  sink.on_garbled(connection, reason, bytes);
  // No received bytes of the connection wait, here or in the operating system.
  sink.on_drained(connection);
  // The counterparty has closed it, or it has failed. Its bytes are processed.
  sink.on_closed(connection, id, bytes);
  // It moves to another loop, with the bytes that follow its Logon.
  sink.on_migrating(connection, bytes);
};

// A spinning event loop with few connections receives from each of them directly. That saves, for
// each message, the system call that reports which of them has bytes. The network does not watch
// them meanwhile, which saves the kernel's work for that report. Row rtt/spin shows both.

// With more connections, one wait() for all of them costs less than a receive() on each.
inline constexpr std::size_t kAskedMax = 4;
// After this number of receive() calls comes a wait(), however busy the connections are: it reports
// new connections, room to send, and the ends of connections that are not read. The rest of the
// loop's work that delays no message comes then, too. A call that finds bytes counts for several:
// their messages take longer than a call that finds nothing.
inline constexpr std::size_t kReceivesUnaskedMax = 64;
inline constexpr std::size_t kReceivedCounts = 4;

// The loop's thread only. All connections of the loop receive into one buffer.
class FrameReader {
 public:
  enum class Direct : std::uint8_t {
    NeedsWait,  // nothing was received: the network must be asked
    Nothing,    // no connection has bytes
    Received,   // bytes, or the end of a connection, were processed
  };

  FrameReader(LoopContext& loop, Connections& connections, BufferGovernor& buffers)
      : loop_{loop}, connections_{connections}, buffers_{buffers}, receive_buffer_(kReceiveBytes) {}

  // The network has reported bytes, or the end of the connection.
  void on_readable(Connection& connection, FrameSink auto sink);
  // Bytes that were received elsewhere; empty: only those that the connection carries.
  void on_bytes(Connection& connection, std::string_view bytes, FrameSink auto sink);
  // Ends a pause, and continues with the bytes that the connection carries.
  void resume(Connection& connection, FrameSink auto sink);
  // At the end of a connection: processes the bytes that were received before, in spite of the
  // throttle.
  void drain_delayed(Connection& connection, FrameSink auto sink);

  // One receive() for each connection, until one has bytes or has ended. The time of the turn is
  // read again, unless the network must be asked.
  [[nodiscard]] Direct receive_directly(FrameSink auto sink);
  // receive_directly() in parts, for a loop with one connection.
  [[nodiscard]] bool may_receive_unasked() const noexcept {
    return receives_unasked_ < kReceivesUnaskedMax;
  }
  // Null: there are several, or it must not be received from.
  [[nodiscard, gnu::always_inline]] Connection* only_connection() const noexcept {
    const ConnectionTable& table = connections_.table();
    if (table.size() != 1) return nullptr;
    Connection* const connection = table.begin()->second.get();
    return connection->is_connecting() || connection->is_paused() ? nullptr : connection;
  }
  // The receive of one turn, from a connection that is open and not paused. The time of the turn is
  // read after it, by the caller.
  [[nodiscard, gnu::always_inline]] transport::IoResult receive_from(Connection& connection) {
    ++receives_unasked_;
    return loop_.network->receive(connection.socket_id(), receive_buffer_.span());
  }
  // What a direct receive has found: bytes, or the end of the connection.
  [[gnu::always_inline]] void on_direct_result(Connection& connection,
                                               const transport::IoResult& result,
                                               FrameSink auto sink) {
    receives_unasked_ += kReceivedCounts - 1;
    loop_.boundary.run(connection, [&] { on_receive_result(connection, result, sink); });
  }
  // The connection from which one of several was received since the last call; 0: none.
  [[nodiscard]] transport::SocketId consume_received() noexcept {
    return std::exchange(received_from_, transport::SocketId{0});
  }
  // Before each wait(). spins: further turns will receive directly.
  void unwatch_connections(bool spins) noexcept;

  // The first bytes of a connection are no message: closes it, with an event.
  void refuse_no_fix(Connection& connection, wire::GarbledReason reason, std::string_view bytes);

 private:
  // The bytes of one receive(): other sessions wait at most while the messages in them are
  // processed.
  static constexpr std::size_t kReceiveBytes = 16U << 10U;
  // While the length of a carried message is unknown, at least this number of bytes is appended to
  // it: its BodyLength is within them, and surplus bytes cost only the copy.
  static constexpr std::size_t kCompletedBytesMin = 64;

  [[nodiscard]] Direct receive_from_one_of(std::size_t count,
                                           FrameSink auto sink);  // several connections
  static void on_receive_result(Connection& connection, const transport::IoResult& result,
                                FrameSink auto sink);
  void stamp(Connection& connection);
  void on_bytes_unbound(Connection& connection, std::size_t count, FrameSink auto sink);
  void on_received(Connection& connection, const transport::IoResult& result, FrameSink auto sink);
  void on_paused_readable(Connection& connection, FrameSink auto sink);
  [[nodiscard]] bool process_repeated(Connection& connection, std::string_view bytes,
                                      FrameSink auto sink);
  [[nodiscard]] bool process_whole(Connection& connection, std::string_view bytes,
                                   FrameSink auto sink);
  [[nodiscard]] std::expected<wire::MessageView, wire::ParseError> parse_whole(
      std::string_view bytes);
  void process_one(Connection& connection, const wire::MessageView& message, std::string_view bytes,
                   FrameSink auto sink);
  [[nodiscard]] std::size_t complete_carried(Connection& connection, std::string_view bytes,
                                             FrameSink auto sink);
  [[nodiscard]] std::size_t on_scanned(Connection& connection, const wire::FrameResult& frame,
                                       std::string_view bytes, FrameSink auto sink);
  [[nodiscard]] std::size_t on_frame(Connection& connection, std::string_view frame,
                                     FrameSink auto sink);
  // Bytes are ignored after our last message, after a failure of the store, and during a migration.
  [[nodiscard]] bool listens(const Connection& connection) const noexcept {
    return connection.listens() && !loop_.work.has(Work::Ended);
  }

  LoopContext& loop_;
  Connections& connections_;
  BufferGovernor& buffers_;

  ScratchBuffer receive_buffer_;
  // Since the last wait(), when receive_directly() is in use.
  std::size_t receives_unasked_ = 0;
  std::size_t first_asked_ = 0;  // index of the connection that it has tried first
  transport::SocketId received_from_ = 0;
  bool has_unwatched_ = false;  // connections that wait() does not report
};

void FrameReader::on_readable(Connection& connection, FrameSink auto sink) {
  // The network reports only the end of a paused connection.
  if (connection.is_paused()) return on_paused_readable(connection, sink);
  on_receive_result(connection,
                    loop_.network->receive(connection.socket_id(), receive_buffer_.span()), sink);
}

[[gnu::always_inline]] inline FrameReader::Direct FrameReader::receive_directly(
    FrameSink auto sink) {
  const std::size_t count = connections_.table().size();
  if (count == 0 || count > kAskedMax || !may_receive_unasked()) {
    receives_unasked_ = 0;
    return Direct::NeedsWait;
  }
  if (count != 1) return receive_from_one_of(count, sink);
  Connection* const connection = only_connection();
  if (connection == nullptr) return Direct::NeedsWait;
  const transport::IoResult result = receive_from(*connection);
  loop_.update_time();
  if (result.status == transport::IoResult::Status::WouldBlock) [[likely]]
    return Direct::Nothing;
  on_direct_result(*connection, result, sink);
  return Direct::Received;
}

[[gnu::noinline]] FrameReader::Direct FrameReader::receive_from_one_of(std::size_t count,
                                                                       FrameSink auto sink) {
  const ConnectionTable& table = connections_.table();
  // Each turn begins with another connection, so that a busy one does not keep the others waiting.
  first_asked_ = first_asked_ + 1 < count ? first_asked_ + 1 : 0;
  auto next = std::next(table.begin(), static_cast<std::ptrdiff_t>(first_asked_));
  const std::size_t before = receives_unasked_;
  for (std::size_t i = 0; i < count; ++i) {
    Connection& connection = *next->second;
    if (++next == table.end()) next = table.begin();
    if (connection.is_connecting() || connection.is_paused()) continue;
    const transport::IoResult result = receive_from(connection);
    if (result.status == transport::IoResult::Status::WouldBlock) [[likely]]
      continue;
    loop_.update_time();
    received_from_ = connection.socket_id();
    if (loop_.boundary.costs().is_measuring()) {
      measure(loop_, connection, [&] { on_direct_result(connection, result, sink); });
    } else {
      on_direct_result(connection, result, sink);
    }
    return Direct::Received;
  }
  if (receives_unasked_ == before) return Direct::NeedsWait;
  loop_.update_time();
  return Direct::Nothing;
}

// The reader and what the sink calls are one object for the sink: they take one register.
[[gnu::noinline]] void FrameReader::on_receive_result(Connection& connection,
                                                      const transport::IoResult& result,
                                                      FrameSink auto sink) {
  FrameReader& reader = sink.reader();
  if (reader.loop_.latency.has_stamps()) [[unlikely]]
    reader.stamp(connection);
  if (result.status != transport::IoResult::Status::Ok) [[unlikely]]
    return reader.on_received(connection, result, sink);
  const std::string_view bytes{reader.receive_buffer_.data(), result.bytes};
  if (connection.entry() == nullptr) [[unlikely]] {
    reader.on_bytes_unbound(connection, bytes.size(), sink);
  } else if (!reader.process_repeated(connection, bytes, sink)) {
    reader.on_bytes(connection, bytes, sink);
  }
  // The next message is not delayed, and its SendingTime shows its true age.
  const bool is_drained = bytes.size() < kReceiveBytes && !connection.is_paused();
  if (is_drained && connection.entry() != nullptr) [[likely]]
    return sink.on_drained(connection);
  reader.on_received(connection, {}, sink);
}

// Before a session is bound, the bytes are a Logon, which may contain a password.
[[gnu::noinline]] void FrameReader::on_bytes_unbound(Connection& connection, std::size_t count,
                                                     FrameSink auto sink) {
  const WipedAtEnd logon{receive_buffer_.span().first(count)};
  on_bytes(connection, {receive_buffer_.data(), count}, sink);
}

[[gnu::noinline]] void FrameReader::on_received(Connection& connection,
                                                const transport::IoResult& result,
                                                FrameSink auto sink) {
  if (connection.is_dead()) return;  // Closed by what it sent.
  switch (result.status) {
    case transport::IoResult::Status::Ok:
      if (connection.entry() == nullptr && !connection.framing().carried().empty() &&
          connection.framing().needed() > connection.accepted().logon_bytes_max) {
        connections_.refuse(connection, EventId::LogonTooLong, kLogonTooLong);
      }
      break;
    case transport::IoResult::Status::WouldBlock:
      break;
    case transport::IoResult::Status::Closed:
      sink.on_closed(connection, EventId::ConnectionClosedByCounterparty,
                     connection.framing().carried().empty()
                         ? "closed by the counterparty"
                         : "closed by the counterparty in the middle of a message");
      break;
    case transport::IoResult::Status::Failed: {
      const std::string why = loop_.network->last_error(connection.socket_id());
      // A peer that connects and closes again is not reported; one that does not speak TLS is.
      if (connection.entry() == nullptr &&
          (result.error_number == EPROTO || result.error_number == ENOMEM)) {
        return connections_.refuse(connection, EventId::HandshakeFailed, why);
      }
      sink.on_closed(connection, EventId::ConnectionLost, why);
      break;
    }
  }
}

// Most received bytes are one message, and like an earlier one. False: nothing was processed.
[[gnu::always_inline]] inline bool FrameReader::process_repeated(Connection& connection,
                                                                 std::string_view bytes,
                                                                 FrameSink auto sink) {
  if (!connection.framing().may_begin(bytes.size()) || !connection.is_bound() ||
      loop_.work.has(Work::Ended))
    return false;
  wire::detail::FrameShape* const shape = loop_.parsers.inbound.find_shape(bytes);
  if (shape == nullptr) return process_whole(connection, bytes, sink);
  process_one(connection, wire::MessageView{bytes, *shape}, bytes, sink);
  return true;
}

// Most of the others are one message, too. False: nothing was processed.
[[gnu::noinline]] bool FrameReader::process_whole(Connection& connection, std::string_view bytes,
                                                  FrameSink auto sink) {
  if (!connection.framing().may_be_whole()) return false;
  const auto message = parse_whole(bytes);
  if (!message) [[unlikely]]
    return false;
  process_one(connection, *message, bytes, sink);
  return true;
}

// The message that is all of the bytes. Most have the tags of an earlier one.
[[gnu::always_inline]] inline std::expected<wire::MessageView, wire::ParseError>
FrameReader::parse_whole(std::string_view bytes) {
  using Parsed = std::expected<wire::MessageView, wire::ParseError>;
  wire::Parser& parser = loop_.parsers.inbound;
  if (wire::detail::TagSequence* const sequence = parser.find_sequence(bytes); sequence != nullptr)
    return Parsed{std::in_place, bytes, *sequence};
  const std::size_t size =
      wire::detail::ordinary_frame_size(bytes.data(), bytes.size(), bytes.size());
  if (size != bytes.size()) return std::unexpected{wire::ParseError{}};
  return parser.parse_unlike(bytes);
}

[[gnu::always_inline]] inline void FrameReader::process_one(Connection& connection,
                                                            const wire::MessageView& message,
                                                            std::string_view bytes,
                                                            FrameSink auto sink) {
  const Receiving receiving{connection};
  if (!sink.on_only_message(connection, message, bytes)) [[likely]]
    return;
  connection.framing().set_needed(bytes.size());
  static_cast<void>(buffers_.carry(connection, bytes));
}

[[gnu::noinline]] void FrameReader::on_bytes(Connection& connection, std::string_view bytes,
                                             FrameSink auto sink) {
  const Receiving receiving{connection};
  if (!connection.framing().carried().empty()) [[unlikely]]
    bytes.remove_prefix(complete_carried(connection, bytes, sink));
  while (!bytes.empty() && listens(connection)) {
    const wire::FrameResult frame = connection.framing().next(bytes);
    if (frame.status == wire::FrameResult::Status::NeedMore) {
      connection.framing().set_needed(frame.size);
      static_cast<void>(buffers_.carry(connection, bytes));
      return;
    }
    const std::size_t processed = on_scanned(connection, frame, bytes, sink);
    if (processed == kMustWait) [[unlikely]] {
      connection.framing().put_back(frame);
      connection.framing().set_needed(frame.size);
      static_cast<void>(buffers_.carry(connection, bytes));
      return;
    }
    bytes.remove_prefix(processed);
  }
  if (connection.is_migrating()) [[unlikely]]
    sink.on_migrating(connection, bytes);
}

// Completes the carried message with the beginning of `bytes`. Returns how many of them belong to
// it; the caller frames the rest in place.
[[gnu::noinline]] std::size_t FrameReader::complete_carried(Connection& connection,
                                                            std::string_view bytes,
                                                            FrameSink auto sink) {
  Framing& framing = connection.framing();
  CarriedBytes& carried = framing.carried();
  std::size_t used = 0;
  while (!carried.empty()) {
    if (!listens(connection)) {
      carried.clear();
      return bytes.size();
    }
    if (carried.size() < framing.needed()) {
      const std::size_t wanted = std::max(framing.needed() - carried.size(), kCompletedBytesMin);
      const std::string_view next = bytes.substr(used, wanted);
      if (!buffers_.carry(connection, next)) return bytes.size();
      used += next.size();
      if (carried.size() < framing.needed()) return used;
    }
    const wire::FrameResult frame = framing.next(carried.view());
    framing.set_needed(frame.size);
    if (frame.status == wire::FrameResult::Status::NeedMore) continue;
    const std::size_t processed = on_scanned(connection, frame, carried.view(), sink);
    if (processed == kMustWait) {
      framing.put_back(frame);
      static_cast<void>(buffers_.carry(connection, bytes.substr(used)));
      return bytes.size();
    }
    framing.set_needed(0);
    const std::size_t left = carried.size() - processed;
    if (left <= used) {
      carried.clear();
      return used - left;
    }
    carried.drop_front(processed);  // After garbled bytes, the next message may begin in the rest.
  }
  return used;
}

// frame: at the beginning of bytes.
inline std::size_t FrameReader::on_scanned(Connection& connection, const wire::FrameResult& frame,
                                           std::string_view bytes, FrameSink auto sink) {
  const std::string_view framed{bytes.data(), frame.size};
  if (frame.status == wire::FrameResult::Status::Complete) [[likely]]
    return on_frame(connection, framed, sink);
  if (frame.status == wire::FrameResult::Status::Garbled) {
    connection.entry() == nullptr ? refuse_no_fix(connection, frame.reason, framed)
                                  : sink.on_garbled(connection, frame.reason, framed);
  }
  return frame.size;
}

inline std::size_t FrameReader::on_frame(Connection& connection, std::string_view frame,
                                         FrameSink auto sink) {
  if (connection.entry() == nullptr) [[unlikely]]
    return sink.on_first_frame(connection, frame);
  const auto message = loop_.parsers.inbound.parse(frame);
  if (message) [[likely]]
    return sink.on_message(connection, *message, frame);
  return sink.on_unsound_frame(connection, message.error().reason, frame);
}

void FrameReader::resume(Connection& connection, FrameSink auto sink) {
  const bool is_logon = connection.entry() == nullptr;
  connection.end_pause();
  loop_.network->pause(connection.socket_id(), false);
  if (!is_logon) return on_bytes(connection, {}, sink);
  try {
    on_bytes(connection, {}, sink);
  } catch (...) {  // The event of the Logon could not be finished.
    wipe_traces();
    throw;
  }
  wipe_traces();
  if (connection.entry() == nullptr) return;  // It has ended, or its Logon waits again.
  connection.end_wait();
  if (!connection.is_paused()) sink.on_drained(connection);
}

[[gnu::noinline]] void FrameReader::on_paused_readable(Connection& connection,
                                                       FrameSink auto sink) {
  const transport::IoResult result =
      loop_.network->receive(connection.socket_id(), receive_buffer_.span());
  if (result.status == transport::IoResult::Status::Ok) {
    if (connection.entry() == nullptr)
      return connections_.drop(connection);  // It has ended: no peer waits for an answer.
    static_cast<void>(buffers_.carry(connection, {receive_buffer_.data(), result.bytes}));
  } else if (result.status != transport::IoResult::Status::WouldBlock) {
    drain_delayed(connection, sink);
  }
  on_received(connection, result, sink);
}

void FrameReader::drain_delayed(Connection& connection, FrameSink auto sink) {
  if (!connection.is_paused()) return;
  connection.end_pause();
  if (connection.entry() == nullptr) return;  // Its delayed Logon is dropped.
  connection.end_throttle();
  on_bytes(connection, {}, sink);
}

}  // namespace nexusfix::engine
