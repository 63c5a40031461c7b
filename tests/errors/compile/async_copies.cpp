// error: krait: copy_async copies from an array or to one: for two containers use std::copy
// Misuse of asynchronous copies. Other messages may follow from one mistake.
#include <vector>

#include <krait/async.h>
#include <krait/krait.h>
namespace kr = krait;

#ifndef RIGHT
void of_containers(std::vector<int>& x, std::vector<int>& y, kr::stream& s) { kr::copy_async(x, y, s); }
// error: krait: the elements of copy_async's target cannot be written
void to_const(std::vector<int>& x, const kr::array<int>& y, kr::stream& s) { kr::copy_async(x, y, s); }
// error: krait: copy_async's element types differ
void of_floats(std::vector<float>& x, kr::array<int>& y, kr::stream& s) { kr::copy_async(x, y, s); }
// error: krait: copy_async's arrays differ in their number of dimensions
void of_a_table(kr::array<int, 2>& x, kr::array<int>& y, kr::stream& s) { kr::copy_async(x, y, s); }
// error: krait: copy_async's target is a temporary: give it a name
void to_nothing(kr::array<int>& x, kr::stream& s) { kr::copy_async(x, std::vector<int>(4), s); }
// error: elements are copied as bytes: use a trivially copyable type that is not const
void of_vectors() { kr::pinned<std::vector<int>> x(1); }
#endif
