// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files are made anew and renamed into place: a link that was there is replaced and never written
// through.
#include "support/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace krait::support {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() {
    std::string made = (fs::temp_directory_path() / "krait_files_XXXXXX").string();
    if (mkdtemp(made.data())) folder = made;
    std::ofstream(at("precious")) << "precious";
  }
  ~Files() override { fs::remove_all(folder); }

  std::string at(const char* name) const { return (folder / name).string(); }
  std::string text_of(const char* name) const {
    std::ifstream in(at(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  mode_t mode_of(const char* name) const {
    struct stat s {};
    return lstat(at(name).c_str(), &s) == 0 && S_ISREG(s.st_mode) ? s.st_mode & 0777 : 0;
  }

  fs::path folder;
};

TEST_F(Files, ALinkIsReplacedAndNotWrittenThrough) {
  for (const char* const name : {"link", "hard", "gone"}) {
    if (*name == 'h') fs::create_hard_link(at("precious"), at(name));
    else fs::create_symlink(*name == 'g' ? "/nowhere/at/all" : at("precious"), at(name));
    ASSERT_TRUE(write_file(at(name), {"ours", "!"}, own_file)) << name << errno;
    EXPECT_EQ(text_of(name), "ours!");
    EXPECT_EQ(mode_of(name), 0600u);
    EXPECT_EQ(text_of("precious"), "precious");
  }
  fs::create_symlink(at("precious"), at("open"));
  const int fd = create_file(at("open"), own_file);
  ASSERT_GE(fd, 0);
  EXPECT_TRUE(write_all(fd, "more"));
  close(fd);
  EXPECT_EQ(text_of("open"), "more");
  EXPECT_EQ(text_of("precious"), "precious");
}

TEST_F(Files, AFileIsReplacedWholeOrStays) {
  std::ofstream(at("file")) << "before";
  EXPECT_TRUE(write_file(at("file"), {"after"}, shared_file));
  EXPECT_EQ(text_of("file"), "after");
  EXPECT_FALSE(write_file(at("none/file"), {"x"}, shared_file));
  EXPECT_EQ(errno, ENOENT);
  fs::create_directory(at("folder"));
  EXPECT_FALSE(write_file(at("folder"), {"x"}, shared_file));
  EXPECT_EQ(errno, EISDIR);
  NewFile given_up(AT_FDCWD, at(""), own_file);
  ASSERT_TRUE(bool(given_up));
  EXPECT_TRUE(given_up.write("half"));
  EXPECT_FALSE(given_up.put(at("file"), false));
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(text_of("file"), "after");
}

TEST_F(Files, WhatIsGivenUpIsRemoved) {
  { NewFile file(AT_FDCWD, at(""), own_file); }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

TEST_F(Files, DevicesAreWrittenToAndStay) {
  EXPECT_TRUE(write_file("/dev/null", {"nothing"}, own_file));
  const int fd = create_file("/dev/null", own_file);
  EXPECT_GE(fd, 0);
  close(fd);
  struct stat s {};
  ASSERT_EQ(stat("/dev/null", &s), 0);
  EXPECT_TRUE(S_ISCHR(s.st_mode));
  // Anyone makes files below this one.
  const std::string shared = "/dev/shm/krait_files_" + std::to_string(getpid());
  if (symlink(at("precious").c_str(), shared.c_str()) != 0) return;
  EXPECT_TRUE(write_file(shared, {"ours"}, own_file));
  EXPECT_EQ(text_of("precious"), "precious");
  unlink(shared.c_str());
}

TEST_F(Files, AppendingTakesNoLink) {
  fs::create_symlink(at("precious"), at("link"));
  fs::create_hard_link(at("precious"), at("hard"));
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(open_to_append(at("link"), own_file, Only::NoLink), -1);
  EXPECT_EQ(errno, ELOOP);
  for (const char* const name : {"link", "hard", "pipe"})
    EXPECT_EQ(open_to_append(at(name), own_file, Only::Mine), -1) << name;
  for (int round = 0; round < 2; ++round) {
    const int fd = open_to_append(at("log"), own_file, Only::Mine);
    ASSERT_GE(fd, 0);
    EXPECT_TRUE(write_all(fd, "line\n"));
    close(fd);
  }
  EXPECT_EQ(text_of("log"), "line\nline\n");
  EXPECT_EQ(mode_of("log"), 0600u);
  EXPECT_EQ(text_of("precious"), "precious");
}

}  // namespace
}  // namespace krait::support
