# rules.awk - reads our sources, prints each include that goes the wrong way. See check.sh.

function own(module, headers,    i, count, header) {
  count = split(headers, header, " ")
  for (i = 1; i <= count; ++i) header_module[header[i] ".hpp"] = module
}

function module_of(path,    part) {
  if (path == "include/reel_app.h") return "app"
  if (path ~ /^include\/reel\//) {
    sub(/^include\/reel\//, "", path)
    return path in header_module ? header_module[path] : "?"
  }
  split(path, part, "/")
  return part[1] == "src" ? part[2] : part[1]
}
# The file an include names, from the places where our builds look; "" when it is not ours.
function file_of(name, from,    folder, i, at) {
  folder = from
  sub(/[^\/]*$/, "", folder)
  if (exists(folder name)) return folder name
  if (exists("include/" name)) return "include/" name
  if (exists("src/" name)) return "src/" name
  if (exists(name)) return name
  if (exists("tests/" name)) return "tests/" name
  # A target may have folders of its own to look in: any file of ours that ends like this.
  for (i = 1; i < ARGC; ++i) {
    at = length(ARGV[i]) - length(name)
    if (at > 0 && substr(ARGV[i], at) == "/" name) return ARGV[i]
  }
  return ""
}
function exists(path) {
  if (!(path in known)) {
    known[path] = (getline line < path) >= 0
    close(path)
  }
  return known[path]
}
function wrong(reason) {
  printf "%s:%d: %s\n", FILENAME, FNR, reason
  failed = 1
}
BEGIN {
  # reel.hpp is all of it, for users; inside, name what you need.
  own("base", "error ids dim3 scope elements units version kernel_form")
  own("graph", "parameter kernel host_kernel buffer image command decision graph")
  own("runtime", "device stream graph_exec stream_capture executor memory_pool")
  own("document", "packed_rows trace_columns trace_commands trace_totals trace document buffer_value arguments documents")
  own("recording", "capture_report")
  own("shaders", "shader_text")
  own("capture", "capture")
  own("replay", "replay proof")
  own("analysis", "common_clock decision_tree dependency_sets analysis insights peaks diff ranks scope_tree trend")
  own("export", "program export sql")
  own("page", "page")
  own("everything", "reel")
  # Which modules each may include, itself among them.
  may["base"] = " base "
  # What OpenCL calls things, for its backend and its layer.
  may["opencl"] = " base graph opencl "
  # What shaders take, and what Vulkan calls things, for its backend and its layer.
  may["spirv"] = " base graph spirv "
  may["vulkan"] = " base graph vulkan "
  may["shaders"] = " base graph spirv shaders "
  may["graph"] = " base graph "
  may["document"] = " base opencl graph document "
  may["analysis"] = " base opencl graph document analysis "
  # Of replay only the script: a program does what a replay does.
  may["export"] = " base opencl graph document analysis replay export "
  may["page"] = " base opencl graph document analysis shaders page "
  may["runtime"] = " base graph runtime "
  # reel_app.h stands alone: C, for programs that have nothing else of ours.
  may["app"] = " app "
  # What records knows no device and no API.
  may["recording"] = " base graph document recording "
  may["capture"] = " base graph runtime document recording capture app "
  may["layers"] = " base opencl spirv vulkan graph document recording app layers "
  may["replay"] = " base opencl spirv graph runtime document recording capture analysis replay "
  may["backends"] = " base opencl spirv vulkan graph runtime backends "
  may["everything"] = " base graph shaders runtime document recording capture replay analysis export page "
  may["cli"] = " base graph shaders runtime document recording capture replay analysis export page backends everything ops layers cli "
  may["ops"] = " base graph runtime everything ops "
  may["examples"] = " base graph runtime document recording capture replay analysis export page everything ops app examples "
  may["python"] = " base graph runtime document recording capture replay analysis export everything ops app python "
  # bench measures the forward pass.
  may["bench"] = " base graph runtime document recording capture replay analysis export page backends everything ops examples bench "
  may["tests"] = " base opencl spirv vulkan shaders graph runtime document recording capture replay analysis export page backends everything ops app layers examples bench tests "
  may["fuzz"] = " base opencl spirv graph runtime document analysis replay ops examples tests fuzz "
}
FNR == 1 {
  module = module_of(FILENAME)
  if (module == "?") wrong("this public header belongs to no module; name its module in tests/include_direction/rules.awk")
  else if (!(module in may)) wrong("the folder \"" module "\" has no place in the order; give it one in tests/include_direction/rules.awk")
}
/^[ \t]*#[ \t]*include[ \t]*[<"]/ {
  name = $0
  sub(/^[ \t]*#[ \t]*include[ \t]*[<"]/, "", name)
  sub(/[>"].*/, "", name)
  if (name ~ /(^|\/)\.\.\//) {  # a path that climbs is a way around the order
    wrong("\"" name "\" climbs; name the file from src/ or include/")
    next
  }
  file = file_of(name, FILENAME)
  if (file == "" || !(module in may)) next
  other = module_of(file)
  if (FILENAME ~ /^include\// && file !~ /^include\//)
    wrong("a public header includes " file ", which is not installed")
  else if (other != "?" && index(may[module], " " other " ") == 0)
    wrong(module " includes " file " of " other "; it may include only:" may[module])
  else if (module == "export" && other == "replay" && file !~ /^src\/replay\/script\//)
    wrong("export includes " file "; of replay it may include only src/replay/script/")
  else if (module ~ /^(cli|ops|examples|python)$/ && file ~ /^src\// && !(module == "cli" && file ~ /^src\/base\/os\//))
    wrong(module " includes " file "; it stands for a program of a user, and sees public headers only")
  else if (FILENAME ~ /^src\/backends\/[^\/]+\// && file ~ /^src\/backends\/[^\/]+\//) {
    split(FILENAME, here, "/")
    split(file, there, "/")
    if (here[3] != there[3]) wrong("the backend " here[3] " includes " file " of the backend " there[3])
  }
}
END { exit failed }
