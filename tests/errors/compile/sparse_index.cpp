// error: krait: the indices of a sparse matrix must be std::int32_t or std::int64_t
// Misuse of kr::csr_matrix.
#include <krait/algorithm/sparse.h>
namespace kr = krait;

#ifndef RIGHT
void narrow(kr::array<float, 2>& x) { kr::csr_matrix<float, short> a(x); }
#endif
