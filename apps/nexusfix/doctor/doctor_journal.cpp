// The file system and the disk that the journal's folder is on.
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "nexusfix/doctor/doctor_checks.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kJournalArea = "journal";

struct Mount {
  std::string device{};  // "254:0"
  std::string place{};
  std::string type{};
  std::string options{};  // of the mount and of the file system, between commas
};

// A line of mountinfo: ID, parent, device, root, place, options, any number of others, "-", type,
// source, options of the file system.
std::optional<Mount> read_mount(std::string_view line) {
  constexpr std::size_t kFixed = 6;
  const auto words = words_of(line);
  const auto dash = std::ranges::find(words, "-");
  if (words.size() < kFixed || words.end() - dash < 4) return std::nullopt;
  return Mount{std::string{words[2]}, std::string{words[4]}, std::string{dash[1]},
               fmt::format(",{},{},", words[5], dash[3])};
}

bool holds(const Mount& mount, std::string_view folder) {
  return mount.place == "/" || folder == mount.place || folder.starts_with(mount.place + "/");
}

// The mount with the longest common path. Of two mounts at one place, the later one hides the
// other.
std::optional<Mount> find_mount(const Machine& machine, std::string_view folder) {
  const auto text = machine.text("/proc/self/mountinfo");
  std::optional<Mount> found;
  std::string_view rest = text ? std::string_view{*text} : std::string_view{};
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    auto mount = read_mount(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!mount || !holds(*mount, folder)) continue;
    if (!found || mount->place.size() >= found->place.size()) found = std::move(mount);
  }
  return found;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

Finding file_system(const Plan& plan, const Mount& mount) {
  Finding finding{.area = kJournalArea, .name = "file system", .level = Level::Ok};
  finding.seen =
      fmt::format("{} is on {}, mounted at {}", plan.journal_folder, mount.type, mount.place);
  if (is_one_of(mount.type, {"tmpfs", "ramfs"})) {
    finding.level = Level::Warning;
    finding.why =
        "Its files are lost when the power fails, and with them the sequence numbers of every "
        "session. JournalDurability=none on a disk is as fast.";
  } else if (mount.type.starts_with("nfs") || mount.type.starts_with("fuse") ||
             is_one_of(mount.type, {"cifs", "smb3", "9p", "ceph", "virtiofs"})) {
    finding.level = Level::Warning;
    finding.why =
        "Another machine or program serves each page: the journal is late whenever the network is. "
        "Use a local disk.";
  } else if (mount.type == "overlay") {
    finding.level = Level::Warning;
    finding.why =
        "This is the layer of a container: it is deleted with the container. Use a volume for "
        "FileStorePath.";
  } else if (is_one_of(mount.type, {"btrfs", "zfs", "bcachefs"})) {
    finding.level = Level::Advice;
    finding.why =
        "It writes each page to a new place and computes checksums: space that the journal "
        "allocates ahead is allocated again at each write. ext4 and xfs are more even.";
    if (mount.type == "btrfs") {
      finding.change = fmt::format("chattr +C {}  # before the first start", plan.journal_folder);
    }
  }
  return finding;
}

Finding mount_options(const Mount& mount) {
  Finding finding{.area = kJournalArea, .name = "mount options", .level = Level::Ok};
  const auto has = [&](std::string_view option) {
    return mount.options.find(fmt::format(",{},", option)) != std::string::npos;
  };
  finding.seen = mount.options.substr(1, mount.options.size() - 2);
  if (has("ro")) {
    finding.level = Level::Warning;
    finding.why = "Nothing can be written: the engine cannot start.";
    finding.change = fmt::format("sudo mount -o remount,rw {}", mount.place);
  } else if (has("nobarrier") || has("barrier=0")) {
    finding.level = Level::Warning;
    finding.why =
        "The kernel does not flush the disk's cache: a loss of power loses records that "
        "JournalDurability=sync reported as durable.";
    finding.change = fmt::format("sudo mount -o remount,barrier=1 {}", mount.place);
  } else if (has("sync")) {
    finding.level = Level::Warning;
    finding.why = "Every write waits for the disk, with any value of JournalDurability.";
    finding.change = fmt::format("sudo mount -o remount,async {}", mount.place);
  }
  return finding;
}

Finding disk(const Machine& machine, const Mount& mount) {
  Finding finding{.area = kJournalArea, .name = "disk"};
  const std::string device = "/sys/dev/block/" + mount.device + "/";
  // A partition has no queue of its own: look at its disk's.
  std::string queue = device + "queue/";
  auto rotational = machine.number(queue + "rotational");
  if (!rotational) {
    queue = device + "../queue/";
    rotational = machine.number(queue + "rotational");
  }
  if (!rotational) {
    finding.seen = fmt::format("nothing in {}", device);
    return finding;
  }
  finding.level = Level::Ok;
  finding.seen = *rotational != 0 ? "rotational, as it reports" : "not rotational";
  if (const auto cache = machine.text(queue + "write_cache")) {
    finding.seen += ", write cache: " + *cache;
  }
  if (*rotational != 0) {
    finding.level = Level::Advice;
    finding.why =
        "A sync takes 5 to 10 ms: JournalDurability=sync and group answer each order that much "
        "later. process, the default, does not wait for a sync.";
  }
  return finding;
}

}  // namespace

void examine_journal(const Machine& machine, const Plan& plan, Findings& findings) {
  if (plan.journal_folder.empty()) return;
  const auto mount = find_mount(machine, plan.journal_folder);
  if (!mount) {
    findings.push_back(
        {.area = kJournalArea, .name = "file system", .seen = "no /proc/self/mountinfo"});
    return;
  }
  findings.push_back(file_system(plan, *mount));
  findings.push_back(mount_options(*mount));
  findings.push_back(disk(machine, *mount));
}

}  // namespace nexusfix::command
