#include "cli/doctor/folder.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace heapledger::cli::doctor {
namespace {

constexpr size_t kTriedBytes = 4096;

struct KnownFileSystem {
  unsigned long type;
  const char* name;
  bool remote;
};

// Those that <linux/magic.h> has no name for are as in statfs(2).
constexpr std::array<KnownFileSystem, 14> kKnown = {{
    {EXT4_SUPER_MAGIC, "ext4", false},
    {TMPFS_MAGIC, "tmpfs", false},
    {BTRFS_SUPER_MAGIC, "btrfs", false},
    {XFS_SUPER_MAGIC, "xfs", false},
    {F2FS_SUPER_MAGIC, "f2fs", false},
    {OVERLAYFS_SUPER_MAGIC, "overlayfs", false},
    {0x2fc12fc1, "zfs", false},
    {RAMFS_MAGIC, "ramfs", false},
    {MSDOS_SUPER_MAGIC, "vfat", false},
    {FUSE_SUPER_MAGIC, "fuse", false},
    {NFS_SUPER_MAGIC, "nfs", true},
    {0xff534d42, "cifs", true},
    {0xfe534d42, "smb", true},
    {V9FS_MAGIC, "9p", true},
}};

void try_mapping(int fd, FolderFacts& facts) {
  if (::ftruncate(fd, kTriedBytes) != 0) {
    facts.write_error = errno;
    return;
  }
  void* const place = ::mmap(nullptr, kTriedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (place == MAP_FAILED) {
    facts.map_error = errno;
    return;
  }
  ::munmap(place, kTriedBytes);
}

// Where files without a name are not to be had, one that is removed at once.
int open_scratch(const std::string& folder, FolderFacts& facts) {
  int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  facts.nameless_files = fd >= 0;
  if (fd >= 0) return fd;
  std::string name = folder + "/.heapledger-doctor-XXXXXX";
  fd = ::mkostemp(name.data(), O_CLOEXEC);
  facts.write_error = fd < 0 ? errno : 0;
  if (fd >= 0) ::unlink(name.c_str());
  return fd;
}

}  // namespace

FolderFacts look_at_folder(const std::string& folder) {
  FolderFacts facts;
  struct statfs disk;
  if (::statfs(folder.c_str(), &disk) == 0) {
    facts.free_bytes = static_cast<uint64_t>(disk.f_bavail) * static_cast<uint64_t>(disk.f_bsize);
    for (const KnownFileSystem& known : kKnown) {
      if (static_cast<unsigned>(disk.f_type) != static_cast<unsigned>(known.type)) continue;
      facts.file_system = known.name;
      facts.remote = known.remote;
    }
  }
  const int fd = open_scratch(folder, facts);
  if (fd < 0) return facts;
  // A limit on the size of files is to be met as an error, not as a signal.
  const auto before = ::signal(SIGXFSZ, SIG_IGN);
  facts.reserves = ::fallocate(fd, 0, 0, kTriedBytes) == 0;
  if (!facts.reserves && errno != EOPNOTSUPP && errno != ENOSYS) {
    facts.write_error = errno;
  } else {
    try_mapping(fd, facts);
  }
  ::signal(SIGXFSZ, before);
  ::close(fd);
  return facts;
}

}  // namespace heapledger::cli::doctor
