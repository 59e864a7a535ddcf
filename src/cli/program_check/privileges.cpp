#include "cli/program_check/privileges.h"

#include <endian.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace heapledger::cli::program_check {
namespace {

// Mounted nosuid, or no_new_privs: the kernel then ignores what the file would grant.
bool privileges_ignored(const std::string& path) {
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return true;
  struct statvfs mount;
  return ::statvfs(path.c_str(), &mount) == 0 && (mount.f_flag & ST_NOSUID) != 0;
}

bool grants_capabilities(const std::string& path) {
  struct vfs_ns_cap_data caps = {};
  const ssize_t bytes = ::getxattr(path.c_str(), "security.capability", &caps, sizeof caps);
  if (bytes < static_cast<ssize_t>(sizeof caps.magic_etc)) return false;
  if ((le32toh(caps.magic_etc) & VFS_CAP_FLAGS_EFFECTIVE) != 0) return true;
  return caps.data[0].permitted != 0 || caps.data[1].permitted != 0;
}

}  // namespace

Privilege gained_privilege(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0 || privileges_ignored(path)) return Privilege::kNone;
  // The loader compares the effective ids after exec with the real ones.
  const bool user_bit = (info.st_mode & S_ISUID) != 0;
  if ((user_bit ? info.st_uid : ::geteuid()) != ::getuid()) return Privilege::kUser;
  // Without the group's execute bit, setgid means something else.
  const bool group_bit = (info.st_mode & S_ISGID) != 0 && (info.st_mode & S_IXGRP) != 0;
  if ((group_bit ? info.st_gid : ::getegid()) != ::getgid()) return Privilege::kGroup;
  if (::getuid() != 0 && grants_capabilities(path)) return Privilege::kCapabilities;
  return Privilege::kNone;
}

}  // namespace heapledger::cli::program_check
