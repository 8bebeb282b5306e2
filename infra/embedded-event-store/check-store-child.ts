import { checkStore } from "./check-store.ts";

/** Exit 0 when every event of the store in the directory that is its argument can be read. */
const { faults } = await checkStore(process.argv[2] ?? "", () => {});
process.exit(faults.length === 0 ? 0 : 1);
