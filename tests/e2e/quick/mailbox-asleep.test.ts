import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as oauth from 'oauth4webapi';
import { expect, onTestFinished, test } from 'vitest';
import type { Params } from '../../../src-main/contract/contract.ts';
import { launchChromium } from '../../support/chromium.ts';
import type { HeadlessProcess } from '../../support/headless-process.ts';
import { mailboxScene } from '../../support/mailbox-scene.ts';
import { openRecorder, type Recorder } from '../../support/recorder.ts';
import { insecure, openStrictClient } from '../../support/strict-client.ts';

const patience = { timeout: 360_000, interval: 200 };
const ready = (house: HeadlessProcess) =>
  expect
    .poll(() => house.call('mailbox.status', {}), patience)
    .toMatchObject({ state: 'asleep-ready', toCopy: 0, toRemove: 0 });

type Written = Params<'posts.create'>;
const written = (text: string, more: Partial<Written> = {}): Written => ({
  text,
  format: 'plain',
  photos: [],
  categories: [],
  visibility: 'public',
  status: 'published',
  ...more,
});

/** Everything that the mailbox has on disk. */
async function storedText(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  return (
    await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')))
  ).join('');
}

test(
  'while the computer sleeps, pages stay readable, apps keep their tokens, and nothing private is in the mailbox',
  { timeout: 300_000 },
  async () => {
    let recorder: Recorder | undefined;
    const scene = await mailboxScene({ through: async (url) => (recorder = await openRecorder(url)) });
    const app = await openStrictClient();
    const chromium = await launchChromium();
    onTestFinished(async () => {
      await chromium.close();
      await app.close();
    });
    const visitor = await chromium.newPage();
    const house = await scene.start();
    await ready(house);

    await visitor.goto(await app.start(scene.url, 'profile create'));
    await visitor.getByRole('button', { name: 'Ask on my computer' }).click();
    await visitor.waitForURL(/\/auth\/requests\//);
    const [waiting] = await house.call('signIns.list', {});
    await house.call('signIns.approve', { id: waiting?.id ?? '', scopes: waiting?.scopes ?? [] });
    await visitor.waitForURL(/\/callback\?/);
    const tokens = await app.finish();

    const open = await house.call('posts.create', written('Words for everybody.'));
    const deleted = await house.call('posts.create', written('Words that were public once.'));
    await house.call('posts.create', written('Words in a drawer.', { status: 'draft' }));
    await house.call('posts.create', written('Words for nobody.', { visibility: 'private' }));
    await house.call('posts.create', written('Words of tomorrow.', { published: '2099-01-01T00:00:00Z' }));
    await ready(house);
    await house.call('posts.delete', { url: deleted.url });
    await ready(house);
    await house.stop();

    await visitor.goto(open.url);
    await visitor.getByText('Words for everybody.').waitFor();
    expect(await visitor.getByRole('note').textContent()).toContain('This is a copy from');
    expect((await visitor.goto(deleted.url))?.status()).toBe(410);
    expect((await visitor.goto(`${scene.url}/`))?.status()).toBe(200);
    expect(await visitor.getByText('Words that were public once.').count()).toBe(0);
    expect((await fetch(`${scene.url}/feed.atom`)).status).toBe(200);

    // The client library gets an error of the server, not one of the token, and keeps the token.
    const refresh = () =>
      oauth.refreshTokenGrantRequest(
        app.server(),
        app.client,
        oauth.None(),
        tokens.refresh_token ?? '',
        insecure,
      );
    const refused = await refresh();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    await visitor.goto(await app.start(scene.url, 'profile'));
    await visitor.getByRole('heading', { name: 'This server is asleep' }).waitFor();

    const stored = await storedText(scene.mailbox.folder);
    for (const token of [tokens.access_token, tokens.refresh_token]) expect(stored).not.toContain(token);

    const again = await scene.start();
    await ready(again);
    // Whatever the server sent there, in both runs, and whatever the mailbox stored.
    for (const text of [recorder?.sent(), stored, await storedText(scene.mailbox.folder)]) {
      expect(text).toContain('Words for everybody.');
      expect(text).not.toMatch(/words[ -](?:in[ -]a[ -]drawer|for[ -]nobody|of[ -]tomorrow)/i);
    }
    const renewed = await oauth.processRefreshTokenResponse(app.server(), app.client, await refresh());
    expect(renewed.access_token).not.toBe(tokens.access_token);
    expect((await fetch(open.url)).headers.get('etag')).not.toBeNull();
    expect(await (await fetch(open.url)).text()).not.toContain('This is a copy from');
  },
);
