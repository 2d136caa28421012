/* Step 4: run a program. Several threads may do so at once, each with a memory of its own. */
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static int is_as_compiled(const NNAdapterOperandType *found, const NNAdapterOperandType *wanted) {
  return found->dimension_count == wanted->dimension_count &&
         !memcmp(found->dimensions, wanted->dimensions,
                 wanted->dimension_count * sizeof *wanted->dimensions);
}

static int read_inputs(const Program *program, const NNAdapterArgument *inputs, uint8_t *memory) {
  const End *ends = inputs_of(program);
  for (uint32_t k = 0; k < program->input_count; k++) {
    NNAdapterOperandType type = ends[k].type;
    const void *data = inputs[k].access(inputs[k].memory, &type);
    if (data == NULL) return NNADAPTER_INVALID_PARAMETER;
    if (!is_as_compiled(&type, &ends[k].type)) return NNADAPTER_INVALID_DIMENSIONS;
    memcpy(memory + ends[k].place, data, (size_t)ends[k].length);
  }
  return NNADAPTER_NO_ERROR;
}

static int write_outputs(const Program *program, const NNAdapterArgument *outputs,
                         const uint8_t *memory) {
  const End *ends = outputs_of(program);
  for (uint32_t k = 0; k < program->output_count; k++) {
    NNAdapterOperandType type = ends[k].type;
    void *data = outputs[k].access(outputs[k].memory, &type);
    if (data == NULL) return NNADAPTER_OUT_OF_MEMORY;
    memcpy(data, memory + ends[k].place, (size_t)ends[k].length);
  }
  return NNADAPTER_NO_ERROR;
}

int brook_execute_program(void *handle, uint32_t input_count, const NNAdapterArgument *inputs,
                          uint32_t output_count, const NNAdapterArgument *outputs) {
  const Program *program = handle;
  if (input_count != program->input_count || output_count != program->output_count)
    return NNADAPTER_INVALID_PARAMETER;
  uint8_t *memory = malloc((size_t)program->memory + 1);
  if (memory == NULL) return NNADAPTER_OUT_OF_MEMORY;
  int code = read_inputs(program, inputs, memory);
  if (code == NNADAPTER_NO_ERROR) {
    chip_run(commands_of(program), program->command_count, constants_of(program), memory);
    code = write_outputs(program, outputs, memory);
  }
  free(memory);
  return code;
}
