import protobuf from "protobufjs/light.js";

/** Element types of ONNX tensors that models of ours hold (`TensorProto.DataType`). */
export const elementTypes = { float: 1, int64: 7 } as const;

/** Types of node attributes (`AttributeProto.AttributeType`). */
export const attributeTypes = { int: 2 } as const;

/**
 * The messages of `onnx.proto` (version 2, package `onnx`) that a model of ours is made of, with the field numbers
 * of that schema; of its other messages and fields none is written.
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

/** The bytes of a `ModelProto`. Throws for what is none. */
export function encodeModelProto(model: object): Uint8Array {
  const fault = modelProto.verify(model);
  if (fault !== null) throw new TypeError(`not a ModelProto: ${fault}`);
  return new Uint8Array(modelProto.encode(modelProto.create(model)).finish());
}
