// Files with a content that can be checked, in the current folder.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include "account.h"

enum { kFileBytes = 8192 };

static inline char file_byte(int file, int at) {
  return (char)(file * 31 + at * 7 + at / 251);
}

// Opens file number `file` anew and writes its content; returns the descriptor.
__attribute__((unused)) static int write_file(int file) {
  char name[32], content[kFileBytes];
  snprintf(name, sizeof name, "data-%d", file);
  for (int i = 0; i < kFileBytes; ++i) content[i] = file_byte(file, i);
  int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
  require(fd >= 0, "open");
  require(write(fd, content, kFileBytes) == kFileBytes, "write to a file of one's own");
  return fd;
}

// Demands that what is behind `fd` is exactly the content of file number `file`.
__attribute__((unused)) static void check_file(int fd, int file) {
  char content[kFileBytes + 1];
  struct stat facts;
  require(fstat(fd, &facts) == 0 && facts.st_size == kFileBytes, "the file's size");
  require(pread(fd, content, sizeof content, 0) == kFileBytes, "the file's bytes");
  for (int i = 0; i < kFileBytes; ++i)
    require(content[i] == file_byte(file, i), "the file's content");
  require(lseek(fd, 0, SEEK_CUR) == kFileBytes, "the file's position");
}
