#include "transport/api/local_socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <new>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include <nexusfix/base/clock.hpp>

#include "transport/tcp/descriptor.hpp"
#include "transport/tcp/socket_calls.hpp"

namespace nexusfix::transport {
namespace {

using Millis = std::chrono::milliseconds;

constexpr Millis kBetweenTries{50};
constexpr Millis kPollMax{60'000};
// Callers in the backlog of a socket, and those that have connected and not sent their line.
constexpr int kCallersWaitingMax = 64;
constexpr std::size_t kCallersMax = 256;

// A path that is too long for a socket address is reached through its folder's descriptor.
struct Address {
  Descriptor folder{};
  sockaddr_un name{};
};

std::expected<Address, NetworkError> address_of(const std::string& path) {
  Address address;
  address.name.sun_family = AF_UNIX;
  std::string reached = path;
  if (reached.size() >= sizeof address.name.sun_path) {
    const std::size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
    address.folder = Descriptor{::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
    if (!address.folder) return std::unexpected{error_now("open", folder)};
    reached = "/proc/self/fd/" + std::to_string(address.folder.get()) + "/" +
              path.substr(slash == std::string::npos ? 0 : slash + 1);
  }
  if (path.empty() || reached.size() >= sizeof address.name.sun_path) {
    return std::unexpected{NetworkError{explain("socket", path, ENAMETOOLONG), ENAMETOOLONG}};
  }
  std::copy(reached.begin(), reached.end(), address.name.sun_path);
  return address;
}

const sockaddr* generic(const Address& address) noexcept {
  // Valid: every socket address begins with its family.
  return reinterpret_cast<const sockaddr*>(&address.name);
}

Descriptor make_socket() noexcept {
  return Descriptor{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
}

// Removes a socket that no process listens on any more.
std::expected<void, NetworkError> remove_socket(const std::string& path) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return {};
    return std::unexpected{error_now("stat", path)};
  }
  if (!S_ISSOCK(found.st_mode)) {
    return std::unexpected{NetworkError{path + ": it is not a socket and is not removed", EEXIST}};
  }
  if (::unlink(path.c_str()) != 0) return std::unexpected{error_now("unlink", path)};
  return {};
}

std::expected<Descriptor, NetworkError> listen_at(const std::string& path) {
  if (auto removed = remove_socket(path); !removed) return std::unexpected{removed.error()};
  const auto address = address_of(path);
  if (!address) return std::unexpected{address.error()};
  Descriptor socket = make_socket();
  if (!socket) return std::unexpected{error_now("socket", path)};
  if (::bind(socket.get(), generic(*address), sizeof address->name) != 0) {
    return std::unexpected{error_now("bind", path)};
  }
  // The mode is set before listen(): until then, no process can connect.
  if (::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 ||
      ::listen(socket.get(), kCallersWaitingMax) != 0) {
    const NetworkError error = error_now("listen", path);
    ::unlink(path.c_str());
    return std::unexpected{error};
  }
  return socket;
}

// One thread's limits on a wait.
struct Wait {
  SystemClock& clock;
  MonoTime deadline;
  int stop = -1;  // a descriptor that becomes readable when the server ends

  Wait(SystemClock& of, Millis timeout, int until) noexcept
      : clock{of}, deadline{of.now().mono + timeout}, stop{until} {}
  [[nodiscard]] Millis left() const noexcept {
    return std::chrono::ceil<Millis>(deadline - clock.now().mono);
  }
};

// False: the time is over, `stop` is readable, or poll() failed.
bool await(int descriptor, short events, const Wait& wait) noexcept {
  std::array<pollfd, 2> waited{pollfd{descriptor, events, 0}, pollfd{wait.stop, POLLIN, 0}};
  for (;;) {
    const Millis left = wait.left();
    if (left <= Millis{0}) return false;
    const int count =
        ::poll(waited.data(), waited.size(), static_cast<int>(std::min(left, kPollMax).count()));
    if (count < 0 && errno != EINTR) return false;
    if (count <= 0) continue;
    return waited[1].revents == 0 && waited[0].revents != 0;
  }
}

// Without its line feed. Nothing: no answer came, or it is too long.
std::optional<std::string> read_answer(int socket, const Wait& wait) {
  std::string line;
  std::array<char, kLocalLineBytesMax> buffer;
  while (await(socket, POLLIN, wait)) {
    const std::size_t room = std::min(buffer.size(), kLocalAnswerBytesMax - line.size());
    const ssize_t got = ::recv(socket, buffer.data(), room, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0) return std::nullopt;
    line.append(buffer.data(), static_cast<std::size_t>(got));
    if (const std::size_t end = line.find('\n'); end != std::string::npos) {
      line.resize(end);
      return line;
    }
    if (line.size() == kLocalAnswerBytesMax) return std::nullopt;
  }
  return std::nullopt;
}

bool write_line(int socket, std::string line, std::size_t bytes_max, const Wait& wait) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  line.resize(std::min(line.size(), bytes_max - 1));
  line += '\n';
  std::string_view rest{line};
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (!await(socket, POLLOUT, wait)) return false;
      continue;
    }
    if (sent <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

// A caller that has hung up must not learn later that its line was carried out. One that has ended
// its own direction alone, as socat does, waits for the answer.
bool has_hung_up(int socket) noexcept {
  pollfd caller{socket, 0, 0};
  return ::poll(&caller, 1, 0) != 0;
}

std::optional<LocalPeer> peer_of(int socket) noexcept {
  ucred found{};
  socklen_t size = sizeof found;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &found, &size) != 0) return std::nullopt;
  return LocalPeer{found.uid, found.pid};
}

}  // namespace

struct LocalServer::State {
  State(Answerer& asked, Millis timeout) noexcept : answerer{asked}, caller_timeout{timeout} {}

  // A process that has connected and not sent its line yet.
  struct Caller {
    Descriptor socket;
    std::size_t path;  // an index
    LocalPeer peer;
    MonoTime deadline;
    std::string line;
    bool is_done = false;
  };

  std::vector<std::string> paths;
  std::vector<Descriptor> sockets;
  std::vector<Caller> callers;
  std::vector<pollfd> waited;  // stop, the sockets, the callers
  Descriptor stop;
  Answerer& answerer;
  Millis caller_timeout;
  SystemClock clock{};  // the thread's
  std::thread thread;

  void run() {
    while (await_work()) {
      const std::size_t callers_waited = waited.size() - 1 - sockets.size();
      for (std::size_t i = 0; i < callers_waited; ++i) {
        if (waited[1 + sockets.size() + i].revents != 0) read(callers[i]);
      }
      const MonoTime now = clock.now().mono;
      std::erase_if(callers,
                    [now](const Caller& one) { return one.is_done || one.deadline <= now; });
      for (std::size_t i = 0; i < sockets.size(); ++i) {
        if (waited[1 + i].revents != 0) accept(i);
      }
    }
  }

  // Waits until a caller comes, sends something or is late. False: the server ends.
  [[nodiscard]] bool await_work() {
    const short accepts = callers.size() < kCallersMax ? POLLIN : 0;
    waited.resize(1 + sockets.size() + callers.size());
    waited[0] = {stop.get(), POLLIN, 0};
    std::size_t at = 1;
    for (const Descriptor& socket : sockets) waited[at++] = {socket.get(), accepts, 0};
    MonoTime first = kNever;
    for (const Caller& caller : callers) {
      waited[at++] = {caller.socket.get(), POLLIN, 0};
      first = std::min(first, caller.deadline);
    }
    int timeout = -1;
    if (first != kNever) {
      const auto left = std::chrono::ceil<Millis>(first - clock.now().mono);
      timeout = static_cast<int>(std::clamp(left, Millis{0}, kPollMax).count());
    }
    if (::poll(waited.data(), waited.size(), timeout) < 0) {
      if (errno != EINTR) return false;
      for (pollfd& one : waited) one.revents = 0;
    }
    return waited[0].revents == 0;
  }

  void accept(std::size_t path) {
    Descriptor caller{
        ::accept4(sockets[path].get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (!caller) {
      // Out of descriptors: without a pause the next try would be at once.
      static_cast<void>(await(-1, 0, {clock, kBetweenTries, stop.get()}));
      return;
    }
    const auto peer = peer_of(caller.get());
    if (!peer || (peer->user != ::geteuid() && peer->user != 0)) return;
    callers.push_back({std::move(caller), path, *peer, clock.now().mono + caller_timeout, {}});
  }

  void read(Caller& caller) {
    std::array<char, kLocalLineBytesMax> buffer;
    const int socket = caller.socket.get();
    const ssize_t got = ::recv(socket, buffer.data(), buffer.size() - caller.line.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    caller.is_done = true;
    if (got <= 0) return;
    try {
      caller.line.append(buffer.data(), static_cast<std::size_t>(got));
      const std::size_t end = caller.line.find('\n');
      caller.is_done = end != std::string::npos || caller.line.size() == buffer.size();
      if (end == std::string::npos || has_hung_up(socket)) return;
      caller.line.resize(end);
      std::string answer = answerer.answer(caller.path, caller.peer, caller.line, stop.get());
      static_cast<void>(write_line(socket, std::move(answer), kLocalAnswerBytesMax,
                                   {clock, caller_timeout, stop.get()}));
    } catch (const std::bad_alloc&) {
      caller.is_done = true;  // The caller sees that there is no answer.
    }
  }
};

LocalServer::LocalServer(std::unique_ptr<State> state) noexcept : state_{std::move(state)} {}

std::expected<std::unique_ptr<LocalServer>, NetworkError> LocalServer::open(
    const std::vector<std::string>& paths, Answerer& answerer,
    std::chrono::milliseconds caller_timeout) {
  // From here on the destructor removes the sockets.
  std::unique_ptr<LocalServer> server{
      new LocalServer{std::make_unique<State>(answerer, caller_timeout)}};
  State& state = *server->state_;
  state.stop = Descriptor{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (!state.stop) return std::unexpected{error_now("eventfd", {})};
  for (const std::string& path : paths) {
    auto socket = listen_at(path);
    if (!socket) return std::unexpected{std::move(socket.error())};
    state.sockets.push_back(std::move(*socket));
    state.paths.push_back(path);
  }
  state.callers.reserve(kCallersMax);
  state.waited.reserve(1 + state.sockets.size() + kCallersMax);
  try {
    state.thread = std::thread{[&state] { state.run(); }};
  } catch (const std::system_error& error) {
    return std::unexpected{NetworkError{error.what(), error.code().value()}};
  }
  return server;
}

LocalServer::~LocalServer() {
  if (state_->thread.joinable()) {
    const std::uint64_t one = 1;
    // It fails only if it is readable already.
    static_cast<void>(!::write(state_->stop.get(), &one, sizeof one));
    state_->thread.join();
  }
  for (const std::string& path : state_->paths) ::unlink(path.c_str());
}

std::expected<std::string, NetworkError> ask_local(const std::string& path, std::string_view line,
                                                   std::chrono::milliseconds timeout) {
  SystemClock clock;
  const Wait wait{clock, timeout, -1};
  const auto address = address_of(path);
  if (!address) return std::unexpected{address.error()};
  const Descriptor socket = make_socket();
  if (!socket) return std::unexpected{error_now("socket", path)};
  // EAGAIN: the backlog is full.
  while (::connect(socket.get(), generic(*address), sizeof address->name) != 0) {
    const int error_number = errno;
    const bool is_late = wait.left() <= kBetweenTries;
    if ((error_number != EAGAIN && error_number != EINTR) || is_late) {
      return std::unexpected{NetworkError{explain("connect", path, error_number), error_number}};
    }
    static_cast<void>(await(-1, 0, {clock, kBetweenTries, -1}));
  }
  if (write_line(socket.get(), std::string{line}, kLocalLineBytesMax, wait)) {
    if (auto answer = read_answer(socket.get(), wait)) return *std::move(answer);
  }
  return std::unexpected{NetworkError{path + ": no answer", ETIMEDOUT}};
}

std::vector<std::string> find_local_sockets(std::string_view name) {
  std::vector<std::string> paths;
  std::ifstream sockets{"/proc/net/unix"};
  for (std::string line; std::getline(sockets, line);) {
    const std::size_t begin = line.find(" /");
    if (begin == std::string::npos) continue;
    std::string path = line.substr(begin + 1);
    const std::string_view file = std::string_view{path}.substr(path.rfind('/') + 1);
    const bool has_suffix = file.size() > name.size() + 1 && file.ends_with(name) &&
                            file[file.size() - name.size() - 1] == '.';
    if (file != name && !has_suffix) continue;
    struct stat found{};
    if (::lstat(path.c_str(), &found) != 0 || found.st_uid != ::geteuid()) continue;
    // The kernel lists each accepted connection, too.
    if (std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace nexusfix::transport
