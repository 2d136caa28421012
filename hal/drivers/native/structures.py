"""The structures of `nnadapter_hal.h` for ctypes; names and order are those of the header."""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char_p,
    c_float,
    c_int,
    c_int32,
    c_int64,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)

ABI = 1
MAX_DIMENSIONS = 8
UNKNOWN = -1
NO_OPERAND = 0xFFFFFFFF


class OperandType(Structure):
    """NNAdapterOperandType."""

    _fields_ = (
        ("precision", c_int32),
        ("layout", c_int32),
        ("lifetime", c_int32),
        ("dimension_count", c_uint32),
        ("dimensions", c_int64 * MAX_DIMENSIONS),
        ("scale_count", c_uint32),
        ("scales", POINTER(c_float)),
        ("zero_points", POINTER(c_int32)),
        ("scale_axis", c_int32),
    )


class Operand(Structure):
    """NNAdapterOperand."""

    _fields_ = (("type", OperandType), ("data", c_void_p), ("length", c_uint64))


class Operation(Structure):
    """NNAdapterOperation."""

    _fields_ = (
        ("type", c_int32),
        ("input_count", c_uint32),
        ("inputs", POINTER(c_uint32)),
        ("output_count", c_uint32),
        ("outputs", POINTER(c_uint32)),
    )


COUNT = CFUNCTYPE(c_uint32, c_void_p)
PLACE = CFUNCTYPE(c_uint32, c_void_p, c_uint32)


class Host(Structure):
    """NNAdapterHost."""

    _fields_ = (
        ("abi", c_uint32),
        ("operand_count", COUNT),
        ("operand", CFUNCTYPE(c_int, c_void_p, c_uint32, POINTER(Operand))),
        ("operation_count", COUNT),
        ("operation", CFUNCTYPE(c_int, c_void_p, c_uint32, POINTER(Operation))),
        ("input_count", COUNT),
        ("input", PLACE),
        ("output_count", COUNT),
        ("output", PLACE),
    )


ACCESS = CFUNCTYPE(c_void_p, c_void_p, POINTER(OperandType))


class Argument(Structure):
    """NNAdapterArgument."""

    _fields_ = (("index", c_uint32), ("memory", c_void_p), ("access", ACCESS))


STORE = CFUNCTYPE(None, c_void_p, c_void_p, c_uint64)


class CacheBuffer(Structure):
    """NNAdapterCache."""

    _fields_ = (
        ("buffer", c_char_p),
        ("length", c_uint64),
        ("wanted", c_int),
        ("user", c_void_p),
        ("store", STORE),
    )


CALLBACK = CFUNCTYPE(c_int, c_int, c_void_p)
HANDLE = POINTER(c_void_p)


class Driver(Structure):
    """NNAdapterDriver."""

    _fields_ = (
        ("abi", c_uint32),
        ("name", c_char_p),
        ("vendor", c_char_p),
        ("type", c_int32),
        ("version", c_int32),
        ("open_device", CFUNCTYPE(c_int, POINTER(Host), HANDLE)),
        ("close_device", CFUNCTYPE(None, c_void_p)),
        (
            "create_context",
            CFUNCTYPE(c_int, c_void_p, c_char_p, CALLBACK, c_void_p, HANDLE),
        ),
        ("destroy_context", CFUNCTYPE(None, c_void_p)),
        ("validate_program", CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(c_uint8))),
        (
            "create_program",
            CFUNCTYPE(c_int, c_void_p, c_void_p, POINTER(CacheBuffer), HANDLE),
        ),
        ("destroy_program", CFUNCTYPE(None, c_void_p)),
        (
            "execute_program",
            CFUNCTYPE(c_int, c_void_p, c_uint32, POINTER(Argument), c_uint32, POINTER(Argument)),
        ),
    )
