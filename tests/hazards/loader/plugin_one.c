// A plugin that allocates for its caller, when it is loaded and when it is unloaded.
#define PLUGIN_BYTES 1001
#include "plugin.h"
