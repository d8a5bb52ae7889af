/* Compiled by plain clang: a frame without maps between two that have them. */
int call_back(int (*function)(int *), int *argument) { return function(argument) + 1; }
