// An allocator to preload: it passes nothing on.
#include "bump.h"
