// mpi_calls.cpp - libreel_mpi.so and libreel_mpi_mpich.so: calls of MPI become host calls of the
// document, by PMPI.
//
// Handles of Open MPI are pointers and those of MPICH numbers, so this file is compiled with the
// header of each, into a library of its own. `reel capture --mpi` preloads both, one behind the
// other, since nobody knows what a script will start. A wrapper calls the program's MPI, tells the
// capture of the process (include/reel_app.h) what it was, and returns MPI's answer; where the
// program's MPI isn't of its kind, it passes the call on to the library behind it. Nothing is
// linked: functions of MPI are looked for in what the program loaded, so a process without MPI
// stays without.
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <atomic>

#include "reel_app.h"

// By this the library in front knows that there is one behind it.
extern "C" __attribute__((visibility("default"))) void reel_mpi_is_here() {}

namespace {

#ifdef OPEN_MPI
constexpr const char* libraries[] = {"libmpi.so.40", "libmpi.so"};
#else
constexpr const char* libraries[] = {"libmpich.so.12", "libmpi.so.12", "libmpi.so"};
#endif

void* symbol(const char* name, void* where) {
  if (void* found = dlsym(where, name)) return found;
  // Python's module brings its own, for itself alone.
  for (const char* library : libraries)
    if (void* handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD))
      if (void* found = dlsym(handle, name)) return found;
  return nullptr;
}

// Whether the program's MPI is the kind that this was compiled for.
bool find_out_kind() {
#ifdef OPEN_MPI
  if (symbol("ompi_mpi_comm_world", RTLD_DEFAULT)) return true;
#endif
  char name[MPI_MAX_LIBRARY_VERSION_STRING > 8192 ? MPI_MAX_LIBRARY_VERSION_STRING : 8192] = "";
  int length = 0;
  if (void* const version = symbol("PMPI_Get_library_version", RTLD_NEXT))
    reinterpret_cast<int (*)(char*, int*)>(version)(name, &length);
#ifndef OPEN_MPI
  // These agreed on one binary interface in 2013.
  for (const char* word : {"MPICH", "MVAPICH", "Intel(R) MPI"})
    if (strstr(name, word)) return true;
#endif
  if (dlsym(RTLD_NEXT, "reel_mpi_is_here")) return false;  // asked next, and it says so then
  name[strcspn(name, "\n")] = '\0';
  fprintf(stderr,
          "reel: --mpi records calls of the kinds of MPI that this Reel was built with (Open MPI, "
          "MPICH), and this program's is '%.80s'; its calls are not recorded.\n",
          *name ? name : "unknown");
  return false;
}

bool is_ours() {
  static const bool is = find_out_kind();
  return is;
}

// By its name with the P. Of another kind of MPI, what comes behind this library takes the call.
template <class Function>
Function* function(const char* name) {
  return reinterpret_cast<Function*>(symbol(is_ours() ? name : name + 1, RTLD_NEXT));
}

#ifdef OPEN_MPI
// A handle of MPI is the address of a variable. A program may have its own copy of that, which then
// counts for everybody: it comes before the library's.
MPI_Comm world() {
  static const auto handle = static_cast<MPI_Comm>(symbol("ompi_mpi_comm_world", RTLD_DEFAULT));
  return handle;
}
MPI_Datatype byte_type() {
  static const auto handle = static_cast<MPI_Datatype>(symbol("ompi_mpi_byte", RTLD_DEFAULT));
  return handle;
}
#else
MPI_Comm world() { return MPI_COMM_WORLD; }
MPI_Datatype byte_type() { return MPI_BYTE; }
#endif

uint64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(time.tv_nsec);
}

// Null while nothing is captured. The layer comes with the first call of OpenCL or Vulkan, and
// looking for it takes a microsecond: a hundred times a second is enough.
const reel_app_api* capture() {
  static std::atomic<const reel_app_api*> known{nullptr};
  static std::atomic<uint64_t> next_look_ns{0};
  const reel_app_api* api = known.load(std::memory_order_acquire);
  if (!api) {
    const uint64_t now = now_ns();
    if (now < next_look_ns.load(std::memory_order_relaxed) || !is_ours()) return nullptr;
    next_look_ns.store(now + 10'000'000, std::memory_order_relaxed);
    api = reel_app();
    constexpr size_t needed = offsetof(reel_app_api, call) + sizeof(reel_app_api::call);
    if (!api || api->size_bytes < needed) return nullptr;
    known.store(api, std::memory_order_release);
  }
  return api->is_capturing() ? api : nullptr;
}

class Call {
 public:
  explicit Call(const char* name) : name_(name), api_(capture()), begin_ns_(api_ ? now_ns() : 0) {}
  explicit operator bool() const { return api_ != nullptr; }
  void done(int peer, uint64_t bytes) const { api_->call(name_, begin_ns_, now_ns(), peer, bytes); }

 private:
  const char* name_;
  const reel_app_api* api_;
  uint64_t begin_ns_;
};

uint64_t bytes_of(int count, MPI_Datatype type) {
  static auto* const size_of = function<decltype(MPI_Type_size)>("PMPI_Type_size");
  int size = 0;
  if (count <= 0 || size_of(type, &size) != MPI_SUCCESS || size < 0) return 0;
  return static_cast<uint64_t>(count) * static_cast<uint64_t>(size);
}

int size_of(MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Comm_size)>("PMPI_Comm_size");
  int size = 0;
  return next(comm, &size) == MPI_SUCCESS ? size : 0;
}

int rank_in(MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Comm_rank)>("PMPI_Comm_rank");
  int rank = -1;
  return next(comm, &rank) == MPI_SUCCESS ? rank : -1;
}

// The rank among all processes of the job; none of it: -1.
int world_rank(int rank, MPI_Comm comm) {
  static auto* const group_of = function<decltype(MPI_Comm_group)>("PMPI_Comm_group");
  static auto* const translate =
      function<decltype(MPI_Group_translate_ranks)>("PMPI_Group_translate_ranks");
  static auto* const release = function<decltype(MPI_Group_free)>("PMPI_Group_free");
  static auto* const is_between = function<decltype(MPI_Comm_test_inter)>("PMPI_Comm_test_inter");
  if (rank < 0 || comm == world()) return rank < 0 ? -1 : rank;
  int inter = 0, found = -1;
  if (is_between(comm, &inter) != MPI_SUCCESS || inter) return -1;
  MPI_Group own{}, all{};
  if (group_of(comm, &own) != MPI_SUCCESS) return -1;
  if (group_of(world(), &all) == MPI_SUCCESS) {
    if (translate(own, 1, &rank, all, &found) != MPI_SUCCESS || found < 0) found = -1;
    release(&all);
  }
  release(&own);
  return found;
}

uint64_t sum_of(const int counts[], MPI_Datatype type, MPI_Comm comm) {
  uint64_t bytes = 0;
  for (int i = 0, size = size_of(comm); i < size; ++i) bytes += bytes_of(counts[i], type);
  return bytes;
}

uint64_t received(const MPI_Status& status) {
  static auto* const count_of = function<decltype(MPI_Get_count)>("PMPI_Get_count");
  int count = 0;
  return count_of(&status, byte_type(), &count) == MPI_SUCCESS && count > 0
             ? static_cast<uint64_t>(count)
             : 0;
}

bool is_in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }

// Send, Ssend, Bsend, Rsend: alike but for when they return.
int send(const char* name, decltype(MPI_Send)* next, const void* data, int count, MPI_Datatype type,
         int to, int tag, MPI_Comm comm) {
  const Call call(name);
  const int result = next(data, count, type, to, tag, comm);
  if (call) call.done(world_rank(to, comm), bytes_of(count, type));
  return result;
}
int isend(const char* name, decltype(MPI_Isend)* next, const void* data, int count,
          MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  const Call call(name);
  const int result = next(data, count, type, to, tag, comm, request);
  if (call) call.done(world_rank(to, comm), bytes_of(count, type));
  return result;
}

}  // namespace

// --- point to point -----------------------------------------------------------------------------

extern "C" {

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Send)>("PMPI_Send");
  return send("MPI_Send", next, data, count, type, to, tag, comm);
}
int MPI_Ssend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Send)>("PMPI_Ssend");
  return send("MPI_Ssend", next, data, count, type, to, tag, comm);
}
int MPI_Rsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Send)>("PMPI_Rsend");
  return send("MPI_Rsend", next, data, count, type, to, tag, comm);
}
int MPI_Bsend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Send)>("PMPI_Bsend");
  return send("MPI_Bsend", next, data, count, type, to, tag, comm);
}
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
  static auto* const next = function<decltype(MPI_Isend)>("PMPI_Isend");
  return isend("MPI_Isend", next, data, count, type, to, tag, comm, request);
}
int MPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
  static auto* const next = function<decltype(MPI_Isend)>("PMPI_Issend");
  return isend("MPI_Issend", next, data, count, type, to, tag, comm, request);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status) {
  static auto* const next = function<decltype(MPI_Recv)>("PMPI_Recv");
  const Call call("MPI_Recv");
  MPI_Status own;
  // Who sent and how much is asked for only where it is recorded.
  const bool is_ours = call && status == MPI_STATUS_IGNORE;
  const int result = next(data, count, type, from, tag, comm, is_ours ? &own : status);
  if (call && result == MPI_SUCCESS) {
    const MPI_Status& told = is_ours ? own : *status;
    call.done(world_rank(told.MPI_SOURCE, comm), received(told));
  } else if (call) {
    call.done(world_rank(from, comm), 0);
  }
  return result;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
  static auto* const next = function<decltype(MPI_Irecv)>("PMPI_Irecv");
  const Call call("MPI_Irecv");
  const int result = next(data, count, type, from, tag, comm, request);
  if (call) call.done(world_rank(from, comm), bytes_of(count, type));
  return result;
}

int MPI_Sendrecv(const void* data, int count, MPI_Datatype type, int to, int tag, void* result_data,
                 int result_count, MPI_Datatype result_type, int from, int result_tag,
                 MPI_Comm comm, MPI_Status* status) {
  static auto* const next = function<decltype(MPI_Sendrecv)>("PMPI_Sendrecv");
  const Call call("MPI_Sendrecv");
  const int result = next(data, count, type, to, tag, result_data, result_count, result_type, from,
                          result_tag, comm, status);
  if (call)
    call.done(world_rank(to, comm), bytes_of(count, type) + bytes_of(result_count, result_type));
  return result;
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  static auto* const next = function<decltype(MPI_Probe)>("PMPI_Probe");
  const Call call("MPI_Probe");
  const int result = next(from, tag, comm, status);
  if (call) call.done(world_rank(from, comm), 0);
  return result;
}

// --- waits --------------------------------------------------------------------------------------

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  static auto* const next = function<decltype(MPI_Wait)>("PMPI_Wait");
  const Call call("MPI_Wait");
  const int result = next(request, status);
  if (call) call.done(-1, 0);
  return result;
}
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  static auto* const next = function<decltype(MPI_Waitall)>("PMPI_Waitall");
  const Call call("MPI_Waitall");
  const int result = next(count, requests, statuses);
  if (call) call.done(-1, 0);
  return result;
}
int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  static auto* const next = function<decltype(MPI_Waitany)>("PMPI_Waitany");
  const Call call("MPI_Waitany");
  const int result = next(count, requests, index, status);
  if (call) call.done(-1, 0);
  return result;
}
int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[],
                 MPI_Status statuses[]) {
  static auto* const next = function<decltype(MPI_Waitsome)>("PMPI_Waitsome");
  const Call call("MPI_Waitsome");
  const int result = next(count, requests, done, indices, statuses);
  if (call) call.done(-1, 0);
  return result;
}

// --- collectives --------------------------------------------------------------------------------

int MPI_Barrier(MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Barrier)>("PMPI_Barrier");
  const Call call("MPI_Barrier");
  const int result = next(comm);
  if (call) call.done(-1, 0);
  return result;
}
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Bcast)>("PMPI_Bcast");
  const Call call("MPI_Bcast");
  const int result = next(data, count, type, root, comm);
  if (call) call.done(world_rank(root, comm), bytes_of(count, type));
  return result;
}
int MPI_Reduce(const void* data, void* to, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Reduce)>("PMPI_Reduce");
  const Call call("MPI_Reduce");
  const int result = next(data, to, count, type, op, root, comm);
  if (call) {
    const uint64_t takes = rank_in(comm) == root && !is_in_place(data) ? 2 : 1;
    call.done(world_rank(root, comm), takes * bytes_of(count, type));
  }
  return result;
}
int MPI_Allreduce(const void* data, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Allreduce)>("PMPI_Allreduce");
  const Call call("MPI_Allreduce");
  const int result = next(data, to, count, type, op, comm);
  if (call) call.done(-1, (is_in_place(data) ? 1 : 2) * bytes_of(count, type));
  return result;
}
int MPI_Iallreduce(const void* data, void* to, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
  static auto* const next = function<decltype(MPI_Iallreduce)>("PMPI_Iallreduce");
  const Call call("MPI_Iallreduce");
  const int result = next(data, to, count, type, op, comm, request);
  if (call) call.done(-1, (is_in_place(data) ? 1 : 2) * bytes_of(count, type));
  return result;
}
int MPI_Gather(const void* data, int count, MPI_Datatype type, void* to, int to_count,
               MPI_Datatype to_type, int root, MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Gather)>("PMPI_Gather");
  const Call call("MPI_Gather");
  const int result = next(data, count, type, to, to_count, to_type, root, comm);
  if (call) {
    uint64_t bytes = is_in_place(data) ? 0 : bytes_of(count, type);
    if (rank_in(comm) == root)
      bytes += bytes_of(to_count, to_type) * static_cast<uint64_t>(size_of(comm));
    call.done(world_rank(root, comm), bytes);
  }
  return result;
}
int MPI_Scatter(const void* data, int count, MPI_Datatype type, void* to, int to_count,
                MPI_Datatype to_type, int root, MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Scatter)>("PMPI_Scatter");
  const Call call("MPI_Scatter");
  const int result = next(data, count, type, to, to_count, to_type, root, comm);
  if (call) {
    uint64_t bytes = is_in_place(to) ? 0 : bytes_of(to_count, to_type);
    if (rank_in(comm) == root)
      bytes += bytes_of(count, type) * static_cast<uint64_t>(size_of(comm));
    call.done(world_rank(root, comm), bytes);
  }
  return result;
}
int MPI_Allgather(const void* data, int count, MPI_Datatype type, void* to, int to_count,
                  MPI_Datatype to_type, MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Allgather)>("PMPI_Allgather");
  const Call call("MPI_Allgather");
  const int result = next(data, count, type, to, to_count, to_type, comm);
  if (call)
    call.done(-1, (is_in_place(data) ? 0 : bytes_of(count, type)) +
                      bytes_of(to_count, to_type) * static_cast<uint64_t>(size_of(comm)));
  return result;
}
int MPI_Allgatherv(const void* data, int count, MPI_Datatype type, void* to, const int to_counts[],
                   const int places[], MPI_Datatype to_type, MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Allgatherv)>("PMPI_Allgatherv");
  const Call call("MPI_Allgatherv");
  const int result = next(data, count, type, to, to_counts, places, to_type, comm);
  if (call)
    call.done(-1,
              (is_in_place(data) ? 0 : bytes_of(count, type)) + sum_of(to_counts, to_type, comm));
  return result;
}
int MPI_Alltoall(const void* data, int count, MPI_Datatype type, void* to, int to_count,
                 MPI_Datatype to_type, MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Alltoall)>("PMPI_Alltoall");
  const Call call("MPI_Alltoall");
  const int result = next(data, count, type, to, to_count, to_type, comm);
  if (call)
    call.done(-1, ((is_in_place(data) ? 0 : bytes_of(count, type)) + bytes_of(to_count, to_type)) *
                      static_cast<uint64_t>(size_of(comm)));
  return result;
}
int MPI_Alltoallv(const void* data, const int counts[], const int places[], MPI_Datatype type,
                  void* to, const int to_counts[], const int to_places[], MPI_Datatype to_type,
                  MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Alltoallv)>("PMPI_Alltoallv");
  const Call call("MPI_Alltoallv");
  const int result = next(data, counts, places, type, to, to_counts, to_places, to_type, comm);
  if (call)
    call.done(-1, (is_in_place(data) ? 0 : sum_of(counts, type, comm)) +
                      sum_of(to_counts, to_type, comm));
  return result;
}
int MPI_Reduce_scatter(const void* data, void* to, const int counts[], MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Reduce_scatter)>("PMPI_Reduce_scatter");
  const Call call("MPI_Reduce_scatter");
  const int result = next(data, to, counts, type, op, comm);
  if (call) call.done(-1, sum_of(counts, type, comm));
  return result;
}
int MPI_Reduce_scatter_block(const void* data, void* to, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  static auto* const next =
      function<decltype(MPI_Reduce_scatter_block)>("PMPI_Reduce_scatter_block");
  const Call call("MPI_Reduce_scatter_block");
  const int result = next(data, to, count, type, op, comm);
  if (call) call.done(-1, bytes_of(count, type) * static_cast<uint64_t>(size_of(comm)));
  return result;
}
int MPI_Gatherv(const void* data, int count, MPI_Datatype type, void* to, const int to_counts[],
                const int places[], MPI_Datatype to_type, int root, MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Gatherv)>("PMPI_Gatherv");
  const Call call("MPI_Gatherv");
  const int result = next(data, count, type, to, to_counts, places, to_type, root, comm);
  if (call) {
    uint64_t bytes = is_in_place(data) ? 0 : bytes_of(count, type);
    if (rank_in(comm) == root) bytes += sum_of(to_counts, to_type, comm);
    call.done(world_rank(root, comm), bytes);
  }
  return result;
}
int MPI_Scatterv(const void* data, const int counts[], const int places[], MPI_Datatype type,
                 void* to, int to_count, MPI_Datatype to_type, int root, MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Scatterv)>("PMPI_Scatterv");
  const Call call("MPI_Scatterv");
  const int result = next(data, counts, places, type, to, to_count, to_type, root, comm);
  if (call) {
    uint64_t bytes = is_in_place(to) ? 0 : bytes_of(to_count, to_type);
    if (rank_in(comm) == root) bytes += sum_of(counts, type, comm);
    call.done(world_rank(root, comm), bytes);
  }
  return result;
}
int MPI_Scan(const void* data, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  static auto* const next = function<decltype(MPI_Scan)>("PMPI_Scan");
  const Call call("MPI_Scan");
  const int result = next(data, to, count, type, op, comm);
  if (call) call.done(-1, (is_in_place(data) ? 1 : 2) * bytes_of(count, type));
  return result;
}

}  // extern "C"
