// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache folder under everything that happens to folders: many processes at once, processes
// killed while they write, entries of other builds, damaged and foreign files, a folder that cannot
// be written, a full disk, a clock that was set back. There is never a crash, a wrong result, or a
// lost valid entry. Processes are this program itself; nothing depends on time. Exit status 1:
// something was otherwise.
//
//   krait_cache_stress          reduced counts
//   krait_cache_stress full     8 processes × 200 kernels, 100 kills, 1,000 mutations
#include <fcntl.h>
#include <krait/krait.h>
#include <poll.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "cache/entry.h"
#include "cache/folder.h"
#include "support/seed.h"

namespace kr = krait;
namespace fs = std::filesystem;
using krait::cache::Folder;

namespace {

struct Counts {
  int processes = 3, kernels = 16, kills = 8, mutations = 64;
} counts;

int failures = 0;
void expect(bool holds, const std::string& what) {
  if (!holds) std::printf("not so: %s\n", what.c_str());
  failures += !holds;
}

// ---- what the processes do ----------------------------------------------------------------------

/// Runs kernels from `first` on, in a circle, and checks their results. Exit status: 1 for a wrong
/// one, 2 for another number of compilations than `compiled` (-1: any).
int run_kernels(int first, int kernels, long long compiled) {
  bool right = true;
  std::vector<int> in(64), out;
  for (int i = 0; i < 64; ++i) in[std::size_t(i)] = i - 7;
  for (int k = 0; k < kernels; ++k) {
    const int n = (first + k) % kernels;
    auto f = kr::vectorize([n](auto x) { return x * (2 * n + 3) + n; });
    out = f(in);
    for (int i = 0; i < 64; ++i) right &= out[std::size_t(i)] == (i - 7) * (2 * n + 3) + n;
  }
  if (!right) return 1;
  const long long made = static_cast<long long>(kr::stats().compiled());
  if (compiled < 0 || made == compiled) return 0;
  std::fprintf(stderr, "%lld kernels were compiled\n", made);
  return 2;
}

pid_t start(int first, int compiled, const std::function<void()>& prepare = {}) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  if (prepare) prepare();
  const std::string a = std::to_string(first), k = std::to_string(counts.kernels),
                    c = std::to_string(compiled);
  execl("/proc/self/exe", "krait_cache_stress", "run", a.c_str(), k.c_str(), c.c_str(),
        static_cast<char*>(nullptr));
  _exit(127);
}

int wait_for(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

int run(int compiled, const std::function<void()>& prepare = {}) {
  return wait_for(start(0, compiled, prepare));
}

// ---- the folder, seen from outside --------------------------------------------------------------

std::string folder;

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}
void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// The entries' bytes by name; `damaged` counts those that are not sound.
std::map<std::string, std::string> entries(int* damaged = nullptr) {
  std::map<std::string, std::string> found;
  for (const fs::directory_entry& f : fs::directory_iterator(folder)) {
    const std::string name = f.path().filename();
    if (!krait::cache::is_entry_name(name)) continue;
    found[name] = read_file(f.path());
    krait::cache::Entry e;
    if (damaged && (krait::cache::decode(found[name], e) != nullptr ||
                    krait::cache::file_name(e.key, e.source) != name))
      ++*damaged;
  }
  return found;
}

int temporaries() {
  int n = 0;
  for (const fs::directory_entry& f : fs::directory_iterator(folder))
    n += std::string(f.path().filename()).starts_with(".krait-new-");
  return n;
}

void expect_whole(const std::string& when) {
  int damaged = 0;
  const std::size_t n = entries(&damaged).size();
  expect(damaged == 0 && int(n) == counts.kernels, when + ": every kernel has a sound entry, but " +
                                                       std::to_string(n) + " are there, " +
                                                       std::to_string(damaged) + " damaged");
}

void set_times(std::time_t when) {
  const timespec times[2] = {{when, 0}, {when, 0}};
  for (const fs::directory_entry& f : fs::directory_iterator(folder))
    utimensat(AT_FDCWD, f.path().c_str(), times, 0);
}

// ---- the cases ----------------------------------------------------------------------------------

void many_processes() {
  std::vector<pid_t> children;
  for (int p = 0; p < counts.processes; ++p)
    children.push_back(start(p * counts.kernels / counts.processes, -1));
  for (const pid_t c : children) expect(wait_for(c) == 0, "processes on one folder end well");
  expect_whole("after many processes");
  expect(temporaries() == 0, "no temporary file is left");
  expect(run(0) == 0, "what many processes wrote is found by another");
}

/// Kills a process as soon as it has begun to write an entry.
void kills() {
  const auto all = entries();
  int killed = 0;
  for (int k = 0; k < counts.kills; ++k) {
    // Some entries are gone, so that there is something to write; another one each time.
    for (int n = 0; n < 3; ++n)
      fs::remove(folder + "/" + std::next(all.begin(), (k * 5 + n) % counts.kernels)->first);
    const auto before = entries();
    const int watch = inotify_init1(IN_CLOEXEC);
    inotify_add_watch(watch, folder.c_str(), IN_CREATE);
    const pid_t child = start(0, -1);
    const int process = int(syscall(SYS_pidfd_open, child, 0));
    pollfd ready[] = {{watch, POLLIN, 0}, {process, POLLIN, 0}};
    poll(ready, process < 0 ? 1 : 2, -1);
    kill(child, SIGKILL);
    killed += wait_for(child) == 1000 + SIGKILL;
    close(watch), close(process);
    int damaged = 0;
    const auto after = entries(&damaged);
    expect(damaged == 0, "a killed writer leaves no damaged entry");
    for (const auto& [name, bytes] : before)
      expect(after.contains(name) && after.at(name) == bytes,
             "a killed writer takes no entry away");
  }
  expect(run(-1) == 0, "a process after killed ones ends well");
  expect_whole("after killed writers");
  const int left = temporaries();
  set_times(std::time(nullptr) - 3 * 3600);
  Folder(folder, Folder::Make::No).sweep(std::uint64_t(1) << 30);
  expect(temporaries() == 0, "a sweep removes what killed writers left");
  expect_whole("after the sweep");
  std::printf("%d processes were killed while they wrote; %d left a temporary file\n", killed,
              left);
}

/// One entry becomes something else; its kind goes round.
void mutate(const fs::path& file, std::mt19937& random, const std::string& other) {
  std::string bytes = read_file(file);
  const auto any = [&](std::size_t n) { return std::size_t(random() % n); };
  switch (random() % 8) {
    case 0: bytes.resize(any(bytes.size())); break;                // truncated
    case 1: bytes[any(bytes.size())] ^= char(1 << any(8)); break;  // a bit
    case 2:
      bytes.clear();
      break;  // empty
    // a sound entry of another kernel
    case 3: bytes = other; break;
    case 4:
      for (char& c : bytes) c = char(random());
      break;                         // anything
    case 5: bytes += "more"; break;  // longer
    case 6:
      for (std::size_t i = 8; i < 32; ++i) bytes[i] = char(0xff);
      // sizes beyond all bounds
      break;
    // a hole, as after a crash
    case 7: std::fill(bytes.begin() + std::ptrdiff_t(any(bytes.size())), bytes.end(), '\0'); break;
  }
  // An entry is never written to in place: another process may be reading it.
  fs::remove(file);
  write_file(file, bytes);
}

void mutations() {
  std::mt19937 random(krait::test::first_seed());
  int done = 0;
  while (done < counts.mutations) {
    const auto before = entries();
    int changed = 0;
    for (auto at = before.begin(); at != before.end(); ++at, ++done) {
      mutate(folder + "/" + at->first, random, before.begin()->second);
      changed += read_file(folder + "/" + at->first) != at->second;
    }
    expect(run(changed) == 0,
           "a process among damaged entries compiles them again and computes what is right");
    expect_whole("after damaged entries");
    expect(run(0) == 0, "damaged entries were replaced");
  }
  std::printf("%d entries were damaged\n", done);
}

/// Entries by another build of the library or of the code generator, whose code would give other
/// results: under the names that they have, and under those of this build's.
void another_build() {
  const auto before = entries();
  for (const std::string whose : {"library ", "generator "})
    for (const bool in_place : {false, true}) {
      std::vector<std::string> foreign;
      for (const auto& [name, bytes] : before) {
        krait::cache::Entry e, other;
        const auto& another = name == before.begin()->first ? *before.rbegin() : *before.begin();
        expect(!krait::cache::decode(bytes, e) && !krait::cache::decode(another.second, other),
               "entries are sound");
        const std::size_t id = e.key.find("\n" + whose);
        expect(id != e.key.npos, "a key names the build of the " + whose);
        if (id == e.key.npos) return;
        std::string key(e.key);
        char& letter = key[id + 1 + whose.size()];
        letter = letter == '0' ? '1' : '0';
        e.key = key, e.payload = other.payload;
        fs::remove(folder + "/" + name);
        foreign.push_back(in_place ? name : krait::cache::file_name(e.key, e.source));
        write_file(folder + "/" + foreign.back(), krait::cache::encode(e));
        chmod((folder + "/" + foreign.back()).c_str(), 0600);
      }
      expect(run(counts.kernels) == 0,
             "entries by another build of the " + whose +
                 (in_place ? "in the place of this one's" : "beside this one's") + " are not used");
      if (!in_place)
        for (const std::string& name : foreign) fs::remove(folder + "/" + name);
      expect_whole("after another build");
      expect(run(0) == 0, "this build's entries are there again");
    }
}

/// Other kinds of files in the place of entries, and files that are none.
void foreign_files() {
  const auto all = entries();
  const auto path = [&](int i) {
    return fs::path(folder + "/" + std::next(all.begin(), i)->first);
  };
  for (int i = 0; i < 5; ++i) fs::remove(path(i));
  fs::create_directory(path(0));
  expect(mkfifo(path(1).c_str(), 0600) == 0, "a pipe can be made");
  fs::create_symlink("/etc/passwd", path(2));
  fs::create_symlink("/nowhere", path(3));
  write_file(path(4), all.begin()->second);
  chmod(path(4).c_str(), 0666);
  write_file(folder + "/notes.txt", "mine");
  expect(run(-1) == 0, "a process among foreign files ends well");
  expect(fs::is_directory(path(0)) && read_file(folder + "/notes.txt") == "mine" &&
             fs::exists("/etc/passwd"),
         "foreign files are left alone");
  for (int i = 1; i < 5; ++i)
    expect(fs::is_regular_file(fs::symlink_status(path(i))), "what is no entry is replaced");
  fs::remove(path(0));
  expect(run(1) == 0 && run(0) == 0, "an entry returns to its place");
  expect_whole("after foreign files");
}

void foreign_owner() {
  if (geteuid() != 0) return (void)std::printf("not tested without root: files of another owner\n");
  const std::string name = entries().begin()->first;
  expect(chown((folder + "/" + name).c_str(), 65534, 65534) == 0, "a file can be given away");
  expect(run(1) == 0, "another user's entry is not read");
  expect_whole("after another user's entry");
  expect(chown(folder.c_str(), 65534, 65534) == 0, "a folder can be given away");
  expect(run(counts.kernels) == 0, "another user's folder is not read");
  expect(chown(folder.c_str(), 0, 0) == 0 && chmod(folder.c_str(), 0777) == 0,
         "a folder can be opened to all");
  expect(run(counts.kernels) == 0, "a folder that others can write to is not read");
  chmod(folder.c_str(), 0700);
  expect(run(0) == 0, "the folder is read again");
}

/// Sees a file system of its own in the place of the folder from here on, in this process alone.
/// False: the system does not allow it.
bool mount_own(const char* options) {
  const uid_t user = geteuid();
  if (unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return false;
  if (user != 0) write_file("/proc/self/uid_map", "0 " + std::to_string(user) + " 1");
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", folder.c_str(), "tmpfs", 0, options) == 0 &&
         chmod(folder.c_str(), 0700) == 0;
}

/// Runs `prepare` in a child that then runs the kernels; -1 where `prepare` says that the system
/// does not allow it.
int run_prepared(int compiled, const std::function<bool()>& prepare) {
  const int status = run(compiled, [&] {
    if (!prepare()) _exit(99);
  });
  return status == 99 ? -1 : status;
}

void read_only_folder() {
  const auto before = entries();
  fs::remove(folder + "/" + before.begin()->first);
  expect(run(1, [] { setenv("KRAIT_CACHE", "ro", 1); }) == 0, "KRAIT_CACHE=ro reads what is there");
  expect(entries().size() + 1 == before.size(), "KRAIT_CACHE=ro writes nothing");
  // The mode of the folder does not bind root, a read-only mount does.
  const int status = run_prepared(1, [] {
    if (geteuid() != 0) return chmod(folder.c_str(), 0500) == 0;
    return unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) == 0 &&
           mount("none", folder.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr) == 0;
  });
  chmod(folder.c_str(), 0700);
  if (status == -1)
    std::printf("not tested, as mounting is not permitted: a read-only folder as root\n");
  else expect(status == 0, "a read-only folder is read");
  expect(entries().size() + 1 == before.size(), "a read-only folder stays as it is");
  expect(run(1) == 0, "the folder can be written again");
  expect_whole("after a read-only folder");
}

void full_disk() {
  const auto before = entries();
  const int status = run_prepared(counts.kernels, [] { return mount_own("size=16k,mode=0700"); });
  if (status == -1) std::printf("not tested, as mounting is not permitted: a full tmpfs\n");
  else expect(status == 0, "a process on a full disk ends well");
  // The same through a limit of the process, which ends those that write past it.
  for (const auto& [name, bytes] : before) fs::remove(folder + "/" + name);
  const int limited = run(counts.kernels, [] {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO), dup2(null, STDERR_FILENO);
    const rlimit limit{256, 256};
    setrlimit(RLIMIT_FSIZE, &limit);
  });
  expect(limited == 0, "a process that may write no file of that size ends well");
  expect(entries().empty() && temporaries() == 0, "nothing is left of what could not be written");
  expect(run(counts.kernels) == 0, "with room again everything is written");
  expect_whole("after a full disk");
}

void clock_set_back() {
  const auto before = entries();
  set_times(std::time(nullptr) + 400 * 24 * 3600);
  expect(run(0) == 0, "entries from the future are found");
  expect(entries() == before, "and none is lost");
  fs::remove(folder + "/" + before.begin()->first);
  expect(run(1) == 0, "what is written beside them sweeps");
  expect_whole("after the clock was set back");
}

void size_limit() {
  constexpr std::uint64_t most = 32 << 10;  // eight files of a block
  expect(run(-1, [] { setenv("KRAIT_CACHE_MAXSIZE", "32K", 1); }) == 0,
         "a process with a small cache ends well");
  for (const auto& [name, bytes] : entries()) fs::remove(folder + "/" + name);
  expect(run(counts.kernels, [] { setenv("KRAIT_CACHE_MAXSIZE", "32K", 1); }) == 0,
         "a process with a small, empty cache ends well");
  std::uint64_t total = 0;
  for (const auto& f : Folder(folder, Folder::Make::No).entries()) total += f.bytes;
  expect(total > 0 && total <= most + most / 16 + 4096,
         "the cache keeps to its size: " + std::to_string(total));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "run") == 0)
    return run_kernels(std::atoi(argv[2]), std::atoi(argv[3]), std::atoll(argv[4]));
  if (argc > 1 && std::strcmp(argv[1], "full") == 0) counts = {8, 200, 100, 1000};
  const char* base = std::getenv("TMPDIR");
  folder = std::string(base && *base ? base : "/tmp") + "/krait-stress-XXXXXX";
  if (!mkdtemp(folder.data())) return std::perror(folder.c_str()), 1;
  setenv("KRAIT_CACHE_DIR", folder.c_str(), 1);
  setenv("KRAIT_CACHE", "rw", 1);
  setenv("KRAIT_DEVICE", "cpu", 1);
  setenv("KRAIT_TIERS", "off", 1);  // one entry for each kernel
  setenv("KRAIT_NUM_THREADS", "1", 1);
  for (const auto& [name, test] :
       std::map<std::string, void (*)()>{{"1 many processes", many_processes},
                                         {"2 kills", kills},
                                         {"3 mutations", mutations},
                                         {"3a another build", another_build},
                                         {"4 foreign files", foreign_files},
                                         {"5 foreign owner", foreign_owner},
                                         {"6 read-only folder", read_only_folder},
                                         {"7 full disk", full_disk},
                                         {"8 clock set back", clock_set_back},
                                         {"9 size limit", size_limit}}) {
    std::printf("%s\n", name.c_str());
    test();
  }
  fs::remove_all(folder);
  std::printf("%s\n", failures ? "FAILED" : "all as it should be");
  return failures != 0;
}
