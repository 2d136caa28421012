/* The hardware abstraction layer of NNAdapter in plain C.
 *
 * A driver is a shared library lib<name>.so in a folder of NNADAPTER_DEVICE_PATH that exports one
 * symbol, __nnadapter_device__<name>, of type NNAdapterDriver. The members are those of the
 * standard; where the original has C++ containers, a driver reads the model through the accessor
 * functions of NNAdapterHost.
 *
 * Numbers of enumerations are the standard's: operations ADD 1..., precisions FLOAT32 10..., fuse
 * codes, lifetimes and result codes. `nnadapter ops NAME` shows the operands of an operation in
 * order. Every pointer that a driver receives is valid until the function returns, but for `host`
 * and the data of operands, which live as long as the program.
 */
#ifndef NNADAPTER_HAL_H
#define NNADAPTER_HAL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NNADAPTER_HAL_ABI 1
#define NNADAPTER_MAX_DIMENSIONS 8
#define NNADAPTER_UNKNOWN (-1)         /* a size that is only known while running */
#define NNADAPTER_NO_OPERAND 0xffffffffu /* an optional operand that is absent */

/* Result codes. */
enum {
  NNADAPTER_NO_ERROR = 0,
  NNADAPTER_OUT_OF_MEMORY = 1,
  NNADAPTER_INVALID_DIMENSIONS = 2,
  NNADAPTER_INVALID_PARAMETER = 3,
  NNADAPTER_DEVICE_NOT_FOUND = 4,
  NNADAPTER_DEVICE_INTERNAL_ERROR = 5,
  NNADAPTER_FEATURE_NOT_SUPPORTED = 6
};

/* Kinds of devices. */
enum { NNADAPTER_CPU = 0, NNADAPTER_GPU = 1, NNADAPTER_ACCELERATOR = 2 };

/* Where the data of an operand lives. */
enum {
  NNADAPTER_TEMPORARY_VARIABLE = 0,
  NNADAPTER_TEMPORARY_SHAPE = 1,
  NNADAPTER_CONSTANT_COPY = 2,
  NNADAPTER_CONSTANT_REFERENCE = 3,
  NNADAPTER_MODEL_INPUT = 4,
  NNADAPTER_MODEL_OUTPUT = 5
};

/* The precisions that most drivers meet. */
enum {
  NNADAPTER_BOOL8 = 0,
  NNADAPTER_INT8 = 1,
  NNADAPTER_UINT8 = 2,
  NNADAPTER_INT32 = 5,
  NNADAPTER_INT64 = 7,
  NNADAPTER_FLOAT16 = 9,
  NNADAPTER_FLOAT32 = 10,
  NNADAPTER_FLOAT64 = 11
};

typedef struct NNAdapterModel NNAdapterModel; /* opaque: read through NNAdapterHost */

/* The type of an operand. A rank of 0 is shown as one dimension of size 1. */
typedef struct NNAdapterOperandType {
  int32_t precision;
  int32_t layout;
  int32_t lifetime;
  uint32_t dimension_count;
  int64_t dimensions[NNADAPTER_MAX_DIMENSIONS]; /* NNADAPTER_UNKNOWN where not known */
  uint32_t scale_count;                         /* 0: not quantised; 1: per layer */
  const float *scales;
  const int32_t *zero_points; /* one for each scale */
  int32_t scale_axis;         /* the axis of several scales, else -1 */
} NNAdapterOperandType;

typedef struct NNAdapterOperand {
  NNAdapterOperandType type;
  const void *data; /* of a constant, else NULL; contiguous, aligned as in its file */
  uint64_t length;  /* in bytes */
} NNAdapterOperand;

typedef struct NNAdapterOperation {
  int32_t type;
  uint32_t input_count;
  const uint32_t *inputs; /* numbers of operands, NNADAPTER_NO_OPERAND where absent */
  uint32_t output_count;
  const uint32_t *outputs;
} NNAdapterOperation;

/* What the runtime offers to drivers. Operations come in order of execution. */
typedef struct NNAdapterHost {
  uint32_t abi;
  uint32_t (*operand_count)(const NNAdapterModel *model);
  int (*operand)(const NNAdapterModel *model, uint32_t index, NNAdapterOperand *operand);
  uint32_t (*operation_count)(const NNAdapterModel *model);
  int (*operation)(const NNAdapterModel *model, uint32_t index, NNAdapterOperation *operation);
  uint32_t (*input_count)(const NNAdapterModel *model);
  uint32_t (*input)(const NNAdapterModel *model, uint32_t index); /* the number of an operand */
  uint32_t (*output_count)(const NNAdapterModel *model);
  uint32_t (*output)(const NNAdapterModel *model, uint32_t index);
} NNAdapterHost;

/* One end of an execution. For an input, `access` fills the dimensions of `type` and returns the
 * address of the data; for an output, the driver fills precision and dimensions first and writes to
 * the address that it gets. NULL when that cannot be. */
typedef struct NNAdapterArgument {
  uint32_t index;
  void *memory;
  void *(*access)(void *memory, NNAdapterOperandType *type);
} NNAdapterArgument;

/* A compiled program in memory. To fill it, call `store` once with bytes that are copied. */
typedef struct NNAdapterCache {
  const void *buffer; /* to restore from, or NULL */
  uint64_t length;
  int wanted; /* whether `store` should be called */
  void *user;
  void (*store)(void *user, const void *data, uint64_t length);
} NNAdapterCache;

typedef int (*NNAdapterCallback)(int event_id, void *user);

/* The driver. `validate_program` fills one byte for each operation with 0 or 1. `create_program`
 * restores from `cache` where `model` is NULL; `model` and `cache` may not be kept. `execute_program`
 * may be called by several threads at once. Functions but for the two destroyers and close_device
 * give a result code. */
typedef struct NNAdapterDriver {
  uint32_t abi; /* NNADAPTER_HAL_ABI */
  const char *name;
  const char *vendor;
  int32_t type;
  int32_t version;
  int (*open_device)(const NNAdapterHost *host, void **device);
  void (*close_device)(void *device);
  int (*create_context)(void *device, const char *properties, NNAdapterCallback callback,
                        void *user, void **context);
  void (*destroy_context)(void *context);
  int (*validate_program)(void *context, const NNAdapterModel *model, uint8_t *supported);
  int (*create_program)(void *context, const NNAdapterModel *model, NNAdapterCache *cache,
                        void **program);
  void (*destroy_program)(void *program);
  int (*execute_program)(void *program, uint32_t input_count, const NNAdapterArgument *inputs,
                         uint32_t output_count, const NNAdapterArgument *outputs);
} NNAdapterDriver;

#ifdef __cplusplus
}
#endif

#endif
