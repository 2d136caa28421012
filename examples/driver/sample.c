/* A driver in C: ADD, MUL, RELU and CONV_2D of float32, written for clarity.
 *
 *   cc -std=c11 -O2 -shared -fPIC -I hal/include -o drivers/libsample.so examples/driver/sample.c
 *   NNADAPTER_DEVICE_PATH=drivers nnadapter run model.onnx --device sample,builtin
 */
#include <stdlib.h>
#include <string.h>

#include "nnadapter_hal.h"

enum { OP_ADD = 3, OP_CONV_2D = 14, OP_MUL = 52, OP_RELU = 65 };
enum { FUSE_NONE, FUSE_RELU, FUSE_RELU1, FUSE_RELU6 };
enum { PAD_EXPLICIT, PAD_SAME, PAD_VALID };
enum { MOST_OPERANDS = 16 };

static const NNAdapterHost *host;

/* A tensor while running: `data` belongs to the program's caller, a constant, or `owned`. */
typedef struct Tensor {
  NNAdapterOperandType type;
  const float *data;
  float *owned;
} Tensor;

typedef struct Step {
  int32_t type;
  uint32_t inputs[MOST_OPERANDS];
  uint32_t output;
} Step;

/* Operands by number, and the constants among them as they were when the program was made. */
typedef struct Program {
  uint32_t operand_count, step_count, input_count, output_count;
  NNAdapterOperand *operands;
  Step *steps;
  uint32_t *inputs, *outputs;
} Program;

static int64_t count_of(const NNAdapterOperandType *type) {
  int64_t count = 1;
  for (uint32_t k = 0; k < type->dimension_count; k++) count *= type->dimensions[k];
  return count;
}

static int32_t number(const Program *program, uint32_t index, uint32_t place, int32_t otherwise) {
  if (index == NNADAPTER_NO_OPERAND) return otherwise;
  return ((const int32_t *)program->operands[index].data)[place];
}

static float fused(float x, int32_t code) {
  float top = code == FUSE_RELU1 ? 1.0f : 6.0f;
  if (code == FUSE_NONE || x != x) return x; /* NaN stays NaN */
  if (x <= 0.0f) return 0.0f;
  return code != FUSE_RELU && x > top ? top : x;
}

/* Validation: what is promised here is what `execute_program` can do. */

static int is_number(const NNAdapterOperand *operand) {
  return operand->data != NULL && operand->type.precision == NNADAPTER_INT32;
}

static int is_supported(const NNAdapterModel *model, const NNAdapterOperation *operation) {
  NNAdapterOperand operands[MOST_OPERANDS], result;
  uint32_t tensors = operation->type == OP_CONV_2D ? 3 : operation->type == OP_RELU ? 1 : 2;
  if (operation->type != OP_ADD && operation->type != OP_MUL && operation->type != OP_RELU &&
      operation->type != OP_CONV_2D)
    return 0;
  if (operation->input_count > MOST_OPERANDS || operation->output_count != 1) return 0;
  host->operand(model, operation->outputs[0], &result);
  if (result.type.precision != NNADAPTER_FLOAT32) return 0;
  for (uint32_t k = 0; k < operation->input_count; k++) {
    if (operation->inputs[k] == NNADAPTER_NO_OPERAND) continue;
    host->operand(model, operation->inputs[k], &operands[k]);
    if (k < tensors ? operands[k].type.precision != NNADAPTER_FLOAT32 : !is_number(&operands[k]))
      return 0;
  }
  if (operation->type == OP_CONV_2D)
    return *(const int32_t *)operands[3].data != PAD_SAME;
  return 1;
}

static int validate_program(void *context, const NNAdapterModel *model, uint8_t *supported) {
  (void)context;
  for (uint32_t k = 0; k < host->operation_count(model); k++) {
    NNAdapterOperation operation;
    host->operation(model, k, &operation);
    supported[k] = (uint8_t)is_supported(model, &operation);
  }
  return NNADAPTER_NO_ERROR;
}

/* Programs */

static void destroy_program(void *handle) {
  Program *program = handle;
  if (program == NULL) return;
  free(program->operands);
  free(program->steps);
  free(program->inputs);
  free(program->outputs);
  free(program);
}

static int read_steps(Program *program, const NNAdapterModel *model) {
  for (uint32_t k = 0; k < program->step_count; k++) {
    NNAdapterOperation operation;
    host->operation(model, k, &operation);
    if (!is_supported(model, &operation)) return NNADAPTER_FEATURE_NOT_SUPPORTED;
    program->steps[k].type = operation.type;
    program->steps[k].output = operation.outputs[0];
    memcpy(program->steps[k].inputs, operation.inputs,
           operation.input_count * sizeof *operation.inputs);
  }
  for (uint32_t k = 0; k < program->output_count; k++) /* one may be an input as it is */
    if (program->operands[program->outputs[k]].type.precision != NNADAPTER_FLOAT32)
      return NNADAPTER_FEATURE_NOT_SUPPORTED;
  return NNADAPTER_NO_ERROR;
}

static int create_program(void *context, const NNAdapterModel *model, NNAdapterCache *cache,
                          void **handle) {
  (void)context;
  (void)cache; /* this driver restores nothing */
  if (model == NULL) return NNADAPTER_DEVICE_INTERNAL_ERROR;
  Program *program = calloc(1, sizeof *program);
  if (program == NULL) return NNADAPTER_OUT_OF_MEMORY;
  program->operand_count = host->operand_count(model);
  program->step_count = host->operation_count(model);
  program->input_count = host->input_count(model);
  program->output_count = host->output_count(model);
  program->operands = calloc(program->operand_count + 1, sizeof *program->operands);
  program->steps = calloc(program->step_count + 1, sizeof *program->steps);
  program->inputs = calloc(program->input_count + 1, sizeof *program->inputs);
  program->outputs = calloc(program->output_count + 1, sizeof *program->outputs);
  if (!program->operands || !program->steps || !program->inputs || !program->outputs) {
    destroy_program(program);
    return NNADAPTER_OUT_OF_MEMORY;
  }
  for (uint32_t k = 0; k < program->operand_count; k++)
    host->operand(model, k, &program->operands[k]);
  for (uint32_t k = 0; k < program->input_count; k++) program->inputs[k] = host->input(model, k);
  for (uint32_t k = 0; k < program->output_count; k++) program->outputs[k] = host->output(model, k);
  int code = read_steps(program, model);
  if (code != NNADAPTER_NO_ERROR) {
    destroy_program(program);
    return code;
  }
  *handle = program;
  return NNADAPTER_NO_ERROR;
}

/* Kernels */

static int make(Tensor *tensor) {
  int64_t count = count_of(&tensor->type);
  tensor->type.precision = NNADAPTER_FLOAT32;
  tensor->owned = malloc((size_t)(count ? count : 1) * sizeof(float));
  tensor->data = tensor->owned;
  return tensor->owned ? NNADAPTER_NO_ERROR : NNADAPTER_OUT_OF_MEMORY;
}

/* The size of the axis that lines up with axis `axis` of a result of `rank` axes. */
static int64_t aligned(const NNAdapterOperandType *type, uint32_t rank, uint32_t axis) {
  uint32_t lead = rank - type->dimension_count;
  return axis < lead ? 1 : type->dimensions[axis - lead];
}

static int64_t offset_of(const NNAdapterOperandType *type, const NNAdapterOperandType *whole,
                         int64_t place) {
  int64_t offset = 0, stride = 1;
  for (uint32_t axis = whole->dimension_count; axis-- > 0;) {
    int64_t size = aligned(type, whole->dimension_count, axis);
    int64_t position = place % whole->dimensions[axis];
    offset += (size == 1 ? 0 : position) * stride;
    stride *= size;
    place /= whole->dimensions[axis];
  }
  return offset;
}

static int binary(const Tensor *a, const Tensor *b, Tensor *result, int32_t type, int32_t fuse) {
  uint32_t rank = a->type.dimension_count > b->type.dimension_count ? a->type.dimension_count
                                                                      : b->type.dimension_count;
  result->type.dimension_count = rank;
  for (uint32_t k = 0; k < rank; k++) {
    int64_t m = aligned(&a->type, rank, k), n = aligned(&b->type, rank, k);
    if (m != n && m != 1 && n != 1) return NNADAPTER_INVALID_DIMENSIONS;
    result->type.dimensions[k] = m == 1 ? n : m;
  }
  int code = make(result);
  if (code != NNADAPTER_NO_ERROR) return code;
  for (int64_t k = 0; k < count_of(&result->type); k++) {
    float x = a->data[offset_of(&a->type, &result->type, k)];
    float y = b->data[offset_of(&b->type, &result->type, k)];
    result->owned[k] = fused(type == OP_ADD ? x + y : x * y, fuse);
  }
  return NNADAPTER_NO_ERROR;
}

static int relu(const Tensor *x, Tensor *result) {
  result->type = x->type;
  int code = make(result);
  if (code != NNADAPTER_NO_ERROR) return code;
  for (int64_t k = 0; k < count_of(&x->type); k++)
    result->owned[k] = fused(x->data[k], FUSE_RELU);
  return NNADAPTER_NO_ERROR;
}

typedef struct Window {
  int64_t top, left, stride[2], dilation[2];
} Window;

/* One element of the result: a sum in double, as the order of a float sum would show. */
static double summed(const Tensor *x, const Tensor *w, const Window *window, int64_t image,
                     int64_t filter, int64_t first, int64_t row, int64_t column) {
  const int64_t *xs = x->type.dimensions, *ws = w->type.dimensions;
  double sum = 0.0;
  for (int64_t c = 0; c < ws[1]; c++)
    for (int64_t i = 0; i < ws[2]; i++)
      for (int64_t j = 0; j < ws[3]; j++) {
        int64_t y = row * window->stride[0] + i * window->dilation[0] - window->top;
        int64_t z = column * window->stride[1] + j * window->dilation[1] - window->left;
        if (y < 0 || y >= xs[2] || z < 0 || z >= xs[3]) continue;
        double a = x->data[((image * xs[1] + first + c) * xs[2] + y) * xs[3] + z];
        sum += a * w->data[((filter * ws[1] + c) * ws[2] + i) * ws[3] + j];
      }
  return sum;
}

static int conv_2d(const Program *program, const Step *step, const Tensor *x, const Tensor *w,
                   const Tensor *bias, Tensor *result) {
  const uint32_t *operands = step->inputs;
  uint32_t pads = operands[4];
  int64_t group = number(program, operands[6], 0, 1);
  if (number(program, operands[3], 0, PAD_EXPLICIT) == PAD_VALID) pads = NNADAPTER_NO_OPERAND;
  Window window = {.top = number(program, pads, 0, 0), .left = number(program, pads, 2, 0)};
  int64_t bottom = number(program, pads, 1, 0), right = number(program, pads, 3, 0);
  const int64_t *xs = x->type.dimensions, *ws = w->type.dimensions;
  int64_t extra[2] = {window.top + bottom, window.left + right};
  result->type.dimension_count = 4;
  result->type.dimensions[0] = xs[0];
  result->type.dimensions[1] = ws[0];
  for (uint32_t k = 0; k < 2; k++) {
    window.stride[k] = number(program, operands[5], k, 1);
    window.dilation[k] = number(program, operands[7], k, 1);
    int64_t room = xs[2 + k] + extra[k] - (window.dilation[k] * (ws[2 + k] - 1) + 1);
    result->type.dimensions[2 + k] = room < 0 ? 0 : room / window.stride[k] + 1;
  }
  if (xs[1] != ws[1] * group || ws[0] % group) return NNADAPTER_INVALID_DIMENSIONS;
  int code = make(result);
  if (code != NNADAPTER_NO_ERROR) return code;
  const int64_t *ys = result->type.dimensions;
  float *out = result->owned;
  for (int64_t n = 0; n < ys[0]; n++)
    for (int64_t f = 0; f < ys[1]; f++)
      for (int64_t i = 0; i < ys[2]; i++)
        for (int64_t j = 0; j < ys[3]; j++) {
          int64_t first = f / (ws[0] / group) * ws[1];
          double sum = summed(x, w, &window, n, f, first, i, j);
          float value = (float)sum;
          if (bias->data) value = (float)(sum + bias->data[f]);
          *out++ = fused(value, number(program, operands[8], 0, FUSE_NONE));
        }
  return NNADAPTER_NO_ERROR;
}

static const Tensor absent;

static const Tensor *operand(const Tensor *tensors, uint32_t index) {
  return index == NNADAPTER_NO_OPERAND ? &absent : &tensors[index];
}

static int run_step(const Program *program, const Step *step, Tensor *tensors) {
  const Tensor *x = operand(tensors, step->inputs[0]);
  Tensor *result = &tensors[step->output];
  if (step->type == OP_RELU) return relu(x, result);
  const Tensor *y = operand(tensors, step->inputs[1]);
  if (step->type == OP_CONV_2D)
    return conv_2d(program, step, x, y, operand(tensors, step->inputs[2]), result);
  return binary(x, y, result, step->type, number(program, step->inputs[2], 0, FUSE_NONE));
}

static int run(const Program *program, Tensor *tensors, const NNAdapterArgument *inputs,
               const NNAdapterArgument *outputs) {
  for (uint32_t k = 0; k < program->operand_count; k++) {
    tensors[k].type = program->operands[k].type;
    tensors[k].data = program->operands[k].data;
  }
  for (uint32_t k = 0; k < program->input_count; k++) {
    Tensor *tensor = &tensors[program->inputs[k]];
    tensor->data = inputs[k].access(inputs[k].memory, &tensor->type);
    if (tensor->data == NULL) return NNADAPTER_INVALID_PARAMETER;
  }
  for (uint32_t k = 0; k < program->step_count; k++) {
    int code = run_step(program, &program->steps[k], tensors);
    if (code != NNADAPTER_NO_ERROR) return code;
  }
  for (uint32_t k = 0; k < program->output_count; k++) {
    Tensor *tensor = &tensors[program->outputs[k]];
    void *memory = outputs[k].access(outputs[k].memory, &tensor->type);
    if (memory == NULL) return NNADAPTER_OUT_OF_MEMORY;
    memcpy(memory, tensor->data, (size_t)count_of(&tensor->type) * sizeof(float));
  }
  return NNADAPTER_NO_ERROR;
}

static int execute_program(void *handle, uint32_t input_count, const NNAdapterArgument *inputs,
                           uint32_t output_count, const NNAdapterArgument *outputs) {
  const Program *program = handle;
  if (input_count != program->input_count || output_count != program->output_count)
    return NNADAPTER_INVALID_PARAMETER;
  Tensor *tensors = calloc(program->operand_count + 1, sizeof *tensors);
  if (tensors == NULL) return NNADAPTER_OUT_OF_MEMORY;
  int code = run(program, tensors, inputs, outputs);
  for (uint32_t k = 0; k < program->operand_count; k++) free(tensors[k].owned);
  free(tensors);
  return code;
}

/* Device and context: this one keeps nothing in them. */

static int open_device(const NNAdapterHost *given, void **device) {
  if (given->abi != NNADAPTER_HAL_ABI) return NNADAPTER_FEATURE_NOT_SUPPORTED;
  host = given;
  *device = NULL;
  return NNADAPTER_NO_ERROR;
}

static void close_device(void *device) { (void)device; }

static int create_context(void *device, const char *properties, NNAdapterCallback callback,
                          void *user, void **context) {
  (void)device, (void)properties, (void)callback, (void)user;
  *context = NULL;
  return NNADAPTER_NO_ERROR;
}

static void destroy_context(void *context) { (void)context; }

const NNAdapterDriver __nnadapter_device__sample = {
    .abi = NNADAPTER_HAL_ABI,
    .name = "sample",
    .vendor = "NNAdapter",
    .type = NNADAPTER_CPU,
    .version = 1,
    .open_device = open_device,
    .close_device = close_device,
    .create_context = create_context,
    .destroy_context = destroy_context,
    .validate_program = validate_program,
    .create_program = create_program,
    .destroy_program = destroy_program,
    .execute_program = execute_program,
};
