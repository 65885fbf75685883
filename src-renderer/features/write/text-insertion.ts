import type { PostText } from '../../../src-main/contract/writing.ts';

/**
 * Replaces the selection of a text field, as if the owner had typed it: React learns about it, and it can be undone. The cursor
 * is behind the new text.
 */
export function insertText(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  // The only way that keeps the browser's undo. Not every browser has it for every field.
  const page = document as { execCommand?: (command: string, ui: boolean, text: string) => boolean };
  const command = text === '' ? 'delete' : 'insertText';
  if (page.execCommand?.(command, false, text) === true) return;
  const { value, selectionStart: start, selectionEnd: end } = field;
  // React notices only what the setter of the class changes.
  const property = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
  property?.set?.call(field, value.slice(0, start) + text + value.slice(end));
  field.setSelectionRange(start + text.length, start + text.length);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Returns pictures as paragraphs of their own, for the place of a field's selection. */
export function asParagraphs(
  { value, selectionStart, selectionEnd }: HTMLTextAreaElement,
  pictures: readonly string[],
): string {
  const before = value.slice(0, selectionStart);
  const after = value.slice(selectionEnd);
  const start = before === '' || before.endsWith('\n\n') ? '' : before.endsWith('\n') ? '\n' : '\n\n';
  const end = after.startsWith('\n\n') ? '' : after.startsWith('\n') ? '\n' : '\n\n';
  return `${start}${pictures.join('\n\n')}${end}`;
}

/**
 * Inserts pictures as paragraphs of their own. The cursor is then in the alt text of the first one that has none; a
 * placeholder's words are selected, so that typing replaces them.
 */
export function insertPictures(field: HTMLTextAreaElement, pictures: readonly string[]): void {
  leavePicture(field);
  const { selectionStart: start } = field;
  const inserted = asParagraphs(field, pictures);
  insertText(field, inserted);
  const found = pictures.find((picture) => altIn(picture).isMissing);
  if (found === undefined) return;
  const alt = start + inserted.indexOf(found) + '!['.length;
  field.setSelectionRange(alt, alt + altIn(found).alt.length);
}

/** Matches a picture in Markdown: its alt text as it is written, and its address. A title may follow. */
const pictureInText = /!\[((?:\\.|[^\]\\]){0,2000})\]\(((?:[^()\s]|\([^()\s]*\))*)(?:\s[^()]*)?\)/g;
const uploadAddress = /^upload-[0-9a-f]{8}$/;
const placeholder = /^Uploading .*…$/;

/** Moves the cursor out of a picture's Markdown, to its end. */
function leavePicture(field: HTMLTextAreaElement): void {
  const { value, selectionStart: start, selectionEnd: end } = field;
  for (const { 0: picture, index } of value.matchAll(pictureInText)) {
    const close = index + picture.length;
    if (index < start && start < close && end <= close) field.setSelectionRange(close, close);
  }
}

/** Returns the alt text of a picture in Markdown, and whether the owner still has to write it. */
function altIn(picture: string): { readonly alt: string; readonly isMissing: boolean } {
  const [, alt = '', address = ''] = [...picture.matchAll(pictureInText)][0] ?? [];
  return { alt, isMissing: alt.trim() === '' || (uploadAddress.test(address) && placeholder.test(alt)) };
}

/** Returns how many pictures in a text have no alt text. Code has no pictures. */
export function picturesWithoutAlt({ text, format }: Pick<PostText, 'text' | 'format'>): number {
  if (format === 'html') {
    const images = new DOMParser().parseFromString(text, 'text/html').querySelectorAll('img');
    return [...images].filter(({ alt }) => alt.trim() === '').length;
  }
  if (format !== 'markdown' || !text.includes('![')) return 0;
  const words = text.replace(/^(```|~~~)[^]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
  return [...words.matchAll(pictureInText)].filter(([picture]) => altIn(picture).isMissing).length;
}

/** Returns a picture in Markdown. */
export const pictureMarkdown = (alt: string, url: string): string => `!${linkMarkdown(alt, url)}`;

const linkMarkdown = (text: string, url: string): string =>
  `[${text.replaceAll(/[\\[\]]/g, String.raw`\$&`)}](${inMarkdown(url)})`;

const inMarkdown = (url: string) => url.replaceAll('(', '%28').replaceAll(')', '%29');

const isAddress = (text: string): boolean => /^https?:\/\/[^\s<>]+$/i.test(text) && URL.canParse(text);

/**
 * Returns a placeholder, in Markdown, for a picture that is being uploaded. No two are the same. The owner may write the
 * alt text meanwhile.
 */
export function uploadMark(name: string): string {
  const words = name.replaceAll(/[[\]()!\\\s]+/g, ' ').trim();
  return `![Uploading ${words}…](upload-${crypto.randomUUID().slice(0, 8)})`;
}

/** Returns a text with an uploaded picture in the place of its mark. `alt`: used unless the owner wrote one in the text. */
export function withUploaded(text: string, mark: string, alt: string, url: string): string {
  const placed = withoutMark(text, mark, (written) =>
    written === undefined ? pictureMarkdown(alt, url) : `![${written}](${inMarkdown(url)})`,
  );
  // The alt text may have brackets of its own.
  return placed.replace(`](${addressIn(mark)})`, () => `](${inMarkdown(url)})`);
}

const addressIn = (mark: string): string => [...mark.matchAll(pictureInText)][0]?.[2] ?? '';

/** Returns a text with something else in the place of a mark. `instead`: gets the alt text that the owner wrote. */
export function withoutMark(
  text: string,
  mark: string,
  instead: (written: string | undefined) => string = () => '',
): string {
  const address = addressIn(mark);
  return text.replace(pictureInText, (picture: string, alt: string, at: string) =>
    at === address ? instead(altIn(picture).isMissing ? undefined : alt) : picture,
  );
}

/** Returns a link in Markdown if a web address is pasted over selected text; otherwise undefined. */
export function linkFor(
  { value, selectionStart, selectionEnd }: HTMLTextAreaElement,
  pasted: string,
): string | undefined {
  const text = value.slice(selectionStart, selectionEnd);
  const url = pasted.trim();
  // Over an address, the owner replaces the address.
  if (!isAddress(url) || text.trim() === '' || text.includes('\n') || isAddress(text.trim()))
    return undefined;
  return linkMarkdown(text, url);
}
