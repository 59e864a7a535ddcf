// A library that is no allocator.
int answer(void);
int answer(void) {
  return 42;
}
