#include "store.h"

int main(void) {
  store_open();
  return 0;
}
