// The application of a replay: counts the answers, and shows what the counterparty rejects.
#pragma once

#include <cstdint>
#include <cstdio>
#include <deque>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/wire/message_view.hpp>

#include "logs/fields/message_fields.hpp"
#include "nexusfix/dictionary/field_names.hpp"

namespace nexusfix::command {

class ReplayClient {
 public:
  // Both must outlive this object.
  ReplayClient(std::FILE* out, const FieldNames& names) : out_{out}, names_{names} {}

  void on_logon(engine::Session&);
  void on_logout(engine::Session&);
  void on_message(engine::Session& session, const wire::MessageView& message);
  void on_admin(engine::Session&, const wire::MessageView& message);

  // A message was sent with this MsgSeqNum. offset: of the logged one in its file.
  void record_sent(std::uint64_t number, std::uint64_t offset, std::string_view msg_type);

  [[nodiscard]] std::uint64_t received() const noexcept { return received_; }
  // Reject and BusinessMessageReject.
  [[nodiscard]] std::uint64_t rejects() const noexcept { return rejects_; }
  // Reports of rejected orders, and OrderCancelReject.
  [[nodiscard]] std::uint64_t rejected_orders() const noexcept { return rejected_orders_; }
  [[nodiscard]] bool was_logged_on() const noexcept { return was_logged_on_; }

 private:
  struct SentMessage {
    std::uint64_t number;
    std::uint64_t offset;
    std::string msg_type;
  };

  void show(std::string_view what);
  [[nodiscard]] std::string subject_of_reject();
  [[nodiscard]] std::string reason();

  std::FILE* out_;
  const FieldNames& names_;
  logs::MessageFields fields_;    // of the message that is received
  std::deque<SentMessage> sent_;  // the last ones, by ascending number
  std::uint64_t received_ = 0;
  std::uint64_t rejects_ = 0;
  std::uint64_t rejected_orders_ = 0;
  std::uint64_t shown_ = 0;
  bool was_logged_on_ = false;
};

}  // namespace nexusfix::command
