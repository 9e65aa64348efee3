#include "nexusfix/logs/capture/capture_reader.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <utility>

#include <nexusfix/base/ascii.hpp>
#include <nexusfix/base/utc_text.hpp>
#include <nexusfix/wire/typed/field.hpp>

#include "nexusfix/text/text.hpp"

namespace nexusfix::logs::capture {
namespace {

using wire::kSoh;
constexpr std::size_t kFlowsMax = 10'000;
constexpr std::size_t kHeldBytesMax = 64U << 20U;
constexpr std::size_t kSecondBytes = 17;  // 20240115-10:30:00
constexpr std::size_t kTimeBytes = 27;    // and .123456789

// The size of the message at the beginning, if it is whole, has a usual BeginString, and ends where
// its BodyLength says; 0: the scanner decides, and finds the same.
std::size_t whole_message(std::string_view bytes) noexcept {
  constexpr std::size_t kTrailerBytes = 7;
  constexpr std::size_t kBytesMin = 32;
  if (bytes.size() < kBytesMin) return 0;
  const char* const data = bytes.data();
  if (std::memcmp(data, "8=FIX", 5) != 0) return 0;
  std::size_t at = data[5] == 'T' ? 6 : 5;
  if (data[at] != '.' || !is_digit(data[at + 1]) || data[at + 2] != '.' ||
      !is_digit(data[at + 3]) || data[at + 4] != kSoh || data[at + 5] != '9' ||
      data[at + 6] != '=') {
    return 0;
  }
  at += 7;
  std::size_t length = 0;
  constexpr std::size_t kDigitsMax = 6;
  const std::size_t digits = at;
  for (; at < digits + kDigitsMax && is_digit(bytes[at]); ++at) {
    length = length * 10 + static_cast<std::size_t>(bytes[at] - '0');
  }
  const std::size_t trailer = at + 1 + length;
  if (at == digits || bytes[at] != kSoh || trailer + kTrailerBytes > bytes.size()) return 0;
  const char* const end = data + trailer;
  const bool is_trailer = end[-1] == kSoh && end[0] == '1' && end[1] == '0' && end[2] == '=' &&
                          is_digit(end[3]) && is_digit(end[4]) && is_digit(end[5]) &&
                          end[6] == kSoh;
  return is_trailer ? trailer + kTrailerBytes : 0;
}

// ".123456789 ": three digits at a time from a table, because each message of a capture has one.
// They are written with the byte after them: four bytes are one store.
void write_nanoseconds(char* to, std::uint32_t nanos) noexcept {
  constexpr std::size_t kDigits = 3;
  constexpr std::uint32_t kThousand = 1000;
  static constexpr auto kTexts = [] {
    std::array<std::array<char, kDigits + 1>, kThousand> texts{};
    for (std::size_t i = 0; i < texts.size(); ++i) {
      texts[i] = {static_cast<char>('0' + i / 100), static_cast<char>('0' + i / 10 % 10),
                  static_cast<char>('0' + i % 10), ' '};
    }
    return texts;
  }();
  *to++ = '.';
  const std::uint32_t micros = nanos / kThousand;
  for (const std::uint32_t part : {micros / kThousand, micros % kThousand, nanos % kThousand}) {
    std::memcpy(to, kTexts[part].data(), kTexts[part].size());
    to += kDigits;
  }
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

bool CaptureReader::next(printing::ScannedMessage& to, FunctionRef<void()> drained) {
  for (;;) {
    for (; step_at_ < steps_.size(); ++step_at_) {
      if (take_step(steps_[step_at_], to)) return true;
      count_held(*steps_[step_at_].flow);
    }
    steps_.clear();
    step_at_ = 0;
    if (is_at_end_) return false;
    if (!evicted_.empty() || flows_.size() >= kFlowsMax || held_ >= kHeldBytesMax) {
      limit_memory();
      if (!steps_.empty()) continue;
    }
    if (file_.next(packet_, drained)) {
      if (take_packet(to)) return true;
      continue;
    }
    if (file_.error().empty() && file_.end() == SourceEnd::Waits) return false;
    is_at_end_ = true;
    finish();
  }
}

bool CaptureReader::take_packet(printing::ScannedMessage& to) {
  ++counts_.packets;
  const CapturedPacket& packet = packet_;
  TcpSegment segment;
  switch (read_segment(packet.link_type, packet.bytes, packet.cut_size, segment)) {
    case PacketKind::Tcp:
      return take_segment(segment, to);
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
  Flows::value_type*& recent = recent_[(key.from_port + 3U * key.to_port) % recent_.size()];
  if (recent != nullptr && recent->first == key) return recent->second;
  auto found = flows_.find(key);
  if (found == flows_.end()) found = flows_.emplace(key, key).first;
  recent = &*found;
  return found->second;
}

bool CaptureReader::take_segment(const TcpSegment& segment, printing::ScannedMessage& to) {
  // Most packets without bytes are acknowledgements: they matter only to a stream with a gap.
  const bool has_content = segment.is_syn || segment.is_fin || segment.is_reset ||
                           segment.payload.size() + segment.cut_size > 0;
  if (segment.is_ack && held_ > 0) {
    const auto other = flows_.find(segment.key.reversed());
    if (other != flows_.end() && other->second.stream.kept_bytes() > 0) {
      other->second.stream.acknowledge(segment.acknowledged, packet_.time, pieces_,
                                       counts_.streams);
      add_steps(other->second);
    }
  }
  if (!has_content) return false;
  Flow& flow = flow_of(segment.key);
  flow.last_used = counts_.packets;
  if (flow.stream.take_next(segment)) {
    const bool is_message = steps_.empty() && flow.scanner == nullptr && may_be_whole_ &&
                            whole_message(segment.payload) == segment.payload.size();
    if (is_message) {
      flow.has_begun = true;
      put_message(flow, segment.payload, packet_.time, to);
      to.ahead = file_.ahead(to.bytes.data());
      to.text_id = file_.text_id();
      return true;
    }
    steps_.push_back({&flow, {.bytes = segment.payload}});
    return false;
  }
  flow.stream.take(segment, packet_.time, pieces_, counts_.streams);
  add_steps(flow);
  count_held(flow);  // a segment that is kept has no step
  return false;
}

void CaptureReader::add_steps(Flow& flow) {
  for (StreamPiece& piece : pieces_) steps_.push_back({&flow, std::move(piece)});
  pieces_.clear();
}

bool CaptureReader::take_step(Step& step, printing::ScannedMessage& to) {
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

void CaptureReader::put_message(Flow& flow, std::string_view bytes, WallTime time,
                                printing::ScannedMessage& to) {
  const auto second = std::chrono::floor<std::chrono::seconds>(time);
  if (second != flow.prefix_second) {
    prefix_.clear();
    append_utc(prefix_, second, UtcForm::Fix, 0);
    prefix_.copy(flow.prefix.data(), kSecondBytes);
    flow.prefix_second = second;
  }
  write_nanoseconds(flow.prefix.data() + kSecondBytes,
                    static_cast<std::uint32_t>((time - second).count()));
  to.ahead = {};
  to.bytes = bytes;
  to.prefix = flow.prefix;
  to.offset = packet_.offset;
  if (flow.lost == 0) return;
  constexpr std::size_t kColonBytes = 3;  // ` : `
  prefix_.assign(flow.prefix, 0, flow.prefix.size() - kColonBytes);
  prefix_ += fmt::format(" after {} lost bytes : ", std::exchange(flow.lost, 0));
  to.prefix = prefix_;
}

void CaptureReader::count_held(Flow& flow) {
  const std::size_t held =
      flow.stream.kept_bytes() + (flow.scanner == nullptr ? 0 : flow.scanner->held_bytes());
  held_ += held - flow.held;
  flow.held = held;
}

// Forgets the half of the flows that was used least recently, after their messages were passed.
void CaptureReader::limit_memory() {
  if (!evicted_.empty()) {
    for (const FlowKey& key : evicted_) {
      held_ -= flows_.at(key).held;
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
