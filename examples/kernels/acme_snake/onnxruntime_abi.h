// The part of ONNX Runtime's C interface that the kernel calls. Its wheel comes without headers; the
// places in the table of functions never change, and a library of version 8 runs in every later one.
#pragma once
#include <cstddef>
#include <cstdint>

struct OrtStatus;
struct OrtSessionOptions;
struct OrtCustomOpDomain;
struct OrtKernelInfo;
struct OrtKernelContext;
struct OrtValue;
struct OrtShapeInfo;

struct OrtApi {
  const void* functions[102];

  template <typename Result, typename... Arguments>
  Result call(int place, Arguments... arguments) const {
    return reinterpret_cast<Result (*)(Arguments...)>(const_cast<void*>(functions[place]))(arguments...);
  }
};

struct OrtApiBase {
  const OrtApi* (*get_api)(uint32_t version);
  const char* (*version)();
};

enum Place {
  CREATE_CUSTOM_OP_DOMAIN = 26,
  ADD_TO_DOMAIN = 27,
  ADD_DOMAIN = 28,
  TENSOR_DATA = 51,
  RANK = 61,
  SIZES = 62,
  SHAPE_OF_TENSOR = 65,
  FLOAT_ATTRIBUTE = 85,
  INPUT = 90,
  OUTPUT = 91,
  RELEASE_SHAPE = 99,
};

enum ElementType { FLOAT = 1 };

enum Presence { REQUIRED };

struct OrtCustomOp {
  uint32_t version;
  void* (*create)(const OrtCustomOp*, const OrtApi*, const OrtKernelInfo*);
  const char* (*name)(const OrtCustomOp*);
  const char* (*provider)(const OrtCustomOp*);
  ElementType (*input_type)(const OrtCustomOp*, size_t);
  size_t (*input_count)(const OrtCustomOp*);
  ElementType (*output_type)(const OrtCustomOp*, size_t);
  size_t (*output_count)(const OrtCustomOp*);
  void (*compute)(void*, OrtKernelContext*);
  void (*destroy)(void*);
  Presence (*input_presence)(const OrtCustomOp*, size_t);
  Presence (*output_presence)(const OrtCustomOp*, size_t);
};
