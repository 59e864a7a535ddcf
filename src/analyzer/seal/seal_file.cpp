#include "analyzer/seal/seal_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "analyzer/error.h"
#include "analyzer/ledger_file.h"
#include "analyzer/seal/replacement_file.h"
#include "analyzer/seal/replacing.h"
#include "analyzer/seal/sealed_file.h"
#include "analyzer/seal/writers.h"

namespace heapledger::seal {
namespace {

void refuse_when_in_use(const std::string& path, uint32_t pid) {
  if (!has_writer(path, pid)) return;
  throw Error(path + ": is still being written by a program (process " + std::to_string(pid) +
                  "); seal it when that has ended",
              ErrorKind::kQuestion);
}

// Seldom is a sealed ledger larger than half of the raw one.
void look_for_room(const std::string& target, uint64_t raw_bytes) {
  const uint64_t wanted = raw_bytes / 2;
  const uint64_t there = free_space(target);
  if (there >= wanted) return;
  throw Error("no room to seal into " + target + ": it may take " + std::to_string(wanted >> 20) +
                  " MiB, and " + std::to_string(there >> 20) +
                  " MiB are free. -o OUT writes it to another disk",
              ErrorKind::kSystem);
}

}  // namespace

struct stat file_status(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) {
    throw Error("cannot open " + path + ": " + std::strerror(errno), ErrorKind::kQuestion);
  }
  return status;
}

std::string real_path(const std::string& path) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

void put_in_place(ReplacementFile& file, uint64_t bytes, const std::string& target, bool replace) {
  LedgerFile written(open_file(file.flush()));
  if (!written.sealed() || written.size() != bytes) {
    throw Error(target + ": what was written cannot be read back; nothing was changed",
                ErrorKind::kSystem);
  }
  file.commit(replace);
}

bool is_sealed_file(const std::string& path) {
  auto source = open_file(path);
  unsigned char first[sizeof format::kSealedMagic];
  size_t got = source->read(0, first, sizeof first);
  return SealedFile::is_sealed({first, got});
}

void check_not_in_use(const std::string& path) {
  const std::string from = real_path(path);
  format::FileHeader header{};
  if (open_file(from)->read(0, &header, sizeof header) == sizeof header) {
    refuse_when_in_use(from, header.pid);
  }
}

SealFacts seal_file(const std::string& path, const std::string& target,
                    const SealOptions& options) {
  const std::string from = real_path(path);
  const std::string to = real_path(target);
  const struct stat status = file_status(from);
  const bool replace = from == to;
  if (!replace && std::filesystem::exists(std::filesystem::symlink_status(to))) {
    throw Error(target + ": is there already; choose another name", ErrorKind::kQuestion);
  }
  {
    LedgerFile raw(open_file(from));
    if (raw.sealed()) throw Error(path + ": is sealed already", ErrorKind::kQuestion);
    refuse_when_in_use(from, raw.header().pid);
    look_for_room(to, raw.work_bytes());
  }
  ReplacementFile file(to, status);
  SealFacts facts = seal([&from] { return open_file(from); }, file, options);
  put_in_place(file, facts.sealed_bytes, target, replace);
  return facts;
}

}  // namespace heapledger::seal
