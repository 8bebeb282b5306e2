import { version } from "../process/version.ts";
import type { AdditiveModel, Step } from "./boosted-stumps.ts";
import { attributeTypes, elementTypes, encodeModelProto } from "./onnx-schema.ts";

/** Names of the tensors of every model that training writes. */
export const tensorNames = { input: "features", output: "probability" } as const;

/** IR 8 came with ONNX 1.10, as opset 15 did: what they say, later runtimes understand. */
const irVersion = 8;
const opset = 15;

/**
 * The ONNX file of an additive model: float32 `[n, width]` in, probability `[n, 1]` out. Each step has a column of its
 * own (`Gather`); what lies above its threshold (`Greater`) counts with its weight (`MatMul`).
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

/** Little-endian, as `raw_data` demands; so are all machines that Node runs on. */
function tensor(name: string, dims: readonly number[], dataType: number, values: ArrayBufferView): object {
  const rawData = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return { name, dims, dataType, rawData };
}

function valueInfo(name: string, columns: number): object {
  const shape = { dim: [{ dimParam: "n" }, { dimValue: columns }] };
  return { name, type: { tensorType: { elemType: elementTypes.float, shape } } };
}
