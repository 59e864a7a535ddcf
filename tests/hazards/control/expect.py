"""Ways through a program that are not calls and returns."""


def longjmp_out_of_frames(hazard):
    hazard.exact("longjmps")


def exceptions(hazard):
    hazard.exact("exceptions")


def contexts_on_heap_stacks(hazard):
    hazard.exact("contexts")


def coroutines(hazard):
    hazard.exact("coroutines")


def deep_recursion(hazard):
    hazard.exact("deep_recursion")
