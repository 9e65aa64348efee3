#include "engine/ground/report/reporter.hpp"

#include <new>
#include <utility>
#include <vector>

#include "engine/ground/connection/connection.hpp"
#include "engine/ground/state/session_entry.hpp"

namespace nexusfix::engine {
namespace {

struct NoRoomRow {
  EventId id{};
  std::string_view why;
};

// In the order of NoRoom.
constexpr NoRoomRow kNoRoom[] = {
    {EventId::DescriptorsExhausted, "at once: the process has no descriptor left, or no memory"},
    {EventId::PendingLogonsOfAddressFull,
     "at once: half of MaxPendingLogons, all of one address, wait for their Logon already"},
    {EventId::PendingLogonsFull, "at once: MaxPendingLogons wait for their Logon already"},
    {EventId::PendingLogonDisplaced,
     "that had sent no Logon: others came, and their address has most of all that wait "
     "(MaxPendingLogons)"},
};

}  // namespace

void Reporter::session(EventId id, const SessionEntry& entry, const EventText& text) {
  report(id, entry.name, text);
}

void Reporter::peer(EventId id, SessionEntry& entry, const EventText& text,
                    const Connection* ended) {
  const Connection* const connection = ended != nullptr ? ended : entry.connection();
  if (connection != nullptr && entry.settings().accept && !connection->has_logged_on()) {
    return unauthenticated(id, connection->accepted().source, entry.name, text);
  }
  report_if(limiter_.allow(entry.limits.notices, time_.now().mono), id, entry.name, text);
}

void Reporter::unauthenticated(EventId id, transport::Source source, std::string_view session,
                               const EventText& text) {
  report_if(limiter_.allow(source, time_.now().mono), id, session, text);
}

void Reporter::refused(EventId id, transport::Source source, std::string_view peer,
                       std::string_view why) {
  unauthenticated(id, source, {}, {"connection from ", peer, " closed: ", why});
}

void Reporter::engine_limited(EventId id, const EventText& text) {
  report_if(limiter_.allow(own_lines_, time_.now().mono), id, {}, text);
}

void Reporter::report_tallies() {
  bool has_any = false;
  for (std::size_t i = 0; i < kTallies; ++i) {
    NoticeTally& tally = tallies_[i];
    if (!tally.has_any()) [[likely]]
      continue;
    if (const std::uint64_t count = tally.take(time_.now().mono); count != 0) {
      engine(kNoRoom[i].id,
             {count, count == 1 ? " connection was closed " : " connections were closed ",
              kNoRoom[i].why, tally.last().empty() ? "" : "; the last one from ", tally.last()});
    }
    has_any = has_any || tally.has_any();
    time_.wake_at(tally.due());
  }
  has_counted_ = has_any;
}

void Reporter::report_suppressed() {
  if (const std::uint64_t lines = limiter_.consume_suppressed(time_.now().mono); lines > 0) {
    engine(EventId::EventsSuppressed, {lines, " more events are not shown"});
  }
}

// If there is no memory for this line either, it is written later.
void Reporter::report_memory_failures() {
  const SecondLimit before = own_lines_;
  if (!limiter_.allow(own_lines_, time_.now().mono)) {
    memory_failures_ = 0;
    return time_.wake_at(time_.now().mono + NoticeLimiter::kWindow);
  }
  if (report(EventId::OutOfMemory, {}, {"there was no memory, ", memory_failures_, " times"})) {
    memory_failures_ = 0;
  } else {
    own_lines_ = before;
  }
}

void Reporter::report_refused_messages() {
  NoticeTally& refused = logs_.refused();
  if (const std::uint64_t messages = refused.take(time_.now().mono); messages != 0) {
    engine(EventId::MessageLogFailed,
           {"the program's message log threw, and lacks ", messages,
            messages == 1 ? " message: " : " messages; the last exception: ", refused.last()});
  }
  time_.wake_at(refused.due());
}

void Reporter::report_if(bool is_allowed, EventId id, std::string_view session,
                         const EventText& text) {
  if (is_allowed) {
    report(id, session, text);
  } else {
    time_.wake_at(time_.now().mono + NoticeLimiter::kWindow);
  }
}

// False: there is no memory for it.
bool Reporter::report(EventId id, std::string_view session, const EventText& text) {
  try {
    std::string joined;
    logs_.event(id, session, text.join(joined), time_.now().wall);
    return true;
  } catch (const std::bad_alloc&) {
    memory_failed();
    return false;
  }
}

}  // namespace nexusfix::engine
