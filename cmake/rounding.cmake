# A product and a sum are two roundings on every processor. g++ makes one of them (fma) wherever the processor can, as all of arm64 can and
# x86-64 can with -mfma: results of host kernels would then depend on who compiled them, and a document replayed elsewhere
# would differ. Where there is no such instruction the option is left out: it changes nothing, and caches of compilers keep what they have.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("
#if !defined(__x86_64__) || defined(__FMA__)
#error This processor may have one.
#endif
int main() {}" REEL_HAS_NO_FMA)
if(NOT REEL_HAS_NO_FMA)
  add_compile_options(-ffp-contract=off)
endif()
