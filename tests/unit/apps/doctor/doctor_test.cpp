// `nexusfix doctor` on simulated machines, which are files in memory.
#include "nexusfix/doctor/doctor.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "nexusfix/doctor/machine.hpp"
#include "support/disks/fake_disk.hpp"

namespace nexusfix::command {
namespace {

using nexusfix::testing::FakeDisk;

struct Line {
  std::string path;
  std::string content;
};

const std::string kCpu = "/sys/devices/system/cpu/";

// Four cores with two hyper-threads each, fully tuned for an engine on CPU 3.
std::vector<Line> tuned() {
  std::vector<Line> lines{
      {kCpu + "online", "0-7\n"},
      {kCpu + "isolated", "3,7\n"},
      {kCpu + "nohz_full", "3,7\n"},
      {kCpu + "smt/active", "1\n"},
      {kCpu + "intel_pstate/no_turbo", "0\n"},
      {kCpu + "cpuidle/current_driver", "intel_idle\n"},
      {"/proc/cmdline", "quiet isolcpus=3,7 nohz_full=3,7\n"},
      {"/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu tsc constant_tsc nonstop_tsc avx2\n"},
      {"/proc/interrupts", "     CPU0\n  24:   1  IO-APIC  nvme0q1\n LOC:  5\n"},
      {"/proc/irq/24/effective_affinity_list", "1\n"},
      {"/proc/self/cgroup", "0::/system.slice/venue.service\n"},
      {"/proc/self/limits",
       "Limit                     Soft Limit           Hard Limit           Units     \n"
       "Max open files            65536                65536                files     \n"
       "Max locked memory         unlimited            unlimited            bytes     \n"
       "Max realtime priority     0                    0                              \n"},
      {"/proc/self/mountinfo",
       "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
       "31 27 254:16 / /var/lib rw,noatime shared:1 - xfs /dev/vdb rw,attr2\n"},
      {"/sys/dev/block/254:16/queue/rotational", "0\n"},
      {"/sys/dev/block/254:16/queue/write_cache", "write through\n"},
      {"/sys/fs/cgroup/system.slice/cgroup.procs", ""},
      {"/sys/fs/cgroup/system.slice/venue.service/cpu.max", "max 100000\n"},
      {"/proc/sys/kernel/sched_rt_runtime_us", "950000\n"},
      {"/proc/sys/kernel/numa_balancing", "0\n"},
      {"/proc/meminfo", "MemTotal: 1 kB\nHugePages_Total:       0\nHugePages_Free:        0\n"},
      {"/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"},
      {"/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"},
      {"/sys/devices/system/node/online", "0\n"},
      {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"},
      {"/proc/sys/net/core/busy_poll", "50\n"},
      {"/proc/sys/net/core/rmem_max", "4194304\n"},
      {"/proc/sys/net/core/wmem_max", "4194304\n"},
      {"/proc/sys/net/ipv4/tcp_slow_start_after_idle", "0\n"},
      {"/proc/net/dev", "Inter-|   Receive\n face |bytes\n    lo: 1\n  eth0: 1\n"},
      {"/sys/class/net/eth0/speed", "10000\n"},
      {"/sys/class/net/eth0/device/numa_node", "0\n"},
      {"/sys/devices/system/node/node0/cpulist", "0-7\n"},
  };
  for (unsigned cpu = 0; cpu < 8; ++cpu) {
    lines.push_back({cpu_path(cpu, "cpufreq/scaling_governor"), "performance\n"});
    lines.push_back({cpu_path(cpu, "topology/thread_siblings_list"),
                     std::to_string(cpu % 4) + "," + std::to_string(cpu % 4 + 4) + "\n"});
    lines.push_back({cpu_path(cpu, "cpuidle/state0/name"), "POLL\n"});
    lines.push_back({cpu_path(cpu, "cpuidle/state0/latency"), "0\n"});
    lines.push_back({cpu_path(cpu, "cpuidle/state1/name"), "C1\n"});
    lines.push_back({cpu_path(cpu, "cpuidle/state1/latency"), "2\n"});
  }
  return lines;
}

Plan planned() {
  return {.journal_folder = "/var/lib/venue",
          .cpus = {3},
          .spins = true,
          .locks_memory = true,
          .sessions = 100,
          .receive_buffer_bytes = 1U << 20U,
          .send_buffer_bytes = 1U << 20U};
}

Findings found(const std::vector<Line>& lines, const Plan& plan) {
  FakeDisk disk;
  for (const Line& line : lines) disk.set_contents("/root" + line.path, line.content);
  return examine(Machine{disk, "/root"}, plan);
}

// The tuned machine with one different file.
Finding with(const std::string& path, const std::string& content, std::string_view name,
             const Plan& plan = planned()) {
  auto lines = tuned();
  lines.push_back({path, content});
  const Findings findings = found(lines, plan);
  const auto place = std::ranges::find(findings, name, &Finding::name);
  if (place != findings.end()) return *place;
  ADD_FAILURE() << name;
  return {};
}

void expect(const Finding& finding, Level level, std::string_view seen, std::string_view change) {
  EXPECT_EQ(finding.level, level) << finding.name << ": " << finding.seen;
  EXPECT_NE(finding.seen.find(seen), std::string::npos) << finding.name << ": " << finding.seen;
  EXPECT_NE(finding.change.find(change), std::string::npos) << finding.name << finding.change;
  if (level == Level::Warning || level == Level::Advice) {
    EXPECT_FALSE(finding.why.empty()) << finding.name;
  }
}

TEST(Doctor, a_tuned_machine_needs_no_change) {
  for (const Finding& finding : found(tuned(), planned())) {
    EXPECT_EQ(finding.level, Level::Ok) << finding.name << ": " << finding.seen;
    EXPECT_EQ(finding.change, "") << finding.name;
  }
}

TEST(Doctor, a_machine_that_reports_nothing_is_unknown_and_no_fault) {
  const Findings findings = found({}, {.journal_folder = "/var/lib/venue"});
  for (const Finding& finding : findings) {
    EXPECT_NE(finding.level, Level::Warning) << finding.name;
    EXPECT_FALSE(finding.seen.empty()) << finding.name;
  }
  EXPECT_FALSE(has_warning(findings));
  FakeDisk disk;
  EXPECT_NE(doctor_text(Machine{disk, "/root"}, findings, true).find("1 CPU\n"), std::string::npos);
}

TEST(Doctor, files_of_nonsense_are_no_fault) {
  for (const std::string_view nonsense :
       {"", "\n", "-1", "99999999999999999999", "[", "] [", "0-", "5-2,x", ":::", "0:cpu:", "a - b",
        "1 2 3:4 / / - -", "cpu 1 2 3 4 5 6 7 8", "max", "Max open files", "\xff\xfe"}) {
    auto lines = tuned();
    for (Line& line : lines) line.content = nonsense;
    const Findings findings = found(lines, planned());
    EXPECT_GE(findings.size(), 24U);
    EXPECT_NE(doctor_json(findings).find("findings"), std::string::npos);
  }
}

TEST(Doctor, a_governor_that_saves_power_is_a_warning_with_its_cpus) {
  expect(with(cpu_path(2, "cpufreq/scaling_governor"), "powersave\n", "governor"), Level::Warning,
         "performance on 0,1,3-7; powersave on 2", "cpupower frequency-set");
}

TEST(Doctor, turbo_is_switched_on_in_the_file_of_its_driver) {
  expect(with(kCpu + "intel_pstate/no_turbo", "1\n", "turbo"), Level::Advice, "off",
         "echo 0 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo");
}

TEST(Doctor, a_deep_idle_state_costs_a_sleeping_engine_more_than_a_spinning_one) {
  Plan sleeping = planned();
  sleeping.spins = false;
  const std::string path = cpu_path(3, "cpuidle/state1/latency");
  expect(with(path, "133\n", "idle states"), Level::Advice, "133 µs", "--disable-by-latency 10");
  expect(with(path, "133\n", "idle states", sleeping), Level::Warning, "C1, wakes up in 133 µs",
         "--disable-by-latency 10");
  expect(with(path, "10\n", "idle states", sleeping), Level::Ok, "10 µs", "");
  expect(with(path, "11\n", "idle states", sleeping), Level::Warning, "11 µs", "");
}

TEST(Doctor, an_idle_state_that_is_disabled_does_not_count) {
  auto lines = tuned();
  lines.push_back({cpu_path(3, "cpuidle/state2/latency"), "200\n"});
  lines.push_back({cpu_path(3, "cpuidle/state2/disable"), "1\n"});
  const Findings findings = found(lines, planned());
  expect(*std::ranges::find(findings, "idle states", &Finding::name), Level::Ok, "C1", "");
}

TEST(Doctor, a_clock_that_is_read_by_system_calls_is_a_warning) {
  const std::string folder = "/sys/devices/system/clocksource/clocksource0/";
  auto lines = tuned();
  lines.push_back({folder + "current_clocksource", "hpet\n"});
  lines.push_back({folder + "available_clocksource", "hpet acpi_pm tsc \n"});
  const Findings findings = found(lines, planned());
  expect(*std::ranges::find(findings, "clock source", &Finding::name), Level::Warning, "hpet",
         "echo tsc | sudo tee " + folder + "current_clocksource");
}

TEST(Doctor, a_counter_that_may_stop_and_a_host_are_found_by_the_flags) {
  expect(with("/proc/cpuinfo", "flags : fpu constant_tsc hypervisor\n", "time stamp counter"),
         Level::Advice, "nonstop_tsc", "");
  expect(with("/proc/cpuinfo", "flags : fpu hypervisor\n", "virtual machine"), Level::Advice, "yes",
         "");
}

TEST(Doctor, time_that_the_host_gave_to_others_is_a_warning) {
  auto lines = tuned();
  lines.push_back({"/proc/cpuinfo", "flags : hypervisor\n"});
  lines.push_back({"/proc/stat", "cpu  90 0 0 0 0 0 0 10 0 0\ncpu0 1 1\n"});
  const Findings findings = found(lines, planned());
  expect(*std::ranges::find(findings, "virtual machine", &Finding::name), Level::Warning,
         "10.00 % of the time", "");
}

TEST(Doctor, the_cpu_of_the_configuration_must_be_isolated) {
  expect(with(kCpu + "isolated", "\n", "isolated CPUs"), Level::Warning, "not 3",
         "isolcpus=managed_irq,domain,3");
  expect(with(kCpu + "nohz_full", "(null)\n", "timer tick"), Level::Advice, "on every CPU",
         "nohz_full=3");
  expect(with("/proc/cmdline", "quiet\n", "kernel callbacks"), Level::Advice, "on every CPU",
         "rcu_nocbs=3");
  Plan far = planned();
  far.cpus = {9};
  expect(with(kCpu + "isolated", "9\n", "isolated CPUs", far), Level::Warning,
         "EventLoopCpu=9 is not online", "");
}

TEST(Doctor, without_a_configuration_the_last_core_is_proposed) {
  expect(with(kCpu + "isolated", "\n", "isolated CPUs", {}), Level::Advice, "none of 0-7",
         "isolcpus=managed_irq,domain,3,7");
  expect(with(kCpu + "isolated", "1\n", "isolated CPUs", {}), Level::Ok, "1", "");
}

TEST(Doctor, a_busy_hyper_thread_beside_the_engine_is_a_warning) {
  expect(with(kCpu + "isolated", "3\n", "hyper-threads"), Level::Warning, "3 shares a core with 7",
         "smt/control");
  Plan both = planned();
  both.cpus = {3, 7};
  expect(with(kCpu + "isolated", "3,7\n", "hyper-threads", both), Level::Warning,
         "shares a core with 3,7", "smt/control");
}

TEST(Doctor, a_device_that_interrupts_the_engine_is_found) {
  expect(with("/proc/irq/24/effective_affinity_list", "3\n", "interrupts"), Level::Advice,
         "1 device interrupts 3", "echo 0-2,4-7");
  expect(with("/sys/fs/cgroup/system.slice/irqbalance.service/cgroup.procs", "812\n", "irqbalance"),
         Level::Advice, "runs", "systemctl disable --now irqbalance");
}

TEST(Doctor, a_quota_is_found_in_a_group_above_and_in_both_versions) {
  expect(with("/sys/fs/cgroup/system.slice/cpu.max", "150000 100000\n", "CPU quota"),
         Level::Warning, "1.5 CPUs, by /sys/fs/cgroup/system.slice/cpu.max", "echo max");
  auto lines = tuned();
  lines.push_back({"/proc/self/cgroup", "4:cpu,cpuacct:/box\n"});
  lines.push_back({"/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "50000\n"});
  lines.push_back({"/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n"});
  const Findings findings = found(lines, planned());
  expect(*std::ranges::find(findings, "CPU quota", &Finding::name), Level::Warning, "0.5 CPUs",
         "echo -1");
}

TEST(Doctor, memory_that_moves_is_a_warning) {
  expect(with("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n",
              "transparent huge pages"),
         Level::Warning, "always", "echo madvise");
  expect(
      with("/proc/meminfo", "HugePages_Total: 512\nHugePages_Free: 512\n", "reserved huge pages"),
      Level::Advice, "512", "vm.nr_hugepages=0");
  auto lines = tuned();
  lines.push_back({"/sys/devices/system/node/online", "0-1\n"});
  lines.push_back({"/proc/sys/kernel/numa_balancing", "1\n"});
  const Findings findings = found(lines, planned());
  expect(*std::ranges::find(findings, "NUMA nodes", &Finding::name), Level::Warning, "0: CPUs 0-7",
         "numa_balancing=0");
}

TEST(Doctor, swap_matters_unless_memory_is_locked) {
  const std::string swaps = "Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2\n";
  Plan unlocked = planned();
  unlocked.locks_memory = false;
  expect(with("/proc/swaps", swaps, "swap"), Level::Ok, "1 area", "");
  expect(with("/proc/swaps", swaps, "swap", unlocked), Level::Advice, "1 area", "swapoff");
}

TEST(Doctor, limits_are_compared_with_the_configuration) {
  const std::string limits =
      "Max open files            163                  163                  files     \n"
      "Max locked memory         8388608              8388608              bytes     \n";
  expect(with("/proc/self/limits", limits, "locked memory"), Level::Warning, "8192 KiB",
         "memlock unlimited");
  expect(with("/proc/self/limits", limits, "open files"), Level::Warning, "163, for 100 sessions",
         "nofile 65536");
  Plan one_less = planned();
  one_less.sessions = 99;
  expect(with("/proc/self/limits", limits, "open files", one_less), Level::Ok, "163", "");
  expect(with("/proc/self/limits", limits, "real-time priority"), Level::Unknown, "", "");
}

TEST(Doctor, network_settings_are_compared_with_the_configuration) {
  expect(with("/proc/sys/net/core/rmem_max", "212992\n", "receive buffers"), Level::Warning,
         "asks for 1048576", "net.core.rmem_max=1048576");
  expect(with("/proc/sys/net/core/wmem_max", "1048576\n", "send buffers"), Level::Ok, "1048576",
         "");
  expect(with("/proc/sys/net/ipv4/tcp_slow_start_after_idle", "1\n", "TCP after a pause"),
         Level::Advice, "= 1", "slow_start_after_idle=0");
  Plan sleeping = planned();
  sleeping.spins = false;
  expect(with("/proc/sys/net/core/busy_poll", "0\n", "busy poll"), Level::Ok, "0 µs", "");
  expect(with("/proc/sys/net/core/busy_poll", "0\n", "busy poll", sleeping), Level::Advice, "0 µs",
         "busy_poll=50");
  expect(with("/sys/devices/system/node/node0/cpulist", "0-2\n", "network cards"), Level::Advice,
         "eth0 10000 Mbit/s on node 0; EventLoopCpu=3 is of another node", "");
}

TEST(Doctor, a_volatile_or_remote_file_system_is_a_warning) {
  const auto mounted = [](const std::string& rest) {
    return with("/proc/self/mountinfo",
                "27 1 254:0 / / rw - ext4 /dev/vda rw\n31 27 0:40 / /var/lib rw" + rest,
                "file system");
  };
  expect(mounted(" - tmpfs tmpfs rw\n"), Level::Warning, "tmpfs, mounted at /var/lib", "");
  expect(mounted(" - nfs4 host:/x rw\n"), Level::Warning, "nfs4", "");
  expect(mounted(" - fuse.sshfs x rw\n"), Level::Warning, "fuse", "");
  expect(mounted(" - overlay overlay rw\n"), Level::Warning, "overlay", "");
  expect(mounted(" - btrfs /dev/vdb rw\n"), Level::Advice, "btrfs", "chattr +C /var/lib/venue");
  expect(mounted(" - ext4 /dev/vdb rw\n"), Level::Ok, "ext4", "");
  // "/var/li" is no parent of "/var/lib/venue".
  expect(with("/proc/self/mountinfo",
              "27 1 1:0 / / rw - ext4 /dev/vda rw\n31 27 0:4 / /var/li rw - tmpfs t rw\n",
              "file system"),
         Level::Ok, "mounted at /", "");
}

TEST(Doctor, slow_or_unsafe_mount_options_and_disks_are_found) {
  const auto options = [](const std::string& text) {
    return with("/proc/self/mountinfo", "27 1 254:0 / / rw - ext4 /dev/vda " + text + "\n",
                "mount options");
  };
  expect(options("ro"), Level::Warning, "ro", "remount,rw /");
  expect(options("rw,nobarrier"), Level::Warning, "nobarrier", "barrier=1");
  expect(options("rw,sync"), Level::Warning, "sync", "remount,async");
  expect(options("rw,lazytime"), Level::Ok, "lazytime", "");
  expect(with("/sys/dev/block/254:16/queue/rotational", "1\n", "disk"), Level::Advice, "rotational",
         "");
}

TEST(Doctor, a_partition_has_the_queue_of_its_disk) {
  auto lines = tuned();
  std::erase_if(lines, [](const Line& line) { return line.path.starts_with("/sys/dev/block"); });
  lines.push_back({"/sys/dev/block/254:16/../queue/rotational", "0\n"});
  const Findings findings = found(lines, planned());
  expect(*std::ranges::find(findings, "disk", &Finding::name), Level::Ok, "not rotational", "");
}

TEST(CpuList, is_read_as_the_kernel_writes_it) {
  EXPECT_EQ(read_cpu_list("0-2,5\n"), (CpuList{0, 1, 2, 5}));
  EXPECT_EQ(read_cpu_list("5,0-1,1"), (CpuList{0, 1, 5}));
  EXPECT_EQ(read_cpu_list(""), CpuList{});
  EXPECT_EQ(read_cpu_list("4095"), CpuList{4'095});
  for (const std::string_view wrong : {"4096", "2-1", "-1", "1-", "a", "1,,2", "0-99999999999"}) {
    EXPECT_FALSE(read_cpu_list(wrong)) << wrong;
  }
  EXPECT_EQ(cpu_list_text({0, 1, 2, 5, 7, 8}), "0-2,5,7,8");
  EXPECT_EQ(cpu_list_text({}), "");
}

}  // namespace
}  // namespace nexusfix::command
