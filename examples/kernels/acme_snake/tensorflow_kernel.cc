// AcmeSnake as TensorFlow runs it on processors.
#include <cmath>

#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"

REGISTER_OP("AcmeSnake")
    .Input("x: T")
    .Output("y: T")
    .Attr("alpha: float = 1.0")
    .Attr("T: {float, double}")
    .SetShapeFn(tensorflow::shape_inference::UnchangedShape);

template <typename T>
class Snake : public tensorflow::OpKernel {
 public:
  explicit Snake(tensorflow::OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("alpha", &alpha_));
  }

  void Compute(tensorflow::OpKernelContext* context) override {
    const tensorflow::Tensor& input = context->input(0);
    tensorflow::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &output));
    const T* x = input.flat<T>().data();
    T* y = output->flat<T>().data();
    const T alpha = alpha_;
    for (tensorflow::int64 i = 0; i < input.NumElements(); ++i) {
      const T wave = std::sin(alpha * x[i]);
      y[i] = x[i] + wave * wave / alpha;
    }
  }

 private:
  float alpha_;
};

REGISTER_KERNEL_BUILDER(
    Name("AcmeSnake").Device(tensorflow::DEVICE_CPU).TypeConstraint<float>("T"), Snake<float>);
REGISTER_KERNEL_BUILDER(
    Name("AcmeSnake").Device(tensorflow::DEVICE_CPU).TypeConstraint<double>("T"), Snake<double>);
