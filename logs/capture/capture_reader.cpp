#include "logs/capture/capture_reader.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "base/api/ascii.hpp"
#include "base/api/utc_text.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::logs::capture {
namespace {

using wire::kSoh;
constexpr std::size_t kFlowsMax = 10'000;
constexpr std::size_t kHeldBytesMax = 64U << 20U;
constexpr std::size_t kSecondBytes = 17;  // 20240115-10:30:00
constexpr std::size_t kTimeBytes = 27;    // and .123456789

// Eight bytes, of which some are any digits.
class EightBytes {
 public:
  // `#`: a digit.
  explicit consteval EightBytes(std::string_view form) {
    std::array<unsigned char, 8> bytes{};
    std::array<unsigned char, 8> mask{};
    std::array<unsigned char, 8> add{};
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const bool is_any_digit = form.at(i) == '#';
      bytes[i] = static_cast<unsigned char>(is_any_digit ? '0' : form[i]);
      mask[i] = is_any_digit ? 0xf0 : 0xff;
      add[i] = is_any_digit ? 6 : 0;  // `:` has the high bits of `@` then
    }
    bytes_ = std::bit_cast<std::uint64_t>(bytes);
    mask_ = std::bit_cast<std::uint64_t>(mask);
    add_ = std::bit_cast<std::uint64_t>(add);
  }
  [[nodiscard]] bool are_at(const char* at) const noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return (((word ^ bytes_) | ((word + add_) ^ bytes_)) & mask_) == 0;
  }

 private:
  std::uint64_t bytes_ = 0;
  std::uint64_t mask_ = 0;
  std::uint64_t add_ = 0;
};

// The size of the message at the beginning, if it is whole, has a usual BeginString, and ends where
// its BodyLength says; 0: the scanner decides, and finds the same.
std::size_t whole_message(std::string_view bytes) noexcept {
  constexpr std::size_t kTrailerBytes = 7;
  constexpr std::size_t kBytesMin = 32;
  if (bytes.size() < kBytesMin) return 0;
  const char* const data = bytes.data();
  if (std::memcmp(data, "8=FIX", 5) != 0) return 0;
  const std::size_t version = data[5] == 'T' ? 6 : 5;
  static constexpr EightBytes kVersion{
      ".#.#\x01"
      "9=#"};
  if (!kVersion.are_at(data + version)) return 0;
  constexpr std::size_t kDigitsMax = 6;
  const std::size_t digits = version + 7;
  std::size_t at = digits;
  std::size_t length = 0;
  for (; at < digits + kDigitsMax; ++at) {
    const auto digit = static_cast<unsigned char>(data[at] - '0');
    if (digit > 9) break;
    length = length * 10 + digit;
  }
  const std::size_t trailer = at + 1 + length;
  if (data[at] != kSoh || trailer + kTrailerBytes > bytes.size()) return 0;
  static constexpr EightBytes kTrailer{
      "\x01"
      "10=###\x01"};
  return kTrailer.are_at(data + trailer - 1) ? trailer + kTrailerBytes : 0;
}

// ".123456789": each message of a capture has one. Pairs of digits come from a table that stays in
// the first-level cache, and no division waits for another one.
void write_nanoseconds(char* to, std::uint32_t nanos) noexcept {
  using Pair = std::array<char, 2>;
  static constexpr auto kPairs = [] {
    std::array<Pair, 100> pairs{};
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs[i] = {static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
    }
    return pairs;
  }();
  const std::uint32_t first = nanos / 10'000'000;
  const std::uint32_t second = nanos / 100'000;
  const std::uint32_t third = nanos / 1'000;
  const std::uint32_t fourth = nanos / 10;
  const std::uint32_t parts[] = {first, second - 100 * first, third - 100 * second,
                                 fourth - 100 * third};
  *to++ = '.';
  for (const std::uint32_t part : parts) {
    std::memcpy(to, kPairs[part].data(), sizeof(Pair));
    to += sizeof(Pair);
  }
  *to = static_cast<char>('0' + (nanos - 10 * fourth));
}

void add_note(std::vector<std::string>& notes, std::uint64_t count, std::string_view one,
              std::string_view many, std::string_view rest) {
  if (count > 0) {
    notes.push_back(fmt::format("{} {}", command::counted(count, one, many), rest));
  }
}

}  // namespace

std::vector<std::string> notes_of(const CaptureCounts& counts) {
  std::vector<std::string> notes;
  const StreamCounts& streams = counts.streams;
  if (streams.gaps > 0) {
    notes.push_back(fmt::format(
        "{} not in the capture, in {}; {} retransmitted, and {} came before an earlier one",
        streams.lost_bytes == 1 ? "1 byte is"
                                : command::counted(streams.lost_bytes, "byte") + " are",
        command::counted(streams.gaps, "gap"),
        streams.retransmitted == 1 ? "1 segment was"
                                   : command::counted(streams.retransmitted, "segment") + " were",
        streams.reordered));
  }
  add_note(notes, streams.too_late, "segment", {},
           "not read: later bytes of a connection that began before the capture came first");
  add_note(notes, counts.cut_packets, "packet", {}, "cut in its headers by the snap length");
  add_note(notes, counts.fragments, "fragment of IP packets", "fragments of IP packets",
           "not read, the first " + counts.first_fragment);
  if (counts.unknown_links > 0) {
    notes.push_back(fmt::format("{} not read: link type {} is unknown",
                                command::counted(counts.unknown_links, "packet"),
                                counts.unknown_link));
  }
  add_note(notes, counts.encrypted, "direction of a connection", "directions of connections",
           "encrypted (TLS)");
  add_note(notes, counts.evicted, "direction of a connection", "directions of connections",
           "forgotten: there were too many at a time");
  return notes;
}

CaptureReader::Flow::Flow(const FlowKey& key)
    : prefix(kTimeBytes, ' '), prefix_second{WallTime::max()} {
  prefix.append(1, ' ').append(key.text()).append(" : ");
}

CaptureReader::CaptureReader(Source source, std::string delimiter)
    : file_{std::move(source)},
      delimiter_{std::move(delimiter)},
      may_be_whole_{delimiter_.empty() || delimiter_ == std::string_view{&kSoh, 1}} {}

inline void CaptureReader::put_message(Flow& flow, std::string_view bytes, WallTime time,
                                       printing::ScannedMessage& to) {
  const std::chrono::nanoseconds since = time - flow.prefix_second;
  if (since < std::chrono::seconds{0} || since >= std::chrono::seconds{1}) {
    write_second(flow, time);
  }
  write_nanoseconds(flow.prefix.data() + kSecondBytes,
                    static_cast<std::uint32_t>((time - flow.prefix_second).count()));
  to.ahead = {};
  to.bytes = bytes;
  to.prefix = flow.prefix;
  to.offset = packet_.offset;
  if (flow.lost > 0) put_lost(flow, to);
}

// The next bytes of the stream: a whole message, as most segments are, or a step.
inline bool CaptureReader::scan_next_bytes(Flow& flow, std::string_view bytes,
                                           printing::ScannedMessage& to) {
  flow.last_used = counts_.packets;
  const bool is_message = steps_.empty() && flow.scanner == nullptr && may_be_whole_ &&
                          whole_message(bytes) == bytes.size();
  if (!is_message) {
    steps_.push_back({&flow, {.bytes = bytes}});
    return false;
  }
  flow.has_begun = true;
  put_message(flow, bytes, packet_.time, to);
  to.ahead = file_.ahead(bytes.data());
  to.text_id = file_.text_id();
  return true;
}

inline bool CaptureReader::scan_packet(printing::ScannedMessage& to) {
  ++counts_.packets;
  const CapturedPacket& packet = packet_;
  // Kept bytes need the acknowledgements of the other side.
  if (kept_ == 0 && packet.bytes.size() >= ports_at_ + 4) {
    const char* const ports = packet.bytes.data() + ports_at_;
    Flows::value_type* const flow = recent(KnownHeaders::big_endian<std::uint16_t>(ports),
                                           KnownHeaders::big_endian<std::uint16_t>(ports + 2));
    if (flow != nullptr) {
      KnownHeaders::Segment known;
      if (flow->second.headers.read(packet.link_type, packet.bytes, known)) {
        if (known.payload.empty()) return false;
        if (flow->second.stream.accept_next(known.sequence, known.payload.size())) {
          return scan_next_bytes(flow->second, known.payload, to);
        }
      }
    }
  }
  return scan_other_packet(to);
}

bool CaptureReader::next(printing::ScannedMessage& to, FunctionRef<void()> drained) {
  for (;;) {
    if (!steps_.empty()) {
      for (; step_at_ < steps_.size(); ++step_at_) {
        if (scan_step(steps_[step_at_], to)) return true;
        count_held(*steps_[step_at_].flow);
      }
      steps_.clear();
      step_at_ = 0;
    }
    if (is_at_end_) return false;
    if (!evicted_.empty() || flows_.size() >= kFlowsMax || held_ >= kHeldBytesMax) {
      limit_memory();
      if (!steps_.empty()) continue;
    }
    if (file_.next(packet_, drained)) {
      if (scan_packet(to)) return true;
      continue;
    }
    if (file_.error().empty() && file_.end() == SourceEnd::Waits) return false;
    is_at_end_ = true;
    finish();
  }
}

bool CaptureReader::scan_other_packet(printing::ScannedMessage& to) {
  const CapturedPacket& packet = packet_;
  TcpSegment segment;
  switch (read_segment(packet.link_type, packet.bytes, packet.cut_size, segment)) {
    case PacketKind::Tcp:
      return scan_segment(segment, to);
    case PacketKind::Fragment:
      if (counts_.fragments++ == 0) {
        counts_.first_fragment =
            fmt::format("from {} at byte {}", segment.key.hosts(), packet.offset);
      }
      break;
    case PacketKind::Cut:
      ++counts_.cut_packets;
      break;
    case PacketKind::UnknownLink:
      if (counts_.unknown_links++ == 0) counts_.unknown_link = packet.link_type;
      break;
    case PacketKind::Other:
      break;
  }
  return false;
}

CaptureReader::Flow& CaptureReader::flow_of(const FlowKey& key) {
  Flows::value_type*& last = recent(key.from_port, key.to_port);
  if (last != nullptr && last->first == key) return last->second;
  auto found = flows_.find(key);
  if (found == flows_.end()) found = flows_.emplace(key, key).first;
  last = &*found;
  return found->second;
}

bool CaptureReader::scan_segment(const TcpSegment& segment, printing::ScannedMessage& to) {
  // Most packets without bytes are acknowledgements: they matter only to a stream with a gap.
  const bool has_flags = segment.is_syn || segment.is_fin || segment.is_reset;
  const bool has_content = has_flags || segment.payload.size() + segment.cut_size > 0;
  if (segment.is_ack && kept_ > 0) {
    const auto other = flows_.find(segment.key.reversed());
    if (other != flows_.end() && other->second.stream.kept_bytes() > 0) {
      other->second.stream.acknowledge(segment.acknowledged, packet_.time, pieces_,
                                       counts_.streams);
      add_steps(other->second);
    }
  }
  if (!has_content) return false;
  Flow& flow = flow_of(segment.key);
  if (!has_flags) {
    flow.headers.learn(packet_.link_type, packet_.bytes, segment);
    ports_at_ = segment.transport_at;
    const bool is_whole = segment.cut_size == 0;
    if (is_whole && flow.stream.accept_next(segment.sequence, segment.payload.size())) {
      return scan_next_bytes(flow, segment.payload, to);
    }
  }
  flow.last_used = counts_.packets;
  flow.stream.take(segment, packet_.time, pieces_, counts_.streams);
  add_steps(flow);
  count_held(flow);  // a segment that is kept has no step
  return false;
}

void CaptureReader::add_steps(Flow& flow) {
  for (StreamPiece& piece : pieces_) steps_.push_back({&flow, std::move(piece)});
  pieces_.clear();
}

bool CaptureReader::scan_step(Step& step, printing::ScannedMessage& to) {
  Flow& flow = *step.flow;
  StreamPiece& piece = step.piece;
  const WallTime time = piece.time.value_or(packet_.time);
  // The step stays at its place while it is taken, so that a view of its own bytes is valid.
  if (piece.bytes.empty() && !piece.owned.empty() && !step.is_finishing) {
    piece.bytes = piece.owned;
  }
  if (!piece.bytes.empty()) {
    if (!flow.has_begun) {
      constexpr std::string_view kTlsHandshake = "\x16\x03";
      flow.has_begun = true;
      if (piece.bytes.starts_with(kTlsHandshake)) ++counts_.encrypted;
    }
    if (flow.scanner == nullptr && may_be_whole_) {
      if (const std::size_t size = whole_message(piece.bytes); size > 0) {
        const std::string_view bytes = piece.bytes.substr(0, size);
        piece.bytes.remove_prefix(size);
        if (piece.bytes.empty()) step.is_finishing = true;
        put_message(flow, bytes, time, to);
        return true;
      }
    }
    if (flow.scanner == nullptr) {
      flow.scanner = std::make_unique<printing::MessageScanner>(delimiter_);
    }
    flow.scanner->feed(piece.bytes);
    piece.bytes = {};
  }
  step.is_finishing = true;
  if (flow.scanner != nullptr) {
    bool is_message = flow.scanner->next(to);
    if (!is_message && (piece.lost > 0 || piece.ends)) {
      flow.scanner->finish();
      is_message = flow.scanner->next(to);
    }
    if (is_message) {
      put_message(flow, to.bytes, time, to);
      return true;
    }
    if (piece.lost > 0 || piece.ends || flow.scanner->held_bytes() == 0) forget_scanner(flow);
  }
  flow.lost += piece.lost;
  if (piece.ends) {
    flow.lost = 0;
    flow.has_begun = false;
  }
  return false;
}

void CaptureReader::forget_scanner(Flow& flow) {
  skipped_.add_at(flow.scanner->skipped(), packet_.offset);
  flow.scanner.reset();
}

void CaptureReader::write_second(Flow& flow, WallTime time) {
  flow.prefix_second = std::chrono::floor<std::chrono::seconds>(time);
  prefix_.clear();
  append_utc(prefix_, flow.prefix_second, UtcForm::Fix, 0);
  prefix_.copy(flow.prefix.data(), kSecondBytes);
}

void CaptureReader::put_lost(Flow& flow, printing::ScannedMessage& to) {
  constexpr std::size_t kColonBytes = 3;  // ` : `
  prefix_.assign(flow.prefix, 0, flow.prefix.size() - kColonBytes);
  prefix_ += fmt::format(" after {} lost bytes : ", std::exchange(flow.lost, 0));
  to.prefix = prefix_;
}

void CaptureReader::count_held(Flow& flow) {
  const std::size_t kept = flow.stream.kept_bytes();
  const std::size_t held = kept + (flow.scanner == nullptr ? 0 : flow.scanner->held_bytes());
  kept_ += kept - flow.kept;
  held_ += held - flow.held;
  flow.kept = kept;
  flow.held = held;
}

// Forgets the half of the flows that was used least recently, after their messages were passed.
void CaptureReader::limit_memory() {
  if (!evicted_.empty()) {
    for (const FlowKey& key : evicted_) {
      const Flow& flow = flows_.at(key);
      kept_ -= flow.kept;
      held_ -= flow.held;
      flows_.erase(key);
    }
    evicted_.clear();
    recent_.fill(nullptr);
  }
  if (flows_.size() < kFlowsMax && held_ < kHeldBytesMax) return;
  std::vector<std::uint64_t> used;
  for (const auto& [key, flow] : flows_) used.push_back(flow.last_used);
  const auto middle = used.begin() + static_cast<std::ptrdiff_t>(used.size() / 2);
  std::ranges::nth_element(used, middle);
  for (auto& [key, flow] : flows_) {
    if (flow.last_used > *middle) continue;
    ++counts_.evicted;
    evicted_.push_back(key);
    flow.stream.finish(pieces_, counts_.streams);
    add_steps(flow);
  }
}

void CaptureReader::finish() {
  for (auto& [key, flow] : flows_) {
    flow.stream.finish(pieces_, counts_.streams);
    add_steps(flow);
  }
}

}  // namespace nexusfix::logs::capture
