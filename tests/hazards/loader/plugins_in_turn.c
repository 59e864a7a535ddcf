// Loads one plugin, unloads it, loads another (at the same place, as a rule), many times over. The
// blocks of an unloaded plugin are freed later by the program.
#include "load.h"

int main(int count, char** arguments) {
  (void)count;
  find_plugins(arguments[0]);
  void* blocks[2][10];
  PluginCall before = NULL;
  int same_place = 0;
  for (int round = 0; round < 40; ++round) {
    void* plugin = load_plugin(round % 2 == 0 ? "plugin_one" : "plugin_two", RTLD_NOW);
    PluginCall call = find_call(plugin, "plugin_take");
    same_place += call == before;
    before = call;
    call(blocks[round % 2], 10);
    dlclose(plugin);
    if (round > 0)
      for (int i = 0; i < 10; ++i) give(blocks[(round + 1) % 2][i]);
  }
  for (int i = 0; i < 10; ++i) give(blocks[1][i]);
  say_to(2, "same place %d\n", same_place);
  say("done\n");
  return 0;
}
