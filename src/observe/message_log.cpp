#include <algorithm>
#include <utility>

#include "observe/api/logs.hpp"
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
  // Shared by the sessions whose messages are masked alike: it is large, and most sessions are.
  struct Shared {
    explicit Shared(std::span<const MaskedField> more)
        : fields{more.begin(), more.end()}, masking{more} {}

    std::vector<MaskedField> fields;
    Masking masking;
  };

  std::string name;
  std::shared_ptr<Shared> shared;
};

MaskedMessageLog::MaskedMessageLog(MessageLog& log, std::uint32_t loop) : log_{log}, loop_{loop} {}
MaskedMessageLog::~MaskedMessageLog() = default;

void MaskedMessageLog::add(std::string_view session, std::span<const MaskedField> masked) {
  using Shared = MaskedSession::Shared;
  std::shared_ptr<Shared> shared = sessions_.empty() ? nullptr : sessions_.back()->shared;
  if (shared == nullptr || !std::ranges::equal(shared->fields, masked)) {
    shared = std::make_shared<Shared>(masked);
  }
  sessions_.push_back(std::make_unique<MaskedSession>(std::string{session}, std::move(shared)));
}

void MaskedMessageLog::write(std::size_t session, MessageKind kind, std::string_view bytes,
                             WallTime time) {
  const MaskedSession& one = *sessions_[session];
  Masking& masking = one.shared->masking;
  LoggedMessage message{time, one.name, bytes, loop_, kind};
  bool has_secret = false;
  if (kind == MessageKind::Garbled) {
    message.bytes = bytes.substr(0, kGarbledBytesMax);
    has_secret = masking.finds_in_garbled(message.bytes, message.bytes.size() != bytes.size());
  } else {
    has_secret = masking.finds(bytes);
  }
  if (has_secret) {
    masked_.clear();
    masking.append_masked(masked_);
    message.bytes = masked_;
  }
  log_.write(message);
}

}  // namespace nexusfix::observe
