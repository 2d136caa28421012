/* Step 2: the list of operations. What is accepted here is what the chip computes. */
#include <string.h>

#include "driver.h"

enum {
  OP_ADD = 3,
  OP_CONV_2D = 14,
  OP_DEQUANTIZE = 19,
  OP_FLATTEN = 26,
  OP_FULLY_CONNECTED = 29,
  OP_MAX_POOL_2D = 49,
  OP_QUANTIZE = 60,
  OP_RESHAPE = 67
};
enum { ASYMMETRIC = 26, SYMMETRIC = 24, PER_CHANNEL = 25, BIAS = 30, BIAS_PER_CHANNEL = 31 };
enum { LARGEST = 1 << 24 };

int64_t count_of(const NNAdapterOperandType *type) {
  int64_t count = 1;
  for (uint32_t k = 0; k < type->dimension_count; k++) count *= type->dimensions[k];
  return count;
}

int64_t bytes_of(const NNAdapterOperandType *type) {
  return count_of(type) * (type->precision == NNADAPTER_FLOAT32 ? 4 : 1);
}

int32_t number(const Job *job, uint32_t operand, uint32_t place, int32_t otherwise) {
  int32_t found = otherwise; /* constants are aligned as in their file, which may be not at all */
  if (operand < job->operation.input_count && job->has[operand])
    memcpy(&found, (const uint8_t *)job->inputs[operand].data + sizeof found * place, sizeof found);
  return found;
}

/* Types */

/* The compiler of the chip wants to know every size, none above 16 millions. */
static int is_known(const NNAdapterOperandType *type) {
  int64_t count = 1;
  for (uint32_t k = 0; k < type->dimension_count; k++) {
    if (type->dimensions[k] < 1 || type->dimensions[k] > LARGEST) return 0;
    if ((count *= type->dimensions[k]) > LARGEST) return 0;
  }
  return 1;
}

static int is_bytes(const NNAdapterOperandType *type) {
  return type->precision == ASYMMETRIC && type->scale_count == 1 && is_known(type);
}

static int is_real(const NNAdapterOperandType *type) {
  return type->precision == NNADAPTER_FLOAT32 && is_known(type);
}

static int is_weight(const NNAdapterOperand *operand) {
  int32_t kind = operand->type.precision;
  int fits = kind == SYMMETRIC || (kind == PER_CHANNEL && operand->type.scale_axis == 0);
  return fits && operand->data != NULL && is_known(&operand->type);
}

static int is_bias(const Job *job, uint32_t operand) {
  int32_t kind = job->inputs[operand].type.precision;
  if (!job->has[operand]) return 1;
  return (kind == BIAS || kind == BIAS_PER_CHANNEL) && job->inputs[operand].data != NULL;
}

static int is_alike(const NNAdapterOperandType *a, const NNAdapterOperandType *b) {
  return a->scales[0] == b->scales[0] && a->zero_points[0] == b->zero_points[0];
}

/* Whether the numbers behind the tensors are constants. */
static int is_fixed(const Job *job, uint32_t first) {
  for (uint32_t k = first; k < job->operation.input_count; k++)
    if (job->has[k] && job->inputs[k].data == NULL) return 0;
  return 1;
}

/* Operations */

static int accepts_convolution(const Job *job) {
  const NNAdapterOperandType *input = &job->inputs[0].type, *weights = &job->inputs[1].type;
  if (!is_bytes(input) || !is_bytes(&job->result.type) || !is_weight(&job->inputs[1]) ||
      !is_bias(job, 2) || !is_fixed(job, 1))
    return 0;
  for (uint32_t k = 0; k < weights->scale_count; k++) {
    double product = (double)input->scales[0] * weights->scales[k];
    if (!chip_takes(product / job->result.type.scales[0])) return 0;
  }
  return 1;
}

static int accepts_sum(const Job *job) {
  const NNAdapterOperandType *a = &job->inputs[0].type, *b = &job->inputs[1].type;
  if (!is_bytes(a) || !is_bytes(b) || !is_bytes(&job->result.type) || !is_fixed(job, 2)) return 0;
  double result = job->result.type.scales[0];
  if (!chip_takes(a->scales[0] / result) || !chip_takes(b->scales[0] / result)) return 0;
  return a->dimension_count == b->dimension_count && job->inputs[1].data == NULL &&
         !memcmp(a->dimensions, b->dimensions, a->dimension_count * sizeof *a->dimensions);
}

static int accepts_maximum(const Job *job) {
  return is_bytes(&job->inputs[0].type) && is_bytes(&job->result.type) && is_fixed(job, 1) &&
         is_alike(&job->inputs[0].type, &job->result.type);
}

static int accepts_copy(const Job *job) {
  return is_bytes(&job->inputs[0].type) && is_bytes(&job->result.type) &&
         is_alike(&job->inputs[0].type, &job->result.type);
}

static int accepts_port(const Job *job) {
  const NNAdapterOperandType *a = &job->inputs[0].type, *b = &job->result.type;
  return (is_real(a) && is_bytes(b)) || (is_bytes(a) && is_real(b));
}

static const Rule RULES[] = {
    {OP_ADD, accepts_sum, build_sum},
    {OP_CONV_2D, accepts_convolution, build_convolution},
    {OP_DEQUANTIZE, accepts_port, build_port},
    {OP_FLATTEN, accepts_copy, build_copy},
    {OP_FULLY_CONNECTED, accepts_convolution, build_dense},
    {OP_MAX_POOL_2D, accepts_maximum, build_maximum},
    {OP_QUANTIZE, accepts_port, build_port},
    {OP_RESHAPE, accepts_copy, build_copy},
};

const Rule *rule_for(const Job *job) {
  for (size_t k = 0; k < sizeof RULES / sizeof *RULES; k++)
    if (RULES[k].type == job->operation.type)
      return job->inputs[0].data == NULL && RULES[k].accepts(job) ? &RULES[k] : NULL;
  return NULL;
}

int read_job(const NNAdapterModel *model, uint32_t index, Job *job) {
  memset(job, 0, sizeof *job);
  brook_host->operation(model, index, &job->operation);
  const NNAdapterOperation *operation = &job->operation;
  if (operation->input_count < 1 || operation->input_count > MOST_OPERANDS) return 0;
  if (operation->output_count != 1 || operation->inputs[0] == NNADAPTER_NO_OPERAND) return 0;
  for (uint32_t k = 0; k < operation->input_count; k++) {
    job->has[k] = operation->inputs[k] != NNADAPTER_NO_OPERAND;
    if (job->has[k]) brook_host->operand(model, operation->inputs[k], &job->inputs[k]);
  }
  brook_host->operand(model, operation->outputs[0], &job->result);
  return 1;
}

int brook_validate_program(void *context, const NNAdapterModel *model, uint8_t *supported) {
  (void)context;
  for (uint32_t k = 0; k < brook_host->operation_count(model); k++) {
    Job job;
    supported[k] = read_job(model, k, &job) && rule_for(&job) != NULL;
  }
  return NNADAPTER_NO_ERROR;
}
