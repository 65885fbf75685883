/**
 * Replaces the selection of a text field, as if the owner had typed it: React learns about it, and it can be undone. The cursor
 * is behind the new text.
 */
export function insertText(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  // The only way that keeps the browser's undo. Not every browser has it for every field.
  const page = document as { execCommand?: (command: string, ui: boolean, text: string) => boolean };
  if (page.execCommand?.('insertText', false, text) === true) return;
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

/** Returns a picture in Markdown. */
export const pictureMarkdown = (alt: string, url: string): string => `!${linkMarkdown(alt, url)}`;

const linkMarkdown = (text: string, url: string): string =>
  `[${text.replaceAll(/[\\[\]]/g, String.raw`\$&`)}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`;

const isAddress = (text: string): boolean => /^https?:\/\/[^\s<>]+$/i.test(text) && URL.canParse(text);

/** Returns a placeholder, in Markdown, for a picture that is being uploaded. No two are the same. */
export function uploadMark(name: string): string {
  const words = name.replaceAll(/[[\]()!\\\s]+/g, ' ').trim();
  return `![Uploading ${words}…](upload-${crypto.randomUUID().slice(0, 8)})`;
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
