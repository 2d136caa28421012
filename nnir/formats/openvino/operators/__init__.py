"""OpenVINO's operators by family."""

from . import (
    conv,
    detection,
    elementwise,
    generate,
    index,
    linear,
    norm,
    pool,
    recurrent,
    reduce,
    resize,
    shape,
    signal,
    sort,
)

TABLES = (
    elementwise.table,
    shape.table,
    index.table,
    linear.table,
    conv.table,
    pool.table,
    norm.table,
    reduce.table,
    resize.table,
    generate.table,
    sort.table,
    signal.table,
    detection.table,
    recurrent.table,
)
