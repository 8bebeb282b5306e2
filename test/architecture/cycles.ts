import type { SourceFile } from "./source-files.ts";

/** Every circle of files that import each other, each told once: the files in order, the first again at the end. */
export function cyclesAmong(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const done = new Set<string>();
  const cycles: (readonly string[])[] = [];
  const follow = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path);
    if (start >= 0) cycles.push([...way.slice(start), path]);
    if (start >= 0 || done.has(path)) return;
    for (const next of importsOf.get(path) ?? []) follow(next, [...way, path]);
    done.add(path);
  };
  for (const { path } of files) follow(path, []);
  return cycles;
}
