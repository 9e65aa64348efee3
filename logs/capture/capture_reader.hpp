// The messages in the TCP connections of a packet capture.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nexusfix/base/language.hpp>

#include "logs/capture/packet_file.hpp"
#include "logs/capture/tcp_segment.hpp"
#include "logs/capture/tcp_stream.hpp"
#include "logs/messages/message_scanner.hpp"

namespace nexusfix::logs::capture {

struct CaptureCounts {
  StreamCounts streams;
  std::uint64_t packets = 0;
  std::uint64_t cut_packets = 0;    // without the headers of TCP, because of the snap length
  std::uint64_t fragments = 0;      // of IP packets
  std::string first_fragment;       // its hosts and its place
  std::uint64_t unknown_links = 0;  // packets of a link type that is not read
  std::uint32_t unknown_link = 0;   // the first such link type
  std::uint64_t encrypted = 0;      // directions of connections that begin with TLS
  std::uint64_t evicted = 0;        // directions that were forgotten for lack of room
};

// What a capture lacks, one line each; empty: nothing.
[[nodiscard]] std::vector<std::string> notes_of(const CaptureCounts& counts);

// Messages come in the order of the packets that complete them. At most 10,000 directions of
// connections are known at a time, with 64 MiB of incomplete messages and reordered segments; the
// half that was used least recently is forgotten when there are more.
class CaptureReader {
 public:
  // delimiter: as of printing::MessageScanner.
  CaptureReader(Source source, std::string delimiter);

  // False: the end, error(), or a followed file that may grow. The prefix is the time of the
  // packet and the direction: "20240115-10:30:00.123456789 10.0.0.1:5001->10.0.0.2:9876 : ", with
  // the number of lost bytes before the message, if there are any. The offset is that of the packet
  // that completes the message. Both are valid until the next call.
  [[nodiscard]] bool next(printing::ScannedMessage& to, FunctionRef<void()> drained);
  [[nodiscard]] const std::string& error() const noexcept { return file_.error(); }
  [[nodiscard]] SourceEnd end() const noexcept { return file_.end(); }
  [[nodiscard]] const printing::MessageScanner::Skipped& skipped() const noexcept {
    return skipped_;
  }
  [[nodiscard]] const CaptureCounts& counts() const noexcept { return counts_; }

 private:
  struct Flow {
    explicit Flow(const FlowKey& key);
    // The text before a message: 20240115-10:30:00.123456789, the direction, and ` : `.
    std::string prefix;
    WallTime prefix_second{};  // the time that it begins with, in whole seconds
    TcpStream stream{};
    KnownHeaders headers{};
    // Reads messages that are not one whole part of a segment. Null: no bytes are in it.
    std::unique_ptr<printing::MessageScanner> scanner{};
    std::uint64_t lost = 0;       // bytes since the last message
    std::uint64_t last_used = 0;  // the number of the packet
    std::size_t kept = 0;         // bytes in the stream
    std::size_t held = 0;         // these, and those in the scanner
    bool has_begun = false;
  };
  struct Step {
    Flow* flow = nullptr;
    StreamPiece piece{};
    bool is_finishing = false;
  };
  using Flows = std::unordered_map<FlowKey, Flow, FlowHash>;

  // True: the packet is exactly a message, as most are. Otherwise it may add steps.
  bool scan_packet(printing::ScannedMessage& to);
  bool scan_other_packet(printing::ScannedMessage& to);
  bool scan_segment(const TcpSegment& segment, printing::ScannedMessage& to);
  bool scan_next_bytes(Flow& flow, std::string_view bytes, printing::ScannedMessage& to);
  // By ports.
  Flows::value_type*& recent(std::uint16_t from, std::uint16_t to) noexcept {
    return recent_[(from + 3U * to) % recent_.size()];
  }
  Flow& flow_of(const FlowKey& key);
  void add_steps(Flow& flow);
  bool scan_step(Step& step, printing::ScannedMessage& to);
  void put_message(Flow& flow, std::string_view bytes, WallTime time, printing::ScannedMessage& to);
  void write_second(Flow& flow, WallTime time);
  void put_lost(Flow& flow, printing::ScannedMessage& to);
  void forget_scanner(Flow& flow);
  void count_held(Flow& flow);
  void limit_memory();
  void finish();

  PacketFile file_;
  std::string delimiter_;
  bool may_be_whole_;  // fields may end with SOH
  Flows flows_;
  std::array<Flows::value_type*, 64> recent_{};
  std::size_t ports_at_ = 0;      // in the last packet whose headers were learned
  std::vector<FlowKey> evicted_;  // when their steps are done
  std::size_t kept_ = 0;
  std::size_t held_ = 0;
  std::vector<StreamPiece> pieces_;
  std::vector<Step> steps_;
  std::size_t step_at_ = 0;
  CapturedPacket packet_;  // the last one
  std::string prefix_;     // of a message after lost bytes
  bool is_at_end_ = false;
  CaptureCounts counts_;
  printing::MessageScanner::Skipped skipped_;
};

}  // namespace nexusfix::logs::capture
