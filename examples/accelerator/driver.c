/* Step 1: the table that the runtime finds. */
#include "driver.h"

const NNAdapterHost *brook_host;

static int open_device(const NNAdapterHost *host, void **device) {
  if (host->abi != NNADAPTER_HAL_ABI) return NNADAPTER_FEATURE_NOT_SUPPORTED;
  brook_host = host;
  *device = NULL; /* a real chip would be opened here */
  return NNADAPTER_NO_ERROR;
}

static void close_device(void *device) { (void)device; }

static int create_context(void *device, const char *properties, NNAdapterCallback callback,
                          void *user, void **context) {
  (void)device, (void)properties, (void)callback, (void)user;
  *context = NULL; /* and its options be read here, from "KEY=value;" */
  return NNADAPTER_NO_ERROR;
}

static void destroy_context(void *context) { (void)context; }

const NNAdapterDriver __nnadapter_device__brook = {
    .abi = NNADAPTER_HAL_ABI,
    .name = "brook",
    .vendor = "Nobody",
    .type = NNADAPTER_ACCELERATOR,
    .version = 1,
    .open_device = open_device,
    .close_device = close_device,
    .create_context = create_context,
    .destroy_context = destroy_context,
    .validate_program = brook_validate_program,
    .create_program = brook_create_program,
    .destroy_program = brook_destroy_program,
    .execute_program = brook_execute_program,
};
