import { totalmem } from "node:os";

const megabyte = 1024 * 1024;
const leastMegabytes = 128;
const mostMegabytes = 4096;
const shareOfMemory = 8;

/**
 * Postgres' own cache as its setting tells it: an eighth of the memory, 128 MB to 4 GB. Reports read all facts of weeks
 * again and again, and copying them from the kernel's cache takes twice as long as finding them here; the event store
 * and Node need the rest.
 * @param memory bytes that this machine, or the container that we run in, has
 */
export function sharedBuffers(memory: number = memoryHere()): string {
  const share = Math.floor(memory / shareOfMemory / megabyte);
  return `${Math.min(Math.max(share, leastMegabytes), mostMegabytes)}MB`;
}

/** Without a limit Node tells 0, or a number beyond any machine. */
function memoryHere(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
