#include <cerrno>
#include <exception>
#include <new>
#include <utility>

#include "python/src/tables/batch_source.hpp"

namespace nexusfix::python {
namespace {

// What a stream owns.
struct StreamParts {
  std::unique_ptr<BatchSource> source;
  std::unique_ptr<ReadingCalls> calls;
  std::string error;
};

StreamParts& parts_of(ArrowArrayStream* stream) {
  return *static_cast<StreamParts*>(stream->private_data);
}

// No exception may leave a function that C calls.
template <class Body>
int guarded_call(StreamParts& parts, Body body) noexcept {
  try {
    body();
    return parts.error.empty() ? 0 : EIO;
  } catch (const std::bad_alloc&) {
    parts.error = "no memory";
    return ENOMEM;
  } catch (const std::exception& error) {
    parts.error = error.what();
    return EIO;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  StreamParts& parts = parts_of(stream);
  return guarded_call(parts, [&] { parts.source->describe(*out); });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  *out = {};
  StreamParts& parts = parts_of(stream);
  if (!parts.error.empty()) return EIO;
  return guarded_call(parts, [&] {
    parts.calls->without_lock([&] { parts.source->next(*out, *parts.calls); });
    parts.error = parts.source->error();
    if (parts.error.empty() && out->release != nullptr && !parts.calls->goes_on()) {
      parts.error = kStopped;
      out->release(out);
    }
  });
}

const char* get_last_error(ArrowArrayStream* stream) {
  const StreamParts& parts = parts_of(stream);
  return parts.error.empty() ? nullptr : parts.error.c_str();
}

void release_stream(ArrowArrayStream* stream) {
  delete &parts_of(stream);
  stream->release = nullptr;
}

}  // namespace

void make_stream(ArrowArrayStream& to, std::unique_ptr<BatchSource> source,
                 std::unique_ptr<ReadingCalls> calls) {
  to = {.get_schema = get_schema,
        .get_next = get_next,
        .get_last_error = get_last_error,
        .release = release_stream,
        .private_data =
            new StreamParts{.source = std::move(source), .calls = std::move(calls), .error = {}}};
}

}  // namespace nexusfix::python
