// acme_snake as Paddle runs it on processors.
#include <cmath>
#include <vector>

#include "paddle/phi/api/all.h"

std::vector<paddle::Tensor> Snake(const paddle::Tensor& x, float alpha) {
  paddle::Tensor y = paddle::empty_like(x);
  PD_DISPATCH_FLOATING_TYPES(x.type(), "acme_snake", ([&] {
    const data_t* from = x.data<data_t>();
    data_t* to = y.data<data_t>();
    for (int64_t i = 0; i < x.numel(); ++i) {
      const data_t wave = std::sin(static_cast<data_t>(alpha) * from[i]);
      to[i] = from[i] + wave * wave / static_cast<data_t>(alpha);
    }
  }));
  return {y};
}

std::vector<std::vector<int64_t>> Shape(std::vector<int64_t> x) { return {x}; }

std::vector<paddle::DataType> Type(paddle::DataType x) { return {x}; }

PD_BUILD_OP(acme_snake)
    .Inputs({"x"})
    .Outputs({"y"})
    .Attrs({"alpha: float"})
    .SetKernelFn(PD_KERNEL(Snake))
    .SetInferShapeFn(PD_INFER_SHAPE(Shape))
    .SetInferDtypeFn(PD_INFER_DTYPE(Type));
