import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The repository's root. */
export const root = path.join(import.meta.dirname, '../..');

/** Reads a file of the repository as text. `file`: its path from the root. */
export const readText = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Returns the paths of all files and folders in a folder of the repository, from the root, with `/` as separator. */
export function pathsIn(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
    path.posix.join(folder, name.replaceAll(path.sep, '/')),
  );
}

/** Returns the text of each code block of a Markdown page, in order. */
export const codeBlocksOf = (text: string): string[] =>
  [...text.matchAll(/```\w*\n([\s\S]*?)```/g)].map(([, block = '']) => block);

/** Returns a Markdown page without its code blocks. */
export const proseOf = (text: string): string => text.replace(/```[\s\S]*?```/g, '');

/** Returns the paragraphs and list items of a Markdown page that have more than 90 words. */
export function longParagraphsOf(text: string): string[] {
  const paragraphs = proseOf(text).split(/\n\s*\n|\n(?=\s*(?:\d+\.|-) )/);
  return paragraphs.filter((paragraph) => paragraph.trim().split(/\s+/).length > 90);
}

/** Returns the targets of a Markdown page's links to other pages of the same folder, without their anchors. */
export const linksOf = (text: string): string[] =>
  [...text.matchAll(/\]\(([\w./-]+)(?:#[\w-]+)?\)/g)].map(([, file = '']) => file);
