import packageJson from "#package.json" with { type: "json" };

/** The version of Touchledger. */
export const { version } = packageJson;
