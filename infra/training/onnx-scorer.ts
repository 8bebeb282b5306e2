import type { InferenceSession, Tensor } from "onnxruntime-node";

/** Gives the probability that a model gives to a row of float32, exactly as context calls get it. */
export interface Scorer {
  score(row: Float32Array): Promise<number>;
  close(): Promise<void>;
}

/**
 * A scorer of a model that takes rows of `width`; onnxruntime is loaded by the first one. One thread and one row per
 * run, as the way in which rows are added up shows in the last bit.
 */
export async function openScorer(
  model: Uint8Array,
  tensors: { readonly input: string; readonly output: string },
  width: number,
): Promise<Scorer> {
  const onnx = await import("onnxruntime-node");
  const session: InferenceSession = await onnx.InferenceSession.create(model, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  const outputs = [tensors.output];
  return {
    score: async (row) => {
      const input: Tensor = new onnx.Tensor("float32", row, [1, width]);
      const { [tensors.output]: output } = await session.run({ [tensors.input]: input }, outputs);
      const probability = output?.data[0];
      if (typeof probability !== "number") throw new TypeError(`${tensors.output} is not float32`);
      return probability;
    },
    close: () => session.release(),
  };
}

/** What a model gives to each of some rows, in their order. */
export async function scoreRows(
  model: Uint8Array,
  tensors: { readonly input: string; readonly output: string },
  rows: Float32Array,
  width: number,
  progress: (share: number) => void,
): Promise<Float32Array> {
  const scorer = await openScorer(model, tensors, width);
  try {
    const scores = new Float32Array(rows.length / width);
    for (let row = 0; row < scores.length; row += 1) {
      scores[row] = await scorer.score(rows.slice(row * width, (row + 1) * width));
      if (row % 1_000 === 0) progress(row / scores.length);
    }
    return scores;
  } finally {
    await scorer.close();
  }
}
