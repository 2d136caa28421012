/* Step 3: from a model to commands of the chip. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { FUSE_NONE, FUSE_RELU, FUSE_RELU1, FUSE_RELU6 };
enum { PAD_EXPLICIT, PAD_SAME, PAD_VALID };
enum { MOST_BYTES = 1 << 30 };

/* Scales */

static double step(const NNAdapterOperandType *type, int64_t channel) {
  return type->scales[type->scale_count > 1 ? channel : 0];
}

/* The integer that a real number becomes, as far as bytes go. */
static int32_t byte_of(const NNAdapterOperandType *type, double real) {
  double whole = rint(real / type->scales[0]) + type->zero_points[0];
  return whole < 0 ? 0 : whole > 255 ? 255 : (int32_t)whole;
}

/* An activation is a pair of bounds on the integers of the result. */
static void bound(ChipCommand *command, const NNAdapterOperandType *result, int32_t fuse) {
  command->low = fuse == FUSE_NONE ? 0 : byte_of(result, 0.0);
  command->high = fuse == FUSE_RELU6 ? byte_of(result, 6.0)
                  : fuse == FUSE_RELU1 ? byte_of(result, 1.0)
                                       : 255;
}

/* Constants */

static int64_t put(Builder *builder, const void *data, int64_t length) {
  int64_t place = (builder->constant_count + 7) / 8 * 8;
  uint8_t *grown = NULL;
  if (place + length <= MOST_BYTES) grown = realloc(builder->constants, (size_t)(place + length));
  if (grown == NULL) {
    builder->code = NNADAPTER_OUT_OF_MEMORY;
    return 0;
  }
  memset(grown + builder->constant_count, 0, (size_t)(place - builder->constant_count));
  memcpy(grown + place, data, (size_t)length);
  builder->constants = grown;
  builder->constant_count = place + length;
  return place;
}

/* Weights, biases in steps of the products, and one scale for each filter:
 * input scale * weight scale / result scale. */
static void put_filters(Builder *builder, const Job *job, ChipCommand *command) {
  const NNAdapterOperand *weights = &job->inputs[1];
  int64_t filters = weights->type.dimensions[0];
  int32_t *biases = calloc((size_t)filters, sizeof *biases);
  ChipScale *scales = calloc((size_t)filters, sizeof *scales);
  if (biases == NULL || scales == NULL) builder->code = NNADAPTER_OUT_OF_MEMORY;
  for (int64_t k = 0; k < filters && builder->code == NNADAPTER_NO_ERROR; k++) {
    double product = step(&job->inputs[0].type, 0) * step(&weights->type, k);
    scales[k] = chip_scale(product / step(&job->result.type, 0));
  }
  if (builder->code == NNADAPTER_NO_ERROR) {
    if (job->has[2]) memcpy(biases, job->inputs[2].data, (size_t)filters * sizeof *biases);
    command->weights = put(builder, weights->data, (int64_t)weights->length);
    command->biases = put(builder, biases, filters * (int64_t)sizeof *biases);
    command->scales = put(builder, scales, filters * (int64_t)sizeof *scales);
  }
  free(biases);
  free(scales);
}

/* Windows */

static void copy_sizes(int32_t sizes[4], const NNAdapterOperandType *type) {
  for (uint32_t k = 0; k < 4; k++) sizes[k] = (int32_t)type->dimensions[k];
}

static int32_t before(const ChipWindow *w, uint32_t axis, int32_t mode, int32_t stated) {
  if (mode == PAD_EXPLICIT) return stated;
  if (mode == PAD_VALID) return 0;
  int32_t needed = (w->to[2 + axis] - 1) * w->stride[axis] + w->kernel[axis] - w->from[2 + axis];
  return needed > 0 ? needed / 2 : 0; /* the odd one is behind */
}

static void open_window(ChipWindow *w, const Job *job, uint32_t padding, uint32_t strides) {
  int32_t mode = number(job, padding, 0, PAD_EXPLICIT);
  copy_sizes(w->from, &job->inputs[0].type);
  copy_sizes(w->to, &job->result.type);
  for (uint32_t k = 0; k < 2; k++) {
    w->stride[k] = number(job, strides, k, 1);
    w->before[k] = before(w, k, mode, number(job, padding + 1, 2 * k, 0));
  }
}

void build_convolution(Builder *builder, const Job *job, ChipCommand *command) {
  ChipWindow *w = &command->window;
  int is_same = number(job, 3, 0, PAD_EXPLICIT) == PAD_SAME; /* which has no dilation */
  command->kind = CHIP_CONV;
  w->groups = number(job, 6, 0, 1);
  for (uint32_t k = 0; k < 2; k++) {
    w->kernel[k] = (int32_t)job->inputs[1].type.dimensions[2 + k];
    w->dilation[k] = is_same ? 1 : number(job, 7, k, 1);
  }
  open_window(w, job, 3, 5);
  bound(command, &job->result.type, number(job, 8, 0, FUSE_NONE));
  put_filters(builder, job, command);
}

/* A dense layer is a convolution of images of one pixel. */
void build_dense(Builder *builder, const Job *job, ChipCommand *command) {
  ChipWindow *w = &command->window;
  const NNAdapterOperandType *weights = &job->inputs[1].type;
  int32_t outputs = (int32_t)weights->dimensions[0], inputs = (int32_t)weights->dimensions[1];
  int32_t rows = (int32_t)(count_of(&job->inputs[0].type) / inputs);
  *w = (ChipWindow){{rows, inputs, 1, 1}, {rows, outputs, 1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, 1};
  command->kind = CHIP_CONV;
  bound(command, &job->result.type, number(job, 3, 0, FUSE_NONE));
  put_filters(builder, job, command);
}

void build_maximum(Builder *builder, const Job *job, ChipCommand *command) {
  (void)builder;
  command->kind = CHIP_MAX;
  for (uint32_t k = 0; k < 2; k++) command->window.kernel[k] = number(job, 3, k, 1);
  open_window(&command->window, job, 1, 4);
  bound(command, &job->result.type, number(job, 8, 0, FUSE_NONE));
}

/* The rest */

void build_sum(Builder *builder, const Job *job, ChipCommand *command) {
  (void)builder;
  double result = step(&job->result.type, 0);
  command->kind = CHIP_ADD;
  command->zero_second = job->inputs[1].type.zero_points[0];
  chip_scales(step(&job->inputs[0].type, 0) / result, step(&job->inputs[1].type, 0) / result,
              &command->scale_first, &command->scale_second);
  bound(command, &job->result.type, number(job, 2, 0, FUSE_NONE));
}

void build_copy(Builder *builder, const Job *job, ChipCommand *command) {
  (void)builder, (void)job;
  command->kind = CHIP_COPY;
}

void build_port(Builder *builder, const Job *job, ChipCommand *command) {
  (void)builder;
  int reads = job->result.type.scale_count > 0;
  command->kind = reads ? CHIP_READ_FLOAT : CHIP_WRITE_FLOAT;
  command->step = reads ? job->result.type.scales[0] : job->inputs[0].type.scales[0];
  bound(command, &job->result.type, FUSE_NONE);
}

/* Programs */

/* Where an operand lies: places are given out one behind the other, as the chip has enough. */
static int64_t place(Builder *builder, uint32_t index) {
  NNAdapterOperand operand;
  if (builder->places[index] >= 0) return builder->places[index];
  brook_host->operand(builder->model, index, &operand);
  builder->places[index] = builder->memory;
  builder->memory += (bytes_of(&operand.type) + 7) / 8 * 8;
  if (builder->memory > MOST_BYTES) builder->code = NNADAPTER_OUT_OF_MEMORY;
  return builder->places[index];
}

static void add_command(Builder *builder, const Job *job, const Rule *rule) {
  ChipCommand *command = &builder->commands[builder->command_count++];
  const NNAdapterOperandType *first = &job->inputs[0].type, *result = &job->result.type;
  memset(command, 0, sizeof *command); /* gaps between members too: they are kept in caches */
  command->high = 255;
  command->count = count_of(result);
  command->zero_first = first->scale_count ? first->zero_points[0] : 0;
  command->zero_result = result->scale_count ? result->zero_points[0] : 0;
  command->first = place(builder, job->operation.inputs[0]);
  if (rule->build == build_sum) command->second = place(builder, job->operation.inputs[1]);
  command->result = place(builder, job->operation.outputs[0]);
  rule->build(builder, job, command);
}

static void add_commands(Builder *builder, uint32_t count) {
  for (uint32_t k = 0; k < count && builder->code == NNADAPTER_NO_ERROR; k++) {
    Job job;
    const Rule *rule = read_job(builder->model, k, &job) ? rule_for(&job) : NULL;
    if (rule == NULL) builder->code = NNADAPTER_FEATURE_NOT_SUPPORTED;
    else add_command(builder, &job, rule);
  }
}

static void add_end(Builder *builder, End *end, uint32_t index) {
  NNAdapterOperand operand;
  brook_host->operand(builder->model, index, &operand);
  if (operand.data != NULL) builder->code = NNADAPTER_FEATURE_NOT_SUPPORTED;
  end->type = operand.type;
  end->type.scales = NULL; /* they belong to the model, which is gone while running */
  end->type.zero_points = NULL;
  end->length = bytes_of(&operand.type);
  end->place = place(builder, index);
}

static int join(Builder *builder, const End *ends, Program head, Program **program) {
  size_t end_bytes = (head.input_count + head.output_count) * sizeof *ends;
  size_t command_bytes = builder->command_count * sizeof *builder->commands;
  size_t whole = sizeof head + end_bytes + command_bytes + (size_t)builder->constant_count;
  uint8_t *block = malloc(whole), *at = block;
  if (block == NULL) return NNADAPTER_OUT_OF_MEMORY;
  head.length = whole - sizeof head;
  head.command_count = builder->command_count;
  head.memory = builder->memory;
  head.constants = builder->constant_count;
  memcpy(at, &head, sizeof head);
  memcpy(at += sizeof head, ends, end_bytes);
  memcpy(at += end_bytes, builder->commands, command_bytes);
  if (builder->constant_count)
    memcpy(at += command_bytes, builder->constants, (size_t)builder->constant_count);
  *program = (Program *)block;
  seal(*program);
  return NNADAPTER_NO_ERROR;
}

static void free_builder(Builder *builder) {
  free(builder->places);
  free(builder->commands);
  free(builder->constants);
}

int build_program(const NNAdapterModel *model, Program **program) {
  uint32_t operands = brook_host->operand_count(model), count = brook_host->operation_count(model);
  Program head = {.input_count = brook_host->input_count(model),
                  .output_count = brook_host->output_count(model)};
  uint32_t end_count = head.input_count + head.output_count;
  Builder builder = {.model = model};
  End *ends = calloc(end_count + 1, sizeof *ends);
  builder.places = malloc((operands + 1) * sizeof *builder.places);
  builder.commands = calloc(count + 1, sizeof *builder.commands);
  if (ends == NULL || builder.places == NULL || builder.commands == NULL)
    builder.code = NNADAPTER_OUT_OF_MEMORY;
  for (uint32_t k = 0; k < operands && builder.places; k++) builder.places[k] = -1;
  for (uint32_t k = 0; k < end_count && builder.code == NNADAPTER_NO_ERROR; k++)
    add_end(&builder, &ends[k], k < head.input_count
                                    ? brook_host->input(model, k)
                                    : brook_host->output(model, k - head.input_count));
  if (builder.code == NNADAPTER_NO_ERROR) add_commands(&builder, count);
  if (builder.code == NNADAPTER_NO_ERROR) builder.code = join(&builder, ends, head, program);
  free_builder(&builder);
  free(ends);
  return builder.code;
}
