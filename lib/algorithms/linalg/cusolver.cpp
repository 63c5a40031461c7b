// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER's dense routines (cusolverDn.h), with CUDA's runtime beside them: both use the primary
// context, as Krait does.
#include <dlfcn.h>

#include <map>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "algorithms/linalg/linalg.h"
#include "support/error.h"
#include "support/places.h"

namespace krait::host {
namespace {

using Handle = void*;
// CUBLAS_OP_N, CUBLAS_FILL_MODE_LOWER, CUSOLVER_EIG_MODE_VECTOR
constexpr int no_transposition = 0, lower = 0, with_vectors = 1;

void* open_first(std::initializer_list<const char*> names, std::string& why) {
  for (const char* name : names) {
    std::string said;
    if (void* const library = support::open_library(name, said)) return library;
    why += (why.empty() ? "" : "; ") + said;
  }
  return nullptr;
}

void* at(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}  // NOLINT: addresses of the device

/// Of CUDA's runtime.
struct Runtime {
  int (*set_device)(int);
  int (*current_device)(int*);
  int (*allocate)(void**, std::size_t);
  int (*free)(void*);
  int (*copy)(void*, const void*, std::size_t, int);
  int (*synchronize)();
};
/// Of one kind of number, and what asks for the room that each wants.
struct Routines {
  void *getrf_room, *getrf, *getrs, *potrf_room, *potrf, *geqrf_room, *geqrf, *orgqr_room, *orgqr,
      *gesvd_room, *gesvd, *syevd_room, *syevd;
};

struct Library {
  Runtime runtime{};
  int (*create)(Handle*) = nullptr;
  Routines all[4]{};
  bool usable = false;
  std::string why;
};

Library open() {
  Library l;
  void* const solver =
      open_first({"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"}, l.why);
  void* const runtime =
      solver
          ? open_first({"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so"},
                       l.why)
          : nullptr;
  if (!solver || !runtime) return l;
  const auto find = [&l](void* in, const std::string& symbol, auto& to) {
    to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(dlsym(in, symbol.c_str()));
    if (!to) l.why = "the installed CUDA libraries have no " + symbol;
  };
  l.why.clear();
  find(runtime, "cudaSetDevice", l.runtime.set_device),
      find(runtime, "cudaGetDevice", l.runtime.current_device);
  find(runtime, "cudaMalloc", l.runtime.allocate), find(runtime, "cudaFree", l.runtime.free);
  find(runtime, "cudaMemcpy", l.runtime.copy),
      find(runtime, "cudaDeviceSynchronize", l.runtime.synchronize);
  find(solver, "cusolverDnCreate", l.create);
  for (int kind = 0; kind < 4; ++kind) {
    const bool complex_numbers = is_complex(detail::linalg_number(kind));
    const auto routine = [&](const std::string& name, void*& own) {
      find(solver, std::string("cusolverDn") + "SDCZ"[kind] + name, own);
    };
    const auto both = [&](const std::string& name, void*& room, void*& own) {
      routine(name + "_bufferSize", room), routine(name, own);
    };
    Routines& r = l.all[kind];
    both("getrf", r.getrf_room, r.getrf), routine("getrs", r.getrs),
        both("potrf", r.potrf_room, r.potrf);
    both("geqrf", r.geqrf_room, r.geqrf),
        both(complex_numbers ? "ungqr" : "orgqr", r.orgqr_room, r.orgqr);
    both("gesvd", r.gesvd_room, r.gesvd),
        both(complex_numbers ? "heevd" : "syevd", r.syevd_room, r.syevd);
  }
  l.usable = l.why.empty();
  return l;
}

template <class... Args>
int call(void* routine, Args... args) {
  return reinterpret_cast<int (*)(Args...)>(routine)(args...);
}

class CuSolver final : public LinearLibrary {
 public:
  CuSolver(const Library& library, int ordinal) : l_(library), ordinal_(ordinal) {}

  int getrf(Number of, int m, int n, Address a, Address pivots) override {
    return run(of, "getrf", [&](const Scope& s, const Routines& r) {
      const Room work = s.room(r.getrf_room, m, n, at(a), m);
      s.check(call(r.getrf, s.handle(), m, n, at(a), m, work.data(), at(pivots), s.info()));
    });
  }
  int getrs(Number of, int n, int columns, Address a, Address pivots, Address b) override {
    return run(of, "getrs", [&](const Scope& s, const Routines& r) {
      s.check(call(r.getrs, s.handle(), no_transposition, n, columns, at(a), n, at(pivots), at(b),
                   n, s.info()));
    });
  }
  int potrf(Number of, int n, Address a) override {
    return run(of, "potrf", [&](const Scope& s, const Routines& r) {
      const Room work = s.room(r.potrf_room, lower, n, at(a), n);
      s.check(call(r.potrf, s.handle(), lower, n, at(a), n, work.data(), work.size(), s.info()));
    });
  }
  int geqrf(Number of, int m, int n, Address a, Address tau) override {
    return run(of, "geqrf", [&](const Scope& s, const Routines& r) {
      const Room work = s.room(r.geqrf_room, m, n, at(a), m);
      s.check(
          call(r.geqrf, s.handle(), m, n, at(a), m, at(tau), work.data(), work.size(), s.info()));
    });
  }
  int orgqr(Number of, int m, int n, Address a, Address tau) override {
    return run(of, "orgqr", [&](const Scope& s, const Routines& r) {
      const Room work = s.room(r.orgqr_room, m, n, n, at(a), m, at(tau));
      s.check(call(r.orgqr, s.handle(), m, n, n, at(a), m, at(tau), work.data(), work.size(),
                   s.info()));
    });
  }
  int gesvd(Number of, int m, int n, Address a, Address s_, Address u, int u_columns,
            Address vh) override {
    return run(of, "gesvd", [&](const Scope& s, const Routines& r) {
      const signed char u_job = u_columns == m ? 'A' : 'S', vh_job = 'A';
      const Room work = s.room(r.gesvd_room, m, n), parts(s, part_bytes(of), n);
      s.check(call(r.gesvd, s.handle(), u_job, vh_job, m, n, at(a), m, at(s_), at(u), m, at(vh), n,
                   work.data(), work.size(), parts.data(), s.info()));
    });
  }
  int syevd(Number of, int n, Address a, Address w) override {
    return run(of, "syevd", [&](const Scope& s, const Routines& r) {
      const Room work = s.room(r.syevd_room, with_vectors, lower, n, at(a), n, at(w));
      s.check(call(r.syevd, s.handle(), with_vectors, lower, n, at(a), n, at(w), work.data(),
                   work.size(), s.info()));
    });
  }

 private:
  class Scope;
  /// Memory of the device, in numbers.
  class Room {
   public:
    Room(const Scope& scope, std::size_t number_bytes, int numbers)
        : runtime_(scope.runtime()), size_(numbers) {
      scope.check_runtime(runtime_.allocate(&memory_, number_bytes * std::size_t(numbers) + 1));
    }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room() { runtime_.free(memory_); }
    void* data() const { return memory_; }
    int size() const { return size_; }

   private:
    const Runtime& runtime_;
    void* memory_ = nullptr;
    int size_;
  };
  /// A routine's run: the device is the thread's, and its info lies in the device's memory.
  class Scope {
   public:
    Scope(CuSolver& solver, Number of, const char* routine)
        : solver_(solver), of_(of), routine_(routine) {
      runtime().current_device(&before_);
      check_runtime(runtime().set_device(solver.ordinal_));
      if (!solver.handle_) check(solver.l_.create(&solver.handle_));
      check_runtime(runtime().allocate(&info_, sizeof(int)));
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() {
      if (info_) runtime().free(info_);
      runtime().set_device(before_);
    }
    const Runtime& runtime() const { return solver_.l_.runtime; }
    Handle handle() const { return solver_.handle_; }
    void* info() const { return info_; }
    /// What a routine asks for.
    template <class... Args>
    Room room(void* asks, Args... args) const {
      int numbers = 0;
      check(call(asks, handle(), args..., &numbers));
      return Room(*this, number_bytes(of_), numbers);
    }
    int result() const {
      constexpr int to_host = 2;
      int info = 0;
      check_runtime(runtime().synchronize());
      check_runtime(runtime().copy(&info, info_, sizeof info, to_host));
      return info;
    }
    void check(int status) const {
      if (status != 0)
        support::fail_device("cuda:{}: cuSOLVER's {} ends with status {}", solver_.ordinal_,
                             routine_, status);
    }
    void check_runtime(int status) const {
      if (status != 0)
        support::fail_device("cuda:{}: CUDA's runtime ends with error {} in {}", solver_.ordinal_,
                             status, routine_);
    }

   private:
    CuSolver& solver_;
    Number of_;
    const char* routine_;
    void* info_ = nullptr;
    int before_ = 0;
  };

  template <class Body>
  int run(Number of, const char* routine, const Body& body) {
    const std::lock_guard lock(mutex_);
    const Scope scope(*this, of, routine);
    body(scope, l_.all[int(of)]);
    return scope.result();
  }

  const Library& l_;
  int ordinal_;
  Handle handle_ = nullptr;
  std::mutex mutex_;
};

}  // namespace

LinearLibrary* open_cusolver(int ordinal, std::string& why) {
  static const auto& library = *new Library(open());
  why = library.why;
  if (!library.usable) return nullptr;
  static auto& solvers = *new std::map<int, CuSolver>();
  static auto& mutex = *new std::mutex();
  const std::lock_guard lock(mutex);
  return &solvers.try_emplace(ordinal, library, ordinal).first->second;
}

}  // namespace krait::host
