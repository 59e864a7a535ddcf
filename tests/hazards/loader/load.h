// Loading the plugins that lie beside the program.
#pragma once

#include <dlfcn.h>

#include "account.h"

typedef void (*PluginCall)(void** blocks, int count);

static char plugin_folder[600];

__attribute__((unused)) static void find_plugins(const char* program) {
  snprintf(plugin_folder, sizeof plugin_folder, "%s", program);
  char* slash = strrchr(plugin_folder, '/');
  require(slash != NULL, "a path with a folder");
  slash[1] = 0;
}

__attribute__((unused)) static void* load_plugin(const char* name, int mode) {
  char path[800];
  snprintf(path, sizeof path, "%sloader_%s.so", plugin_folder, name);
  void* plugin = dlopen(path, mode);
  if (plugin == NULL) say_to(2, "%s\n", dlerror());
  require(plugin != NULL, "dlopen");
  return plugin;
}

__attribute__((unused)) static PluginCall find_call(void* plugin, const char* name) {
  PluginCall call = (PluginCall)dlsym(plugin, name);
  require(call != NULL, "dlsym");
  return call;
}
