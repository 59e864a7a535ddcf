// dlmopen: the plugin gets a libc of its own, with a heap of its own, in which we are not.
#include "load.h"

int main(int count, char** arguments) {
  (void)count;
  find_plugins(arguments[0]);
  char path[800];
  snprintf(path, sizeof path, "%sloader_plugin_one.so", plugin_folder);
  void* plugin = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
  require(plugin != NULL, "dlmopen");
  void* blocks[50];
  for (int round = 0; round < 100; ++round) {
    find_call(plugin, "plugin_take")(blocks, 50);
    churn(100);
    find_call(plugin, "plugin_give")(blocks, 50);
  }
  dlclose(plugin);
  churn(1000);
  print_account();
  return 0;
}
