import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Generator } from '../../../../src-main/contract/site-folder.ts';
import { openFolderReader } from '../../../../src-main/platform/folder-files.ts';
import { homeOf } from '../../../../src-main/posts/files/addresses.ts';
import { readFolderFacts } from '../../../../src-main/site-folder/facts.ts';
import { liveState } from '../../../../src-main/posts/files/live-mark.ts';
import { postFile } from '../../../../src-main/posts/files/post-file.ts';
import { postMarkdownHere, parseHere } from '../../../support/folder-reading.ts';
import {
  buildSite,
  hasGenerator,
  listingThemes,
  allGenerators,
  smallThemes,
} from '../../../support/site-generators.ts';
import { contentIn, expectedContent, hostilePost, hostileView } from '../../../support/hostile-posts.ts';
import { postOf } from '../../../support/site.ts';
import { folderSettings } from '../../../support/folder-settings.ts';

const count = Number(process.env['PORCHLIGHT_HOSTILE_POSTS'] ?? 500);
const baseUrl = 'https://me.example/';

const samples = fc.sample(hostilePost, { numRuns: count, seed: 20261123 });
const settingsOf = (generator: Generator) => folderSettings('/site', generator, { baseUrl });

describe.each(allGenerators)('%s', (name, generator) => {
  let folder: string;
  const kind = name.toLowerCase() as Generator;
  const isThere = hasGenerator(generator);
  const needsGenerator = (skip: (reason: string) => void) => {
    if (!isThere) skip(`${name} isn’t installed`);
  };
  const settings = settingsOf(kind);
  const taken = new Set<string>();
  const posts = samples.map(({ properties, markdown }, index) => {
    const path = `/posts/2026/11/${encodeURIComponent(`post-${index}`)}`;
    const post = postOf(properties, { path, ...(markdown !== undefined && { markdown }) });
    const home = { ...homeOf(post, settings), former: [], written: {}, liveAt: null };
    return { ...post, home };
  });

  beforeAll(async () => {
    if (!isThere) return;
    folder = await mkdtemp(path.join(tmpdir(), 'porchlight-builds-'));
    const write = async (file: string, content: string) => {
      await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
      await writeFile(path.join(folder, file), content);
    };
    for (const [file, content] of Object.entries(smallThemes(baseUrl)[name] ?? {}))
      await write(file, content);
    for (const post of posts) {
      const { file, text: content } = await postFile(post, hostileView, settings, postMarkdownHere);
      expect(taken.has(file.toLowerCase())).toBe(false);
      taken.add(file.toLowerCase());
      await write(file, content);
    }
    await buildSite(folder, generator);
  }, 300_000);

  afterAll(async () => {
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  test(
    `builds ${count} hostile posts: each page shows its content, at its own URL`,
    { timeout: 30_000 + 50 * count },
    async ({ skip }) => {
      needsGenerator(skip);
      const wrong: object[] = [];
      for (const post of posts) {
        const at = new URL(post.home.url).pathname;
        const page = await readFile(path.join(folder, generator.output, at, 'index.html'), 'utf8');
        expect(liveState(page, post)).toEqual({ live: true, hasOwnUrl: true });
        const shown = contentIn(page, post.home.url);
        const expected = expectedContent(post, post.home.url);
        if (!shown.includes(expected)) wrong.push({ properties: post.properties, shown, expected });
      }
      expect(wrong).toEqual([]);
    },
  );

  // Astro has no such rule: the owner's own pages list posts.
  if (name === 'Astro') return;
  test('an unlisted post is at its URL, and in no list, feed, sitemap or tag page', async ({ skip }) => {
    needsGenerator(skip);
    const dir = await mkdtemp(path.join(tmpdir(), 'porchlight-builds-'));
    onTestFinished(() => rm(dir, { recursive: true, force: true }));
    const write = async (file: string, content: string) => {
      await mkdir(path.dirname(path.join(dir, file)), { recursive: true });
      await writeFile(path.join(dir, file), content);
    };
    for (const [file, content] of Object.entries(listingThemes(baseUrl)[name] ?? {}))
      await write(file, content);
    const facts = await readFolderFacts(openFolderReader(dir), kind, parseHere);
    const placed = (['public', 'unlisted'] as const).map((visibility) => {
      const properties = {
        name: [`Titled ${visibility}`],
        content: [`Worded ${visibility}`],
        category: ['tea'],
      };
      const post = postOf(
        { ...properties, published: ['2026-01-01T00:00:00Z'] },
        { path: `/posts/2026/01/${visibility}-post`, visibility },
      );
      return { ...post, home: { ...homeOf(post, settings), former: [], written: {}, liveAt: null } };
    });
    for (const post of placed) {
      const { file, text } = await postFile(post, hostileView, settings, postMarkdownHere, facts);
      await write(file, text);
    }
    await buildSite(dir, generator);
    const output = path.join(dir, generator.output);
    const naming = async (visibility: string) => {
      const found: string[] = [];
      for (const file of await readdir(output, { recursive: true })) {
        if (!(await stat(path.join(output, file))).isFile()) continue;
        const text = await readFile(path.join(output, file), 'utf8');
        if (new RegExp(`(?:Titled |Worded )${visibility}|/${visibility}-post`).test(text)) found.push(file);
      }
      return found;
    };
    const [open, hidden] = placed.map(({ home }) => `${new URL(home.url).pathname.slice(1)}index.html`);
    expect(await naming('public')).toEqual(expect.arrayContaining(['index.html', open]));
    expect(await naming('unlisted')).toEqual([hidden]);
    const page = await readFile(path.join(output, hidden ?? ''), 'utf8');
    expect(page).toContain('Worded unlisted');
    if (name === 'Jekyll') expect(page).toContain('The layout of posts:');
  });
});
