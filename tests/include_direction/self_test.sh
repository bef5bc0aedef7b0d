#!/usr/bin/env bash
# self_test.sh - check.sh must find what is wrong: a small tree that is right, then one bad
# include after another.
set -euo pipefail
check=$(dirname "$0")/check.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

fresh() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree"/include/reel "$tree"/cli/showing "$tree"/src/{base,graph,document,analysis,export,runtime,capture,replay} \
    "$tree"/src/backends/{host,opencl} "$tree"/{layers,cli,ops,examples,python,tests,bench,fuzz}
  echo '#include <string>' >"$tree/include/reel/error.hpp"
  echo '#include "reel/error.hpp"' >"$tree/include/reel/graph.hpp"
  echo '#include "reel/graph.hpp"' >"$tree/include/reel/device.hpp"
  echo '#include "reel/device.hpp"' >"$tree/include/reel/reel.hpp"
  echo '#include "reel/error.hpp"' >"$tree/src/base/fail.hpp"
  echo '#include "base/fail.hpp"' >"$tree/src/graph/plan.hpp"
  echo '#include "graph/plan.hpp"' >"$tree/src/runtime/driver.hpp"
  echo '#include "graph/plan.hpp"' >"$tree/src/document/document.hpp"
  echo '#include "document/document.hpp"' >"$tree/src/analysis/hotspots.hpp"
  echo '#include "analysis/hotspots.hpp"' >"$tree/src/export/csv.hpp"
  printf '#include "%s"\n' document/document.hpp runtime/driver.hpp >"$tree/src/capture/recorder.hpp"
  printf '#include "%s"\n' document/document.hpp runtime/driver.hpp analysis/hotspots.hpp >"$tree/src/replay/replayer.hpp"
  echo '#include "runtime/driver.hpp"' >"$tree/src/backends/host/queue.hpp"
  echo '#include "backends/host/queue.hpp"' >"$tree/src/backends/host/queue.cpp"
  echo '#include "runtime/driver.hpp"' >"$tree/src/backends/opencl/queue.hpp"
  echo '#include "reel/reel.hpp"' >"$tree/cli/showing/table.hpp"
  echo '#include "reel/reel.hpp"' >"$tree/ops/ops.hpp"
  echo '#include "ops/ops.hpp"' >"$tree/examples/pass.cpp"
  echo '#include "graph/plan.hpp"' >"$tree/tests/helper.hpp"
  echo '#include "document/document.hpp"' >"$tree/fuzz/document_fuzz.hpp"
}

fails=0
# refused <file> <include line> <words of the message>
refused() {
  fresh
  printf '%s\n' "$2" >>"$tree/$1"
  if said=$(bash "$check" "$tree"); then
    echo "FAILED: $2 in $1 was let through"
    fails=1
  elif [[ $said != *"$1"*"$3"* ]]; then
    echo "FAILED: $2 in $1 was refused in other words: $said"
    fails=1
  fi
}

fresh
bash "$check" "$tree" || { echo "FAILED: the right tree was refused" && fails=1; }

refused src/base/fail.hpp '#include "graph/plan.hpp"' "base includes src/graph/plan.hpp of graph"
refused src/graph/plan.hpp '#include "runtime/driver.hpp"' "graph includes src/runtime/driver.hpp"
refused src/graph/plan.hpp '#include "reel/device.hpp"' "graph includes include/reel/device.hpp of runtime"
refused src/graph/plan.hpp '#include "document/document.hpp"' "graph includes src/document/document.hpp"
refused src/document/document.hpp '#include "runtime/driver.hpp"' "document includes src/runtime/driver.hpp"
refused src/document/document.hpp '#include "analysis/hotspots.hpp"' "document includes src/analysis/hotspots.hpp"
refused src/analysis/hotspots.hpp '#include "runtime/driver.hpp"' "analysis includes src/runtime/driver.hpp"
refused src/analysis/hotspots.hpp '#include "export/csv.hpp"' "analysis includes src/export/csv.hpp"
refused src/export/csv.hpp '#include "replay/replayer.hpp"' "export includes src/replay/replayer.hpp"
refused src/capture/recorder.hpp '#include "replay/replayer.hpp"' "capture includes src/replay/replayer.hpp"
refused src/capture/recorder.hpp '#include "analysis/hotspots.hpp"' "capture includes src/analysis/hotspots.hpp"
refused src/replay/replayer.hpp '#include "export/csv.hpp"' "replay includes src/export/csv.hpp"
refused src/runtime/driver.hpp '#include "document/document.hpp"' "runtime includes src/document/document.hpp"
refused src/runtime/driver.hpp '#include "capture/recorder.hpp"' "runtime includes src/capture/recorder.hpp"
refused src/runtime/driver.hpp '#include "backends/host/queue.hpp"' "runtime includes src/backends"
refused src/backends/host/queue.cpp '#include "backends/opencl/queue.hpp"' "of the backend opencl"
refused src/backends/host/queue.cpp '#include "reel/reel.hpp"' "of everything"
refused src/backends/host/queue.cpp '#  include <ops/ops.hpp>' "backends includes ops/ops.hpp of ops"
refused src/backends/host/queue.cpp '#include "../../../cli/showing/table.hpp"' "climbs"
refused src/runtime/driver.hpp '#include "cli/showing/table.hpp"' "of cli"
refused src/runtime/driver.hpp '#include "helper.hpp"' "of tests"
refused src/runtime/driver.hpp '#include "table.hpp"' "of cli" # found through a folder of some target
refused examples/pass.cpp '#include "graph/plan.hpp"' "public headers only"
refused cli/showing/table.hpp '#include "base/fail.hpp"' "public headers only"
refused cli/showing/table.hpp '#include "examples/pass.cpp"' "cli includes examples/pass.cpp of examples"
refused tests/helper.hpp '#include "cli/showing/table.hpp"' "tests includes cli/showing/table.hpp of cli"
refused tests/helper.hpp '#include "fuzz/document_fuzz.hpp"' "tests includes fuzz/document_fuzz.hpp of fuzz"
refused fuzz/document_fuzz.hpp '#include "cli/showing/table.hpp"' "fuzz includes cli/showing/table.hpp of cli"
refused include/reel/error.hpp '#include "reel/graph.hpp"' "base includes include/reel/graph.hpp of graph"
refused include/reel/device.hpp '#include "graph/plan.hpp"' "a public header includes src/graph/plan.hpp"
refused include/reel/novelty.hpp '#include <string>' "belongs to no module"
refused src/novelty.hpp '#include <string>' "has no place in the order"

exit "$fails"
