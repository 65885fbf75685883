import { expect, onTestFinished, test, vi } from 'vitest';
import { startPorchlight } from '../../support/porchlight.ts';

vi.setConfig({ testTimeout: 180_000 });

const plain = {
  photos: [],
  categories: [],
  visibility: 'public' as const,
  status: 'published' as const,
};
const long = `${'*Many* words. '.repeat(1000)}\n\nThe **end**.`;

test('long Markdown in a post and on an owner’s page is shown as HTML, and the form gets the Markdown back', async () => {
  const porchlight = await startPorchlight();
  onTestFinished(() => porchlight.remove());
  const { base } = porchlight;
  const { url } = await porchlight.call('posts.create', { text: long, format: 'markdown', ...plain });
  expect(await (await fetch(url)).text()).toContain('The <strong>end</strong>.');
  await porchlight.call('posts.update', {
    url,
    text: `${long}\n\nThe *other* end.`,
    format: 'markdown',
    ...plain,
  });
  expect(await (await fetch(url)).text()).toContain('The <em>other</em> end.');
  const { text, format } = await porchlight.call('posts.source', { url });
  expect({ text, format }).toEqual({ text: `${long}\n\nThe *other* end.`, format: 'markdown' });

  const pageOf = async (words: string) => {
    const pages = [{ slug: 'now', title: 'Now', text: words }];
    await porchlight.call('settings.update', { site: { pages } });
    return (await fetch(`${base}/now`)).text();
  };
  expect(await pageOf(long)).toContain('The <strong>end</strong>.');
});
