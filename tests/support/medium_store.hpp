// A store of one's own over vectors, which outlive it and can fail.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <nexusfix/record_store.hpp>
#include <nexusfix/store.hpp>

namespace nexusfix::testing {

// Outlives the store. Only committed records survive it.
struct Medium {
  struct Stored {
    WallTime time;
    std::vector<char> entries;
  };
  struct Message {
    std::tuple<store::SessionKey, std::uint64_t, std::uint64_t> place;  // session, epoch, MsgSeqNum
    std::string bytes;
  };
  std::vector<Stored> records;
  std::vector<Message> messages;
  std::size_t committed_records = 0;
  std::size_t committed_messages = 0;
  enum class Fault { None, Error, Exception } on_write = Fault::None, on_commit = Fault::None;
  int writes = 0;
  bool is_full = false;  // there is no room for messages
};

class MediumStore final : public store::RecordStore {
 public:
  MediumStore(Medium& medium, const store::StoreOptions& options)
      : store::RecordStore{"medium", options}, medium_{medium} {
    medium_.records.resize(medium_.committed_records);
    medium_.messages.resize(medium_.committed_messages);
  }
  store::StoreResult<void> load() {
    for (const Medium::Stored& one : medium_.records) {
      if (auto done = replay(one.time, one.entries); !done) return done;
    }
    return {};
  }
  store::StoreResult<void> read(store::SessionKey key, std::uint64_t first, std::uint64_t last,
                                MessageVisitor visit) override {
    for (const auto& [place, bytes] : medium_.messages) {
      const auto [session, epoch, number] = place;
      const bool is_wanted =
          session == key && epoch == this->session(key).epoch && first <= number && number <= last;
      if (is_wanted && !visit(number, bytes)) break;
    }
    return {};
  }
  bool has_room_for(std::uint64_t) const noexcept override { return !medium_.is_full; }
  store::StoreResult<void> scan(LogVisitor visit) override {
    for (const auto& [place, bytes] : medium_.messages) {
      const auto [session, epoch, number] = place;
      visit({session_name(session), epoch, number, bytes});
    }
    return {};
  }

 private:
  store::StoreResult<void> write(const store::StoredRecord& record) override {
    ++medium_.writes;
    if (auto done = fail(medium_.on_write); !done) return done;
    medium_.records.push_back({record.time, {record.entries.begin(), record.entries.end()}});
    for (const store::RecordMessage& one : record.messages) {
      medium_.messages.push_back(
          {{one.session, one.epoch, one.msg_seq_num}, std::string{one.bytes}});
    }
    return {};
  }
  store::StoreResult<void> commit() override {
    if (auto done = fail(medium_.on_commit); !done) return done;
    medium_.committed_records = medium_.records.size();
    medium_.committed_messages = medium_.messages.size();
    return {};
  }
  [[nodiscard]] store::StoreResult<void> fail(Medium::Fault fault) const {
    if (fault == Medium::Fault::Exception) throw std::runtime_error{"the cable"};
    if (fault == Medium::Fault::Error) return failure(store::StoreErrorCode::Disk, "the cable");
    return {};
  }

  Medium& medium_;
};

class MediumPlace final : public store::StoreFactory {
 public:
  store::StoreResult<std::unique_ptr<store::Store>> open(
      const store::StoreOptions& options) override {
    auto store = std::make_unique<MediumStore>(medium, options);
    if (auto loaded = store->load(); !loaded) return std::unexpected{loaded.error()};
    return store;
  }
  Medium medium;
};

}  // namespace nexusfix::testing
