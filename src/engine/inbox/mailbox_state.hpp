// What a mailbox consists of: a way to each event loop.
#pragma once

#include <memory>
#include <vector>

#include "engine/inbox/mail_room.hpp"

namespace nexusfix::engine::detail {

struct MailWay {
  std::shared_ptr<MailLane> lane;
  std::shared_ptr<MailRoom> room;
};

struct MailboxState {
  std::vector<MailWay> ways;  // by loop, at least one
  std::shared_ptr<Doorbell> doorbell;
  PostToken posted = 0;
  std::uint64_t collected = 0;
};

}  // namespace nexusfix::engine::detail
