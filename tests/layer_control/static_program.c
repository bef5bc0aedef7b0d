/* static_program.c - linked statically: nothing gets into it from outside. */
int main(void) { return 5; }
