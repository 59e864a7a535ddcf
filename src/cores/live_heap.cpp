#include "cores/live_heap.h"
