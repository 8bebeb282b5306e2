import ts from "typescript";
import { eachNode, type SourceFile } from "../../../architecture/source-files.ts";

/** Fields that callers read as words. */
const wordedFields = ["detail", "message", "msg", "title"];
/** Words that faults begin with, and sentences. */
const saidToCallers = [
  /^(can|cannot|goes|has|is|lies|may|means|must|needs|stands|was) \S/,
  /^(a column|the header|internal error,) /,
  /^[a-z{].* .*\.$/is,
];
/** An error whose message is for the sender of a file, not for us. */
const toldErrors = ["UnreadableFile"];

/**
 * Texts of a file that callers may be told, each once, with `{}` where something is put in: what stands in a field for
 * words, and everything that reads like a fault or a sentence, but for the messages of errors that are thrown.
 */
export function callerTexts({ syntax }: Pick<SourceFile, "syntax">): readonly string[] {
  const texts = new Set<string>();
  eachNode(syntax, (node) => {
    if (!ts.isExpression(node)) return;
    const text = textOf(node);
    if (text === null || isPartOfText(node) || isThrown(node)) return;
    if (isWordedField(node) || saidToCallers.some((pattern) => pattern.test(text))) texts.add(text);
  });
  return [...texts];
}

/** What an expression of literals says; null for any other. */
function textOf(node: ts.Expression): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.templateSpans.reduce((text, { literal }) => `${text}{}${literal.text}`, node.head.text);
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return null;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === null || right === null ? null : left + right;
}

function isPartOfText(node: ts.Expression): boolean {
  return ts.isBinaryExpression(node.parent) && textOf(node.parent) !== null;
}

function isThrown(node: ts.Node): boolean {
  for (let at = node.parent; at !== undefined && !ts.isStatement(at) && !ts.isFunctionLike(at); at = at.parent) {
    if (ts.isNewExpression(at)) return !toldErrors.includes(at.expression.getText());
  }
  return false;
}

/** Whether a value is that of a field for words, or the initial value of a variable of such a name. */
function isWordedField(node: ts.Expression): boolean {
  const { parent } = node;
  if (ts.isConditionalExpression(parent)) return parent.condition !== node && isWordedField(parent);
  if (!ts.isPropertyAssignment(parent) && !ts.isVariableDeclaration(parent)) return false;
  return parent.initializer === node && ts.isIdentifier(parent.name) && wordedFields.includes(parent.name.text);
}
