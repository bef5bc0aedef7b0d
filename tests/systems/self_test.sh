#!/usr/bin/env bash
# self_test.sh - one_system.sh must find what is wrong: a small tree that is right, then one call after another.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{include/reel,src/base/os,cli,ops,layers/mpi,cmake}
printf '# comment\nlayers/mpi/ preloaded\ncli/capture.cpp the layer\n' >"$tree/cmake/linux_only.txt"
echo 'void f() { pipe2(ends, 0); }' | tee "$tree/src/base/os/os_linux.cpp" "$tree/layers/mpi/calls.cpp" >"$tree/cli/capture.cpp"

fails=0
refused() { # <line> <words of the message>
  printf '%s\n' "$1" >"$tree/src/bad.cpp"
  if said=$(bash "$here/one_system.sh" "$tree" 2>&1); then
    echo "FAILED: let through: $1"
    fails=1
  elif [[ $said != *"src/bad.cpp:1:"*"$2"* ]]; then
    echo "FAILED: $1 was refused in other words: $said"
    fails=1
  fi
}
taken() {
  printf '%s\n' "$1" >"$tree/src/bad.cpp"
  bash "$here/one_system.sh" "$tree" || { echo "FAILED: refused: $1" && fails=1; }
}

taken 'int own_pipe2_count; // pipe2 is Linux'"'"'s'
taken '/* memfd_create() */ int x;'
taken 'auto url = "http://127.0.0.1/";'
refused 'if (pipe2(ends, O_CLOEXEC) != 0)' "os::make_pipe()"
refused '#include <sys/prctl.h>' "ends in _linux.cpp"
refused '#include <linux/membarrier.h>' "ends in _linux.cpp"
refused 'std::ifstream file("/proc/self/cmdline");' "base/os/process.hpp"
refused 'int n = ::syscall(SYS_gettid);' "base/os/thread.hpp"
refused 'pthread_setname_np(thread, name);' "base/os/thread.hpp"
refused 'x = memfd_create("x", 0);' "os::make_scratch_file()"
refused 'int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);' "os::open_socket()"
refused 'send(s, p, n, MSG_NOSIGNAL);' "os::send_quietly()"
refused 'clock_gettime(CLOCK_BOOTTIME, &t);' "monotonic_ns()"
refused 'dlopen("libOpenCL.so.1", RTLD_NOW);' "os::vulkan_libraries()"
refused '#ifdef __APPLE__' "a file of one system"
refused 'char** e = environ;' "os::environment()"
refused 'stat.st_mtim.tv_sec' "last_write_time"
refused 'foo(); /* x */ kqueue();' "poll()"
rm "$tree/src/bad.cpp"
printf 'cli/gone.cpp nothing\n' >>"$tree/cmake/linux_only.txt"
if bash "$here/one_system.sh" "$tree" >/dev/null; then echo "FAILED: a name that doesn't exist was let through" && fails=1; fi
exit "$fails"
