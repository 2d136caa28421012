/* Step 5: keep a program, and restore it without its model. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static const char MAGIC[8] = "BROOK-1";

const End *inputs_of(const Program *program) { return (const End *)(program + 1); }

const End *outputs_of(const Program *program) { return inputs_of(program) + program->input_count; }

const ChipCommand *commands_of(const Program *program) {
  return (const ChipCommand *)(outputs_of(program) + program->output_count);
}

const uint8_t *constants_of(const Program *program) {
  return (const uint8_t *)(commands_of(program) + program->command_count);
}

/* FNV-1a over all that lies behind the sum. */
static uint64_t sum_of(const Program *program) {
  uint64_t sum = 14695981039346656037u;
  const uint8_t *bytes = (const uint8_t *)&program->command_count;
  const uint8_t *end = (const uint8_t *)(program + 1) + program->length;
  for (; bytes < end; bytes++) sum = (sum ^ *bytes) * 1099511628211u;
  return sum;
}

void seal(Program *program) {
  memcpy(program->magic, MAGIC, sizeof MAGIC);
  program->sum = sum_of(program);
}

static int is_whole(const Program *program, uint64_t length) {
  return length >= sizeof *program && !memcmp(program->magic, MAGIC, sizeof MAGIC) &&
         program->length == length - sizeof *program && program->sum == sum_of(program);
}

static int restore(const NNAdapterCache *cache, Program **program) {
  if (cache == NULL || cache->buffer == NULL || cache->length < sizeof(Program))
    return NNADAPTER_INVALID_PARAMETER;
  Program *copy = malloc(cache->length);
  if (copy == NULL) return NNADAPTER_OUT_OF_MEMORY;
  memcpy(copy, cache->buffer, cache->length);
  if (!is_whole(copy, cache->length)) {
    free(copy);
    return NNADAPTER_INVALID_PARAMETER;
  }
  *program = copy;
  return NNADAPTER_NO_ERROR;
}

int brook_create_program(void *context, const NNAdapterModel *model, NNAdapterCache *cache,
                         void **handle) {
  Program *program = NULL;
  (void)context;
  int code = model == NULL ? restore(cache, &program) : build_program(model, &program);
  if (code != NNADAPTER_NO_ERROR) return code;
  if (model != NULL && cache != NULL && cache->wanted)
    cache->store(cache->user, program, sizeof *program + program->length);
  *handle = program;
  return NNADAPTER_NO_ERROR;
}

void brook_destroy_program(void *program) { free(program); }
