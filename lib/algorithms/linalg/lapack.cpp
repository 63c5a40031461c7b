// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LAPACK by its Fortran interface: arguments are addresses, and the lengths of texts follow them.
#include <dlfcn.h>

#include <algorithm>
#include <vector>

#include "algorithms/linalg/linalg.h"
#include "support/environment.h"
#include "support/places.h"

namespace krait::host {
namespace {

/// Of one kind of number.
struct Routines {
  void *getrf, *getrs, *potrf, *geqrf, *orgqr, *gesdd, *syevd, *geev;
};

void* at(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}  // NOLINT: addresses of the CPU are the host's

template <class... Args>
void call(void* routine, Args... args) {
  reinterpret_cast<void (*)(Args...)>(routine)(args...);
}

/// Room for a routine's own numbers, of which it says how many it wants.
class Work {
 public:
  explicit Work(std::size_t number_bytes) : bytes_(number_bytes), memory_(number_bytes) {}
  void* data() { return memory_.data(); }
  int* size() { return &size_; }
  /// Takes what the routine has written as the first number; `part_bytes`: of its real part.
  void grow(std::size_t part_bytes) {
    const double wanted = part_bytes == 4 ? double(*reinterpret_cast<const float*>(memory_.data()))
                                          : *reinterpret_cast<const double*>(memory_.data());
    size_ = std::max(1, int(wanted));
    memory_.resize(std::size_t(size_) * bytes_);
  }

 private:
  std::size_t bytes_;
  int size_ = -1;  // asks
  std::vector<std::byte> memory_;
};

class Lapack final : public LinearLibrary {
 public:
  /// Whether all routines are there.
  bool find(void* library, std::string& missing) {
    for (int kind = 0; kind < 4; ++kind) {
      const bool complex_numbers = is_complex(Number(kind));
      const auto routine = [&](const char* name) {
        const std::string symbol = "sdcz"[kind] + std::string(name);
        void* const found = dlsym(library, (symbol + "_").c_str());
        if (!found && missing.empty()) missing = symbol;
        return found;
      };
      all_[kind] = {routine("getrf"),
                    routine("getrs"),
                    routine("potrf"),
                    routine("geqrf"),
                    routine(complex_numbers ? "ungqr" : "orgqr"),
                    routine("gesdd"),
                    routine(complex_numbers ? "heevd" : "syevd"),
                    routine("geev")};
    }
    return missing.empty();
  }

  int getrf(Number of, int m, int n, Address a, Address pivots) override {
    int info = 0;
    call(on(of).getrf, &m, &n, at(a), &m, at(pivots), &info);
    return info;
  }
  int getrs(Number of, int n, int columns, Address a, Address pivots, Address b) override {
    int info = 0;
    const char as_it_is = 'N';
    call(on(of).getrs, &as_it_is, &n, &columns, at(a), &n, at(pivots), at(b), &n, &info,
         std::size_t(1));
    return info;
  }
  int potrf(Number of, int n, Address a) override {
    int info = 0;
    const char lower = 'L';
    call(on(of).potrf, &lower, &n, at(a), &n, &info, std::size_t(1));
    return info;
  }
  int geqrf(Number of, int m, int n, Address a, Address tau) override {
    return with_work(of, [&](Work& work, int* info) {
      call(on(of).geqrf, &m, &n, at(a), &m, at(tau), work.data(), work.size(), info);
    });
  }
  int orgqr(Number of, int m, int n, Address a, Address tau) override {
    return with_work(of, [&](Work& work, int* info) {
      call(on(of).orgqr, &m, &n, &n, at(a), &m, at(tau), work.data(), work.size(), info);
    });
  }
  int gesvd(Number of, int m, int n, Address a, Address s, Address u, int u_columns,
            Address vh) override {
    const char job = u_columns == m ? 'A' : 'S';
    const std::size_t least = std::size_t(n), most = std::size_t(m);
    std::vector<int> integers(8 * least);
    // LAPACK's own bound for a matrix of `most` rows and `least` columns.
    std::vector<std::byte> parts(
        is_complex(of) ? part_bytes(of) * std::max(5 * least * least + 5 * least,
                                                   2 * most * least + 2 * least * least + least)
                       : 0);
    return with_work(of, [&](Work& work, int* info) {
      if (is_complex(of))
        call(on(of).gesdd, &job, &m, &n, at(a), &m, at(s), at(u), &m, at(vh), &n, work.data(),
             work.size(), parts.data(), integers.data(), info, std::size_t(1));
      else
        call(on(of).gesdd, &job, &m, &n, at(a), &m, at(s), at(u), &m, at(vh), &n, work.data(),
             work.size(), integers.data(), info, std::size_t(1));
    });
  }
  int syevd(Number of, int n, Address a, Address w) override {
    const char vectors = 'V', lower = 'L';
    const std::size_t size = std::size_t(n);
    // LAPACK's own bounds.
    std::vector<int> integers(3 + 5 * size);
    int integers_size = int(integers.size()), parts_size = int(1 + 5 * size + 2 * size * size);
    std::vector<std::byte> parts(is_complex(of) ? part_bytes(of) * std::size_t(parts_size) : 0);
    return with_work(of, [&](Work& work, int* info) {
      if (is_complex(of))
        call(on(of).syevd, &vectors, &lower, &n, at(a), &n, at(w), work.data(), work.size(),
             parts.data(), &parts_size, integers.data(), &integers_size, info, std::size_t(1),
             std::size_t(1));
      else
        call(on(of).syevd, &vectors, &lower, &n, at(a), &n, at(w), work.data(), work.size(),
             integers.data(), &integers_size, info, std::size_t(1), std::size_t(1));
    });
  }

  int geev(Number of, int n, Address a, Address w, Address v) override {
    const char none = 'N', vectors = 'V';
    const int one = 1;
    const std::size_t size = std::size_t(n), bytes = part_bytes(of);
    std::vector<std::byte> parts(2 * size * bytes);
    return with_work(of, [&](Work& work, int* info) {
      if (is_complex(of))
        call(on(of).geev, &none, &vectors, &n, at(a), &n, at(w), static_cast<void*>(nullptr), &one,
             at(v), &n, work.data(), work.size(), parts.data(), info, std::size_t(1),
             std::size_t(1));
      else  // real and imaginary parts one after the other
        call(on(of).geev, &none, &vectors, &n, at(a), &n, at(w), at(w + size * bytes),
             static_cast<void*>(nullptr), &one, at(v), &n, work.data(), work.size(), info,
             std::size_t(1), std::size_t(1));
    });
  }

 private:
  const Routines& on(Number of) const { return all_[int(of)]; }
  /// Calls a routine twice: to ask, and to compute.
  template <class Call>
  int with_work(Number of, const Call& routine) {
    Work work(number_bytes(of));
    int info = 0;
    routine(work, &info);
    if (info != 0) return info;
    work.grow(part_bytes(of));
    routine(work, &info);
    return info;
  }

  Routines all_[4]{};
};

struct Opened {
  Lapack lapack;
  bool usable = false;
  std::string why;
};
Opened open() {
  Opened o;
  std::vector<std::string> names = {"libopenblas.so.0", "liblapack.so.3"};
  if (const char* const wished = support::environment_text("KRAIT_LAPACK")) names = {wished};
  for (const std::string& name : names) {
    std::string missing, said;
    void* const library = support::open_library(name.c_str(), said);
    if (library && o.lapack.find(library, missing)) {
      o.usable = true;
      return o;
    }
    o.why += (o.why.empty() ? "" : "; ") + (library ? name + " has no routine " + missing : said);
  }
  o.why += "; install LAPACK (Debian: libopenblas0 or liblapack3), or name one in KRAIT_LAPACK";
  return o;
}

}  // namespace

LinearLibrary* open_lapack(std::string& why) {
  static auto* const opened = new Opened(open());
  why = opened->why;
  return opened->usable ? &opened->lapack : nullptr;
}

}  // namespace krait::host
