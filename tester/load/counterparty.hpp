// One session with the engine under test: logs on, numbers its messages, keeps what it has sent,
// answers TestRequests and ResendRequests, and judges each message that comes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tester/load/load.hpp"
#include "tester/load/message_template.hpp"
#include "tester/script/received_fields.hpp"

namespace nexusfix::tester {

// A message of the engine. Views of its bytes: valid until the next one.
struct Received {
  std::string bytes;
  std::vector<ReceivedField> fields;
  std::string_view type;
  std::uint64_t msg_seq_num = 0;
  bool is_resent = false;  // PossDupFlag
  MonoTime at{};
  [[nodiscard]] std::optional<std::string_view> value(std::string_view tag) const {
    return value_of(fields, tag);
  }
};

// False: the case is over.
using OnMessage = std::function<bool(const Received&)>;

// From which MsgSeqNum a Logon begins.
enum class Numbers : std::uint8_t { Reset, Continued };
// Whether a message goes to the wire, or is only counted as one that is lost.
enum class Delivery : std::uint8_t { Sent, Lost };

// After a call that returns false the case is over: failed, interrupted or skipped.
class Counterparty {
 public:
  // context and result must outlive it.
  Counterparty(const LoadContext& context, Result& result);

  // Connects, or waits for the connection, and logs on. Continued: what is missing is requested;
  // on_message gets each message meanwhile, resent or not.
  [[nodiscard]] bool log_on(Numbers numbers, const OnMessage& on_message = {});
  // Ends the session with a Logout, and the connection.
  [[nodiscard]] bool log_out();
  // Ends the connection without a Logout.
  void drop();

  // Makes a message whose field `tag` counts. The error: the case is over.
  [[nodiscard]] std::optional<MessageTemplate> message(std::string_view text, std::string_view tag);
  // Sends one of the template's messages with the next MsgSeqNum.
  [[nodiscard]] bool send(MessageTemplate& message, std::uint64_t count, Delivery delivery);
  // Collects messages, and sends all at once with flush().
  void append(MessageTemplate& message, std::uint64_t count);
  [[nodiscard]] bool flush();
  [[nodiscard]] std::size_t collected_bytes() const noexcept { return collected_.size(); }
  // Sends an administrative message: "35=2|7=1|16=0".
  [[nodiscard]] bool send(std::string_view text);
  // Sends a message again that has this number, as a possible duplicate.
  [[nodiscard]] bool send_again(std::uint64_t msg_seq_num);

  // The next message that is not a Heartbeat by time, a TestRequest or a ResendRequest, which are
  // answered. Null: nothing came before the deadline, or the case is over.
  [[nodiscard]] const Received* next(MonoTime deadline);
  // Waits until the engine has resent or gap-filled these numbers, each once and in order.
  // on_message: gets each message, resent or not; false: the case is over.
  [[nodiscard]] bool resent(std::uint64_t first, std::uint64_t last, const OnMessage& on_message);

  // The case fails. Returns false.
  bool fail(std::string what, std::string expected = {});
  bool skip(std::string reason);
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  // Adds a line to the conversation.
  void note(std::string text);
  // Moves the last messages to the result, which is whole then.
  void finish();

  [[nodiscard]] MonoTime now() { return context_.clock.now().mono; }
  // When an expected message is too late.
  [[nodiscard]] MonoTime deadline() { return now() + context_.play.timeout; }
  [[nodiscard]] std::uint64_t next_out() const noexcept { return next_out_; }
  [[nodiscard]] std::uint64_t next_in() const noexcept { return next_in_; }
  // The highest number that was sent again for a ResendRequest.
  [[nodiscard]] std::uint64_t resent_to() const noexcept { return resent_to_; }
  // Messages of the engine since the begin, messages of the tester, and answered ResendRequests.
  [[nodiscard]] std::uint64_t received_count() const noexcept { return received_count_; }
  [[nodiscard]] std::uint64_t sent_count() const noexcept { return sent_count_; }
  [[nodiscard]] std::uint64_t resend_requests() const noexcept { return resend_requests_; }
  // When the engine's Logon came, and when the connection before it was begun.
  [[nodiscard]] MonoTime logon_at() const noexcept { return logon_at_; }
  [[nodiscard]] MonoTime connected_at() const noexcept { return connected_at_; }

 private:
  struct Stored {
    MessageTemplate* message = nullptr;  // null: an administrative message
    std::uint64_t count = 0;
    WallTime sending_time{};
  };
  struct Line {
    Side side = Side::Neither;
    MonoTime at{};
    std::string bytes;
    bool is_message = true;
    bool is_difference = false;
  };

  [[nodiscard]] bool connect();
  [[nodiscard]] bool answer_logon(const Received& logon);
  [[nodiscard]] bool await_logon_answer(Numbers numbers, const OnMessage& on_message);
  [[nodiscard]] std::string logon_text(Numbers numbers) const;
  [[nodiscard]] Writer writer(std::string_view msg_type, std::uint64_t msg_seq_num) const;
  [[nodiscard]] bool write(std::string_view bytes);
  [[nodiscard]] bool send_numbered(std::string_view text, std::uint64_t msg_seq_num);
  [[nodiscard]] bool wait_for_event(MonoTime deadline);
  [[nodiscard]] bool judge();
  [[nodiscard]] bool resend(const Received& request);
  [[nodiscard]] bool gap_fill(std::uint64_t first, std::uint64_t next);
  [[nodiscard]] bool heartbeat_if_due();
  void keep(Side side, std::string bytes, bool is_message);
  void set_numbers_of_reset();

  const LoadContext& context_;
  Result& result_;
  Meaning meaning_;
  Channel channel_;
  Received received_;
  std::deque<Line> lines_;      // the last ones
  std::vector<Stored> stored_;  // by MsgSeqNum - 1
  std::string collected_;
  std::uint64_t next_out_ = 1;
  std::uint64_t next_in_ = 1;
  std::uint64_t resent_to_ = 0;
  std::uint64_t received_count_ = 0;
  std::uint64_t sent_count_ = 0;
  std::uint64_t resend_requests_ = 0;
  MonoTime begin_;
  MonoTime sent_at_{};
  MonoTime logon_at_{};
  MonoTime connected_at_{};
  bool is_logged_on_ = false;
  bool is_over_ = false;
};

}  // namespace nexusfix::tester
