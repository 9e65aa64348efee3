// Journals whose files were damaged, cut, swapped or forged: reading one changes nothing, opening
// and repairing it end with a journal or an error, no message is invented, no used number is free
// again, and a repaired journal opens without damage.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "journal/api/journal_tools.hpp"
#include "random/fuzz/harness/input.hpp"
#include "random/fuzz/harness/require.hpp"
#include "random/fuzz/harness/target.hpp"
#include "store/api/journal.hpp"
#include "store/api/journal_format.hpp"
#include "support/disks/fake_disk.hpp"

namespace nexusfix::store {
namespace {

using testing::FakeDisk;
using testing::Input;
using testing::require;

const std::string kFolder = "/journal";

WallTime at_second(std::int64_t second) { return WallTime{std::chrono::seconds{second}}; }

using Files = std::map<std::string, std::string>;  // by name, of one folder
// Session, number, bytes. Without the epoch, which is unknown if a reset was lost.
using Message = std::tuple<std::string, std::uint64_t, std::string>;
using Messages = std::vector<Message>;  // in the order of the log

Files files_of(FakeDisk& disk) {
  Files files;
  const auto names = disk.list(kFolder);
  for (const std::string& name : *names) {
    files[name] = disk.contents(kFolder + '/' + name);
  }
  return files;
}

void put(FakeDisk& disk, const Files& files) {
  require(disk.make_directories(kFolder).has_value());
  for (const auto& [name, bytes] : files) disk.set_contents(kFolder + '/' + name, bytes);
}

struct Scanned {
  Messages messages;
  bool is_all = false;  // the files have no damage
};

Scanned scan(Store& store) {
  Scanned scanned;
  scanned.is_all = store
                       .scan([&](const Store::LogMessage& one) {
                         scanned.messages.emplace_back(one.session, one.msg_seq_num, one.bytes);
                       })
                       .has_value();
  return scanned;
}

bool is_same(const Message& one, const Message& sent) {
  const auto& [session, number, bytes] = one;
  const bool is_known = session == std::get<0>(sent) || session.starts_with("lost session ");
  return is_known && number == std::get<1>(sent) && bytes == std::get<2>(sent);
}

// Whether some is a subsequence of all.
bool are_among(const Messages& some, const Messages& all) {
  auto at = all.begin();
  for (const Message& one : some) {
    at = std::find_if(at, all.end(), [&](const Message& sent) { return is_same(one, sent); });
    if (at == all.end()) return false;
    ++at;
  }
  return true;
}

// An intact journal of its owner.
struct Sample {
  Files files;
  Messages messages;
  std::map<std::string, SessionRecord> sessions;
  std::map<SessionKey, std::string> names;
  std::size_t last_record_at = 0;  // in the last segment
};

struct Shape {
  Durability durability = Durability::Sync;
  std::uint64_t segment_bytes = 0;
  bool maps = false;    // files have their final size from the beginning, with zeros at the end
  bool closes = false;  // in order
};
// Without checkpoints, with them, prepared ahead, and in one segment.
constexpr std::array<Shape, 4> kShapes{{{Durability::Sync, 400, false, false},
                                        {Durability::Process, 1'500, false, true},
                                        {Durability::Process, 2'000, true, false},
                                        {Durability::Group, 64'000, false, false}}};

// The ends of the records in a segment, up to the first damage.
std::vector<std::size_t> record_places(const SegmentHeader& header, std::string_view bytes) {
  std::vector<std::size_t> places;
  for (std::size_t at = header.records_at(); at + kRecordHeaderBytes < bytes.size();) {
    const auto record =
        decode_record_header(std::span{bytes}.subspan(at).first<kRecordHeaderBytes>());
    if (record.entries_bytes == 0 || record.record_bytes() > bytes.size() - at) break;
    places.push_back(at);
    at += static_cast<std::size_t>(record.record_bytes());
  }
  return places;
}

// One event of a session's life, of each kind in turn.
void work(Store& store, SessionKey a, SessionKey b, std::uint64_t n, Messages& sent) {
  Transaction event;
  const auto send = [&](SessionKey key, const std::string& bytes) {
    const SessionRecord& record = store.session(key);
    event.outbound_message(key, record.next_outbound, bytes);
    sent.emplace_back(store.session_name(key), record.next_outbound, bytes);
  };
  event.inbound_progress(a, n + 1);
  if (n % 5 == 0) {
    event.outbound_number(a, store.session(a).next_outbound);
  } else {
    send(a, "8=FIX.4.4|34=" + std::to_string(n) + '|');
  }
  if (n % 3 == 0) send(b, "to B");
  if (n == 9) event.reset(b);
  if (n == 14) {
    const SessionRecord& before = store.session(b);
    event.set_numbers(b, numbers_change(before, {4, before.next_outbound + 3}, at_second(60), "x"));
  }
  if (n == 16) event.messages_lost(b, 1, 2);
  require(store.append(event, at_second(100)).has_value());
  if (n % 2 == 0) require(store.flush().has_value());
}

JournalOptions options_of(const Shape& shape) {
  return {.folder = kFolder,
          .durability = shape.durability,
          .segment_bytes = shape.segment_bytes,
          .background = false};
}

Sample make_sample(const Shape& shape) {
  FakeDisk disk;
  disk.set_mapping(shape.maps);
  Sample sample;
  {
    const auto journal = open_journal(disk, options_of(shape), at_second(50));
    require(journal.has_value());
    Store& store = *journal->store;
    const SessionKey a = store.open_session("FIX.4.4:VENUE->A", at_second(1)).value();
    const SessionKey b = store.open_session("FIX.4.4:VENUE->B", at_second(1)).value();
    for (std::uint64_t n = 1; n <= 24; ++n) work(store, a, b, n, sample.messages);
    require(store.flush().has_value());
    if (shape.closes) require(store.close().has_value());
    for (const SessionKey key : {a, b}) {
      sample.names[key] = store.session_name(key);
      sample.sessions[sample.names[key]] = store.session(key);
    }
  }
  sample.files = files_of(disk);
  for (const auto& [name, bytes] : sample.files) {
    if (!segment_number(name)) continue;
    const auto header = decode_segment_header(std::span{bytes});
    if (!header) continue;  // prepared, but not begun
    const auto places = record_places(*header, bytes);
    require(!places.empty());
    sample.last_record_at = places.back();
  }
  return sample;
}

// What is still known about a journal after changes to its files.
struct Tampered {
  Files files;
  bool is_forged = false;    // the checksums of changed bytes are right
  bool is_end_whole = true;  // its last record is intact and at its position

  [[nodiscard]] bool has_segment() const {
    return std::ranges::any_of(
        files, [](const auto& file) { return segment_number(file.first).has_value(); });
  }
};

// Recalculates the checksums of a segment's records, as its writer would.
void seal(std::string& bytes, const SegmentHeader& header) {
  for (const std::size_t at : record_places(header, bytes)) {
    const std::span<const char, kRecordHeaderBytes> front{bytes.data() + at, kRecordHeaderBytes};
    const RecordHeader record = decode_record_header(front);
    const auto size = static_cast<std::size_t>(record.record_bytes());
    seal_record(std::span{bytes}.subspan(at, size), RecordSeed{header}, at, record.time);
  }
}

void forge_record(std::string& bytes, Input& input) {
  const auto header = decode_segment_header(std::span{std::as_const(bytes)});
  if (!header || header->records_at() > bytes.size()) return;
  const auto places = record_places(*header, bytes);
  if (places.empty()) return;
  const std::size_t at = places[input.byte() % places.size()];
  const std::size_t place = at + kRecordHeaderBytes + input.byte();
  if (place >= bytes.size()) return;
  bytes[place] = static_cast<char>(input.byte());
  seal(bytes, *header);
}

void forge_header(std::string& bytes, Input& input) {
  const auto decoded = decode_segment_header(std::span{std::as_const(bytes)});
  if (!decoded || decoded->version != kFormatVersion) return;
  SegmentHeader header = *decoded;
  const std::size_t what = input.byte();
  const std::size_t value = input.word();
  if (what % 8 == 0) header.log_id += static_cast<std::int64_t>(value);
  if (what % 8 == 1) header.number = value;
  if (what % 8 == 2) header.position += value;
  if (what % 8 == 3) header.position -= value;
  if (what % 8 == 4) header.synced += value;
  if (what % 8 == 5) header.numbers_ahead_max = static_cast<std::uint32_t>(value);
  if (what % 8 == 6) header.durability = static_cast<Durability>(value % 4);
  if (what % 8 == 7) header.start_bytes = static_cast<std::uint32_t>(value);
  encode_segment_header(header, std::span{bytes}.first<kSegmentHeaderBytes>());
  if (header.start_bytes == decoded->start_bytes) seal(bytes, header);
}

// Changes bytes in place.
void overwrite(Tampered& tampered, std::string& bytes, bool is_last, std::size_t last_record_at,
               std::size_t at, std::string_view with) {
  if (bytes.empty()) return;
  at %= bytes.size();
  with = with.substr(0, bytes.size() - at);
  if (is_last && at + with.size() > last_record_at) tampered.is_end_whole = false;
  bytes.replace(at, with.size(), with);
}

void tamper(Tampered& tampered, const Sample& sample, Input& input) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : tampered.files) {
    if (segment_number(name)) names.push_back(name);
  }
  if (names.empty()) return;
  const std::size_t kind = input.byte() % 10;
  const std::size_t segment = input.byte() % names.size();
  std::string& bytes = tampered.files[names[segment]];
  const std::size_t at = input.word();
  const bool is_last = segment + 2 >= names.size();  // a segment that is not begun may follow
  const auto put_over = [&](std::string_view with) {
    overwrite(tampered, bytes, is_last, is_last ? sample.last_record_at : 0, at, with);
  };
  if (kind <= 1 && !bytes.empty()) {
    const auto old = static_cast<unsigned char>(bytes[at % bytes.size()]);
    const char flipped = static_cast<char>(old ^ (1U << input.byte() % 8));
    return put_over({&flipped, 1});
  }
  if (kind == 2) return put_over(std::string(input.byte() + 1, '\0'));
  if (kind == 3) {
    const std::string& from = tampered.files[names[input.byte() % names.size()]];
    return put_over(from.substr(std::min(at, from.size()), input.byte()));
  }
  tampered.is_end_whole = false;
  if (kind == 4) bytes.resize(at % (bytes.size() + 1));
  if (kind == 5) bytes += input.text(at % 64);
  if (kind == 6) tampered.files.erase(names[segment]);
  if (kind == 7) std::swap(bytes, tampered.files[names[at % names.size()]]);
  if (kind == 8) forge_record(bytes, input);
  if (kind == 9) forge_header(bytes, input);
  tampered.is_forged |= kind >= 8;
}

struct Judge {
  const Sample& sample;
  const Tampered& tampered;
  JournalOptions options;
  bool is_rebooted = false;  // since the journal was written

  void put_all(FakeDisk& disk) const {
    put(disk, tampered.files);
    if (is_rebooted) disk.reboot();
  }

  void check_messages(const Messages& messages) const {
    if (tampered.is_forged) return;
    require(are_among(messages, sample.messages));
  }

  // Numbers that only the lost end of the log had are not checked. After a reboot, only the numbers
  // reserved ahead are guaranteed.
  void check_numbers(const std::string& name, const SessionRecord& record) const {
    const auto before = sample.sessions.find(name);
    if (tampered.is_forged || !tampered.is_end_whole || before == sample.sessions.end()) return;
    if (is_rebooted && options.durability != Durability::Process) return;
    require(record.epoch > before->second.epoch ||
            (record.epoch == before->second.epoch &&
             record.next_outbound >= before->second.next_outbound));
  }

  // The messages that can be had; nothing: it cannot be looked at.
  Messages look() const {
    FakeDisk disk;
    put_all(disk);
    Messages messages;
    if (const auto seen = inspect_journal(disk, kFolder)) {
      messages = scan(*seen->store).messages;
      check_messages(messages);
    }
    static_cast<void>(verify_journal(disk, kFolder));
    require(files_of(disk) == tampered.files);
    return messages;
  }

  // Continues trading on the opened journal, and opens it again.
  void open() const {
    FakeDisk disk;
    put_all(disk);
    Scanned before;
    {
      const auto opened = open_journal(disk, options, at_second(200));
      if (!opened) return require(!opened.error().text.empty());
      Store& store = *opened->store;
      before = scan(store);
      check_messages(before.messages);
      for (SessionKey key = 0; key < store.session_count(); ++key)
        trade(store, key, before.messages);
      if (!store.flush()) return;
    }
    disk.process_death();
    const auto again = open_journal(disk, options, at_second(210));
    require(again.has_value() || tampered.is_forged);
    if (again && before.is_all) require(scan(*again->store).messages == before.messages);
  }

  void trade(Store& store, SessionKey key, Messages& messages) const {
    const std::string name{store.session_name(key)};
    const auto session = store.open_session(name, at_second(201));
    if (!session) return require(!session.error().text.empty());
    const SessionRecord record = store.session(*session);
    check_numbers(name, record);
    static_cast<void>(store.read(*session, 1, UINT64_MAX, [](auto, auto) { return true; }));
    Transaction event;
    event.outbound_message(*session, record.next_outbound, "new");
    const auto appended = store.append(event, at_second(202));
    if (!appended) return require(tampered.is_forged);
    messages.emplace_back(name, record.next_outbound, "new");
  }

  // interrupted_at: the number of the failing call of the disk; 0: none.
  void repair(const Messages& seen, unsigned interrupted_at) const {
    FakeDisk disk;
    put_all(disk);
    RepairOptions wanted{.folder = kFolder, .text = "anna, disk 7", .names = sample.names};
    if (!tampered.has_segment()) return accept_loss(disk, wanted);
    const auto planned = repair_journal(disk, wanted, at_second(300));
    require(files_of(disk) == tampered.files);
    wanted.mode = RepairMode::Carry;
    if (interrupted_at > 0) {
      disk.fail_any(interrupted_at, EIO);
      static_cast<void>(repair_journal(disk, wanted, at_second(300)));
      disk.process_death();
    }
    const auto done = repair_journal(disk, wanted, at_second(300));
    require(tampered.is_forged || done.has_value() == planned.has_value());
    if (!done) return require(!done.error().text.empty());
    if (interrupted_at == 0 && planned) {
      require(done->steps == planned->steps && done->alarms == planned->alarms);
    }
    check_repaired(disk, seen);
    const auto again = repair_journal(disk, wanted, at_second(302));
    require(tampered.is_forged || (again && again->steps.empty()));
  }

  // Only the owner's notes about the segments are left: their loss is reported, then accepted.
  void accept_loss(FakeDisk& disk, RepairOptions& wanted) const {
    require(!open_journal(disk, options, at_second(299)).has_value());
    wanted.mode = RepairMode::Carry;
    const auto done = repair_journal(disk, wanted, at_second(300));
    require(done.has_value() && !done->alarms.empty());
    require(open_journal(disk, options, at_second(301)).has_value());
  }

  void check_repaired(FakeDisk& disk, const Messages& seen) const {
    JournalOptions all = options;
    all.checks_all = true;
    if (tampered.is_forged) return static_cast<void>(open_journal(disk, all, at_second(400)));
    const auto checked = verify_journal(disk, kFolder);
    require(checked.has_value());
    require(checked->damages.empty() && checked->unused.empty() && checked->torn_bytes == 0);
    const auto opened = open_journal(disk, all, at_second(400));
    require(opened.has_value());
    require(opened->report.damages.empty() && opened->report.refused.empty());
    Store& store = *opened->store;
    const Messages messages = scan(store).messages;
    check_messages(messages);
    if (!is_rebooted) require(are_among(seen, messages));
    for (SessionKey key = 0; key < store.session_count(); ++key) {
      check_numbers(std::string{store.session_name(key)}, store.session(key));
    }
  }
};

}  // namespace
}  // namespace nexusfix::store

// Most of a run is allocation. Whether the sanitizer keeps the stacks, and for how long, decides
// between 170 and 250 runs a second on one core.
extern "C" const char* __asan_default_options() {
  return "malloc_context_size=2:quarantine_size_mb=4";
}

// Byte 0 selects the journal, byte 1 how it is opened, byte 2 when its repair is interrupted. The
// rest changes its files. With journal 7, the rest is the only file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nexusfix::store;
  static const std::vector<Sample> kSamples = [] {
    std::vector<Sample> samples;
    for (const Shape& shape : kShapes) samples.push_back(make_sample(shape));
    return samples;
  }();
  nexusfix::testing::Input input{data, size};
  const std::size_t which = input.byte() % 8;
  const std::size_t how = input.byte();
  const auto interrupted_at = static_cast<unsigned>(input.byte());
  const Shape& shape = kShapes[which % kShapes.size()];
  const Sample& sample = kSamples[which % kShapes.size()];
  Tampered tampered{.files = sample.files};
  if (which == 7) {
    tampered = {.files = {{segment_file_name(1), input.text(SIZE_MAX)}},
                .is_forged = true,
                .is_end_whole = false};
  }
  for (int i = 0; i < 16 && !input.empty(); ++i) tamper(tampered, sample, input);
  JournalOptions options = options_of(shape);
  options.checks_all = (how & 1U) != 0;
  const Judge judge{sample, tampered, options, (how & 2U) != 0};
  const Messages seen = judge.look();
  judge.open();
  judge.repair(seen, interrupted_at);
  return 0;
}
