// com.acme::Snake as ONNX Runtime runs it on processors.
#include <cmath>
#include <vector>

#include "onnxruntime_abi.h"

namespace {

struct Kernel {
  const OrtApi* api;
  float alpha;
};

void* create(const OrtCustomOp*, const OrtApi* api, const OrtKernelInfo* info) {
  float alpha = 1;
  api->call<OrtStatus*>(FLOAT_ATTRIBUTE, info, "alpha", &alpha);
  return new Kernel{api, alpha};
}

void destroy(void* kernel) { delete static_cast<Kernel*>(kernel); }

void compute(void* self, OrtKernelContext* context) {
  const Kernel& kernel = *static_cast<Kernel*>(self);
  const OrtApi& api = *kernel.api;
  const OrtValue* input = nullptr;
  api.call<OrtStatus*>(INPUT, static_cast<const OrtKernelContext*>(context), size_t{0}, &input);
  OrtShapeInfo* shape = nullptr;
  api.call<OrtStatus*>(SHAPE_OF_TENSOR, input, &shape);
  size_t rank = 0;
  api.call<OrtStatus*>(RANK, static_cast<const OrtShapeInfo*>(shape), &rank);
  std::vector<int64_t> sizes(rank);
  api.call<OrtStatus*>(SIZES, static_cast<const OrtShapeInfo*>(shape), sizes.data(), rank);
  api.call<void>(RELEASE_SHAPE, shape);
  OrtValue* output = nullptr;
  api.call<OrtStatus*>(OUTPUT, context, size_t{0}, static_cast<const int64_t*>(sizes.data()), rank, &output);
  void *from = nullptr, *to = nullptr;
  api.call<OrtStatus*>(TENSOR_DATA, const_cast<OrtValue*>(input), &from);
  api.call<OrtStatus*>(TENSOR_DATA, output, &to);
  size_t count = 1;
  for (int64_t size : sizes) count *= size;
  const float* x = static_cast<float*>(from);
  float* y = static_cast<float*>(to);
  for (size_t i = 0; i < count; ++i) {
    const float wave = std::sin(kernel.alpha * x[i]);
    y[i] = x[i] + wave * wave / kernel.alpha;
  }
}

const OrtCustomOp SNAKE = {
    8,
    create,
    [](const OrtCustomOp*) { return "Snake"; },
    [](const OrtCustomOp*) -> const char* { return nullptr; },
    [](const OrtCustomOp*, size_t) { return FLOAT; },
    [](const OrtCustomOp*) { return size_t{1}; },
    [](const OrtCustomOp*, size_t) { return FLOAT; },
    [](const OrtCustomOp*) { return size_t{1}; },
    compute,
    destroy,
    [](const OrtCustomOp*, size_t) { return REQUIRED; },
    [](const OrtCustomOp*, size_t) { return REQUIRED; },
};

}  // namespace

extern "C" OrtStatus* RegisterCustomOps(OrtSessionOptions* options, const OrtApiBase* base) {
  const OrtApi& api = *base->get_api(8);
  OrtCustomOpDomain* domain = nullptr;
  if (auto* bad = api.call<OrtStatus*>(CREATE_CUSTOM_OP_DOMAIN, "com.acme", &domain)) return bad;
  if (auto* bad = api.call<OrtStatus*>(ADD_TO_DOMAIN, domain, &SNAKE)) return bad;
  return api.call<OrtStatus*>(ADD_DOMAIN, options, domain);
}
