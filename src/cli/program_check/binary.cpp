#include "cli/program_check/binary.h"

#include <elf.h>
#include <sys/stat.h>

#include <string_view>

#include "text/text.h"

namespace heapledger::cli::program_check {
namespace {

std::string machine_name(const elf::ElfImage& image) {
  switch (image.machine) {
    case EM_X86_64:
      return image.wide ? "x86-64" : "x32";
    case EM_386:
      return "32-bit x86";
    case EM_AARCH64:
      return "AArch64";
    case EM_ARM:
      return "32-bit ARM";
    case EM_RISCV:
      return image.wide ? "64-bit RISC-V" : "32-bit RISC-V";
    case EM_PPC64:
      return "64-bit PowerPC";
    case EM_S390:
      return "s390";
    default:
      return "ELF machine " + std::to_string(image.machine);
  }
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool starts_with_one_of(std::string_view text, std::initializer_list<std::string_view> starts) {
  for (const std::string_view start : starts) {
    if (text.starts_with(start)) return true;
  }
  return false;
}

// The C library that a loader belongs to; empty for glibc, the one the runtime is made for.
std::string foreign_library(const std::string& loader) {
  const std::string_view name = base_name(loader);
  if (starts_with_one_of(name, {"ld-linux", "ld64.so", "ld.so", "ld-2."})) return {};
  if (name.starts_with("ld-musl")) return "musl";
  if (name.starts_with("ld-uClibc") || name.starts_with("ld64-uClibc")) return "uClibc";
  if (starts_with_one_of(name, {"linker"})) return "Android's C library";
  return "another C library";
}

// Sanitizers that do not start, or crash, or find nothing any more, with another library in front.
// The runtime decides the same for what a program starts (runtime/os/elf_program.cpp).
std::string needed_sanitizer(const elf::ElfImage& image) {
  for (const std::string& library : image.needed) {
    if (starts_with_one_of(library, {"libasan.so", "libclang_rt.asan"})) return "AddressSanitizer";
    if (starts_with_one_of(library, {"libhwasan.so", "libclang_rt.hwasan"})) {
      return "HWAddressSanitizer";
    }
    if (starts_with_one_of(library, {"libtsan.so", "libclang_rt.tsan"})) return "ThreadSanitizer";
    if (starts_with_one_of(library, {"liblsan.so", "libclang_rt.lsan"})) return "LeakSanitizer";
    if (library.starts_with("libclang_rt.msan")) return "MemorySanitizer";
  }
  return {};
}

bool is_sanitizer(const std::string& allocator) {
  return allocator.ends_with("Sanitizer");
}

ProgramFinding other_machine(const std::string& name, const elf::ElfImage& image,
                             const elf::ElfImage& own) {
  return {FindingKind::kOtherMachine,
          name + " is a program for " + machine_name(image) + ", and this Heapledger records " +
              machine_name(own) + " programs.",
          "Build the program for " + machine_name(own) + ", or build Heapledger for " +
              machine_name(image) + " and use that."};
}

ProgramFinding static_program(const std::string& name) {
  return {
      FindingKind::kStatic,
      name +
          " is statically linked: no loader runs that could bring the recorder in, and "
          "its allocator is part of it.",
      "Link it dynamically, without -static or -static-pie, or link the recorder in with the flags "
      "that `heapledger link-flags --static` prints."};
}

ProgramFinding other_library(const std::string& name, const std::string& loader,
                             const std::string& library) {
  return {FindingKind::kOtherLibrary,
          name + " is linked with " + library + " (its loader is " + quoted(loader) +
              "); the recorder can be loaded with glibc only.",
          "Build the program for glibc, the usual C library of Linux, and record that."};
}

ProgramFinding sanitizer(const std::string& name, const std::string& which) {
  return {FindingKind::kSanitizer,
          name + " is built with " + which +
              ", which brings an allocator of its own that lets nothing come before it.",
          "Build it without -fsanitize=… and record that."};
}

std::string allocator_phrase(const elf::ElfImage& image) {
  return image.allocator.empty() ? "an allocator of its own" : "its own copy of " + image.allocator;
}

ProgramFinding allocator_inside(const std::string& name, const elf::ElfImage& image) {
  const bool hidden = !image.exports_malloc;
  return {hidden ? FindingKind::kAllocatorHidden : FindingKind::kAllocatorInside,
          name + " contains " + allocator_phrase(image) + ": " +
              (hidden ? "its own calls of malloc never leave it, so they cannot be recorded."
                      : "malloc in an executable comes before any that is preloaded, so nothing "
                        "would be recorded."),
          std::string("Build it with the allocator of the C library, or link the allocator as a "
                      "shared library") +
              (image.allocator.empty() ? "." : " (lib" + image.allocator + ".so).")};
}

ProgramFinding prefixed_allocator(const std::string& name, const elf::ElfImage& image) {
  return {FindingKind::kPrefixedAllocator,
          name + " contains " + allocator_phrase(image) +
              " under names other than malloc: what goes through it is not recorded.",
          "Build it with the allocator of the C library for a full recording.", false};
}

// A dynamic loader run as a program has no loader itself, and preloads as always.
bool is_loader(const elf::ElfImage& image) {
  return base_name(image.soname).starts_with("ld");
}

void add_allocator_findings(const std::string& name, const elf::ElfImage& image,
                            std::vector<ProgramFinding>& findings) {
  const std::string needed = needed_sanitizer(image);
  if (!needed.empty()) {
    findings.push_back(sanitizer(name, needed));
  } else if (image.exports_malloc || image.hides_malloc) {
    findings.push_back(is_sanitizer(image.allocator) ? sanitizer(name, image.allocator)
                                                     : allocator_inside(name, image));
  } else if (image.prefixed_allocator) {
    findings.push_back(prefixed_allocator(name, image));
  }
}

}  // namespace

std::vector<ProgramFinding> binary_findings(const std::string& name, const elf::ElfImage& image,
                                            const elf::ElfImage& own) {
  std::vector<ProgramFinding> findings;
  if (!image.damaged && (image.machine != own.machine || !image.native)) {
    return {other_machine(name, image, own)};
  }
  if (image.damaged || (image.type != ET_EXEC && image.type != ET_DYN)) {
    return {{FindingKind::kNotExecutable,
             name + (image.damaged ? " is damaged: it is cut short, or its headers are wrong."
                                   : " is not a program, though its file may be executed."),
             "Build or install it again."}};
  }
  if (!image.loader) {
    if (!is_loader(image) && !image.holds_recorder) findings.push_back(static_program(name));
    return findings;
  }
  struct stat info;
  if (::stat(image.loader->c_str(), &info) != 0) {
    findings.push_back(
        {FindingKind::kNotFound,
         name + " needs the loader " + quoted(*image.loader) + ", which is not on this machine.",
         "Install the C library it was built for, or build it here."});
  }
  const std::string library = foreign_library(*image.loader);
  if (!library.empty()) findings.push_back(other_library(name, *image.loader, library));
  add_allocator_findings(name, image, findings);
  return findings;
}

}  // namespace heapledger::cli::program_check
