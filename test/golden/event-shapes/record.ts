// `npm run event-shapes`: writes the shapes of all events, from their types.
import { writeFileSync } from "node:fs";
import { eventShapes, shapesFile } from "./event-shapes.ts";

writeFileSync(shapesFile, eventShapes());
