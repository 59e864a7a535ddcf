// A module that is loaded later and has thread-local storage of its own, too much for the room that
// threads have left over.
__thread void* numbers[2000];

void* set_local(void* value) {
  numbers[1234] = value;
  return value;
}
