import protobuf from "protobufjs";

/** The messages of ONNX's schema that a small model needs, by their field numbers there. */
const schema = `syntax = "proto3";
message Dimension { oneof value { int64 dim_value = 1; string dim_param = 2; } }
message Shape { repeated Dimension dim = 1; }
message TensorType { int32 elem_type = 1; Shape shape = 2; }
message Type { TensorType tensor_type = 1; }
message ValueInfo { string name = 1; Type type = 2; }
message Tensor { repeated int64 dims = 1; int32 data_type = 2; repeated float float_data = 4 [packed = true]; repeated int64 int64_data = 7 [packed = true]; repeated int32 int32_data = 5 [packed = true]; repeated double double_data = 10 [packed = true]; string name = 8; }
message Attribute { string name = 1; Tensor t = 5; Graph g = 6; int64 i = 3; int32 type = 20; }
message Node { repeated string input = 1; repeated string output = 2; string op_type = 4; repeated Attribute attribute = 5; }
message Graph { repeated Node node = 1; string name = 2; repeated Tensor initializer = 5; repeated ValueInfo input = 11; repeated ValueInfo output = 12; }
message OperatorSet { string domain = 1; int64 version = 2; }
message Model { int64 ir_version = 1; repeated OperatorSet opset_import = 8; Graph graph = 7; }`;
const modelMessage = protobuf.parse(schema, { keepCase: true }).root.lookupType("Model");

const float = 1;
const int64 = 7;
const bool = 9;
const double = 11;
const attributeIsGraph = 5;

type Dimension = { readonly dim_value: number } | { readonly dim_param: string };

function valueInfo(name: string, elementType: number, dimensions: readonly (number | string)[]): object {
  const dim = dimensions.map(
    (size): Dimension => (typeof size === "number" ? { dim_value: size } : { dim_param: size }),
  );
  return { name, type: { tensor_type: { elem_type: elementType, shape: { dim } } } };
}

function floats(name: string, dims: readonly number[], values: readonly number[]): object {
  return { name, data_type: float, dims, float_data: values };
}

function modelOf(graph: object): Buffer {
  const model = { ir_version: 8, opset_import: [{ domain: "", version: 17 }], graph: { name: "example", ...graph } };
  return Buffer.from(modelMessage.encode(modelMessage.fromObject(model)).finish());
}

/** 1 / (1 + exp(-(x · weights + bias))) of rows `x`; input `features`, output `probability` of shape [n, 1]. */
export function logisticModel(weights: readonly number[], bias: number): Buffer {
  const width = weights.length;
  return modelOf({
    node: [
      { op_type: "MatMul", input: ["features", "weights"], output: ["product"] },
      { op_type: "Add", input: ["product", "bias"], output: ["sum"] },
      { op_type: "Sigmoid", input: ["sum"], output: ["probability"] },
    ],
    initializer: [floats("weights", [width, 1], weights), floats("bias", [1], [bias])],
    input: [valueInfo("features", float, ["n", width])],
    output: [valueInfo("probability", float, ["n", 1])],
  });
}

/** Whatever its input of so many features, the sum of them times 0, plus a constant. */
export function constantModel(width: number, constant: number): Buffer {
  return modelOf({
    node: [
      { op_type: "MatMul", input: ["features", "weights"], output: ["product"] },
      { op_type: "Add", input: ["product", "constant"], output: ["probability"] },
    ],
    initializer: [floats("weights", [width, 1], Array(width).fill(0)), floats("constant", [1], [constant])],
    input: [valueInfo("features", float, ["n", width])],
    output: [valueInfo("probability", float, ["n", 1])],
  });
}

/** Answers the negative of the first feature, which is -0 for zeros. */
export function negativeModel(width: number): Buffer {
  const weights = Array.from({ length: width }, (_, index) => (index === 0 ? 1 : 0));
  return modelOf({
    node: [
      { op_type: "MatMul", input: ["features", "weights"], output: ["product"] },
      { op_type: "Neg", input: ["product"], output: ["probability"] },
    ],
    initializer: [floats("weights", [width, 1], weights)],
    input: [valueInfo("features", float, ["n", width])],
    output: [valueInfo("probability", float, ["n", 1])],
  });
}

/** Answers the square root of the first feature less 0.5, which is NaN for zeros. */
export function squareRootModel(width: number): Buffer {
  const weights = Array.from({ length: width }, (_, index) => (index === 0 ? 1 : 0));
  return modelOf({
    node: [
      { op_type: "MatMul", input: ["features", "weights"], output: ["first"] },
      { op_type: "Sub", input: ["first", "half"], output: ["difference"] },
      { op_type: "Sqrt", input: ["difference"], output: ["probability"] },
    ],
    initializer: [floats("weights", [width, 1], weights), floats("half", [1], [0.5])],
    input: [valueInfo("features", float, ["n", width])],
    output: [valueInfo("probability", float, ["n", 1])],
  });
}

/** Answers chance numbers from 0 to 1. */
export function randomModel(width: number): Buffer {
  const weights = Array.from({ length: width }, () => 0);
  return modelOf({
    node: [
      { op_type: "MatMul", input: ["features", "weights"], output: ["zero"] },
      { op_type: "RandomUniformLike", input: ["zero"], output: ["probability"] },
    ],
    initializer: [floats("weights", [width, 1], weights)],
    input: [valueInfo("features", float, ["n", width])],
    output: [valueInfo("probability", float, ["n", 1])],
  });
}

/** Takes doubles. */
export function doubleModel(width: number): Buffer {
  return modelOf({
    node: [{ op_type: "Sigmoid", input: ["features"], output: ["probability"] }],
    input: [valueInfo("features", double, ["n", width])],
    output: [valueInfo("probability", double, ["n", width])],
  });
}

/** Answers a probability for each feature. */
export function wideModel(width: number): Buffer {
  return modelOf({
    node: [{ op_type: "Sigmoid", input: ["features"], output: ["probability"] }],
    input: [valueInfo("features", float, ["n", width])],
    output: [valueInfo("probability", float, ["n", width])],
  });
}

/** Loads, and never ends, or after `trips`, when the first feature is above a limit; else it answers 0. */
export function endlessModel(width: number, { onlyAbove = -1, trips = 0 } = {}): Buffer {
  const weights = Array.from({ length: width }, (_, index) => (index === 0 ? 1 : 0));
  const body = {
    name: "body",
    node: [
      { op_type: "Identity", input: ["going"], output: ["goes_on"] },
      { op_type: "Sigmoid", input: ["before"], output: ["after"] },
    ],
    input: [valueInfo("round", int64, []), valueInfo("going", bool, []), valueInfo("before", float, ["n", 1])],
    output: [valueInfo("goes_on", bool, []), valueInfo("after", float, ["n", 1])],
  };
  return modelOf({
    node: [
      { op_type: "MatMul", input: ["features", "weights"], output: ["first"] },
      { op_type: "Greater", input: ["first", "limit"], output: ["is_above"] },
      { op_type: "Reshape", input: ["is_above", "no_dimensions"], output: ["is_endless"] },
      { op_type: "Sub", input: ["first", "first"], output: ["zero"] },
      {
        op_type: "Loop",
        input: [trips > 0 ? "trips" : "", "is_endless", "zero"],
        output: ["probability"],
        attribute: [{ name: "body", type: attributeIsGraph, g: body }],
      },
    ],
    initializer: [
      floats("weights", [width, 1], weights),
      floats("limit", [1], [onlyAbove]),
      { name: "no_dimensions", data_type: int64, dims: [0], int64_data: [] },
      { name: "trips", data_type: int64, dims: [], int64_data: [trips] },
    ],
    input: [valueInfo("features", float, ["n", width])],
    output: [valueInfo("probability", float, ["n", 1])],
  });
}
