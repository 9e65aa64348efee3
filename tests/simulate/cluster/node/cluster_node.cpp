#include "node/cluster_node.hpp"

#include <chrono>
#include <utility>

#include "store/api/entry.hpp"

namespace nexusfix::simulator::cluster {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookInterval{100};
constexpr milliseconds kAskInterval{250};
constexpr int kRenewalsInTtl = 3;

}  // namespace

ClusterNode::ClusterNode(Context& context, SimulatedInternet& internet, FaultCounts& counts,
                         std::size_t index, config::Settings settings, Services services)
    : EngineHost{context, internet, counts, index, "node " + std::to_string(index)},
      index_{index},
      settings_{std::move(settings)},
      services_{services},
      gate_{context, clock()},
      lease_{context.bug, services.leases.ttl()},
      application_{services.checker} {}

void ClusterNode::start() {
  if (phase_ != Phase::Down) return;
  context_.note(name(), "starts");
  life().begin();
  gate_.begin();
  phase_ = Phase::Waiting;
  hands_over_ = false;
  tick();
  ask_lease();
}

void ClusterNode::end(std::string_view why, bool is_silent) {
  if (phase_ == Phase::Down) return;
  context_.note(name(), "ends: " + std::string{why});
  phase_ = Phase::Down;
  // Everything that left lies before it.
  if (log_ != nullptr && log_->queue().durable() >= noted_from_) {
    note_.confirmed = log_->queue().durable();
    note_.by = store::postgres::RecordedBy::Owner;
  }
  gate_.end();
  end_engine(is_silent);
  disconnect();
  factory_.reset();
  writer_.reset();
  log_.reset();
  followed_ = {};
  lease_.end();
  freeze_when_asking_ = {};
  context_.agenda.after(milliseconds{20 + context_.random.below(1'500)}, [this] { start(); });
}

// It waits for the database and the lease as if it had just started.
void ClusterNode::wait_again() {
  phase_ = Phase::Waiting;
  ++request_;
  asked_at_.reset();
  lease_.end();
}

// Before it serves, a node checks its connection.
void ClusterNode::tick() {
  if (phase_ == Phase::Serving) return;
  const MonoTime now = clock().now().mono;
  if (connection_ != 0 && asked_at_ && now - *asked_at_ > kAnswerTimeout) disconnect();
  if (connection_ == 0) {
    if (!connects_since_ || now - *connects_since_ > kConnectTimeout) connect();
  } else if (!asked_at_ && phase_ == Phase::Waiting) {
    look();
  } else if (!asked_at_) {
    claim();
  }
  gate_.after(kLookInterval, [this] { tick(); });
}

void ClusterNode::connect() {
  connects_since_ = clock().now().mono;
  const std::uint64_t request = ++request_;
  services_.database.connect(
      index_, gate_.wrap([this, request](SimulatedDatabase::ConnectionId connection) {
        if (request != request_) return services_.database.disconnect(connection);
        connects_since_.reset();
        connection_ = connection;
        is_looked_ = false;
      }),
      gate_.wrap([this](SimulatedDatabase::ConnectionId connection) { lost(connection); }));
}

void ClusterNode::disconnect() {
  if (connection_ != 0) services_.database.disconnect(std::exchange(connection_, 0));
  ++request_;
  asked_at_.reset();
  connects_since_.reset();
}

void ClusterNode::lost(SimulatedDatabase::ConnectionId connection) {
  if (phase_ == Phase::Serving) return writer_->lost(connection);
  if (connection == connection_) disconnect();
}

// A standby looks at the log again and again.
void ClusterNode::look() {
  asked_at_ = clock().now().mono;
  services_.database.look(connection_, followed_.end,
                          gate_.wrap([this, request = ++request_](const Answer& answer) {
                            if (request == request_) looked(answer);
                          }));
}

void ClusterNode::looked(const Answer& answer) {
  asked_at_.reset();
  is_looked_ = follow(answer);
}

bool ClusterNode::follow(const Answer& answer) {
  const bool is_other_log =
      followed_.end > 0 && followed_.timeline != answer.row.timeline && loss_in(answer.row);
  if (answer.row.position < followed_.end || is_other_log) {
    end("the database has lost what it has followed", false);
    return false;
  }
  note(answer.row);
  followed_.timeline = answer.row.timeline;
  for (const ChunkPointer& chunk : answer.chunks) {
    if (chunk->end <= followed_.end) continue;
    for (const LogRecord& record : chunk->records) {
      if (followed_.sessions.apply(record.entries, record.time)) continue;
      context_.violation.found("log-damaged", name() + " cannot follow the log");
    }
    followed_.chunks.push_back(chunk);
    followed_.end = chunk->end;
  }
  return true;
}

// A standby asks for the lease, and a holder renews it.
void ClusterNode::ask_lease() {
  const Now asked = clock().now();
  const bool renews = phase_ != Phase::Waiting;
  if (renews && !lease_.is_believed(asked)) {
    if (phase_ == Phase::Serving) return end("its lease is over", false);
    wait_again();
  } else if (renews) {
    services_.leases.renew(index_, lease_.token(), gate_.wrap([this, asked](bool is_renewed) {
      renewed(is_renewed, asked);
    }));
  } else if (connection_ != 0 && is_looked_) {
    services_.leases.acquire(
        index_, gate_.wrap([this, asked](std::uint64_t token) { granted(token, asked); }));
  }
  gate_.after(renews ? services_.leases.ttl() / kRenewalsInTtl : kAskInterval,
              [this] { ask_lease(); });
  if (const WorldTime duration = std::exchange(freeze_when_asking_, {}); duration > WorldTime{}) {
    context_.agenda.after(std::chrono::microseconds{60}, [this, duration] { freeze(duration); });
  }
}

void ClusterNode::granted(std::uint64_t token, Now asked) {
  if (token == 0) return;
  if (phase_ != Phase::Waiting || connection_ == 0) {
    if (token != lease_.token()) services_.leases.release(index_, token);
    return;
  }
  lease_.hold(token, asked, clock().now());
  if (!lease_.is_believed(clock().now())) return lease_.end();
  phase_ = Phase::Claiming;
  claims_ = 0;
  asked_at_.reset();
  claim();
}

void ClusterNode::renewed(bool is_renewed, Now asked) {
  if (phase_ != Phase::Claiming && phase_ != Phase::Serving) return;
  if (is_renewed) return lease_.hold(lease_.token(), asked, clock().now());
  if (context_.bug == Bug::LeaseNotChecked) return;
  if (phase_ == Phase::Serving) return end("its lease was given to another node", false);
  wait_again();
}

void ClusterNode::claim() {
  asked_at_ = clock().now().mono;
  services_.database.claim(connection_, owner_epoch(lease_.token(), ++claims_), followed_.end,
                           gate_.wrap([this, request = ++request_](const Answer& answer) {
                             if (request == request_) claimed(answer);
                           }));
}

void ClusterNode::claimed(const Answer& answer) {
  asked_at_.reset();
  if (!answer.is_done && token_of(answer.row.owner_epoch) == lease_.token()) return claim();
  // The answer may be an old one: the process was frozen.
  if (!answer.is_done || !lease_.is_believed(clock().now())) return wait_again();
  if (context_.bug != Bug::StandbyKeepsOldEnd && !follow(answer)) return;
  serve(answer.row);
}

// A node that has seen a loss keeps its note until it has skipped what was used.
std::optional<store::postgres::Loss> ClusterNode::loss_in(const OwnerRow& row) const {
  return store::postgres::loss_of(note_, {.end = row.position, .timeline = row.timeline});
}

void ClusterNode::note(const OwnerRow& row) {
  if (loss_in(row)) return;
  using store::postgres::RecordedBy;
  note_.confirmed = row.position;
  note_.timeline = row.timeline;
  note_.by = row.is_one_copy ? RecordedBy::WaiterOneCopy : RecordedBy::Waiter;
}

void ClusterNode::skip(std::uint64_t numbers) {
  context_.note(name(), "skips " + std::to_string(numbers) + " numbers");
  const store::SessionTable& sessions = log_->queue().sessions();
  for (store::SessionKey key = 0; key < sessions.size(); ++key) {
    const std::uint64_t first = sessions.record(key).next_outbound;
    const std::uint64_t last = first + numbers - 1;
    std::vector<char> entries;
    store::append_entry(
        entries,
        {.kind = store::EntryKind::OutboundNumber, .session = key, .number = last, .bytes = {}});
    store::append_messages_lost(entries, key, first, last);
    if (!log_->append(entries, clock().now().wall)) {
      context_.violation.found("cannot-skip", name());
    }
  }
}

void ClusterNode::serve(const OwnerRow& row) {
  context_.note(name(), "takes the log over at " + std::to_string(row.position));
  phase_ = Phase::Serving;
  ++take_overs_;
  log_ = std::make_unique<OwnerLog>(std::exchange(followed_, {}), row.position);
  if (const auto loss = loss_in(row); loss && context_.bug != Bug::NoteNotRead) skip(loss->numbers);
  noted_from_ = log_->queue().appended();
  const store::SessionTable& sessions = log_->queue().sessions();
  bool has_loss = false;
  for (store::SessionKey key = 0; key < sessions.size(); ++key) {
    has_loss = has_loss || !sessions.lost(key).empty();
  }
  application_.begin(has_loss && context_.bug != Bug::FillsAgainAfterLoss);
  writer_ =
      std::make_unique<LogWriter>(context_, services_.database, gate_, clock(), *log_,
                                  LogWriter::Owner{.node = index_,
                                                   .token = lease_.token(),
                                                   .claims = claims_,
                                                   .connection = std::exchange(connection_, 0)});
  factory_ = std::make_unique<ReplicatedStoreFactory>(ReplicatedStore::Parts{
      .context = context_,
      .database = services_.database,
      .node = index_,
      .log = *log_,
      .wake_writer =
          [this] {
            if (!life().alive()) return;
            context_.agenda.after(std::chrono::microseconds{20},
                                  gate_.wrap([this] { writer_->pump(); }));
          },
      .later = [this](auto delay, auto action) { gate_.after(delay, std::move(action)); }});
  if (auto opened = open(settings_, factory_.get(), application_); !opened) {
    context_.violation.found("cannot-start", name() + ": " + opened.error().text);
    return end("it cannot start", false);
  }
  services_.checker.taken_over(index_, application_.recovered());
}

void ClusterNode::run_turn() {
  if (!turns().begin_turn(context_.agenda.now())) return;
  if (!lease_.is_believed(clock().now())) return end("its lease is over", false);
  services_.checker.serves(index_);
  const bool has_work = poll();
  if (!life().alive()) return end("it is killed in a turn", false);
  if (has_work) return;
  if (hands_over_) services_.leases.release(index_, lease_.token());
  end("its engine has ended", false);
}

void ClusterNode::freeze(WorldTime duration) {
  if (phase_ == Phase::Down || gate_.is_frozen()) return;
  context_.note(name(), "is frozen");
  gate_.freeze();
  turns().pause(WorldTime::max());
  context_.agenda.after(duration, [this] { thaw(); });
}

void ClusterNode::thaw() {
  if (!gate_.is_frozen()) return;
  context_.note(name(), "goes on");
  gate_.thaw();
  turns().unpause(context_.agenda.now());
  // The thread of the event loop is not always the first one that runs again.
  context_.agenda.after(std::chrono::microseconds{context_.random.below(3'000)},
                        [this] { wake(); });
}

void ClusterNode::hand_over() {
  if (phase_ != Phase::Serving || hands_over_) return;
  context_.note(name(), "hands over");
  hands_over_ = true;
  engine()->stop();
  wake();
}

}  // namespace nexusfix::simulator::cluster
