// Plain JavaScript: a thread starts without the loader that lets the rest of the house be TypeScript.
import { register } from "tsx/esm/api";

register();
await import("./event-store-thread.ts");
