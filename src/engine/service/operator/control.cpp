#include "engine/service/operator/control.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>

#include <nexusfix/base/disk.hpp>

namespace nexusfix::engine {
namespace {

// The bytes of one answer to a tail.
constexpr std::size_t kTailBytesMax = std::size_t{40} << 10U;
constexpr std::size_t kTailLineMax = transport::kLocalAnswerBytesMax - 100;

// Absolute, so that find_running_engines() finds it from every folder.
std::string absolute(const std::string& path) {
  std::error_code error;
  const auto found = std::filesystem::absolute(path, error).lexically_normal();
  return error ? path : found.string();
}

}  // namespace

std::expected<std::unique_ptr<Control>, std::string> Control::open(
    const std::vector<std::string>& paths, OperatorCommands& commands) {
  std::unique_ptr<Control> control{new Control{commands}};
  std::vector<std::string> sockets;
  PosixDisk disk;
  for (const std::string& path : paths) {
    sockets.push_back(absolute(path));
    // An engine that waits for its log opens the socket before its store makes the folder. The
    // server says what is not possible.
    static_cast<void>(
        disk.make_directories(std::filesystem::path{sockets.back()}.parent_path().string()));
  }
  auto server = transport::LocalServer::open(sockets, *control);
  if (!server) return std::unexpected{std::move(server.error().text)};
  control->server_ = std::move(*server);
  return control;
}

Control::~Control() = default;

std::string Control::answer(std::size_t socket, const transport::LocalPeer& peer,
                            std::string_view line, int stop) {
  end_old_tails();
  auto request = read_request(line);
  if (!request) return line_of(Refusal{std::move(request.error())});
  const OperatorCaller caller{
      .identity = "user " + std::to_string(peer.user) + ", process " + std::to_string(peer.process),
      .stop = stop};
  return line_of(carry_out(socket, *std::move(request), caller));
}

ControlAnswer Control::carry_out(std::size_t socket, ControlRequest request,
                                 const OperatorCaller& caller) {
  const auto refusal = [](std::string& why) { return Refusal{std::move(why)}; };
  if (const auto* const status = std::get_if<StatusRequest>(&request)) {
    return commands_.status_page(*status, caller);
  }
  if (auto* const numbers = std::get_if<LiveNumbers>(&request)) {
    auto done = commands_.set_numbers(std::move(*numbers), caller,
                                      socket == 0 ? std::nullopt : std::optional{socket});
    return done ? ControlAnswer{CarriedOut{}} : refusal(done.error());
  }
  if (const auto* const trip = std::get_if<RoundTripRequest>(&request)) {
    return commands_.round_trip(*trip, caller);
  }
  if (const auto* const latency = std::get_if<LatencyRequest>(&request)) {
    auto rows = commands_.latencies(latency->session);
    return rows ? ControlAnswer{*std::move(rows)} : refusal(rows.error());
  }
  if (const auto* const tail = std::get_if<TailRequest>(&request)) {
    return begin_tail(tail->session, caller);
  }
  if (const auto* const tail = std::get_if<TailReadRequest>(&request)) return read_tail(tail->id);
  auto done = commands_.carry_out(std::get<OperatorCommand>(std::move(request)), caller);
  return done ? ControlAnswer{*std::move(done)} : refusal(done.error());
}

void Control::end_old_tails() {
  const MonoTime now = clock_.now().mono;
  std::erase_if(tails_, [now](const auto& one) { return now - one.second.read_at > kTailTimeout; });
}

ControlAnswer Control::begin_tail(const std::string& session, const OperatorCaller& caller) {
  if (!session.empty() && !commands_.serves(session, caller)) return lacks_session(session);
  auto reader = commands_.tap(session);
  if (!reader) return Refusal{std::move(reader.error())};
  tails_.emplace(++last_tail_, Tail{*std::move(reader), clock_.now().mono});
  return TailBegun{last_tail_};
}

// A message that is too long for a line counts as lost.
ControlAnswer Control::read_tail(std::uint64_t id) {
  const auto found = tails_.find(id);
  if (found == tails_.end()) {
    return Refusal{
        "the engine has ended this tail, because it was not read for a minute: begin another"};
  }
  Tail& tail = found->second;
  tail.read_at = clock_.now().mono;
  LiveMessages read;
  std::size_t bytes = 0;
  const std::size_t count =
      tail.reader.read(kTailBytesMax, [&](const observe::LoggedMessage& message) {
        const std::size_t with_it = bytes + line_bytes(message);
        if (with_it > kTailLineMax) return void(++read.lost);
        bytes = with_it;
        read.messages.push_back({.time = message.time,
                                 .kind = message.kind,
                                 .session = std::string{message.session},
                                 .bytes = std::string{message.bytes}});
      });
  read.lost += tail.reader.consume_lost();
  if (count == 0 && read.lost == 0 && tail.reader.has_ended()) {
    tails_.erase(found);
    return Refusal{"the engine has ended this tail, because it was not read: begin another"};
  }
  return read;
}

}  // namespace nexusfix::engine
