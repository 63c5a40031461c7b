// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rays, spheres and a light, with vectors and functions of the program's own. What stands behind
// //= are the operations that the line is recorded as; lines.py compares.
#include <krait/krait.h>

#include <cstdio>
#include <vector>

namespace kr = krait;

struct ray {
  kr::value<kr::vec<float, 3>> from, along;
};

kr::value<float> discriminant(const ray& r, const kr::value<kr::vec<float, 4>>& sphere) {
  auto x = r.from.x - sphere.x;              //= sub
  auto y = r.from.y - sphere.y;              //= sub
  auto z = r.from.z - sphere.z;              //= sub
  auto b = x * r.along.x                     //= mul
           + y * r.along.y                   //= mul add
           + z * r.along.z;                  //= mul add
  auto square = x * x + y * y + z * z;       //= mul add
  auto rest = square - sphere.w * sphere.w;  //= mul sub
  return b * b - rest;                       //= mul sub
}

int main() {
  auto trace = kr::kernel([](kr::view<const kr::vec<float, 4>> spheres, kr::view<float, 2> image) {
    auto [column, row] = kr::grid<2>();                               //= global_id
    auto width = kr::cast<float>(image.extent(1));                    //= extent cast
    auto height = kr::cast<float>(image.extent(0));                   //= extent cast
    auto u = kr::cast<float>(column) / width;                         //= cast div
    auto v = kr::cast<float>(row) / height;                           //= cast div
    auto eye = kr::make_vec(u * 0.0f, v, u);                          //= const mul
    auto along = kr::normalize(kr::make_vec(u - 0.5f, v - 0.5f, u));  //= const sub mul add sqrt div
    const ray r{eye, along};
    kr::var nearest = 1e30f;                    //= const
    kr::var light = 0.0f;                       //= const
    for (auto k : kr::range(spheres.size())) {  //= const extent max cast for
      auto sphere = spheres[k];                 //= load
      auto d = discriminant(r, sphere);
      kr::if_(d > 0.0f, [&] {               //= const gt if
        auto depth = kr::sqrt(d);           //= sqrt
        auto hit = along * depth;           //= mul
        auto normal = hit - eye;            //= sub
        auto lit = kr::dot(normal, along);  //= mul add
        kr::if_(depth < nearest, [&] {      //= lt if
          nearest = depth;
          light = kr::clamp(lit, 0.0f, 1.0f);  //= const min max
        });
      });
    }
    kr::if_(row < image.extent(0) && column < image.extent(1), [&] {  //= lt extent and if
      image(row, column) = light + nearest * 1e-30f;                  //= const mul add store
    });
  });
  kr::array<float, 2> image({16, 16});
  std::vector<kr::vec<float, 4>> spheres(3, kr::vec<float, 4>{0, 0, 1, 0.5f});
  trace.launch({{1, 1}, {16, 16}}, spheres, image);
  std::puts(trace.ir().c_str());
}
