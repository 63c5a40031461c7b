// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache's parts one by one: the bytes of an entry, the folder, the store, the settings, and the
// table in memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "cache/disk.h"
#include "cache/entry.h"
#include "cache/in_flight.h"
#include "krait/error.h"
#include "support/build_id.h"

namespace krait::cache {
namespace {

namespace fs = std::filesystem;

struct InFolder : testing::Test {
  InFolder() {
    char name[] = "/tmp/krait-cache-test-XXXXXX";
    path = mkdtemp(name);
  }
  ~InFolder() override { fs::remove_all(path); }
  Settings settings(Mode mode = Mode::ReadWrite, std::uint64_t most = 1 << 20) const {
    return {mode, path, most};
  }
  std::string path;
};

// ---- entries ------------------------------------------------------------------------------------

TEST(CacheEntry, PartsComeBack) {
  const std::string zeros(3, '\0');
  for (const Entry& e : {Entry{"name", "key", "source", "payload"}, Entry{"", "", "", ""},
                         Entry{"n", zeros, "", zeros}}) {
    const std::string bytes = encode(e);
    Entry got;
    ASSERT_EQ(decode(bytes, got), nullptr);
    EXPECT_EQ(got.name, e.name);
    EXPECT_EQ(got.key, e.key);
    EXPECT_EQ(got.source, e.source);
    EXPECT_EQ(got.payload, e.payload);
  }
}

TEST(CacheEntry, EveryChangedBitAndEveryLengthIsSeen) {
  const std::string bytes = encode({"name", "key", "source", "payload"});
  Entry e;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string changed = bytes;
    changed[bit / 8] = char(changed[bit / 8] ^ 1 << bit % 8);
    EXPECT_NE(decode(changed, e), nullptr) << "bit " << bit;
  }
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_NE(decode(bytes.substr(0, n), e), nullptr) << n << " bytes";
  EXPECT_NE(decode(bytes + '\0', e), nullptr);
}

TEST(CacheEntry, WhatIsWrong) {
  const std::string bytes = encode({"name", "key", "source", "payload"});
  const auto wrong = [](const std::string& of) {
    Entry e;
    const char* const why = decode(of, e);
    return std::string(why ? why : "");
  };
  EXPECT_EQ(wrong(bytes.substr(0, 20)), "shorter than its header");
  EXPECT_EQ(wrong("x" + bytes.substr(1)), "of another format");
  EXPECT_EQ(wrong(bytes + "x"), "sizes that do not fit");
  EXPECT_EQ(wrong(bytes.substr(0, bytes.size() - 1) + "x"), "another checksum");
}

TEST(CacheEntry, NamesOfFiles) {
  EXPECT_NE(file_name("ab", "c"), file_name("a", "bc"));
  EXPECT_EQ(file_name("ab", "c"), file_name("ab", "c"));
  EXPECT_TRUE(is_entry_name(file_name("ab", "c")));
  EXPECT_FALSE(is_entry_name("notes.txt"));
  EXPECT_FALSE(is_entry_name("../" + file_name("ab", "c")));
  EXPECT_FALSE(is_entry_name(std::string(32, 'g') + ".krait"));
}

// ---- the store ----------------------------------------------------------------------------------

using CacheDisk = InFolder;

TEST_F(CacheDisk, FindsWhatWasKeptAndNothingElse) {
  Disk disk(settings());
  EXPECT_EQ(disk.find("key", "source"), std::nullopt);
  EXPECT_EQ(disk.keep("name", "key", "source", "made"), "made");
  EXPECT_EQ(disk.find("key", "source"), "made");
  EXPECT_EQ(Disk(settings()).find("key", "source"), "made");
  EXPECT_EQ(disk.find("other key", "source"), std::nullopt);
  EXPECT_EQ(disk.find("key", "other source"), std::nullopt);
}

TEST_F(CacheDisk, AHashCollisionIsAMiss) {
  Disk disk(settings());
  disk.keep("name", "key", "source", "made");
  fs::rename(path + "/" + file_name("key", "source"), path + "/" + file_name("key", "another"));
  EXPECT_EQ(disk.find("key", "another"), std::nullopt);
  EXPECT_EQ(disk.keep("name", "key", "another", "its own"), "its own");
  EXPECT_EQ(disk.find("key", "another"), "its own");
}

TEST_F(CacheDisk, TheLoserOfARaceAdoptsTheWinnersBytes) {
  EXPECT_EQ(Disk(settings()).keep("name", "key", "source", "first"), "first");
  EXPECT_EQ(Disk(settings()).keep("name", "key", "source", "second"), "first");
}

TEST_F(CacheDisk, FolderAndFilesAreTheUsersAlone) {
  path += "/new/folder";
  Disk(settings()).keep("name", "key", "source", "made");
  struct stat s;
  ASSERT_EQ(stat(path.c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 07777, 0700u);
  ASSERT_EQ(stat((path + "/" + file_name("key", "source")).c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 07777, 0600u);
  path = path.substr(0, path.size() - 11);
}

TEST_F(CacheDisk, AFolderThatGoesIsMadeAgain) {
  Disk disk(settings());
  disk.keep("name", "key", "source", "made");
  fs::remove_all(path);
  EXPECT_EQ(disk.find("key", "source"), std::nullopt);
  disk.keep("name", "key", "source", "made");
  EXPECT_EQ(disk.find("key", "source"), "made");
}

TEST_F(CacheDisk, ReadOnlyKeepsNothing) {
  Disk reader(settings(Mode::ReadOnly));
  EXPECT_EQ(reader.keep("name", "key", "source", "made"), "made");
  EXPECT_TRUE(fs::is_empty(path));
  Disk(settings()).keep("name", "key", "source", "made");
  EXPECT_EQ(reader.find("key", "source"), "made");
}

TEST_F(CacheDisk, AnUnusableFolderWarnsOnce) {
  path += "/file";
  std::ofstream(path) << "no folder";
  Disk disk(settings());
  testing::internal::CaptureStderr();
  EXPECT_EQ(disk.find("key", "source"), std::nullopt);
  EXPECT_EQ(disk.keep("name", "key", "source", "made"), "made");
  EXPECT_EQ(disk.find("key", "source"), std::nullopt);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "krait: warning: compiled kernels are not kept on disk: " + path +
          ": Not a directory (set KRAIT_CACHE_DIR to another folder, or set KRAIT_CACHE=memory)\n");
  path = path.substr(0, path.size() - 5);
}

TEST_F(CacheDisk, FoldersThatAreRefused) {
  ASSERT_EQ(chmod(path.c_str(), 0777), 0);
  EXPECT_EQ(Folder(path, Folder::Make::No).failure().text, path + " is writable by other users");
  ASSERT_EQ(chmod(path.c_str(), 0700), 0);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path.c_str(), 1, 1), 0);
    EXPECT_EQ(Folder(path, Folder::Make::No).failure().text, path + " belongs to another user");
    ASSERT_EQ(chown(path.c_str(), 0, 0), 0);
  }
  Failure failure;
  const Folder folder(path, Folder::Make::No);
  fs::remove_all(path);
  EXPECT_EQ(folder.write("name", "bytes", false, failure), Folder::Written::Failed);
  EXPECT_EQ(failure.text, "making a file: No such file or directory");
  testing::internal::CaptureStderr();
  EXPECT_EQ(Disk({Mode::ReadWrite, "", 1000}).find("key", "source"), std::nullopt);
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "krait: warning: compiled kernels are not kept on disk: neither KRAIT_CACHE_DIR, XDG_CACHE_HOME nor HOME is set (set "
      "KRAIT_CACHE_DIR to another folder, or set KRAIT_CACHE=memory)\n");
}

TEST_F(CacheDisk, ALinkToNothingWarns) {
  const std::string folder = path;
  path += "/link";
  fs::create_symlink("nowhere", path);
  Disk disk(settings());
  testing::internal::CaptureStderr();
  EXPECT_EQ(disk.find("key", "source"), std::nullopt);
  EXPECT_EQ(disk.keep("name", "key", "source", "made"), "made");
  EXPECT_EQ(disk.keep("name", "key", "source", "made"), "made");
  EXPECT_EQ(
      testing::internal::GetCapturedStderr(),
      "krait: warning: compiled kernels are not kept on disk: " + path +
          " is a link to a folder that does not exist (set KRAIT_CACHE_DIR to another folder, or set KRAIT_CACHE=memory)\n");
  path = folder;
}

TEST_F(CacheDisk, WhatIsLargerThanTheCacheIsNotKept) {
  Disk disk(settings(Mode::ReadWrite, 1000));
  EXPECT_EQ(disk.keep("name", "key", "source", std::string(2000, 'x')).size(), 2000u);
  EXPECT_EQ(disk.find("key", "source"), std::nullopt);
}

// ---- the folder ---------------------------------------------------------------------------------

void set_time(const std::string& file, std::time_t when) {
  const timespec times[2] = {{when, 0}, {when, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
}

TEST_F(CacheDisk, ASweepRemovesTheLeastRecentlyUsed) {
  constexpr int files = 10;
  Disk disk(settings());
  const auto file = [&](int i) { return path + "/" + file_name("key", std::to_string(i)); };
  for (int i = 0; i < files; ++i) disk.keep("name", "key", std::to_string(i), "made");
  const std::time_t day = 24 * 3600, now = std::time(nullptr);
  for (int i = 0; i < files; ++i) set_time(file(i), now - (files - i) * day);
  set_time(file(5), now + 100 * day);        // from before the clock was set back: used just now
  EXPECT_EQ(disk.find("key", "0"), "made");  // the oldest is used again
  EXPECT_EQ(Folder(path, Folder::Make::No).sweep(6 * 4096), 5u);
  for (int i = 0; i < files; ++i) EXPECT_EQ(fs::exists(file(i)), i == 0 || i == 5 || i > 6) << i;
}

TEST_F(CacheDisk, ASweepIsDueOnceAnHour) {
  const Folder folder(path, Folder::Make::No);
  EXPECT_TRUE(folder.sweep_is_due());
  folder.sweep(1 << 20);
  EXPECT_FALSE(folder.sweep_is_due());
  set_time(path + "/.krait-swept", std::time(nullptr) - 2 * 3600);
  EXPECT_TRUE(folder.sweep_is_due());
  set_time(path + "/.krait-swept", std::time(nullptr) + 2 * 3600);
  EXPECT_TRUE(folder.sweep_is_due());
  set_time(path + "/.krait-swept", std::time(nullptr) + 60);  // a server's clock, or one that ticks
  EXPECT_FALSE(folder.sweep_is_due());
}

TEST_F(CacheDisk, ASweepTouchesNoOtherFile) {
  std::ofstream(path + "/notes.txt") << "mine";
  std::ofstream(path + "/.krait-new-young") << "being written";
  Disk(settings()).keep("name", "key", "source", "made");
  EXPECT_EQ(Folder(path, Folder::Make::No).sweep(0), 1u);
  EXPECT_TRUE(fs::exists(path + "/notes.txt") && fs::exists(path + "/.krait-new-young"));
}

// ---- settings -----------------------------------------------------------------------------------

struct CacheSettings : testing::Test {
  void SetUp() override {
    for (const char* v :
         {"KRAIT_CACHE", "KRAIT_CACHE_DIR", "KRAIT_CACHE_MAXSIZE", "XDG_CACHE_HOME"})
      unsetenv(v);
    setenv("HOME", "/home/me", 1);
  }
};

TEST_F(CacheSettings, Folder) {
  EXPECT_EQ(settings_from_environment().folder, "/home/me/.cache/krait");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(settings_from_environment().folder, "/home/me/.cache/krait");
  setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(settings_from_environment().folder, "/caches/krait");
  setenv("KRAIT_CACHE_DIR", "/here", 1);
  EXPECT_EQ(settings_from_environment().folder, "/here");
  setenv("KRAIT_CACHE_DIR", "there", 1);
  EXPECT_EQ(settings_from_environment().folder, fs::current_path().string() + "/there");
}

TEST_F(CacheSettings, ModeAndSize) {
  EXPECT_EQ(settings_from_environment().mode, Mode::ReadWrite);
  EXPECT_EQ(settings_from_environment().most_bytes, 1ull << 30);
  for (const auto& [text, mode] : {std::pair{"off", Mode::Off},
                                   {"memory", Mode::Memory},
                                   {"ro", Mode::ReadOnly},
                                   {"rw", Mode::ReadWrite}}) {
    setenv("KRAIT_CACHE", text, 1);
    EXPECT_EQ(settings_from_environment().mode, mode);
  }
  for (const auto& [text, bytes] : {std::pair{"1000", 1000ull},
                                    {"20K", 20ull << 10},
                                    {"3MiB", 3ull << 20},
                                    {"2G", 2ull << 30}}) {
    setenv("KRAIT_CACHE_MAXSIZE", text, 1);
    EXPECT_EQ(settings_from_environment().most_bytes, bytes);
  }
  for (const char* text : {"", "x", "-1", "1T", "99999999999999999999", "99999999999G", "1 G"})
    EXPECT_THROW(parse_size(text, ""), error) << text;
  setenv("KRAIT_CACHE_MAXSIZE", "lots", 1);
  try {
    settings_from_environment();
    FAIL();
  } catch (const error& e) {
    EXPECT_STREQ(e.message(),
                 "KRAIT_CACHE_MAXSIZE=lots: expected a number of bytes, such as 500M or 2G");
  }
  unsetenv("KRAIT_CACHE_MAXSIZE");
  setenv("KRAIT_CACHE", "yes", 1);
  try {
    settings_from_environment();
    FAIL();
  } catch (const error& e) {
    EXPECT_STREQ(e.message(), "KRAIT_CACHE=yes: expected rw, ro, memory or off");
  }
}

// ---- the table in memory ------------------------------------------------------------------------

using Table = InFlight<int>;

TEST(CacheInFlight, MakesOnceAndForgetsFailures) {
  Table table(4);
  bool first = false;
  EXPECT_THROW(
      table.find_or_make("a", first, []() -> Table::Shared { throw std::runtime_error("no"); }),
      std::runtime_error);
  const auto one = table.find_or_make("a", first, [] { return std::make_shared<int>(1); });
  EXPECT_TRUE(first);
  EXPECT_EQ(table.find_or_make("a", first, [] { return std::make_shared<int>(2); }), one);
  EXPECT_FALSE(first);
}

TEST(CacheInFlight, KeepsWhatIsUsedAndSomeOfWhatIsNot) {
  constexpr std::size_t idle = 4;
  Table table(idle);
  std::vector<Table::Shared> used;
  bool first = false;
  for (int i = 0; i < 20; ++i) {
    auto made =
        table.find_or_make(std::to_string(i), first, [&] { return std::make_shared<int>(i); });
    if (i % 4 == 0) used.push_back(made);
    made.reset();
    table.take_idle();
    EXPECT_LE(table.all().size(), used.size() + idle);
  }
  for (const auto& u : used)
    EXPECT_EQ(
        table.find_or_make(std::to_string(*u), first, []() -> Table::Shared { return nullptr; }),
        u);
  const auto last = table.find_or_make("19", first, [] { return std::make_shared<int>(-1); });
  EXPECT_EQ(*last, 19);  // the least recently asked for went first
}

TEST(CacheInFlight, AForkedChildMakesWhatWasInTheMaking) {
  Table table(4);
  std::atomic<bool> making{false}, go{false};
  std::thread maker([&] {
    bool first = false;
    table.find_or_make("a", first, [&] {
      making = true;
      while (!go) std::this_thread::yield();
      return std::make_shared<int>(1);
    });
  });
  while (!making) std::this_thread::yield();
  table.lock_for_fork();
  const pid_t child = fork();
  if (child == 0) {
    table.unlock_in_child();
    bool first = false;
    _exit(*table.find_or_make("a", first, [] { return std::make_shared<int>(7); }));
  }
  table.unlock_in_parent();
  go = true;
  maker.join();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

// ---- build ids ----------------------------------------------------------------------------------

TEST(BuildId, OfAFileIsThatOfWhatIsLoadedFromIt) {
  const std::string loaded = support::build_id_at(reinterpret_cast<const void*>(&encode));
  EXPECT_EQ(loaded.size(), 40u) << loaded;
  EXPECT_EQ(support::build_id_of_file("/proc/self/exe"), loaded);
  EXPECT_EQ(support::build_id_of_file("/proc/self/cmdline"), "");
  EXPECT_EQ(support::build_id_of_file("/nowhere"), "");
}

}  // namespace
}  // namespace krait::cache
