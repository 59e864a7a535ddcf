// Does something to every ledger in the folder named by its second argument, in mid-run: "delete",
// "replace" (by a file of its own with the same name), "rename" or "remove" (the folder too). A
// hard link in the current folder keeps the ledger for the test.
#include <dirent.h>
#include <fcntl.h>

#include "account.h"

static const char kOwn[] = "this file is the program's own\n";

static void treat(const char* how, const char* path, const char* kept) {
  if (strcmp(how, "rename") == 0) {
    require(rename(path, kept) == 0, "rename");
    return;
  }
  require(link(path, kept) == 0 && unlink(path) == 0, "link and unlink");
  if (strcmp(how, "replace") != 0) return;
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
  require(fd >= 0 && write(fd, kOwn, sizeof kOwn - 1) == (long)sizeof kOwn - 1, "a new file");
  close(fd);
}

int main(int count, char** arguments) {
  require(count == 4, "three arguments");
  churn(1000);
  DIR* folder = opendir(arguments[2]);
  require(folder != NULL, "opendir");
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    char path[1000], kept[1000];
    snprintf(path, sizeof path, "%s/%s", arguments[2], entry->d_name);
    snprintf(kept, sizeof kept, "%s/kept.ledger", arguments[3]);
    treat(arguments[1], path, kept);
  }
  closedir(folder);
  if (strcmp(arguments[1], "remove") == 0) require(rmdir(arguments[2]) == 0, "rmdir");
  churn(300000);
  print_account();
  return 0;
}
