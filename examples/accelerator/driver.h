/* What the parts of the driver share. */
#ifndef BROOK_DRIVER_H
#define BROOK_DRIVER_H

#include "chip.h"
#include "nnadapter_hal.h"

enum { MOST_OPERANDS = 16 };

/* An operation with its operands: `has` says which of them are there. */
typedef struct Job {
  NNAdapterOperation operation;
  NNAdapterOperand inputs[MOST_OPERANDS], result;
  int has[MOST_OPERANDS];
} Job;

/* A program: commands and constants, and where the ends of the model lie in the memory. It is one
 * block of bytes, so that it can be kept as it is. */
typedef struct End {
  NNAdapterOperandType type;
  int64_t place, length;
} End;

typedef struct Program {
  char magic[8];
  uint64_t length, sum; /* of everything behind the head */
  uint32_t command_count, input_count, output_count, reserved;
  int64_t memory, constants; /* how many bytes */
} Program;

/* What grows while a program is made. */
typedef struct Builder {
  const NNAdapterModel *model;
  int64_t *places; /* of the operands in the memory, -1 where they have none yet */
  ChipCommand *commands;
  uint8_t *constants;
  uint32_t command_count;
  int64_t memory, constant_count;
  int code;
} Builder;

/* A row of the list of operations. */
typedef struct Rule {
  int32_t type;
  int (*accepts)(const Job *job);
  void (*build)(Builder *builder, const Job *job, ChipCommand *command);
} Rule;

extern const NNAdapterHost *brook_host;

/* operations.c */
int64_t count_of(const NNAdapterOperandType *type);
int64_t bytes_of(const NNAdapterOperandType *type);
int32_t number(const Job *job, uint32_t operand, uint32_t place, int32_t otherwise);
int read_job(const NNAdapterModel *model, uint32_t index, Job *job);
const Rule *rule_for(const Job *job);
int brook_validate_program(void *context, const NNAdapterModel *model, uint8_t *supported);

/* build.c */
void build_convolution(Builder *builder, const Job *job, ChipCommand *command);
void build_dense(Builder *builder, const Job *job, ChipCommand *command);
void build_sum(Builder *builder, const Job *job, ChipCommand *command);
void build_maximum(Builder *builder, const Job *job, ChipCommand *command);
void build_copy(Builder *builder, const Job *job, ChipCommand *command);
void build_port(Builder *builder, const Job *job, ChipCommand *command);
int build_program(const NNAdapterModel *model, Program **program);

/* execute.c */
int brook_execute_program(void *program, uint32_t input_count, const NNAdapterArgument *inputs,
                          uint32_t output_count, const NNAdapterArgument *outputs);

/* cache.c */
const End *inputs_of(const Program *program);
const End *outputs_of(const Program *program);
const ChipCommand *commands_of(const Program *program);
const uint8_t *constants_of(const Program *program);
void seal(Program *program);
int brook_create_program(void *context, const NNAdapterModel *model, NNAdapterCache *cache,
                         void **program);
void brook_destroy_program(void *program);

#endif
