#include <nexusfix/observe/message_log.hpp>

#include "observe/masking.hpp"

namespace nexusfix::observe {

void append_masked(std::string& to, std::string_view message, std::span<const MaskedField> more) {
  Masking masking{more};
  if (!masking.finds(message)) {
    to += message;
    return;
  }
  masking.append_masked(to);
}

struct MaskedMessageLog::MaskedSession {
  std::string name;
  Masking masking;
};

MaskedMessageLog::MaskedMessageLog(MessageLog& log, std::uint32_t loop) : log_{log}, loop_{loop} {}
MaskedMessageLog::~MaskedMessageLog() = default;

void MaskedMessageLog::add(std::string_view session, std::span<const MaskedField> masked) {
  sessions_.push_back(std::make_unique<MaskedSession>(std::string{session}, Masking{masked}));
}

void MaskedMessageLog::write(std::size_t session, MessageKind kind, std::string_view bytes,
                             WallTime time) {
  MaskedSession& one = *sessions_[session];
  LoggedMessage message{time, one.name, bytes, loop_, kind};
  bool has_secret = false;
  if (kind == MessageKind::Garbled) {
    message.bytes = bytes.substr(0, kGarbledBytesMax);
    has_secret = one.masking.finds_in_garbled(message.bytes, message.bytes.size() != bytes.size());
  } else {
    has_secret = one.masking.finds(bytes);
  }
  if (has_secret) {
    masked_.clear();
    one.masking.append_masked(masked_);
    message.bytes = masked_;
  }
  log_.write(message);
}

}  // namespace nexusfix::observe
