// What `heapledger run` notices about a program before it runs, shown on binaries that the compiler
// makes here and now, and on such binaries bent into what is not at hand.
#include "cli/program_check/program_check.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program_check/path.h"
#include "cli/program_check/script.h"

#ifndef HEAPLEDGER_TEST_CC
#define HEAPLEDGER_TEST_CC "cc"
#endif

namespace heapledger::cli::program_check {
namespace {

namespace fs = std::filesystem;

using Kinds = std::vector<FindingKind>;

constexpr const char* kPlainMain = "int main(void) { return 0; }\n";

class ProgramCheckTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "program-check-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& content, int mode = 0755) const {
    std::ofstream(path(name), std::ios::binary) << content;
    ::chmod(path(name).c_str(), static_cast<mode_t>(mode));
    return path(name);
  }

  static std::string read(const std::string& file) {
    std::ostringstream content;
    content << std::ifstream(file, std::ios::binary).rdbuf();
    return content.str();
  }

  // The path of the program, or empty when the compiler here cannot make it.
  std::string compile(const std::string& name, const std::string& source,
                      const std::string& flags) const {
    const std::string file = write(name + ".c", source, 0644);
    const std::string command = std::string(HEAPLEDGER_TEST_CC) + " -w -fno-builtin -o '" +
                                path(name) + "' '" + file + "' " + flags + " 2>'" +
                                path(name + ".log") + "'";
    return std::system(command.c_str()) == 0 ? path(name) : "";
  }

  std::string compile_plain(const std::string& name = "plain") const {
    std::string program = compile(name, kPlainMain, "");
    EXPECT_FALSE(program.empty()) << read(path(name + ".log"));
    return program;
  }

  static Kinds kinds(const ProgramCheck& check) {
    Kinds found;
    for (const ProgramFinding& finding : check.findings) found.push_back(finding.kind);
    return found;
  }
  static Kinds kinds_of(const std::string& command) { return kinds(check_program(command, "")); }

  fs::path folder_;
};

ElfW(Ehdr) header_of(const std::string& image) {
  ElfW(Ehdr) header;
  std::memcpy(&header, image.data(), sizeof header);
  return header;
}

std::vector<ElfW(Phdr)> program_headers_of(const std::string& image) {
  const ElfW(Ehdr) header = header_of(image);
  std::vector<ElfW(Phdr)> headers(header.e_phnum);
  std::memcpy(headers.data(), image.data() + header.e_phoff, headers.size() * sizeof(ElfW(Phdr)));
  return headers;
}

TEST_F(ProgramCheckTest, an_ordinary_program_raises_nothing) {
  const std::string program = compile_plain();
  const ProgramCheck check = check_program(program, "");
  EXPECT_EQ(kinds(check), Kinds{});
  EXPECT_EQ(check.executable, program);
  EXPECT_FALSE(check.refused());
  EXPECT_EQ(check.exec_failure(), 0);
}

TEST_F(ProgramCheckTest, a_static_program_is_told) {
  const std::string program = compile("static", kPlainMain, "-static");
  if (program.empty()) GTEST_SKIP() << "no static C library here";
  EXPECT_EQ(kinds_of(program), Kinds{FindingKind::kStatic});
}

TEST_F(ProgramCheckTest, a_static_pie_is_told) {
  const std::string program = compile("static-pie", kPlainMain, "-static-pie");
  if (program.empty()) GTEST_SKIP() << "no static C library here";
  EXPECT_EQ(kinds_of(program), Kinds{FindingKind::kStatic});
}

TEST_F(ProgramCheckTest, the_loader_run_as_a_program_is_not_taken_for_static) {
  const std::string image = read(compile_plain());
  for (const ElfW(Phdr) & part : program_headers_of(image)) {
    if (part.p_type != PT_INTERP) continue;
    EXPECT_EQ(kinds_of(image.data() + part.p_offset), Kinds{});
    return;
  }
  FAIL() << "the compiler made a program without a loader";
}

TEST_F(ProgramCheckTest, malloc_in_the_executable_is_told) {
  const std::string program = compile("own-malloc",
                                      "void* malloc(unsigned long n) { return 0; }\n"
                                      "int main(void) { return malloc(1) != 0; }\n",
                                      "");
  ASSERT_FALSE(program.empty());
  EXPECT_EQ(kinds_of(program), Kinds{FindingKind::kAllocatorInside});
}

TEST_F(ProgramCheckTest, malloc_in_the_executable_is_told_when_stripped) {
  const std::string program = compile("own-malloc",
                                      "void* malloc(unsigned long n) { return 0; }\n"
                                      "int main(void) { return malloc(1) != 0; }\n",
                                      "-s");
  ASSERT_FALSE(program.empty());
  EXPECT_EQ(kinds_of(program), Kinds{FindingKind::kAllocatorInside});
}

TEST_F(ProgramCheckTest, a_known_allocator_is_named) {
  const std::pair<const char*, const char*> names[] = {
      {"mallctl", "jemalloc"}, {"tc_malloc", "tcmalloc"}, {"mi_malloc", "mimalloc"}};
  for (const auto& [symbol, name] : names) {
    const std::string program = compile(name,
                                        std::string("void* malloc(unsigned long n) { return 0; }\n"
                                                    "void* ") +
                                            symbol +
                                            "(unsigned long n) { return malloc(n); }\n"
                                            "int main(void) { return malloc(1) != 0; }\n",
                                        "");
    ASSERT_FALSE(program.empty());
    const ProgramCheck check = check_program(program, "");
    ASSERT_EQ(kinds(check), Kinds{FindingKind::kAllocatorInside});
    EXPECT_NE(check.findings[0].text.find(name), std::string::npos) << check.findings[0].text;
  }
}

TEST_F(ProgramCheckTest, malloc_that_the_executable_keeps_to_itself_is_told) {
  const std::string program = compile(
      "hidden-malloc",
      "__attribute__((visibility(\"hidden\"))) void* malloc(unsigned long n) { return 0; }\n"
      "int main(void) { return malloc(1) != 0; }\n",
      "");
  ASSERT_FALSE(program.empty());
  EXPECT_EQ(kinds_of(program), Kinds{FindingKind::kAllocatorHidden});
}

TEST_F(ProgramCheckTest, calling_malloc_and_taking_its_address_is_not_defining_it) {
  const std::string source =
      "void* malloc(unsigned long);\n"
      "void* (*volatile pointer)(unsigned long) = malloc;\n"
      "int main(void) { return pointer(1) == 0 || malloc(2) == 0; }\n";
  for (const char* flags : {"-pie -fPIE", "-no-pie -fno-pie"}) {
    const std::string program = compile("caller", source, flags);
    ASSERT_FALSE(program.empty());
    EXPECT_EQ(kinds_of(program), Kinds{}) << flags;
  }
}

TEST_F(ProgramCheckTest, an_allocator_under_other_names_is_worth_a_note_only) {
  const std::string program = compile("prefixed",
                                      "void* _rjem_malloc(unsigned long n) { return 0; }\n"
                                      "int main(void) { return _rjem_malloc(1) != 0; }\n",
                                      "");
  ASSERT_FALSE(program.empty());
  const ProgramCheck check = check_program(program, "");
  EXPECT_EQ(kinds(check), Kinds{FindingKind::kPrefixedAllocator});
  EXPECT_FALSE(check.refused());
}

TEST_F(ProgramCheckTest, a_sanitizer_that_wants_to_be_first_is_told) {
  ASSERT_FALSE(
      compile("libfake.so", "int fake;\n", "-shared -fPIC -Wl,-soname,libasan.so.8").empty());
  const std::string program =
      compile("sanitized", kPlainMain, "-Wl,--no-as-needed '" + path("libfake.so") + "'");
  ASSERT_FALSE(program.empty());
  EXPECT_EQ(kinds_of(program), Kinds{FindingKind::kSanitizer});
}

TEST_F(ProgramCheckTest, another_machine_is_told) {
  std::string image = read(compile_plain());
  ElfW(Ehdr) header = header_of(image);
  header.e_machine = header.e_machine == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;
  std::memcpy(image.data(), &header, sizeof header);
  EXPECT_EQ(kinds_of(write("foreign", image)), Kinds{FindingKind::kOtherMachine});
}

TEST_F(ProgramCheckTest, another_word_size_is_told) {
  std::string image = read(compile_plain());
  image[EI_CLASS] = image[EI_CLASS] == ELFCLASS64 ? ELFCLASS32 : ELFCLASS64;
  EXPECT_EQ(kinds_of(write("narrow", image)), Kinds{FindingKind::kOtherMachine});
}

TEST_F(ProgramCheckTest, another_byte_order_is_told) {
  std::string image = read(compile_plain());
  image[EI_DATA] = image[EI_DATA] == ELFDATA2LSB ? ELFDATA2MSB : ELFDATA2LSB;
  EXPECT_EQ(kinds_of(write("swapped", image)), Kinds{FindingKind::kOtherMachine});
}

TEST_F(ProgramCheckTest, another_c_library_is_told) {
  std::string image = read(compile_plain());
  // A loader that is there, so that its name alone decides.
  const std::string loader = write("ld-musl-x.so.1", "", 0755);
  const size_t end = image.size();
  image += loader + '\0';
  ElfW(Ehdr) header = header_of(image);
  for (size_t i = 0; i < header.e_phnum; ++i) {
    char* const place = image.data() + header.e_phoff + i * sizeof(ElfW(Phdr));
    ElfW(Phdr) part;
    std::memcpy(&part, place, sizeof part);
    if (part.p_type != PT_INTERP) continue;
    part.p_offset = end;
    part.p_filesz = loader.size() + 1;
    std::memcpy(place, &part, sizeof part);
  }
  const ProgramCheck check = check_program(write("musl", image), "");
  ASSERT_EQ(kinds(check), Kinds{FindingKind::kOtherLibrary});
  EXPECT_NE(check.findings[0].text.find("musl"), std::string::npos);

  fs::remove(loader);
  const ProgramCheck without = check_program(path("musl"), "");
  EXPECT_EQ(kinds(without), (Kinds{FindingKind::kNotFound, FindingKind::kOtherLibrary}));
  EXPECT_EQ(without.exec_failure(), 127);
}

TEST_F(ProgramCheckTest, a_setuid_program_of_another_user_is_told) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  struct statvfs mount;
  ASSERT_EQ(::statvfs(folder_.c_str(), &mount), 0);
  if ((mount.f_flag & ST_NOSUID) != 0) GTEST_SKIP() << "mounted nosuid";
  const std::string program = compile_plain();
  ASSERT_EQ(::chown(program.c_str(), 65534, 65534), 0);
  EXPECT_EQ(kinds_of(program), Kinds{});
  ASSERT_EQ(::chmod(program.c_str(), 04755), 0);
  EXPECT_EQ(kinds_of(program), Kinds{FindingKind::kPrivileged});
  ASSERT_EQ(::chmod(program.c_str(), 02755), 0);
  EXPECT_EQ(kinds_of(program), Kinds{FindingKind::kPrivileged});
  // Our own setuid program gives us nothing that we do not have.
  ASSERT_EQ(::chown(program.c_str(), ::getuid(), ::getgid()), 0);
  ASSERT_EQ(::chmod(program.c_str(), 06755), 0);
  EXPECT_EQ(kinds_of(program), Kinds{});
}

TEST_F(ProgramCheckTest, a_program_cut_short_is_told_wherever_it_is_cut) {
  const std::string image = read(compile_plain());
  size_t loaded = 0;
  for (const ElfW(Phdr) & part : program_headers_of(image)) {
    if (part.p_type == PT_LOAD) loaded = std::max<size_t>(loaded, part.p_offset + part.p_filesz);
  }
  ASSERT_GT(loaded, sizeof(ElfW(Ehdr)));
  for (size_t bytes = SELFMAG; bytes < loaded; bytes += 13) {
    const ProgramCheck check = check_program(write("cut", image.substr(0, bytes)), "");
    ASSERT_EQ(kinds(check), Kinds{FindingKind::kNotExecutable}) << "cut at " << bytes;
    ASSERT_EQ(check.exec_failure(), 126);
  }
  // What comes after (sections, symbols) is not needed to run.
  EXPECT_EQ(kinds_of(write("cut", image.substr(0, loaded))), Kinds{});
}

TEST_F(ProgramCheckTest, no_content_of_the_headers_does_harm) {
  const std::string image = read(compile_plain());
  const ElfW(Ehdr) header = header_of(image);
  std::mt19937 random(20240);
  std::vector<size_t> targets;  // bytes of the headers of file, program and sections
  for (size_t i = 0; i < sizeof header; ++i) targets.push_back(i);
  for (size_t i = 0; i < header.e_phnum * sizeof(ElfW(Phdr)); ++i) {
    targets.push_back(header.e_phoff + i);
  }
  for (size_t i = 0; i < header.e_shnum * sizeof(ElfW(Shdr)); ++i) {
    targets.push_back(header.e_shoff + i);
  }
  const unsigned char values[] = {0, 1, 2, 0x7f, 0x80, 0xff};
  for (int round = 0; round < 3000; ++round) {
    std::string bent = image;
    const int changes = 1 + static_cast<int>(random() % 8);
    for (int i = 0; i < changes; ++i) {
      bent[targets[random() % targets.size()]] =
          static_cast<char>(values[random() % std::size(values)]);
    }
    const std::string file = write("bent", bent);
    ASSERT_EQ(check_program(file, "").executable, file);
  }
}

TEST_F(ProgramCheckTest, a_script_is_followed_to_its_interpreter) {
  const std::string inside = compile("own-malloc",
                                     "void* malloc(unsigned long n) { return 0; }\n"
                                     "int main(void) { return malloc(1) != 0; }\n",
                                     "");
  const std::string plain = compile_plain();
  EXPECT_EQ(kinds_of(write("good", "#!" + plain + "\n")), Kinds{});
  const ProgramCheck check = check_program(write("script", "#! " + inside + " -x\n"), "");
  EXPECT_EQ(kinds(check), Kinds{FindingKind::kAllocatorInside});
  EXPECT_EQ(check.executable, inside);
  EXPECT_EQ(kinds_of(write("outer", "#!" + path("script") + "\n")),
            Kinds{FindingKind::kAllocatorInside});
}

TEST_F(ProgramCheckTest, a_script_without_its_interpreter_cannot_be_found) {
  const ProgramCheck check = check_program(write("script", "#!" + path("nowhere") + "\n"), "");
  EXPECT_EQ(kinds(check), Kinds{FindingKind::kNotFound});
  EXPECT_EQ(check.exec_failure(), 127);
}

TEST_F(ProgramCheckTest, a_script_that_runs_itself_ends_the_search) {
  const ProgramCheck check = check_program(write("script", "#!" + path("script") + "\n"), "");
  EXPECT_EQ(kinds(check), Kinds{FindingKind::kNotExecutable});
}

TEST_F(ProgramCheckTest, an_env_script_is_followed_through_the_search_path) {
  ASSERT_FALSE(compile("own-malloc",
                       "void* malloc(unsigned long n) { return 0; }\n"
                       "int main(void) { return malloc(1) != 0; }\n",
                       "")
                   .empty());
  const std::string script = write("script", "#!/usr/bin/env own-malloc\n");
  EXPECT_EQ(kinds(check_program(script, folder_.c_str())), Kinds{FindingKind::kAllocatorInside});
  EXPECT_EQ(kinds(check_program(script, "/nowhere")), Kinds{FindingKind::kNotFound});
  EXPECT_EQ(kinds(check_program(write("split", "#!/usr/bin/env -S A=1 own-malloc -u\n"),
                                folder_.c_str())),
            Kinds{FindingKind::kAllocatorInside});
  EXPECT_EQ(
      kinds(check_program(write("clear", "#!/usr/bin/env -S -i own-malloc\n"), folder_.c_str())),
      (Kinds{FindingKind::kClearedEnvironment, FindingKind::kAllocatorInside}));
}

TEST_F(ProgramCheckTest, text_without_a_first_line_goes_to_the_shell_unchallenged) {
  EXPECT_EQ(kinds_of(write("text", "echo hello\n")), Kinds{});
  EXPECT_EQ(kinds_of(write("empty", "")), Kinds{});
}

TEST_F(ProgramCheckTest, the_search_path_is_searched_as_exec_does) {
  fs::create_directory(path("first"));
  fs::create_directory(path("second"));
  fs::create_directory(path("third"));
  write("first/tool", "x", 0644);
  fs::create_directory(path("second/tool"));
  const std::string folders = path("first") + ":" + path("second") + ":" + path("third");
  EXPECT_EQ(find_program("tool", folders.c_str()).error, EACCES);
  write("third/tool", "x", 0755);
  EXPECT_EQ(find_program("tool", folders.c_str()).path, path("third/tool"));
  EXPECT_EQ(find_program("other", folders.c_str()).error, ENOENT);
  EXPECT_EQ(find_program("", folders.c_str()).error, ENOENT);
  EXPECT_EQ(find_program(path("first/tool"), "").error, EACCES);
  EXPECT_EQ(find_program(path("first"), "").error, EACCES);
  EXPECT_EQ(find_program(path("third/tool/deeper"), "").error, ENOTDIR);
  EXPECT_EQ(find_program("sh", nullptr).error, 0);
}

TEST(ScriptLine, is_read_as_the_kernel_reads_it) {
  const auto line = parse_script_line("#! \t/bin/tool  one two \t\nmore");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->interpreter, "/bin/tool");
  EXPECT_EQ(line->argument, "one two");
  EXPECT_FALSE(parse_script_line("#!\n/bin/sh"));
  EXPECT_FALSE(parse_script_line("# !/bin/sh\n"));
  EXPECT_FALSE(parse_script_line("#"));
  EXPECT_FALSE(parse_script_line(""));
  EXPECT_EQ(parse_script_line("#!/bin/sh\r\n")->interpreter, "/bin/sh\r");
}

TEST(EnvArgument, names_the_program_that_env_starts) {
  EXPECT_EQ(parse_env_argument("python3").program, "python3");
  EXPECT_EQ(parse_env_argument("-S python3 -u").program, "python3");
  EXPECT_EQ(parse_env_argument("-Spython3 -u").program, "python3");
  EXPECT_EQ(parse_env_argument("-vS python3").program, "python3");
  EXPECT_EQ(parse_env_argument("--split-string=python3 -u").program, "python3");
  EXPECT_EQ(parse_env_argument("-S -u HOME A=1 python3").program, "python3");
  EXPECT_EQ(parse_env_argument("").program, "");
  EXPECT_EQ(parse_env_argument("-S").program, "");
  EXPECT_FALSE(parse_env_argument("python3 -i").clears_environment);
  EXPECT_FALSE(parse_env_argument("-S python3 -i").clears_environment);
  EXPECT_TRUE(parse_env_argument("-S -i python3").clears_environment);
  EXPECT_TRUE(parse_env_argument("-iS python3").clears_environment);
}

}  // namespace
}  // namespace heapledger::cli::program_check
