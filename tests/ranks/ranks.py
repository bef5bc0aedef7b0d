"""ranks.py - jobs of many ranks under capture, started as a user would: mpirun, srun; clocks of two hosts.

    ranks.py --reel bin/reel --ring ring --ring-mpich ring --jump libclock_jump.so --library capture_region --add vector_add
             --vulkan dispatches --work folder CASE
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

SECONDS = 100
STEPS = 3


class Failure(Exception):
    pass


def expect(holds, what):
    if not holds:
        raise Failure(what)


def run(words, folder, environment=None, ends_with=0):
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env=(os.environ | {"REEL_LOG": "warn"}) | (environment or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    told = f"$ {' '.join(map(str, words))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}ended with {done.returncode}"
    if ends_with is not None:
        expect(done.returncode == ends_with, told)
    done.told = told
    return done


def mpirun(ranks):
    words = ["mpirun.openmpi", "-n", str(ranks), "--oversubscribe"]
    return words + (["--allow-run-as-root"] if os.getuid() == 0 else [])


class Case:
    def __init__(self, options):
        self.reel, self.ring, self.library, self.add = (
            pathlib.Path(one).resolve() for one in (options.reel, options.ring, options.library, options.add)
        )
        self.vulkan, self.ring_mpich, self.jump = (
            pathlib.Path(one).resolve() for one in (options.vulkan, options.ring_mpich, options.jump)
        )
        self.folder = pathlib.Path(options.work).resolve() / options.case
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def info(self, document):
        return json.loads(run([self.reel, "info", "--json", document], self.folder).stdout)

    def sql(self, document, question):
        return json.loads(run([self.reel, "sql", document, "--json", question], self.folder).stdout)

    def documents(self, pattern="run-*.reel"):
        return sorted(path.name for path in self.folder.glob(pattern))

    def check_rank(self, rank, ranks, **facts):
        info = self.info(f"run-{rank}.reel")
        told = info["run_facts"]
        wanted = {"rank": str(rank), "ranks": str(ranks)} | facts
        for name, value in wanted.items():
            expect(told.get(name) == value, f"run-{rank}.reel: the fact {name} is {told.get(name)}, not {value}: {told}")
        expect(told["host"] == socket.gethostname() and len(told["boot_id"]) == 36, f"host and boot: {told}")
        return info

    def check_clocks(self, document):
        rows = self.sql(document, "select count(*), min(other_ns), max(error_ns) from clocks where kind = 'real'")
        count, real, error = rows_of(rows)[0]
        expect(count >= 2, f"{document}: the real time was read {count} times, not at start and end")
        expect(abs(real / 1e9 - time.time()) < 600, f"{document}: {real} is not the time of today")
        expect(error < 50_000_000, f"{document}: an error of {error} ns")


def rows_of(answer):
    return [list(row.values()) if isinstance(row, dict) else row for row in (answer["rows"] if isinstance(answer, dict) else answer)]


# --- Open MPI -----------------------------------------------------------------------------------


def captured_ring(case, ranks, *arguments, ends_with=0, options=()):
    words = mpirun(ranks) + [case.reel, "capture", "-q", "-o", "run-%r.reel", *options, "--", case.ring, *arguments]
    return run(words, case.folder, ends_with=ends_with)


def mpi4(case):
    """Four ranks, each with a document of its own that knows its rank and replays."""
    bare = run(mpirun(4) + [case.ring], case.folder)
    under = captured_ring(case, 4, "--late", "2", options=["--fact", "branch=topic"])
    expect(sorted(bare.stdout.split("\n")) == sorted(under.stdout.split("\n")), f"another output:\n{under.told}")
    expect(case.documents() == [f"run-{r}.reel" for r in range(4)], f"documents: {case.documents()}")
    jobs = set()
    for rank in range(4):
        info = case.check_rank(rank, 4, local_rank=str(rank), branch="topic")
        jobs.add(info["run_facts"]["job"])
        expect(info["complete"] and info["commands"]["dispatch"] == STEPS, f"run-{rank}: {info['commands']}")
        case.check_clocks(f"run-{rank}.reel")
    expect(len(jobs) == 1, f"one job, told as {jobs}")
    run([case.reel, "replay", "run-3.reel"], case.folder)
    clocks = json.loads(run([case.reel, "clocks", "--json", *case.documents()], case.folder).stdout)
    expect(clocks["basis"] == "same boot", f"one machine: {clocks}")
    expect(all(one["last_error_ns"] == 0 for one in clocks["documents"]), f"one clock has no error: {clocks}")


def mpi8(case):
    """Eight ranks of the library's own capture, and of Vulkan; one that makes no GPU call spoils nothing."""
    run(mpirun(8) + [case.library, "run-%r.reel"], case.folder, {"REEL_DEVICE": "host"})
    expect(case.documents() == [f"run-{r}.reel" for r in range(8)], f"documents: {case.documents()}")
    for rank in range(8):
        case.check_rank(rank, 8)
    run(mpirun(2) + [case.reel, "capture", "-q", "-o", "vulkan-%r-of-%h.reel", "--", case.vulkan], case.folder)
    host = socket.gethostname()
    expect(case.documents("vulkan-*") == [f"vulkan-{r}-of-{host}.reel" for r in (0, 1)], f"{case.documents('vulkan-*')}")
    expect(case.info(f"vulkan-1-of-{host}.reel")["facts"]["api"] == "vulkan", "a document of Vulkan")


def killed(case):
    """A rank that is killed, and one that never calls OpenCL: what the others and the killed one did is there."""
    done = captured_ring(case, 4, "--kill", "2", "--idle", "1", ends_with=None)
    expect(done.returncode != 0, f"mpirun tells that a rank died:\n{done.told}")
    found = case.documents()
    expect(found == ["run-0.reel", "run-2.reel", "run-3.reel"], f"documents: {found}\n{done.told}")
    for rank in (0, 2, 3):
        info = case.check_rank(rank, 4)
        expect(info["commands"]["dispatch"] >= 2, f"run-{rank}: {info['commands']}")


def mpi_calls(case):
    """--mpi: the program's calls of MPI with peers and bytes; without a GPU call nothing is written."""
    captured_ring(case, 4, "--idle", "3", options=["--mpi"])
    expect(case.documents() == [f"run-{r}.reel" for r in range(3)], f"documents: {case.documents()}")
    check_calls(case)


def check_calls(case):
    ask = "select name, peer, bytes, count(*) from calls where name like 'MPI_%' group by 1, 2, 3 order by 1, 2, 3"
    count = 1024 * 4
    wanted = [
        ["MPI_Allreduce", None, 8, STEPS],
        ["MPI_Barrier", None, None, 1],
        ["MPI_Bcast", 3, 8, 1],  # rank 0 of the reversed communicator
        ["MPI_Irecv", 0, count, STEPS],
        ["MPI_Isend", 2, count, STEPS],
        ["MPI_Recv", 0, 400, 1],  # of any source, and less than there was room for
        ["MPI_Waitall", None, None, STEPS],
    ]
    found = rows_of(case.sql("run-1.reel", ask))
    expect(found == wanted, f"calls of rank 1:\n{found}\nnot\n{wanted}")
    order = rows_of(case.sql("run-1.reel", "select count(*) from calls where begin_ns > end_ns or begin_ns < 1"))
    expect(order == [[0]], "calls that end before they begin")


# --- MPICH --------------------------------------------------------------------------------------


def mpich(case):
    """MPICH's own mpirun tells ranks by PMI; its jobs have no name."""
    bare = run(["mpirun.mpich", "-n", "4", case.ring_mpich], case.folder)
    under = run(["mpirun.mpich", "-n", "4", case.reel, "capture", "-q", "-o", "run-%r.reel", "--", case.ring_mpich], case.folder)
    expect(sorted(bare.stdout.split("\n")) == sorted(under.stdout.split("\n")), f"another output:\n{under.told}")
    expect(case.documents() == [f"run-{r}.reel" for r in range(4)], f"documents: {case.documents()}")
    for rank in range(4):
        info = case.check_rank(rank, 4, local_rank=str(rank))
        expect(info["complete"] and info["commands"]["dispatch"] == STEPS, f"run-{rank}: {info['commands']}")


def mpich_calls(case):
    """--mpi of a program of MPICH, whose handles are other types: the same calls, peers and bytes."""
    words = ["mpirun.mpich", "-n", "4", case.reel, "capture", "-q", "-o", "run-%r.reel", "--mpi", "--", case.ring_mpich]
    done = run(words, case.folder)
    expect("not recorded" not in done.stderr, done.told)
    check_calls(case)
    # Where Reel was built without MPICH's header: the program runs as it would, and it is said that nothing was recorded.
    only = case.folder / "only"
    only.mkdir()
    library = case.reel.parent.parent / "lib"
    for name in ("libreel_layer.so", "libreel_mpi.so"):
        shutil.copy(library / name, only / name)
    words[words.index("run-%r.reel")] = "unseen-%r.reel"
    done = run(words, case.folder, {"REEL_LAYER": str(only / "libreel_layer.so")})
    expect("this program's is 'MPICH Version:" in done.stderr, done.told)
    rows = rows_of(case.sql("unseen-1.reel", "select count(*) from calls where name like 'MPI_%'"))
    expect(rows == [[0]], f"calls by guess: {rows}")


# --- Slurm --------------------------------------------------------------------------------------


class Slurm:
    """One node of Slurm in a folder: munged, slurmctld, slurmd, as an administrator would start them."""

    def __init__(self, folder):
        self.folder = folder
        self.started = []
        self.conf = folder / "slurm.conf"

    def port(self):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            return one.getsockname()[1]

    def start(self, *words):
        log = open(self.folder / f"{pathlib.Path(words[0]).name}.log", "w")
        self.started.append(
            subprocess.Popen([str(word) for word in words], stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.environment())
        )

    def environment(self):
        return os.environ | {"SLURM_CONF": str(self.conf)}

    def __enter__(self):
        try:
            return self.begin()
        except BaseException:
            self.__exit__()
            raise

    def begin(self):
        os.chmod(self.folder, 0o755)
        key, run_folder = self.folder / "munge.key", self.folder / "munge"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        run_folder.mkdir(mode=0o755)
        sock = run_folder / "munge.socket"
        self.start(
            "/usr/sbin/munged", "--foreground", "--force", f"--key-file={key}", f"--socket={sock}",
            f"--pid-file={run_folder}/pid", f"--seed-file={run_folder}/seed", f"--log-file={run_folder}/log",
        )
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        host, user = socket.gethostname().split(".")[0], subprocess.check_output(["id", "-un"], text=True).strip()
        self.conf.write_text(
            f"""ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={sock}
CredType=cred/munge
SlurmctldPort={self.port()}
SlurmdPort={self.port()}
StateSaveLocation={self.folder}/state
SlurmdSpoolDir={self.folder}/spool
SlurmctldPidFile={self.folder}/ctld.pid
SlurmdPidFile={self.folder}/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
ReturnToService=2
MpiDefault=none
SwitchType=switch/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
"""
        )
        # Looked for by itself, it would need a file system of groups, which a container may lack.
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        self.wait(sock.exists, "munged")
        self.start("/usr/sbin/slurmctld", "-D", "-i", "-f", self.conf)
        self.start("/usr/sbin/slurmd", "-D", "-f", self.conf, "-N", host)
        self.wait(lambda: "idle" in subprocess.run(["sinfo", "-h", "-o", "%t"], capture_output=True, text=True, env=self.environment()).stdout, "a node")
        return self

    def wait(self, holds, what):
        for _ in range(150):
            if holds():
                return
            time.sleep(0.1)
        logs = "".join(f"--- {log.name}\n{log.read_text()[-1500:]}" for log in self.folder.glob("*.log"))
        raise Failure(f"Slurm has no {what} after 15 s.\n{logs}")

    def __exit__(self, *_):
        for one in reversed(self.started):
            one.send_signal(signal.SIGTERM)
        for one in reversed(self.started):
            try:
                one.wait(10)
            except subprocess.TimeoutExpired:
                one.kill()


def slurm(case):
    """srun -n 4 reel capture: rank, job and node are Slurm's."""
    daemons = case.folder / "slurm"
    daemons.mkdir()
    with Slurm(daemons) as cluster:
        words = ["srun", "-n", "4", "--overcommit", case.reel, "capture", "-q", "-o", "run-%r.reel", "--", case.add]
        environment = cluster.environment()
        run(words, case.folder, environment)
    expect(case.documents() == [f"run-{r}.reel" for r in range(4)], f"documents: {case.documents()}")
    jobs = {case.check_rank(rank, 4, local_rank=str(rank), node="0")["run_facts"]["job"] for rank in range(4)}
    expect(len(jobs) == 1 and jobs.pop().isdigit(), f"the job: {jobs}")


# --- clocks of two hosts ------------------------------------------------------------------------

# What is mounted then is seen by nobody else; `/` need not be a mount of its own, as below another root it isn't.
OWN_MOUNTS = ["unshare", "--mount", "--propagation", "unchanged"]


def with_boot_id(file):
    return f"mount --make-rprivate /proc && mount --bind {file} /proc/sys/kernel/random/boot_id"


def check_machines(case, error_ns):
    """Both hosts in one file for Perfetto, as protoc reads it: two machines, and the second one's work when it was."""
    run([case.reel, "export", "run-1.reel", "run-0.reel", "--to", "perfetto", "-o", "both.pftrace"], case.folder)
    proto = pathlib.Path(__file__).resolve().parent.parent / "export" / "perfetto.proto"
    words = ["protoc", f"--proto_path={proto.parent}", "--decode=reel.perfetto.Trace", proto.name]
    with open(case.folder / "both.pftrace", "rb") as file:
        text = subprocess.run(words, stdin=file, capture_output=True, check=True).stdout.decode()
    packets = text.split("\npacket {")
    names = {re.search(r'machine_name: "(.*)"', one)[1]: re.search(r"machine: (\d+)", one)[1] for one in packets if "machine_name" in one}
    expect(list(names) == [socket.gethostname(), "other"] and list(names.values()) == ["1", "2"], f"machines: {names}")
    started = {machine: [] for machine in ("1", "2")}
    for one in packets:
        if "render_stage {" in one:
            started[re.search(r"machine: (\d+)", one)[1]].append(int(re.search(r"timestamp: (\d+)", one)[1]))
    own = rows_of(case.sql("run-1.reel", "select min(started_ns) from commands"))[0][0]
    wrong = abs(min(started["2"]) - (own - AHEAD_S * 1_000_000_000))
    expect(wrong <= 2 * error_ns, f"rank 1's first command is {wrong} ns off, and ± {error_ns} ns was told")


AHEAD_S = 90_000  # 25 h: as far apart as two machines are that were started on different days


def clocks(case):
    """Two hosts, as far as a process can tell: names, boot ids, network stacks and monotonic clocks of their own.

    The second one's clock is ahead by exactly 25 h, so the offset that was found can be compared with the truth.
    """
    boot = case.folder / "boot_id"
    boot.write_text("00000000-1111-2222-3333-444444444444\n")
    near, far = f"ra{os.getpid() % 100000}", f"rb{os.getpid() % 100000}"
    ip = lambda *words: run(["ip", *words], case.folder)
    # By hand: `ip netns` wants to mount, and can't below another root.
    other = subprocess.Popen(["unshare", "--net", "sleep", "60"])
    within = ["nsenter", f"--net=/proc/{other.pid}/ns/net"]
    first = None
    try:
        while os.readlink(f"/proc/{other.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            time.sleep(0.01)
        ip("link", "add", near, "type", "veth", "peer", "name", far)
        ip("link", "set", far, "netns", other.pid)
        ip("addr", "add", "10.213.77.1/24", "dev", near)
        ip("link", "set", near, "up")
        run([*within, "ip", "addr", "add", "10.213.77.2/24", "dev", far], case.folder)
        run([*within, "ip", "link", "set", far, "up"], case.folder)
        there = f"10.213.77.1:{20000 + os.getpid() % 20000}"
        capture = [case.reel, "capture", "-q", "-o", "run-%r.reel", "--clocks", there, "--"]
        of = lambda rank: os.environ | {"RANK": str(rank), "WORLD_SIZE": "2"}
        # Rank 0 is there from before the other begins until after it ended.
        first = subprocess.Popen([*map(str, capture), "sh", "-c", f"{case.add} && sleep 3"], cwd=case.folder, env=of(0), stdout=subprocess.DEVNULL)
        time.sleep(0.5)
        inside = f"{with_boot_id(boot)} && hostname other && exec {' '.join(map(str, capture))} {case.add}"
        run(
            [*within, *OWN_MOUNTS, "--uts", "--time", "--monotonic", str(AHEAD_S), "--fork", "sh", "-c", inside],
            case.folder,
            {"RANK": "1", "WORLD_SIZE": "2"},
        )
        expect(first.wait(30) == 0, "rank 0 failed")
    finally:
        if first and first.poll() is None:
            first.kill()
        other.kill()
        other.wait()
        run(["ip", "link", "del", near], case.folder, ends_with=None)
    expect(case.info("run-1.reel")["facts"]["host"] == "other", "the other host's name")
    told = json.loads(run([case.reel, "clocks", "--json", "run-0.reel", "run-1.reel"], case.folder).stdout)
    expect(told["basis"] == "messages", f"{told}")
    zero, one = told["documents"]
    expect(zero["common_ns"] == zero["first_ns"] and zero["first_error_ns"] == 0, f"rank 0's clock is the common one: {zero}")
    expect(one["common"] >= 2, f"messages at start and end: {one}")
    wrong = abs(one["first_ns"] - one["common_ns"] - AHEAD_S * 1_000_000_000)
    expect(wrong <= one["first_error_ns"], f"wrong by {wrong} ns, and told as ± {one['first_error_ns']} ns")
    expect(one["first_error_ns"] < 5_000_000, f"an error of {one['first_error_ns']} ns")
    print(f"the offset of {AHEAD_S} s was found to {wrong} ns, told as ± {one['first_error_ns']} ns")
    check_machines(case, one["first_error_ns"])
    # Without the messages only real time is left, and nobody knows how far those clocks are apart.
    boot.write_text("99999999-1111-2222-3333-444444444444\n")
    inside = f"{with_boot_id(boot)} && exec {case.reel} capture -q -o alone.reel -- {case.add}"
    run([*OWN_MOUNTS, "sh", "-c", inside], case.folder)
    told = json.loads(run([case.reel, "clocks", "--json", "alone.reel", "run-1.reel"], case.folder).stdout)
    expect(told["basis"] == "real time" and told["documents"][0]["last_error_ns"] is None, f"{told}")
    refused = run([case.reel, "export", "alone.reel", "run-1.reel", "--to", "perfetto"], case.folder, ends_with=1)
    expect("no common clock" in refused.stderr and "--clocks" in refused.stderr and "--unaligned" in refused.stderr, refused.told)
    done = run([case.reel, "export", "alone.reel", "run-1.reel", "--to", "perfetto", "--unaligned"], case.folder)
    expect("only told within a document" in done.stderr, done.told)


def namespace(case):
    """One machine, two time namespaces: the same boot id, and yet clocks 25 h apart. They are one clock all the same."""
    run([case.reel, "capture", "-q", "-o", "run-0.reel", "--", case.add], case.folder)
    run(
        ["unshare", "--time", "--monotonic", str(AHEAD_S), "--fork", case.reel, "capture", "-q", "-o", "run-1.reel", "--", case.add],
        case.folder,
    )
    told = json.loads(run([case.reel, "clocks", "--json", "run-0.reel", "run-1.reel"], case.folder).stdout)
    zero, one = told["documents"]
    expect(told["basis"] == "same boot", f"{told}")
    expect(one["first_ns"] - one["common_ns"] == AHEAD_S * 1_000_000_000, f"{told}")
    expect(0 < one["common_ns"] - zero["common_ns"] < 60e9, f"one after the other: {told}")


def jumps(case):
    """A clock that is set by an hour, and a machine that sleeps for a minute: told by the document, `reel clocks` and `reel ranks`."""
    for name, what, sentence, seconds in (
        ("set", {"JUMP_REAL_S": "-3600"}, "The real-time clock was set back by ", 3600),
        ("slept", {"JUMP_SLEPT_S": "60"}, "The machine slept for ", 60),
    ):
        environment = {"LD_PRELOAD": str(case.jump), "JUMP_RANK": "0", "JUMP_AFTER_MS": "200"} | what
        words = mpirun(2) + [case.reel, "capture", "-q", "-o", f"{name}-%r.reel", "--", case.ring, "--late", "1"]
        run(words, case.folder, environment)
        notes = rows_of(case.sql(f"{name}-0.reel", "select text from notes where kind = 'clock'"))
        expect(len(notes) == 1 and notes[0][0].startswith(sentence), f"notes: {notes}")
        size, unit = notes[0][0][len(sentence) :].split(" ")[:2]
        expect(abs(float(size) - seconds) < 0.1 and unit.rstrip(":") == "s", f"a jump of {size} {unit}, not {seconds} s")
        expect(rows_of(case.sql(f"{name}-1.reel", "select count(*) from notes where kind = 'clock'")) == [[0]], "rank 1's clock is right")
        both = [f"{name}-0.reel", f"{name}-1.reel"]
        told = run([case.reel, "clocks", *both], case.folder)
        expect(f"{name}-0.reel: {sentence}" in told.stdout, told.told)
        told = run([case.reel, "ranks", *both], case.folder)
        expect(f"Rank 0 ({name}-0.reel): {sentence}" in told.stderr, told.told)
        expect("2 ranks of" in told.stdout, f"the rest is answered:\n{told.told}")


CASES = {one.__name__: one for one in (mpi4, mpi8, killed, mpi_calls, mpich, mpich_calls, slurm, clocks, namespace, jumps)}


def main():
    parser = argparse.ArgumentParser()
    for option in ("reel", "ring", "ring-mpich", "jump", "library", "add", "vulkan", "work"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("case", choices=CASES)
    options = parser.parse_args()
    try:
        CASES[options.case](Case(options))
    except (Failure, subprocess.TimeoutExpired) as failure:
        sys.exit(f"{options.case}: {failure}")


if __name__ == "__main__":
    main()
