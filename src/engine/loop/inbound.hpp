// Frames the bytes of a connection as messages, and passes them to its session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/transport/network.hpp>
#include <nexusfix/wire/frame.hpp>
#include <nexusfix/wire/parser.hpp>

#include "engine/ground/loop_context.hpp"
#include "engine/ground/scratch_buffer.hpp"

namespace nexusfix::engine {

struct Floors;

class Inbound {
 public:
  Inbound(LoopContext& loop, Floors& floors)
      : loop_{loop}, floors_{floors}, receive_buffer_(kReceiveBytes) {}

  void on_readable(Connection& connection);
  void on_bytes(Connection& connection, std::string_view bytes);
  void resume(Connection& connection);
  void drain_delayed(Connection& connection);
  enum class Direct : std::uint8_t {
    NeedsWait,  // nothing was received: the network must be asked
    Nothing,    // no connection has bytes
    Received,   // bytes, or the end of a connection, were processed
  };
  // The time of the turn is read again, unless the network must be asked.
  [[nodiscard]] Direct receive_directly();
  // receive_directly() in parts, for a loop with one connection.
  [[nodiscard]] bool may_receive_unasked() const noexcept;
  [[nodiscard]] Connection* only_connection() const noexcept;
  [[nodiscard]] transport::IoResult receive_from(Connection& connection);
  // The connection from which one of several was received since the last call; 0: none.
  [[nodiscard]] transport::SocketId take_received() noexcept {
    return std::exchange(received_from_, transport::SocketId{0});
  }
  void on_direct_result(Connection& connection, const transport::IoResult& result);
  // Before each wait(). spins: further turns will receive directly.
  void unwatch_connections(bool spins) noexcept;

 private:
  // The bytes of one receive(): other sessions wait at most while the messages in them are
  // processed.
  static constexpr std::size_t kReceiveBytes = 16U << 10U;

  [[nodiscard]] Direct receive_from_one_of(std::size_t count);  // of several connections
  void on_receive_result(Connection& connection, const transport::IoResult& result);
  void on_bytes_unbound(Connection& connection, std::size_t count);
  void on_received(Connection& connection, const transport::IoResult& result);
  [[nodiscard]] bool take_repeated(Connection& connection, std::string_view bytes);
  [[nodiscard]] bool take_whole(Connection& connection, std::string_view bytes);
  void take_one(Connection& connection, const wire::MessageView& message, std::string_view bytes);
  [[nodiscard]] bool listens(const Connection& connection) const noexcept;
  [[nodiscard]] std::size_t complete_carried(Connection& connection, std::string_view bytes);
  // Both return the number of processed bytes. kMustWait: the message must wait.
  static constexpr std::size_t kMustWait = 0;
  [[nodiscard]] std::size_t on_scanned(Connection& connection, const wire::FrameResult& frame,
                                       std::string_view bytes);
  [[nodiscard]] std::size_t on_frame(Connection& connection, std::string_view frame);
  [[nodiscard]] std::size_t on_first_frame(Connection& connection, std::string_view frame);
  [[nodiscard]] std::size_t on_unsound_frame(Connection& connection, wire::GarbledReason reason,
                                             std::string_view frame);
  [[nodiscard]] std::size_t on_message(Connection& connection, SessionEntry& entry,
                                       const wire::MessageView& message, std::string_view frame);
  // on_message(), inlined into its most frequent caller.
  [[nodiscard]] std::size_t take_message(Connection& connection, SessionEntry& entry,
                                         const wire::MessageView& message, std::string_view frame);
  void count(std::string_view frame) noexcept;
  void pass_on(Connection& connection, SessionEntry& entry, const wire::MessageView& message,
               std::string_view frame);
  void excuse_wait(const Connection& connection, SessionEntry& entry,
                   const wire::MessageView& message);
  [[nodiscard]] std::expected<wire::MessageView, wire::ParseError> parse_repaired(
      const Connection& connection, wire::GarbledReason reason, std::string_view& frame);
  [[nodiscard]] bool must_wait(Connection& connection, const wire::MessageView& message);
  void on_paused_readable(Connection& connection);
  void on_garbled_frame(Connection& connection, wire::GarbledReason reason, std::string_view bytes);

  LoopContext& loop_;
  Floors& floors_;

  std::string repaired_;  // a message whose BodyLength or CheckSum was wrong, corrected
  ScratchBuffer receive_buffer_;
  // Since the last wait(), when receive_directly() is in use.
  std::size_t receives_unasked_ = 0;
  std::size_t first_asked_ = 0;  // index of the connection that it has tried first
  transport::SocketId received_from_ = 0;
  bool has_unwatched_ = false;  // connections that wait() does not report
};

}  // namespace nexusfix::engine
