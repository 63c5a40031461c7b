// error: krait: the ends of groups are int or std::int64_t
#include <krait/algorithm/grouped_matmul.h>
#include <krait/krait.h>

int main() {
  const auto x = krait::ones<float>({4, 3});
  const auto y = krait::ones<float>({2, 3, 5});
  (void)krait::grouped_matmul(x, y, krait::ones<float>({2}));
}
