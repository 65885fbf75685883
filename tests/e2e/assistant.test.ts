import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { type HeadlessProcess, startHeadless } from '../support/headless-process.ts';
import { untilSteady } from '../support/steady.ts';

const args = ['--me', 'https://owner.example/', '--tunnel', 'off'];

/** Lets an assistant in, by a token that the owner makes by hand. */
async function letIn(server: HeadlessProcess, label: string): Promise<string> {
  await server.call('settings.update', { assistants: { on: true } });
  return (await server.call('apps.issueToken', { label, scopes: ['draft'], assistant: true })).token;
}

async function connect(server: HeadlessProcess, token: string) {
  const client = new Client({ name: 'agent', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.ready.baseUrl}/mcp`), { requestInit }),
  );
  return {
    call: async (name: string, input: object) => {
      const result = await client.callTool({ name, arguments: { ...input } });
      if (result.isError) throw new Error(JSON.stringify(result.content));
      return result.structuredContent as Record<string, unknown>;
    },
    close: () => client.close(),
  };
}

test(
  'an assistant searches, reads, writes a draft and edits it; the owner reads it in the window and publishes it',
  { timeout: 360_000 },
  async () => {
    const server = await startHeadless({ args });
    onTestFinished(() => server.remove());
    const about = 'Tea needs five minutes, and nobody knows why.';
    const status = { status: 'published', visibility: 'public' } as const;
    await server.call('posts.create', { text: about, photos: [], categories: [], ...status });
    const agent = await connect(server, await letIn(server, 'Claude Code'));
    onTestFinished(() => agent.close());

    const found = (await agent.call('search_posts', { query: 'tea' }))['posts'] as { url: string }[];
    expect(found).toHaveLength(1);
    const { url: reply_to = '' } = found[0] ?? {};
    expect(await agent.call('read_post', { url: reply_to })).toMatchObject({ text: about });
    const hidden = 'The end, far below the first lines.';
    const draft = await agent.call('write_draft', { text: 'Now I know why.', reply_to });
    const { url, version } = draft as { url: string; version: string };
    const text = `Now I know *why*: ${'tannins, '.repeat(60)}\n\n${hidden}`;
    const edited = await agent.call('edit_draft', { url, version, text });
    expect((await fetch(url)).status).toBe(404);

    // What the owner saw before the edit isn't what is there now.
    const publish = { url, status: 'published' } as const;
    await expect(server.call('posts.update', { ...publish, ifVersion: version })).rejects.toMatchObject({
      code: 'conflict',
    });
    await agent.call('write_draft', { text: 'Another one.' });

    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
    await page.goto(`${server.ready.consoleUrl}/#key=${server.ready.ownerKey}`);
    await page.getByText('2 drafts from Claude Code').waitFor();
    const item = page.getByRole('listitem').filter({ hasText: 'Draft from Claude Code: Now I know why' });
    await item.getByRole('button', { name: 'Read' }).click();
    await item.getByText(hidden).waitFor();
    const button = item.getByRole('button', { name: 'Publish' });
    await untilSteady(button);
    await button.click();
    await page.getByText('Published:').first().waitFor();
    await expect.poll(() => item.count()).toBe(0);

    const { item: published } = await server.call('posts.get', { url });
    expect(published).toMatchObject({ status: 'published', visibility: 'public', kind: 'reply' });
    expect(await (await fetch(published.url)).text()).toContain(hidden);
    await expect(
      agent.call('edit_draft', { url, version: edited['version'], text: 'Buy now' }),
    ).rejects.toThrow('only the owner can change it');
  },
);

test(
  'a server that is killed while an assistant writes keeps each draft that it acknowledged, and no half draft',
  { timeout: 360_000 },
  async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'porchlight-assistant-'));
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
    const textOf = (number: number) => `Draft ${number}. ${'x'.repeat(20_000)} The end of ${number}.`;
    const acknowledged = new Set<string>();
    const sent = new Set<string>();
    let token = '';
    let number = 0;
    for (const most of [0, 1, 4, 9]) {
      const before = acknowledged.size;
      const server = await startHeadless({ dataDir, args });
      token ||= await letIn(server, 'Claude Code');
      const write = async (): Promise<void> => {
        if (server.child.killed) return;
        const text = textOf((number += 1));
        sent.add(text);
        const params = { name: 'write_draft', arguments: { text } };
        const response = await fetch(`${server.ready.baseUrl}/mcp`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
        });
        const { result } = (await response.json()) as { result?: { structuredContent?: object } };
        if (result?.structuredContent) acknowledged.add(text);
        await write();
      };
      // Requests that the kill cuts off fail.
      const writers = Promise.allSettled([write(), write(), write()]);
      // The kill comes while others are being written.
      await expect.poll(() => acknowledged.size - before, { interval: 1 }).toBeGreaterThanOrEqual(most);
      await server.stop('SIGKILL');
      await writers;
    }
    expect(acknowledged.size).toBeGreaterThan(0);
    const server = await startHeadless({ dataDir, args });
    onTestFinished(async () => void (await server.stop()));
    const there = new Set<string>();
    const { items } = await server.call('posts.list', { status: 'draft', limit: 500 });
    for (const { url } of items) there.add((await server.call('posts.source', { url })).text);
    expect([...there].filter((text) => !sent.has(text))).toEqual([]);
    expect([...acknowledged].filter((text) => !there.has(text))).toEqual([]);
    expect((await server.call('status.get', {})).problems).toEqual([]);
  },
);
