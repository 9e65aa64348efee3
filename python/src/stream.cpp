#include "python/src/stream.hpp"

#include "python/src/errors.hpp"
#include "python/src/message.hpp"

namespace nexusfix::python {

void Stream::keep_error(nb::object error) {
  ++garbled_;
  if (errors_.size() == kErrorsKept) nb::del(errors_[0]);
  errors_.append(error);
}

nb::list Stream::feed(std::string_view bytes) {
  nb::list messages;
  pending_ += bytes;
  std::string_view rest = pending_;
  while (!rest.empty()) {
    const wire::FrameResult found = wire::next_frame(rest, limits_);
    if (found.status == wire::FrameResult::Status::NeedMore) break;
    const std::string_view frame = rest.substr(0, found.size);
    rest.remove_prefix(found.size);
    if (found.status == wire::FrameResult::Status::Complete) {
      try {
        messages.append(nb::steal(make_message(frame, catalog_)));
        continue;
      } catch (nb::python_error& error) {
        keep_error(nb::borrow(error.value()));
        continue;
      }
    }
    keep_error(parse_error({.reason = found.reason, .offset = 0}, frame));
  }
  pending_.erase(0, pending_.size() - rest.size());
  return messages;
}

}  // namespace nexusfix::python
