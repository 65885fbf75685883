import type { KeyboardEvent, RefObject } from 'react';
import type { PostText } from '../../../src-main/contract/writing.ts';
import { insertText } from './text-insertion.ts';
import type { PictureSession } from './writing.ts';

export type TextRef = RefObject<HTMLTextAreaElement | null>;

/** A text field's text, and what is selected in it. */
export type Selected = Pick<HTMLTextAreaElement, 'value' | 'selectionStart' | 'selectionEnd'>;

/** A change of a text: `text` takes the place of what is between `from` and `to`, and `select` is selected then. */
export interface TextEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly select: readonly [start: number, end: number];
}

/** Makes a change in a text field, as if the owner had typed it. */
export function applyEdit(field: HTMLTextAreaElement, { from, to, text, select }: TextEdit): void {
  field.setSelectionRange(from, to);
  if (from !== to || text !== '') insertText(field, text);
  field.setSelectionRange(...select);
}

const stars = { bold: 2, italic: 1 } as const;

/**
 * Returns the change that makes the selected words bold or italic in Markdown or, if they are already, takes that away.
 * Without a selection, it is about the word at the cursor. At the end of such words, the cursor leaves them.
 */
export function emphasized(selected: Selected, style: keyof typeof stars): TextEdit {
  const { value, selectionStart: at } = selected;
  const count = stars[style];
  if (
    at === selected.selectionEnd &&
    at > 0 &&
    value[at - 1] !== '*' &&
    isMarked(starsAfter(value, at), style)
  )
    return { from: at + count, to: at + count, text: '', select: [at + count, at + count] };
  const [start, end] = withinStars(value, ...wordsIn(selected));
  const around = Math.min(starsBefore(value, start), starsAfter(value, end), 3);
  const words = value.slice(start, end);
  const mark = '*'.repeat(count);
  if (isMarked(around, style)) {
    const [from, to] = [start - count, end + count];
    return { from, to, text: words, select: [from, from + words.length] };
  }
  const first = start + count;
  return { from: start, to: end, text: mark + words + mark, select: [first, first + words.length] };
}

/** Returns whether words with this many stars around them are bold or italic. Three stars are both. */
const isMarked = (count: number, style: keyof typeof stars) =>
  style === 'bold' ? count >= 2 : count % 2 === 1;

/** Returns the selection without spaces at its ends or, if nothing is selected, the word at the cursor. */
function wordsIn({ value, selectionStart: start, selectionEnd: end }: Selected): [number, number] {
  if (start === end) {
    const before = /[\p{L}\p{N}'’_-]*$/u.exec(value.slice(Math.max(0, start - 100), start))?.[0].length ?? 0;
    const after = /^[\p{L}\p{N}'’_-]{0,100}/u.exec(value.slice(start))?.[0].length ?? 0;
    return [start - before, start + after];
  }
  const words = value.slice(start, end);
  const first = words.length - words.trimStart().length;
  return first === words.length ? [start, end] : [start + first, start + words.trimEnd().length];
}

/** Returns a range without the stars at its ends. */
function withinStars(value: string, start: number, end: number): [number, number] {
  const words = value.slice(start, end);
  const count = Math.min(starsAfter(words, 0), starsBefore(words, words.length));
  return count * 2 >= words.length ? [start, end] : [start + count, end - count];
}

const starsBefore = (value: string, at: number) =>
  /\**$/.exec(value.slice(Math.max(0, at - 3), at))?.[0].length ?? 0;
const starsAfter = (value: string, at: number) => /^\**/.exec(value.slice(at, at + 3))?.[0].length ?? 0;

/** Returns the change that makes the selected words a link in Markdown. The cursor is then where something is missing. */
export function linked({ value, selectionStart: start, selectionEnd: end }: Selected): TextEdit {
  const words = value.slice(start, end);
  const isAddress = /^https?:\/\/\S+$/i.test(words.trim());
  const text = isAddress ? `[](${words.trim()})` : `[${words}]()`;
  const at = start + (isAddress || words === '' ? 1 : text.length - 1);
  return { from: start, to: end, text, select: [at, at] };
}

/** Matches the beginning of a line of a list or a quotation, up to its words. */
const lineStart = /^(\s*)(?:([-*+])|(\d{1,9})([.)])|(>))(\s+)(\[[ xX]\]\s+)?/;

/**
 * Returns the change that Enter makes in a list or a quotation: the next line begins like the one with the cursor, and an
 * item without words ends the list. Returns undefined anywhere else.
 */
export function continued({ value, selectionStart: at, selectionEnd: end }: Selected): TextEdit | undefined {
  if (at !== end) return undefined;
  const from = value.lastIndexOf('\n', at - 1) + 1;
  const line = value.slice(from, at);
  const found = lineStart.exec(line);
  if (found === null) return undefined;
  const [start, indent = '', bullet, number, dot = '', quote, space = ' ', task] = found;
  const rest = value.slice(at).split('\n', 1)[0] ?? '';
  if (line === start && rest.trim() === '')
    return { from, to: at + rest.length, text: '', select: [from, from] };
  const mark = bullet ?? quote ?? `${Number(number) + 1}${dot}`;
  const text = `\n${indent}${mark}${space}${task === undefined ? '' : '[ ] '}`;
  return { from: at, to: at, text, select: [at + text.length, at + text.length] };
}

/** Returns how many words a text has. Addresses of links and pictures, and HTML's tags, are none. */
export function wordCount({ text, format }: Pick<PostText, 'text' | 'format'>): number {
  const words =
    format === 'html' ? text.replace(/<[^>]{0,2000}>/g, ' ') : text.replace(/\]\([^)\s]{0,2000}\)/g, '] ');
  return words.match(/[\p{L}\p{N}]+(?:['’.-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
}

/** What the buttons below the text, and Ctrl+B, I and K, do with the selected words. */
export type Formatting = 'bold' | 'italic' | 'link';

const keys: Readonly<Record<string, Formatting>> = { b: 'bold', i: 'italic', k: 'link' };

/** Whether this computer is a Mac, where ⌘ takes the place of Ctrl. */
export const isOnMac = (): boolean => navigator.platform.startsWith('Mac');

/** Returns the formatting that a key asks for. On a Mac, Ctrl with these letters moves the cursor. */
export function formatShortcut({
  key,
  ctrlKey,
  metaKey,
  shiftKey,
  altKey,
}: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>): Formatting | undefined {
  const isCommand = isOnMac() ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  const name = key.toLowerCase();
  return isCommand && !shiftKey && !altKey && Object.hasOwn(keys, name) ? keys[name] : undefined;
}

/** Formats the selected words of a text in Markdown. */
export function formatText(field: TextRef, formatting: Formatting): void {
  const area = field.current;
  if (area === null) return;
  area.focus();
  applyEdit(area, formatting === 'link' ? linked(area) : emphasized(area, formatting));
}

/** Makes a plain text Markdown, because it is about to be formatted. */
export function beginMarkdown(session: PictureSession): void {
  if (session.snapshot().form.format === 'plain') session.change({ format: 'markdown' });
}
