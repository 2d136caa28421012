/* Brook, an accelerator that does not exist: what its maker gives to who writes a driver.
 *
 * The chip computes with bytes. A program is a list of commands over one memory; constants lie
 * behind the commands. It has no numbers with a fraction but at its ports, which convert FLOAT32:
 * a scale is an integer factor and a shift.
 */
#ifndef BROOK_CHIP_H
#define BROOK_CHIP_H

#include <stdint.h>

/* value * factor / 2^shift, rounded to the nearest integer; factor < 2^30. */
typedef struct ChipScale {
  int32_t factor, shift;
} ChipScale;

enum { CHIP_READ_FLOAT, CHIP_WRITE_FLOAT, CHIP_COPY, CHIP_ADD, CHIP_CONV, CHIP_MAX };

/* A convolution or a maximum of windows: sizes are [images, channels, rows, columns]. */
typedef struct ChipWindow {
  int32_t from[4], to[4], kernel[2], stride[2], dilation[2], before[2], groups;
} ChipWindow;

/* One command. Places are bytes from the beginning of the memory, and for weights, biases and
 * scales from that of the constants; results are held between `low` and `high`. */
typedef struct ChipCommand {
  int32_t kind;
  int64_t first, second, result, count;
  int64_t weights, biases, scales;
  int32_t zero_first, zero_second, zero_result, low, high;
  float step; /* of the ports */
  ChipScale scale_first, scale_second;
  ChipWindow window;
} ChipCommand;

/* Whether a real number is a scale that the chip has. */
int chip_takes(double real);

/* The scale that is nearest to a real number that it takes. */
ChipScale chip_scale(double real);

/* Two scales with one shift, as sums need them. */
void chip_scales(double first, double second, ChipScale *a, ChipScale *b);

/* Run commands; `memory` is as large as their places are. */
void chip_run(const ChipCommand *commands, uint32_t count, const uint8_t *constants,
              uint8_t *memory);

#endif
