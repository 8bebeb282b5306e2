import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../support/paths.ts";
import { generatedSchema } from "./generated-schema.ts";

// `npm run generate-client`: writes the types of the client anew, from the routes.
await writeFile(join(root, "client/schema.ts"), await generatedSchema());
