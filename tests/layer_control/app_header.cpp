// app_header.cpp - the same as C++.
#include "app_header.c"
