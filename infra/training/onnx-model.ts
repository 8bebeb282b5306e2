import protobuf from "protobufjs/light.js";
import { version } from "../process/version.ts";
import type { AdditiveModel, Step } from "./boosted-stumps.ts";

/** Names of the tensors of trained models. */
export const tensorNames = { input: "features", output: "probability" } as const;

/** IR version 8 and opset 15 are those of ONNX 1.10; later runtimes support them. */
const irVersion = 8;
const opset = 15;

/**
 * The ONNX file of an additive model: float32 `[n, width]` in, probability `[n, 1]` out. Each step selects a column
 * (`Gather`), compares it with its threshold (`Greater`) and adds its weight (`MatMul`).
 */
export function onnxModel(model: AdditiveModel, width: number): Uint8Array {
  const steps = model.steps.length > 0 ? model.steps : [withoutEffect];
  const columns = new BigInt64Array(steps.map(({ feature }) => BigInt(feature)));
  const thresholds = new Float32Array(steps.map(({ threshold }) => threshold));
  const weights = new Float32Array(steps.map(({ weight }) => weight));
  const { input, output } = tensorNames;
  return encodeModelProto({
    irVersion,
    producerName: "touchledger",
    producerVersion: version,
    opsetImport: [{ domain: "", version: opset }],
    graph: {
      name: "stumps",
      node: [
        node("Gather", [input, "columns"], "gathered", [intAttribute("axis", 1)]),
        node("Greater", ["gathered", "thresholds"], "above"),
        node("Cast", ["above"], "counted", [intAttribute("to", elementTypes.float)]),
        node("MatMul", ["counted", "weights"], "weighted"),
        node("Add", ["weighted", "bias"], "logOdds"),
        node("Sigmoid", ["logOdds"], output),
      ],
      initializer: [
        tensor("columns", [steps.length], elementTypes.int64, columns),
        tensor("thresholds", [steps.length], elementTypes.float, thresholds),
        tensor("weights", [steps.length, 1], elementTypes.float, weights),
        tensor("bias", [1], elementTypes.float, new Float32Array([model.bias])),
      ],
      input: [valueInfo(input, width)],
      output: [valueInfo(output, 1)],
    },
  });
}

const withoutEffect: Step = { feature: 0, threshold: 0, weight: 0 };

function node(opType: string, input: readonly string[], output: string, attribute: readonly object[] = []): object {
  return { opType, name: opType.toLowerCase(), input, output: [output], attribute };
}

function intAttribute(name: string, i: number): object {
  return { name, i, type: attributeTypes.int };
}

/** `raw_data` is little-endian, as are all machines that Node runs on. */
function tensor(name: string, dims: readonly number[], dataType: number, values: ArrayBufferView): object {
  const rawData = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return { name, dims, dataType, rawData };
}

function valueInfo(name: string, columns: number): object {
  const shape = { dim: [{ dimParam: "n" }, { dimValue: columns }] };
  return { name, type: { tensorType: { elemType: elementTypes.float, shape } } };
}

/** Element types of the tensors of these models (`TensorProto.DataType`). */
const elementTypes = { float: 1, int64: 7 } as const;

/** Types of node attributes (`AttributeProto.AttributeType`). */
const attributeTypes = { int: 2 } as const;

/**
 * The messages and fields of `onnx.proto` (version 2, package `onnx`) that these models consist of, with the field numbers
 * of that schema.
 */
const root = protobuf.Root.fromJSON({
  options: { syntax: "proto3" },
  nested: {
    ModelProto: {
      fields: {
        irVersion: { type: "int64", id: 1 },
        producerName: { type: "string", id: 2 },
        producerVersion: { type: "string", id: 3 },
        graph: { type: "GraphProto", id: 7 },
        opsetImport: { rule: "repeated", type: "OperatorSetIdProto", id: 8 },
      },
    },
    OperatorSetIdProto: {
      fields: { domain: { type: "string", id: 1 }, version: { type: "int64", id: 2 } },
    },
    GraphProto: {
      fields: {
        node: { rule: "repeated", type: "NodeProto", id: 1 },
        name: { type: "string", id: 2 },
        initializer: { rule: "repeated", type: "TensorProto", id: 5 },
        input: { rule: "repeated", type: "ValueInfoProto", id: 11 },
        output: { rule: "repeated", type: "ValueInfoProto", id: 12 },
      },
    },
    NodeProto: {
      fields: {
        input: { rule: "repeated", type: "string", id: 1 },
        output: { rule: "repeated", type: "string", id: 2 },
        name: { type: "string", id: 3 },
        opType: { type: "string", id: 4 },
        attribute: { rule: "repeated", type: "AttributeProto", id: 5 },
      },
    },
    AttributeProto: {
      fields: {
        name: { type: "string", id: 1 },
        i: { type: "int64", id: 3 },
        type: { type: "int32", id: 20 },
      },
    },
    TensorProto: {
      fields: {
        dims: { rule: "repeated", type: "int64", id: 1 },
        dataType: { type: "int32", id: 2 },
        name: { type: "string", id: 8 },
        rawData: { type: "bytes", id: 9 },
      },
    },
    ValueInfoProto: {
      fields: { name: { type: "string", id: 1 }, type: { type: "TypeProto", id: 2 } },
    },
    TypeProto: {
      fields: { tensorType: { type: "Tensor", id: 1 } },
      nested: {
        Tensor: {
          fields: { elemType: { type: "int32", id: 1 }, shape: { type: "TensorShapeProto", id: 2 } },
        },
      },
    },
    TensorShapeProto: {
      fields: { dim: { rule: "repeated", type: "Dimension", id: 1 } },
      nested: {
        Dimension: {
          oneofs: { value: { oneof: ["dimValue", "dimParam"] } },
          fields: { dimValue: { type: "int64", id: 1 }, dimParam: { type: "string", id: 2 } },
        },
      },
    },
  },
});

const modelProto = root.lookupType("ModelProto");

/** Encodes a `ModelProto`. Throws when `model` is none. */
function encodeModelProto(model: object): Uint8Array {
  const fault = modelProto.verify(model);
  if (fault !== null) throw new TypeError(`not a ModelProto: ${fault}`);
  return new Uint8Array(modelProto.encode(modelProto.create(model)).finish());
}
