// Execs itself under a filter that refuses what a recorder needs (mmap of files for writing is
// needed by the loader too, so only fallocate, ftruncate, pwrite64 and memfd_create are refused).
#include "filter.h"

int main(int count, char** arguments) {
  if (count == 2) {
    churn(100000);
    print_account();
    return 16;
  }
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ftruncate, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
  };
  struct sock_fprog filter = {sizeof rules / sizeof rules[0], rules};
  require(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "no new privileges");
  require(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0, "a filter");
  execl(arguments[0], arguments[0], "again", (char*)NULL);
  return 127;
}
