// Like plugin_one, with another size: mostly mapped where plugin_one had been.
#define PLUGIN_BYTES 2002
#include "plugin.h"
