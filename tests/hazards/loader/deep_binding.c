// A plugin loaded with RTLD_DEEPBIND finds libc's malloc before ours. Blocks go both ways: taken
// there and freed here, taken here and freed there.
#include "load.h"

int main(int count, char** arguments) {
  (void)count;
  find_plugins(arguments[0]);
  void* plugin = load_plugin("plugin_one", RTLD_NOW | RTLD_DEEPBIND);
  PluginCall their_take = find_call(plugin, "plugin_take");
  PluginCall their_give = find_call(plugin, "plugin_give");
  void* blocks[50];
  for (int round = 0; round < 200; ++round) {
    their_take(blocks, 50);
    for (int i = 0; i < 50; ++i) {
      memset(blocks[i], round, 1001);
      give(blocks[i]);
    }
    for (int i = 0; i < 50; ++i) blocks[i] = take(1001);
    their_give(blocks, 50);
  }
  dlclose(plugin);
  churn(1000);
  print_account();
  return 0;
}
