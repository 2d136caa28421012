/* The chip in software, so that its driver can be tried. */
#include "chip.h"

#include <math.h>
#include <string.h>

enum { BITS = 30, MOST_SHIFT = 62, MOST_SCALE = 1 << 16 };

int chip_takes(double real) { return real > 0.0 && real < MOST_SCALE; }

static ChipScale with_shift(double real, int32_t shift) {
  ChipScale scale = {(int32_t)lround(ldexp(real, shift)), shift};
  return scale;
}

static int32_t shift_of(double real) {
  int exponent;
  frexp(real, &exponent); /* real < 2^exponent */
  int32_t shift = BITS - exponent;
  return shift > MOST_SHIFT ? MOST_SHIFT : shift < 1 ? 1 : shift;
}

ChipScale chip_scale(double real) { return with_shift(real, shift_of(real)); }

void chip_scales(double first, double second, ChipScale *a, ChipScale *b) {
  int32_t shift = shift_of(first > second ? first : second);
  *a = with_shift(first, shift);
  *b = with_shift(second, shift);
}

static int64_t rounded(int64_t product, int32_t shift) {
  int64_t half = (int64_t)1 << (shift - 1);
  return (product + half) >> shift;
}

static uint8_t held(int64_t value, const ChipCommand *c) {
  return (uint8_t)(value < c->low ? c->low : value > c->high ? c->high : value);
}

static void read_float(const ChipCommand *c, uint8_t *memory) {
  for (int64_t k = 0; k < c->count; k++) {
    float x;
    memcpy(&x, memory + c->first + 4 * k, 4);
    double step = rint((double)(x / c->step)) + c->zero_result;
    step = step < c->low ? c->low : step > c->high ? c->high : step;
    memory[c->result + k] = x != x ? 0 : (uint8_t)step;
  }
}

static void write_float(const ChipCommand *c, uint8_t *memory) {
  for (int64_t k = 0; k < c->count; k++) {
    float x = (float)(memory[c->first + k] - c->zero_first) * c->step;
    memcpy(memory + c->result + 4 * k, &x, 4);
  }
}

static void add(const ChipCommand *c, uint8_t *memory) {
  for (int64_t k = 0; k < c->count; k++) {
    int64_t x = memory[c->first + k] - c->zero_first, y = memory[c->second + k] - c->zero_second;
    int64_t sum = x * c->scale_first.factor + y * c->scale_second.factor;
    memory[c->result + k] = held(rounded(sum, c->scale_first.shift) + c->zero_result, c);
  }
}

/* The byte at a place of a window, or `outside` where that is beyond the borders. */
static int32_t at(const ChipCommand *c, const uint8_t *memory, const int32_t place[4],
                  int32_t outside) {
  const int32_t *from = c->window.from;
  if (place[2] < 0 || place[2] >= from[2] || place[3] < 0 || place[3] >= from[3]) return outside;
  int64_t row = ((int64_t)place[0] * from[1] + place[1]) * from[2] + place[2];
  return memory[c->first + row * from[3] + place[3]];
}

/* What the zero point stands for adds nothing: so it is what lies outside. */
static uint8_t convolve(const ChipCommand *c, const uint8_t *constants, const uint8_t *memory,
                        const int32_t to[4]) {
  const ChipWindow *w = &c->window;
  int32_t inside = w->from[1] / w->groups, bias, weight = 0;
  int32_t first = to[1] / (w->to[1] / w->groups) * inside;
  const int8_t *weights = (const int8_t *)constants + c->weights;
  weights += (int64_t)to[1] * inside * w->kernel[0] * w->kernel[1];
  memcpy(&bias, constants + c->biases + 4 * (int64_t)to[1], 4);
  int64_t sum = bias;
  for (int32_t channel = 0; channel < inside; channel++)
    for (int32_t i = 0; i < w->kernel[0]; i++)
      for (int32_t j = 0; j < w->kernel[1]; j++) {
        int32_t place[4] = {to[0], first + channel,
                            to[2] * w->stride[0] + i * w->dilation[0] - w->before[0],
                            to[3] * w->stride[1] + j * w->dilation[1] - w->before[1]};
        int32_t x = at(c, memory, place, c->zero_first) - c->zero_first;
        sum += (int64_t)x * weights[weight++];
      }
  ChipScale scale;
  memcpy(&scale, constants + c->scales + sizeof scale * (size_t)to[1], sizeof scale);
  return held(rounded(sum * scale.factor, scale.shift) + c->zero_result, c);
}

static uint8_t maximum(const ChipCommand *c, const uint8_t *memory, const int32_t to[4]) {
  const ChipWindow *w = &c->window;
  int32_t most = 0;
  for (int32_t i = 0; i < w->kernel[0]; i++)
    for (int32_t j = 0; j < w->kernel[1]; j++) {
      int32_t place[4] = {to[0], to[1], to[2] * w->stride[0] + i - w->before[0],
                          to[3] * w->stride[1] + j - w->before[1]};
      int32_t x = at(c, memory, place, 0);
      most = x > most ? x : most;
    }
  return held(most, c);
}

static void slide(const ChipCommand *c, const uint8_t *constants, uint8_t *memory) {
  const int32_t *size = c->window.to;
  uint8_t *result = memory + c->result;
  int32_t to[4];
  for (to[0] = 0; to[0] < size[0]; to[0]++)
    for (to[1] = 0; to[1] < size[1]; to[1]++)
      for (to[2] = 0; to[2] < size[2]; to[2]++)
        for (to[3] = 0; to[3] < size[3]; to[3]++)
          *result++ = c->kind == CHIP_CONV ? convolve(c, constants, memory, to)
                                           : maximum(c, memory, to);
}

void chip_run(const ChipCommand *commands, uint32_t count, const uint8_t *constants,
              uint8_t *memory) {
  for (const ChipCommand *c = commands; c < commands + count; c++) switch (c->kind) {
      case CHIP_READ_FLOAT: read_float(c, memory); break;
      case CHIP_WRITE_FLOAT: write_float(c, memory); break;
      case CHIP_COPY: memmove(memory + c->result, memory + c->first, (size_t)c->count); break;
      case CHIP_ADD: add(c, memory); break;
      default: slide(c, constants, memory);
    }
}
