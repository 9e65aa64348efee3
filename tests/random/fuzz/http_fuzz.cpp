// Requests to the web ports: any bytes, in any pieces, a part of them repeated without end. A
// request is complete or refused within its limit of bytes, takes no more memory than its limit,
// and is the same for each division into pieces.
#include <algorithm>
#include <cstdint>
#include <sanitizer/allocator_interface.h>
#include <string>
#include <string_view>
#include <vector>

#include "console/http/request_reader.hpp"
#include "random/fuzz/harness/input.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"

namespace {

using nexusfix::testing::Input;
using nexusfix::testing::require;
using nexusfix::web::Request;
using nexusfix::web::RequestReader;

// What one receive of the server returns at most.
constexpr std::size_t kPieceMax = 16U << 10U;
// More than a request may have.
constexpr std::size_t kStreamBytes = RequestReader::kRequestBytesMax + 2 * kPieceMax;
// What an incomplete request may hold: its bytes, and a small object for each field.
constexpr std::size_t kMemoryMax = 256U << 10U;

bool are_equal(const Request& a, const Request& b) {
  return a.method == b.method && a.path == b.path && a.query == b.query && a.fields == b.fields &&
         a.body == b.body;
}

// Receives the stream in pieces of this number of bytes, and passes each request to the visitor.
template <class Visit>
void read(std::string_view stream, std::size_t piece, Visit visit) {
  const std::size_t before = __sanitizer_get_current_allocated_bytes();
  RequestReader reader;
  std::size_t unfinished = 0;  // received bytes since the last complete request
  while (!stream.empty()) {
    const std::string_view one = stream.substr(0, piece);
    stream.remove_prefix(one.size());
    reader.add(one);
    unfinished += one.size();
    for (;;) {
      const RequestReader::Progress progress = reader.parse();
      visit(nullptr, __sanitizer_get_current_allocated_bytes() - before);
      if (progress == RequestReader::Progress::Wrong) return require(reader.status() >= 400);
      if (progress == RequestReader::Progress::NeedsMore) break;
      const Request request = reader.take();
      visit(&request, 0);
      unfinished = one.size();  // at most
    }
    // The request that is not complete may have begun in an earlier piece.
    require(unfinished <= RequestReader::kRequestBytesMax + kPieceMax);
  }
}

void check_memory(std::string_view stream, std::size_t piece) {
  read(stream, piece, [](const Request*, std::size_t memory) { require(memory <= kMemoryMax); });
}

std::vector<Request> requests_of(std::string_view stream, std::size_t piece) {
  std::vector<Request> requests;
  read(stream, piece, [&](const Request* request, std::size_t) {
    if (request != nullptr) requests.push_back(*request);
  });
  return requests;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input{data, size};
  const std::size_t piece = input.word() % kPieceMax + 1;
  const std::size_t repeated_from = input.word();
  const std::size_t repeated = input.byte();
  std::string stream = input.text(size);
  if (repeated > 0 && repeated_from < stream.size()) {
    const std::string part = stream.substr(repeated_from, repeated);
    const std::string after = stream.substr(std::min(stream.size(), repeated_from + repeated));
    stream.resize(repeated_from);
    while (stream.size() + after.size() < kStreamBytes) stream += part;
    stream += after;
  }
  const std::size_t small = std::max(piece, stream.size() / 1'000);
  check_memory(stream, kPieceMax);
  check_memory(stream, small);
  require(
      std::ranges::equal(requests_of(stream, kPieceMax), requests_of(stream, small), are_equal));
  return 0;
}
