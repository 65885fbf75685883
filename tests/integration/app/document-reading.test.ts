import { afterEach, describe, expect, test, vi } from 'vitest';
import { createDocumentReading, openReading } from '../../../src-main/app/reading.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { markdownHtml } from '../../../src-main/posts/markdown.ts';
import { patience } from '../../support/patience.ts';

vi.setConfig({ testTimeout: 180_000 });

const opened: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

function reading(deadlineMs?: number) {
  const made = openReading({ clock: () => 0, ...(deadlineMs !== undefined && { deadlineMs }) });
  opened.push(made);
  return made.documents;
}

/** Markdown that takes much longer to convert than other Markdown of its length. */
const slowMarkdown = '![[a]('.repeat(50_000);

describe('long Markdown', () => {
  const text = `Hello @ada.example, @bob.example and #lamps.\n\n${'*Many* words. '.repeat(1000)}`;
  const person = (handle: string) => (handle === 'ada.example' ? 'https://ada.example/' : undefined);

  test('gives the same HTML as on the main thread, with the same people', async () => {
    const html = await reading().markdown('site')(text, 'about.md', person);
    expect(html).toBe(markdownHtml(text, person));
    expect(html).toContain('<a href="https://ada.example/">@ada.example</a>');
  });

  test('long Markdown that takes too long is refused by name, and not tried again', async () => {
    const convert = reading(300).markdown('site');
    const refusal = { code: 'page_too_slow', message: 'about.md takes too long to read.' };
    // On a computer that is busy enough, no thread can read it at first.
    const convertsSlowly = () => expect(convert(slowMarkdown, 'about.md')).rejects.toMatchObject(refusal);
    await vi.waitFor(convertsSlowly, patience);
    await expect(convert(slowMarkdown, 'again.md')).rejects.toMatchObject({
      code: 'page_too_slow',
      message: 'again.md takes too long to read.',
    });
    expect(await convert('*Short*', 'about.md')).toBe('<p><em>Short</em></p>');
  });
});

test('a document that was refused once reaches no thread a second time, but a failure of the threads is forgotten', async () => {
  let runs = 0;
  const errors = [
    new PorchlightError('reading_unavailable', 'No threads.', 503),
    new PorchlightError('page_too_large', 'This page is too large to read.'),
  ];
  const documents = createDocumentReading({ run: () => Promise.reject(errors[Math.min(runs++, 1)]!) });
  const once = () => documents.run('markdown', { text: 'a' }, { name: 'about.md', use: 'site' });
  await expect(once()).rejects.toMatchObject({
    status: 503,
    message: 'about.md can’t be read at the moment. Try again later.',
  });
  await expect(once()).rejects.toMatchObject({ message: 'about.md takes too much memory to read.' });
  await expect(once()).rejects.toMatchObject({ message: 'about.md takes too much memory to read.' });
  expect(runs).toBe(2);
});
