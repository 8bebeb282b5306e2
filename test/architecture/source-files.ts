import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { posix } from "node:path";
import ts from "typescript";
import { root } from "../support/paths.ts";

export interface SourceFile {
  /** From the root, with slashes: `domain/apps/events.ts`. */
  readonly path: string;
  readonly lines: number;
  /** Files of ours that it imports, as paths from the root; types count. */
  readonly imports: readonly string[];
  /** npm packages, without a path inside. */
  readonly packages: readonly string[];
  /** Built-in modules with their `node:`. */
  readonly builtins: readonly string[];
  readonly syntax: ts.SourceFile;
}

export const layers = ["domain", "commands", "projections", "read-api", "client", "infra"] as const;

/** Every directory and file under `top`, as paths from the root. */
export function pathsUnder(top: string): readonly { readonly path: string; readonly isDirectory: boolean }[] {
  return readdirSync(posix.join(root, top), { recursive: true, withFileTypes: true }).map((entry) => ({
    path: posix.join(posix.relative(root, entry.parentPath), entry.name),
    isDirectory: entry.isDirectory(),
  }));
}

/** Generated, not written. */
const generated: readonly string[] = ["client/schema.ts"];

/** Every TypeScript file under `top` that somebody wrote. */
export function sourceFiles(top: string): readonly SourceFile[] {
  return pathsUnder(top)
    .map(({ path }) => path)
    .filter((path) => path.endsWith(".ts") && !generated.includes(path) && !path.startsWith("client/dist/"))
    .sort()
    .map((path) => parsed(path, readFileSync(posix.join(root, path), "utf8")));
}

/** Calls `visit` for every node of the file. */
export function eachNode(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => eachNode(child, visit));
}

function parsed(path: string, text: string): SourceFile {
  const syntax = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const specifiers = new Set<string>();
  eachNode(syntax, (node) => {
    const specifier = specifierOf(node);
    if (specifier !== undefined && ts.isStringLiteral(specifier)) specifiers.add(specifier.text);
  });
  const named = [...specifiers];
  const isRelative = (specifier: string): boolean => specifier.startsWith(".");
  const isBuiltin = (specifier: string): boolean => specifier.startsWith("node:") || builtinModules.includes(specifier);
  return {
    path,
    lines: text.trimEnd().split("\n").length,
    imports: named.filter(isRelative).map((specifier) => posix.join(posix.dirname(path), specifier)),
    packages: named.filter((specifier) => !isRelative(specifier) && !isBuiltin(specifier)).map(packageOf),
    builtins: named.filter(isBuiltin).map((specifier) => `node:${specifier.replace(/^node:/, "")}`),
    syntax,
  };
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0];
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  return undefined;
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
