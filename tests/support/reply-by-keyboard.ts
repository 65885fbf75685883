import { mf2 } from 'microformats-parser';
import type { Page } from 'playwright';
import { expect, onTestFinished } from 'vitest';
import type { MethodName, Params, Result } from '../../src-main/contract/contract.ts';
import { page as pageWith } from './client-app.ts';
import { keyboardOf } from './keyboard.ts';
import { patience } from './patience.ts';
import { openReceivers } from './webmention-receivers.ts';

/** Calls the service behind the window. */
type Call = <M extends MethodName>(method: M, params: Params<M>) => Promise<Result<M>>;

/**
 * Lets a mention arrive, replies to it with the keyboard in the window that `page` shows, and finds the webmention and
 * the reply where the mention's author would. `baseUrl`: the server's public address.
 */
export async function replyByKeyboard(
  page: Page,
  { call, baseUrl }: { call: Call; baseUrl: string },
): Promise<void> {
  const friend = await openReceivers();
  onTestFinished(() => friend.close());
  const { url: post } = await call('posts.create', {
    text: 'The swifts are back.',
    format: 'plain',
    photos: [],
    categories: [],
    visibility: 'public',
    status: 'published',
  });

  const mention = `${friend.origin}/swifts`;
  friend.endpoint('/endpoint');
  friend.site.pages.set(
    '/swifts',
    pageWith(
      `<link rel="webmention" href="/endpoint"><article class="h-entry">
        <p class="p-author h-card"><a class="p-name u-url" href="${friend.origin}/">Bo Larsen</a></p>
        <p class="e-content">Ours came on Tuesday, a week late.</p>
        <a class="u-in-reply-to" href="${post}">The swifts are back</a>
        <a class="u-url" href="/swifts"><time class="dt-published">2026-11-21T10:00:00Z</time></a></article>`,
    ),
  );
  const sent = await fetch(`${baseUrl}/webmention`, {
    method: 'POST',
    body: new URLSearchParams({ source: mention, target: post }),
  });
  expect(sent.status).toBeGreaterThanOrEqual(200);
  expect(sent.status).toBeLessThan(300);
  await expect
    .poll(async () => (await fetch(post)).text(), patience)
    .toContain('Ours came on Tuesday, a week late.');

  await page.evaluate(() => void (location.hash = '#/webmentions'));
  const keyboard = keyboardOf(page);
  const row = page.getByRole('button', { name: /Bo Larsen/ });
  await row.waitFor();
  await row.focus();
  await keyboard.press('Enter');
  const reply = page.getByRole('link', { name: 'Reply' });
  await reply.waitFor();
  await reply.focus();
  await keyboard.press('Enter');
  const field = page.getByLabel('Address of the page');
  await expect.poll(() => field.inputValue()).toBe(mention);
  await keyboard.isAt('textbox', 'Text');
  await keyboard.type('Better late than never!');
  await keyboard.tabTo('button', 'Preview');
  await keyboard.press('Enter');
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByText('Bo Larsen').waitFor();
  await preview.getByText('Ours came on Tuesday, a week late.').waitFor();
  await preview.getByText('Better late than never!').waitFor();
  expect(friend.received).toEqual([]);
  await keyboard.press('Control+Enter');
  await page.getByText('Published.').waitFor();

  await expect.poll(() => friend.received.length, patience).toBe(1);
  const [received] = friend.received;
  expect(received).toMatchObject({ endpoint: '/endpoint', target: mention });
  const source = received?.source ?? '';
  const entry = async () => mf2(await (await fetch(source)).text(), { baseUrl: source }).items[0];
  // A narrow window shows no preview, so the page that is replied to is read once the reply is there.
  await expect.poll(entry, patience).toMatchObject({
    type: ['h-entry'],
    properties: {
      content: [{ value: 'Better late than never!' }],
      url: [source],
      'in-reply-to': [
        {
          type: ['h-cite'],
          value: mention,
          properties: { author: [{ properties: { name: ['Bo Larsen'] } }] },
        },
      ],
    },
  });
  await expect
    .poll(async () => (await call('webmentions.deliveries', { source })).map(({ state }) => state), patience)
    .toEqual(['sent']);
}
