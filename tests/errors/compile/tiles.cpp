// Tiles of shapes and types that there are not. Other messages may follow from one mistake.
// error: krait: the rows of a tile must be 1 or a multiple of 16
// error: krait: the columns of a tile must be 1 or a multiple of 8
// error: krait: factors of products must have rows and columns in multiples of 8
// error: krait: the shapes of these tiles do not match: extents must be equal, or 1
// error: krait: the tile that is assigned has more rows or columns
// error: krait: tiles can be loaded only from views of two or more dimensions
// error: krait: tiles can be stored only to views of two or more dimensions
// error: krait: the view is read-only
// error: krait: the axis of a tile must be 0 or 1
// error: krait: products of tiles need two factors of one floating-point type, of any two 8-bit floating-point types, or of any two 8-bit integer types
// error: krait: sums of products of tiles must be double for factors of double, float for other floats, and int for integers
// error: krait: a pipeline needs at least 2 slots
#include <krait/tile.h>
namespace kr = krait;

void f(kr::view<float> line, kr::view<const float, 2> fixed, kr::view<float, 2> v) {
  kr::tile<float, 16, 16> square;
  kr::tile<float, 16, 8> narrow;
#ifdef RIGHT
  (void)line, (void)fixed;
  kr::store(v, {0, 0}, kr::sum<1>(square) + narrow);
#else
  kr::tile<float, 10, 8> rows;
  kr::tile<float, 16, 9> columns;
  (void)kr::staged(kr::load<12, 16>(fixed, {0, 0}));
  (void)(square + narrow);
  kr::tile<float, 16, 1> column;
  column = square;
  (void)kr::load<16, 16>(line, {0});
  kr::store(line, {0}, square);
  kr::store(fixed, {0, 0}, square);
  (void)kr::sum<2>(square);
  (void)kr::mma(square, square.cast<int>(), square);
  (void)kr::mma(square, square, square.cast<double>());
  kr::pipelined<1>(
      4,
      [&](auto step) {
        return kr::load<16, 16>(v, {step, 0});
      },
      [](auto, const auto&) {});
#endif
}
