"""File formats: what the reader and the writer of a format both know, once.

Below frontends and hal; it imports errors, budget, mapping and types of nnir only. A format
that only one reader knows stays with that reader.

`wire`        protobuf's encoding, read and written
`protobuf`    protobuf messages as dictionaries, by schemas
`nnapi`       the structures, operations, rules and files of Android NNAPI 1.0
`bits`        elements narrower than a byte
`onnx`        the fields of ONNX's messages and the codes of its types
`flatbuffer`  flatbuffers, read and built
`tflite`      the tables of TFLite, its operators, their options, its element types
`nnrt`        the operations, tensors and models of OpenHarmony's NNRt, their rules and their files
"""
