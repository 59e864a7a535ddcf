// Starts the program TARGET in every way that libc and the kernel have, and prints how each ended;
// then tries what cannot be started. TARGET is in FOLDER, which is the first in PATH.
#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>

#include "children.h"

extern char** environ;

static char target[600], folder[500];
static char* name = "target";
static void* volatile bad = (void*)8;
static char* words[] = {"target", "a", "b", NULL};

typedef void Form(void);

static void by_execl(void) {
  execl(target, "target", "a", "b", (char*)NULL);
}
static void by_execlp(void) {
  execlp(name, "target", "a", "b", (char*)NULL);
}
static void by_execle(void) {
  execle(target, "target", "a", "b", (char*)NULL, environ);
}
static void by_execv(void) {
  execv(target, words);
}
static void by_execve(void) {
  execve(target, words, environ);
}
static void by_execvp(void) {
  execvp(name, words);
}
static void by_execvpe(void) {
  execvpe(name, words, environ);
}
static void by_fexecve(void) {
  fexecve(open(target, O_RDONLY | O_CLOEXEC), words, environ);
}
static void by_path_descriptor(void) {
  fexecve(open(target, O_PATH | O_CLOEXEC), words, environ);
}
static void by_execveat(void) {
  execveat(open(folder, O_PATH | O_CLOEXEC), name, words, environ, 0);
}
static void by_syscall(void) {
  syscall(SYS_execve, target, words, environ);
}
static void by_syscall_at(void) {
  syscall(SYS_execveat, AT_FDCWD, target, words, environ, 0);
}
static void by_loader(void) {
  char* loaded[] = {"ld.so", "--argv0", "target", target, "a", "b", NULL};
  execve("/lib64/ld-linux-x86-64.so.2", loaded, environ);
}

static void forked(const char* how, Form* form) {
  pid_t pid = fork();
  if (pid == 0) {
    form();
    _exit(90);
  }
  say("%s: %d\n", how, status_of(pid));
}

static void vforked(const char* how, Form* form) {
  pid_t pid = vfork();
  if (pid == 0) {
    form();
    _exit(90);
  }
  say("%s after vfork: %d\n", how, status_of(pid));
}

// What the attempt says, and that the one after it is not disturbed.
static void failing(const char* how, const char* path) {
  char* const nothing[] = {NULL};
  errno = 0;
  int result = execve(path, words, environ);
  say("%s: %d, errno %d\n", how, result, errno);
  errno = 0;
  result = execvpe(path, words, nothing);
  say("%s by name: %d, errno %d\n", how, result, errno);
}

int main(int count, char** arguments) {
  require(count == 2, "the folder of the target");
  snprintf(folder, sizeof folder, "%s", arguments[1]);
  snprintf(target, sizeof target, "%s/%s", folder, name);
  char path[1200];
  snprintf(path, sizeof path, "/nonexistent:%s:%s", folder, getenv("PATH"));
  setenv("PATH", path, 1);
  void* block = take(1000);

  const struct {
    const char* how;
    Form* form;
  } forms[] = {
      {"execl", by_execl},      {"execlp", by_execlp},         {"execle", by_execle},
      {"execv", by_execv},      {"execve", by_execve},         {"execvp", by_execvp},
      {"execvpe", by_execvpe},  {"fexecve", by_fexecve},       {"execveat", by_execveat},
      {"syscall", by_syscall},  {"syscall at", by_syscall_at}, {"O_PATH", by_path_descriptor},
      {"the loader", by_loader}};
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
    forked(forms[i].how, forms[i].form);
    vforked(forms[i].how, forms[i].form);
  }

  pid_t pid = 0;
  require(posix_spawn(&pid, target, NULL, NULL, words, environ) == 0, "posix_spawn");
  say("posix_spawn: %d\n", status_of(pid));
  require(posix_spawnp(&pid, name, NULL, NULL, words, environ) == 0, "posix_spawnp");
  say("posix_spawnp: %d\n", status_of(pid));
  char line[700];
  snprintf(line, sizeof line, "%s a b", target);
  say("system: %d\n", WEXITSTATUS(system(line)));
  FILE* pipe = popen("target a b", "r");
  while (fgets(line, sizeof line, pipe) != NULL) say("popen: %s", line);
  say("popen: %d\n", WEXITSTATUS(pclose(pipe)));

  snprintf(path, sizeof path, "%s/text", folder);
  failing("a folder", folder);
  failing("nothing", "/nonexistent/target");
  failing("a file that is no program", "/etc/passwd");
  errno = 0;
  int result = execve(path, words, environ);
  say("text: %d, errno %d\n", result, errno);
  errno = 0;
  result = execve(bad, words, environ);
  say("a bad path: %d, errno %d\n", result, errno);
  errno = 0;
  result = execve(target, words, (char**)bad);
  say("a bad environment: %d, errno %d\n", result, errno);
  result = posix_spawn(&pid, "/nonexistent/target", NULL, NULL, words, environ);
  say("posix_spawn of nothing: %d\n", result);
  give(block);
  print_account();
  return 0;
}
