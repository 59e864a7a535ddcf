// A library without malloc.
int not_an_allocator(void) {
  return 1;
}
